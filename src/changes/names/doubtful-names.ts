import { unmarkText } from '../../codec/cell-text.ts'
import { nameForm, newName } from '../../domain/name-form.ts'
import { isNoName, isSpreadsheetError } from '../../domain/no-value-words.ts'
import type { Pause } from '../../domain/pause.ts'
import { findLookAlikes, findTwins } from './look-alikes.ts'

/** Ends the sentence about a new name that looks like a word for no value. */
export const NO_VALUE = 'may stand for no value'

const IS_ERROR = 'is an error of the spreadsheet'

/** Says what a text is that names nothing. */
export const whyNoName = (text: string): string => (isSpreadsheetError(nameForm(text)) ? IS_ERROR : NO_VALUE)

/** Returns a text as it is compared where nothing but its encoding, and marks of exported files around it, may differ. */
const exactly = (text: string): string => newName(unmarkText(text)).normalize('NFC')

/** Tells whether a text is exactly a name, and not only another spelling of it. */
export const isExactly = (name: string, text: string): boolean => exactly(name) === exactly(text)

/** Tells whether `--by-name` says that the names of a field are meant, whatever they could stand for. */
export const isMeantName = (numbersAs: ReadonlyMap<string, 'ids' | 'names'> | undefined, name: string): boolean =>
  numbersAs?.get(name) === 'names'

/** Holds the names of what is new, and those that it stands beside. */
type NamesOfKind = {
  readonly names: readonly string[]
  readonly known: readonly string[]
  /** Tells whether they are names of KPIs, which may count errors. */
  readonly areKpis: boolean
  /** Tells whether two that differ in invisible signs alone are two things: where names are not found by their form. */
  readonly areExact?: boolean
}

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
    ...[...twins, ...alike].map(({ name, why }) => [name, why] as const),
    ...names.filter((name) => isNoName(name, areKpis)).map((name) => [name, NO_VALUE] as const),
  ])
}
