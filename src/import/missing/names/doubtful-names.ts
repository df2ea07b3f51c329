import { isNoName } from '../../../domain/no-value-words.ts'
import type { Pause } from '../../../domain/pause.ts'
import { findLookAlikes, findTwins, tellLetter, tellSign } from './look-alikes.ts'

/** Holds the names of what is new, and those that it stands beside. */
type NamesOfKind = {
  readonly names: readonly string[]
  readonly known: readonly string[]
  /** Tells whether they are names of KPIs, which may count errors. */
  readonly areKpis: boolean
  /** Tells whether two that differ in invisible signs alone are two things: where names are not found by their form. */
  readonly areExact?: boolean
}

/** Says why a new name that names nothing is in doubt. */
export const NO_VALUE = 'may stand for no value'

/**
 * Returns why new names may not be meant, by name, as the end of a sentence about it: they are errors of a spreadsheet or
 * words for no value, or look like others, but have letters of another script or signs that nobody can tell apart.
 */
export const findDoubtfulNames = async (
  { names, known, areKpis, areExact = false }: NamesOfKind,
  pause: Pause,
): Promise<ReadonlyMap<string, string>> => {
  const alike = await findLookAlikes(names, known, pause)
  const twins = areExact ? await findTwins(names, known, pause) : []
  return new Map([
    ...twins.map(({ name, other }) => [name, `looks like "${other}", though ${tellSign(name, other)}`] as const),
    ...alike.map(({ name, other }) => [name, `looks like "${other}", though ${tellLetter(name, other)}`] as const),
    ...names.filter((name) => isNoName(name, areKpis)).map((name) => [name, NO_VALUE] as const),
  ])
}
