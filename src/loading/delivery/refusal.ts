import { isRefused, KpiError } from '../../domain/errors.ts'
import type { Tally } from '../../runs/entries/tally.ts'

/** Tells whether an error means that something cannot be read from this service, however often the client asks. */
export const isUnreadable = (error: unknown): error is KpiError =>
  isRefused(error) || (error instanceof KpiError && (error.code === 'forbidden' || error.class === 'unsupported'))

/**
 * Returns the reasons of a refusal by the places of the entries that it names; empty if it is not about single entries.
 */
export const reasonsByPlace = ({ code, issues }: KpiError, count: number): Map<number, string[]> => {
  const named = new Map<number, string[]>()
  for (const { index, field, message } of code === 'invalid' ? issues : []) {
    if (index === undefined) return new Map()
    if (index >= count) continue
    const reasons = named.get(index)
    if (reasons) reasons.push(`${field}: ${message}`)
    else named.set(index, [`${field}: ${message}`])
  }
  return named
}

/** Sets how many entries or rows the service may refuse before it accepts the first, until the run ends. */
const REFUSED_IN_VAIN = 20

/** Ends a run whose service refuses one entry or row after another; call it only if it has accepted none. */
export const endIfAllRefused = (
  { refused }: Pick<Tally, 'refused'>,
  { code, message }: KpiError,
  called: 'entry' | 'row' = 'entry',
): void => {
  if (refused.length < REFUSED_IN_VAIN) return
  throw new KpiError(code, `the service refuses one ${called} after another, and has accepted none: ${message}`)
}

/** Tells whether an error says that there is no such path. */
export const isNoPath = (error: unknown): error is KpiError =>
  error instanceof KpiError && (error.code === 'not_found' || error.code === 'method_not_allowed')
