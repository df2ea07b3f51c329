import { looseName } from '../../domain/name-form.ts'
import {
  foldedNames,
  foldName,
  hasNameOfRole,
  type HeaderFindings,
  mayBePersons,
  roleOf,
  SYNONYMS,
  unassignedColumns,
} from './header.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { fullName, isEmailAddress } from '../../domain/resources/user.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import type { Sample } from './contents.ts'
import { roleText } from './roles.ts'
import { FIRST_NAMES, LAST_NAMES, recognizeSplitNames } from './split-names.ts'
import { Fault } from '../../domain/errors.ts'
import type { Lookup } from '../directory/lookup.ts'
import { joinName, nameBeside, type PersonName, splitName } from '../../domain/person-name.ts'
import type { ColumnPlan } from './columns.ts'

/** Lists the words that say in a column's name that it holds e-mail addresses. */
const ADDRESS_WORDS = foldedNames(
  'email, emails, e, mail, mails, mailadresse, emailadresse, id, address, addresses, adresse, adressen, adress, adres, adresa',
  'courriel, courrier, mel, électronique, correo, correos, dirección, electrónico, electrónica, posta, indirizzo, elettronica',
  'elettronico, correio, endereço, eletrônico, eletrónico, eletrônica, emailadres, mailadres, epost, post, epostadress, postadress',
  'mejl, mejladress, poczta, elektroniczny, poczty, elektronicznej, почта, почты, электронная, электронной, эл, адрес',
)
/** Tells whether a column is named for e-mail addresses, and nothing else. */
const namesAddresses = (header: string): boolean =>
  foldName(header)
    .split(' ')
    .every((word) => ADDRESS_WORDS.has(word))

/** Lists the words that join others in names of columns, and say nothing by themselves. */
const PARTICLES = foldedNames(
  'of, the, s, der, die, das, des, dem, vom, von, de, du, la, le, l, d, el, del, di, della, dell, dello, do, da, van, het, av, för',
)
/** Lists the words for an address at work, which is that of the person whose row it is. */
const WORK_WORDS = foldedNames(
  'work, business, office, company, corporate, dienstlich, dienstliche, geschäftlich, geschäftliche, firma, firmen, arbeit',
  'professionnel, professionnelle, pro, trabajo, empresa, lavoro, aziendale, trabalho, werk, zakelijk, zakelijke, jobb, służbowy',
)
const NAME_WORDS = foldedNames('name, names, namen, nom, nombre, nome, naam, namn')

/** Lists the names of columns that are the user by themselves; who reports something may do so for somebody else. */
const USERS = new Set(SYNONYMS.user.map(foldName).filter((name) => name !== 'reporter'))

/** Matches what stands at the end of a word, behind whose address or name it is: `Mitarbeitermail`, `Benutzername`. */
const ENDS = /(?<=\p{L}{3})(?:e?mail(?:adress?e?)?|epost(?:adress)?|mejl(?:adress)?|name)$/u

const isOfUser = (word: string): boolean => USERS.has(word) || USERS.has(word.replace(/s$/, ''))

/** Names a user without saying which. */
const USER = 'user'

/**
 * Returns whom a column's name speaks of, without its words for names and addresses: `user` for all names of users, and
 * an empty text if it speaks of nobody, as Name and E-mail do.
 */
