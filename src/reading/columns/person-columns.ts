import { looseName } from '../../client/directory.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { isEmailAddress } from '../../domain/resources/user.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import type { Sample } from './contents.ts'
import { foldName, type HeaderFindings, mayBePersons, roleOf, unassignedColumns } from './header.ts'
import { FIRST_NAMES, isAddressOf, isNameOf, LAST_NAMES, namesAddresses } from './person-words.ts'
import { roleText } from './role-text.ts'

/** Tells whether most of the texts that are given are e-mail addresses; words for no value do not count. */
const areAddresses = (texts: readonly string[]): boolean => {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '' && !isNoName(text))
  return 2 * given.filter(isEmailAddress).length > given.length
}

/** Returns the first of some texts, as an example. */
const such = (texts: readonly string[]): string => {
  const first = texts.find((text) => text !== '')
  return first === undefined ? '' : `, but texts such as "${first}"`
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
  const without = places.find((at) => namesAddresses(found.header[at] ?? ''))
  if (address === undefined && without !== undefined) {
    found.doubts.set(
      'user',
      `, and "${found.header[without]?.trim()}" holds no e-mail addresses${such(textsIn(without))}`,
    )
  }
  const [name, ...more] = places.filter((at) => at !== address)
  if (address === undefined || name === undefined || others.length + more.length > 0) return
  if (!isNameOf(found.header[name] ?? '', found.header[address] ?? '')) return
  const names = textsIn(name)
  const pairs = textsIn(address).map((text, at) => [looseName(text), looseName(names[at] ?? '')] as const)
  const nameOf = new Map(pairs)
  if (pairs.every(([text, of]) => nameOf.get(text) === of)) found.roles.set('user', address)
}

/**
 * Finds the columns that say more of users: names beside a column of e-mail addresses, or the one of addresses beside a
 * column of names. A column whose name says that it is of somebody else, such as a manager, says nothing of the user.
 */
export const recognizePersonColumns = (found: HeaderFindings, { as }: ImportOptions, sample: Sample): void => {
  const { header, roles, joined } = found
  if (as === 'items' || !roles.has('user') || roles.has('name') || roles.has('email')) return
  const holdsAddresses = (at: number): boolean => areAddresses(sample.map((cells) => cells[at] ?? ''))
  const ofUser = (joined.get('user') ?? [roles.get('user') ?? -1]).map((at) => header[at] ?? '')
  const places = unassignedColumns(found)
  if (areAddresses(sample.map(roleText(found, 'user'))))
    assign(
      found,
      'name',
      nameColumns(
        found,
        places.filter((at) => !holdsAddresses(at) && isNameOf(header[at] ?? '', ofUser[0] ?? '')),
      ),
    )
  else {
    const isTheirs = (at: number): boolean => isAddressOf(header[at] ?? '', ofUser) && holdsAddresses(at)
    const [only, ...others] = places.filter(isTheirs)
    if (only !== undefined && others.length === 0) roles.set('email', only)
  }
}
