import { KpiError } from '../../domain/errors.ts'
import type { Json } from '../../codec/json.ts'
import type { PutMany, ResponseBody } from './entries.ts'

/** Describes why a successful answer does not prove that the service stored what was sent. */
export type UnprovenAnswer = {
  /** Shows what the service answered. */
  readonly answered: string
  /** Tells that the answer reports a fault, or counts fewer entries than were sent. */
  readonly tellsFault: boolean
}

/** Tells whether a value is empty. */
export const isEmptyValue = (value: Json): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

const shown = ({ words, body }: ResponseBody): string =>
  words === undefined ? (isEmptyValue(body) ? 'nothing' : 'something else than what was done') : JSON.stringify(words)

export const describeUnproven = (response: ResponseBody): UnprovenAnswer => ({
  answered: shown(response),
  tellsFault: response.words !== undefined,
})

const isCount = (count: unknown): count is number => typeof count === 'number'

/** Returns how many entries an answer accounts for; undefined if it gives no counts. */
const totalOf = ({ rows_added, rows_created, rows_updated, rows_unchanged }: PutMany['counts']): number | undefined => {
  const counts = [rows_created, rows_updated, rows_unchanged].filter(isCount)
  if (counts.length > 0) return counts.reduce((total, one) => total + one)
  return isCount(rows_added) ? rows_added : undefined
}

/**
 * Returns why the answer to a batch does not prove that all of it was stored; undefined if it accounts for each entry.
 */
export const checkBatchAnswer = ({ counts, response }: PutMany, sent: number): UnprovenAnswer | undefined => {
  const total = totalOf(counts)
  if (total === undefined) return describeUnproven(response)
  if (total === sent && response.words === undefined) return undefined
  const words = response.words === undefined ? '' : ` and ${shown(response)}`
  return { answered: `${total} of ${sent} rows${words}`, tellsFault: total < sent || words !== '' }
}

/**
 * Refuses an answer that does not count every entry: it is probably not from the service but from a proxy, so the
 * request is repeated.
 */
export const requireCounts = (answer: PutMany, count: number): void => {
  const unproven = checkBatchAnswer(answer, count)
  if (!unproven) return
  throw new KpiError('unavailable', `the service answered ${unproven.answered} to a batch`, { mayBeDone: true })
}
