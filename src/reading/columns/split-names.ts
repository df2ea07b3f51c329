import { looseName } from '../../domain/name-form.ts'
import type { Sample } from './contents.ts'
import { foldedNames, foldName, hasNameOfRole, type HeaderFindings, mayBePersons, unassignedColumns } from './header.ts'

/** Lists the names of columns for first names, which may also be whole names in Spanish and Portuguese. */
export const FIRST_NAMES = foldedNames(
  'first name, firstname, first, given name, forename, vorname, prénom, nombre, nome, nome próprio, voornaam, förnamn',
  'imię, имя',
)

/** Lists the names of columns for last names; in French and Polish these may also be whole names. */
export const LAST_NAMES = foldedNames(
  'last name, lastname, last, surname, family name, nachname, familienname, nom, nom de famille, apellido, apellidos',
  'cognome, sobrenome, apelido, achternaam, efternamn, nazwisko, фамилия',
)

const DIGIT = /\p{Nd}/u
const BLANK = /\s/

const textsIn = (sample: Sample, at: number): string[] => sample.map((cells) => cells[at]?.trim() ?? '')

/** Tells whether at least half of some texts are of a kind; empty ones do not count. */
const areMostly = (texts: readonly string[], isOfKind: (text: string) => boolean): boolean => {
  const given = texts.filter((text) => text !== '')
  return 2 * given.filter(isOfKind).length >= given.length
}

/** Tells whether the cells of a column are names by their letters: neither numbers nor addresses. */
export const holdsNames = (sample: Sample, at: number): boolean =>
  areMostly(textsIn(sample, at), (text) => !DIGIT.test(text) && !text.includes('@'))

/** Tells whether the cells of a column are names of several words, or with a comma. */
export const holdsWholeNames = (sample: Sample, at: number): boolean =>
  holdsNames(sample, at) && areMostly(textsIn(sample, at), (text) => BLANK.test(text) || text.includes(','))

/** Tells whether a column beside that of first names holds last names, and does not repeat the first ones. */
export const holdsLastNames = (sample: Sample, first: number, at: number): boolean => {
  const pairs = textsIn(sample, at).map(
    (text, row) => [looseName(text), looseName(sample[row]?.[first] ?? '')] as const,
  )
  const given = pairs.filter(([text, one]) => text !== '' && one !== '')
  const repeats = given.filter(([text, one]) => text.includes(one))
  return holdsNames(sample, at) && 2 * repeats.length <= given.length
}

/**
 * Returns the columns of first names and of last names, if there are both. `Name` beside one of them is the other, unless
 * its cells repeat that one.
 */
const splitNameColumns = (
  header: readonly string[],
  places: readonly number[],
  sample: Sample,
): readonly [first: number, last: number] | undefined => {
  const called = (names: ReadonlySet<string>, but?: number): number | undefined =>
    places.find((at) => at !== but && names.has(foldName(header[at] ?? '')))
  const whole = (but: number | undefined): number | undefined =>
    places.find((at) => at !== but && mayBePersons(header[at] ?? ''))
  const given = called(FIRST_NAMES)
  const last = called(LAST_NAMES, given) ?? whole(given)
  const first = given ?? whole(last)
  if (first === undefined || last === undefined || !holdsNames(sample, first)) return undefined
  const areTwo = holdsLastNames(sample, first, last) && (given !== undefined || holdsLastNames(sample, last, first))
  return areTwo ? [first, last] : undefined
}

/** Tells whether a column without a meaning so far is named for users, or two are for their first and last names. */
export const namesUser = (found: HeaderFindings): boolean =>
  hasNameOfRole(found, 'user') || splitNameColumns(found.header, unassignedColumns(found), []) !== undefined

/** Takes the columns of first and of last names as the user, where no other column is named for whom rows belong to. */
export const recognizeSplitNames = (found: HeaderFindings, sample: Sample): void => {
  const { header, roles, joined } = found
  const isNamed = (['user', 'source'] as const).some((role) => roles.has(role) || hasNameOfRole(found, role))
  const both = isNamed ? undefined : splitNameColumns(header, unassignedColumns(found), sample)
  if (!both) return
  roles.set('user', both[0])
  joined.set('user', both)
}