const personIn = (header: string): string => {
  const folded = foldName(header)
  if (FIRST_NAMES.has(folded) || LAST_NAMES.has(folded) || mayBePersons(header)) return ''
  const words = foldName(header.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
  const isPlain = (word: string): boolean => ![ADDRESS_WORDS, PARTICLES, WORK_WORDS].some((words) => words.has(word))
  const left = words.filter(isPlain).map((word) => (USERS.has(word) ? word : word.replace(ENDS, '')))
  if (isOfUser(left.join(' '))) return USER
  const person = left.filter((word) => !NAME_WORDS.has(word)).join(' ')
  return isOfUser(person) ? USER : person
}

/**
 * Tells whether a column of addresses is of the person of other columns, by its name: it speaks of nobody else. Manager
 * E-mail is not of the Employee, nor is Private e-mail.
 */
const isAddressOf = (header: string, others: readonly string[]): boolean => {
  const person = personIn(header)
  return person === '' || others.map(personIn).every((of) => of === person || (of === '' && person === USER))
}

/** Tells whether a column of names is of the person of another column, of addresses: one of them speaks of nobody else. */
const isNameOf = (header: string, address: string): boolean =>
  isAddressOf(header, [address]) || isAddressOf(address, [header])

/** Tells whether most of the texts that are given are e-mail addresses; words for no value do not count. */
const areAddresses = (texts: readonly string[]): boolean => {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '' && !isNoName(text))
  return 2 * given.filter(isEmailAddress).length > given.length
}

/** Tells whether most cells of a column are e-mail addresses. */
export const areAddressesIn = (sample: Sample, at: number): boolean =>
  areAddresses(sample.map((cells) => cells[at] ?? ''))

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
  const [beside, ...others] = whole.filter((at) => at !== last)
  if (last !== undefined && beside !== undefined && others.length === 0) return [beside, last]
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
export const recognizeAddressColumn = (
  found: HeaderFindings,
  { as }: Pick<ImportOptions, 'as'>,
  sample: Sample,
): void => {
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
  const holdsAddresses = (at: number): boolean => areAddressesIn(sample, at)
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

/** Returns the name that one or two columns give. */
export const nameIn = ({ header, roles, joined }: ColumnPlan, cells: readonly string[]): PersonName => {
  const places = joined?.get('name') ?? [roles.get('name') ?? -1]
  const [first, last] = places.map((at) => cells[at]?.trim() ?? '')
  if (last === undefined) return splitName(first ?? '')
  if (first === undefined || first === '') return { first_name: last, last_name: null }
  const isFirst = FIRST_NAMES.has(foldName(header[places[0] ?? -1] ?? ''))
  if (last === '') return isFirst ? { first_name: first, last_name: null } : splitName(first)
  return isFirst ? joinName(first, last) : nameBeside(first, last)
}

/** Returns the role of the column beside that of users. */
export const otherRole = ({ roles }: ColumnPlan): 'name' | 'email' => (roles.has('name') ? 'name' : 'email')

/** Returns the names of the columns that say more of users; none if there are none. */
export const columnsBeside = (plan: ColumnPlan): string[] => {
  const role = otherRole(plan)
  const places = plan.joined?.get(role) ?? [plan.roles.get(role)]
  return places.flatMap((at) => (at === undefined ? [] : (plan.header[at]?.trim() ?? '')))
}

/** Returns a function that gives the name or the address beside a row's user. */
export const textBeside = (plan: ColumnPlan): ((cells: readonly string[]) => string) => {
  if (otherRole(plan) === 'name') return (cells) => fullName(nameIn(plan, cells))
  const addressIn = roleText(plan, 'email')
  return (cells) => addressIn(cells).trim()
}

/**
 * Takes columns as the user that say so by what they hold: addresses beside names; first and last names; or one that is
 * often named for something else, such as Name, where at least half of its cells are known users.
 */
export const recognizePersons = (found: HeaderFindings, sample: Sample, users: Lookup): void => {
  recognizeAddressColumn(found, {}, sample)
  recognizeSplitNames(found, sample)
  if (found.roles.has('user') || hasNameOfRole(found, 'user')) return
  const areKnown = (at: number): boolean => {
    const texts = sample.map((cells) => cells[at]?.trim() ?? '').filter((text) => text !== '')
    const known = texts.filter((text) => !(users.find(text) instanceof Fault))
    return texts.length > 0 && 2 * known.length >= texts.length
  }
  const [only, ...others] = unassignedColumns(found).filter(
    (at) => mayBePersons(found.header[at] ?? '') && areKnown(at),
  )
  if (only !== undefined && others.length === 0) found.roles.set('user', only)
}
