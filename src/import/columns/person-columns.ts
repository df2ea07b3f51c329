import { looseName } from '../../client/directory.ts'
import { isEmailAddress } from '../../domain/resources/user.ts'
import type { ImportOptions, Role } from '../options.ts'
import type { Sample } from './contents.ts'
import { foldName, type HeaderFindings, mayBePersons, roleOf, unassignedColumns } from './header.ts'
import { roleText } from './role-text.ts'

const list = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(', ')).map(foldName))

/** Lists the names of columns for first names, which may also be whole names in Spanish and Portuguese. */
const FIRST_NAMES = list(
  'first name, firstname, first, given name, forename, vorname, prénom, nombre, nome, nome próprio, voornaam, förnamn',
  'imię, имя',
)

/** Lists the names of columns for last names; in French and Polish these may also be whole names. */
const LAST_NAMES = list(
  'last name, lastname, last, surname, family name, nachname, familienname, nom, nom de famille, apellido, apellidos',
  'cognome, sobrenome, apelido, achternaam, efternamn, nazwisko, фамилия',
)

/** Tells whether most of the texts that are given are e-mail addresses. */
const areAddresses = (texts: readonly string[]): boolean => {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '')
  return 2 * given.filter(isEmailAddress).length > given.length
}

/** Returns the columns of names: that of first names and that of last names, or the only one of either or of both. */
const nameColumns = ({ header }: HeaderFindings, places: readonly number[]): number[] => {
  const called = (names: ReadonlySet<string>): number | undefined =>
    places.find((at) => names.has(foldName(header[at] ?? '')))
  const [first, last] = [called(FIRST_NAMES), called(LAST_NAMES)]
  if (first !== undefined && last !== undefined && first !== last) return [first, last]
  const whole = places.filter((at) => mayBePersons(header[at] ?? '') || roleOf(header[at] ?? '') === 'user')
  return whole.length > 0
    ? whole.slice(0, whole.length === 1 ? 1 : 0)
    : [first ?? last].filter((at) => at !== undefined)
}

const assign = ({ roles, joined }: HeaderFindings, role: Role, places: readonly number[]): void => {
  const [first] = places
  if (first !== undefined) roles.set(role, first)
  if (places.length > 1) joined.set(role, places)
}

/**
 * Takes the column of e-mail addresses as the user where another column is named for the user as well, as Employee beside
 * E-mail; but not where the first rows show one address beside two names: then it may be that of a team.
 */
export const recognizeAddressColumn = (found: HeaderFindings, { as }: ImportOptions, sample: Sample): void => {
  if (as === 'items' || found.roles.has('user')) return
  const places = unassignedColumns(found).filter((at) => roleOf(found.header[at] ?? '') === 'user')
  const textsIn = (at: number): string[] => sample.map((cells) => cells[at]?.trim() ?? '')
  const [address, ...others] = places.filter((at) => areAddresses(textsIn(at)))
  const [name, ...more] = places.filter((at) => at !== address)
  if (address === undefined || name === undefined || others.length + more.length > 0) return
  const names = textsIn(name)
  const pairs = textsIn(address).map((text, at) => [looseName(text), looseName(names[at] ?? '')] as const)
  const nameOf = new Map(pairs)
  if (pairs.every(([text, of]) => nameOf.get(text) === of)) found.roles.set('user', address)
}

/**
 * Finds the columns that say more of users who are created: names beside a column of e-mail addresses, or the one of
 * addresses beside a column of names.
 */
export const recognizePersonColumns = (found: HeaderFindings, { create }: ImportOptions, sample: Sample): void => {
  const { roles } = found
  if (create?.kinds.has('users') !== true || !roles.has('user') || roles.has('name') || roles.has('email')) return
  const holdsAddresses = (at: number): boolean => areAddresses(sample.map((cells) => cells[at] ?? ''))
  const places = unassignedColumns(found)
  if (areAddresses(sample.map(roleText(found, 'user'))))
    assign(
      found,
      'name',
      nameColumns(
        found,
        places.filter((at) => !holdsAddresses(at)),
      ),
    )
  else {
    const [only, ...others] = places.filter(holdsAddresses)
    if (only !== undefined && others.length === 0) roles.set('email', only)
  }
}
