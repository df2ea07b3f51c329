import { isWithin } from '../../client/nearest.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { foldName, mayBePersons, roleOf } from '../columns/header.ts'
import { type DefinitionRole, PERSON } from './roles.ts'

/** Describes a column that means nothing so far: its name, and what its first cells hold. */
export type UnusedColumn = { readonly name: string; readonly texts: readonly string[] }

/** Returns the names of a role's column, as they are compared. */
export const namesOfRole = ({ name, field, role }: DefinitionRole): string[] =>
  [name, role, role.replace(/^(?:is|can)_/, ''), ...(field.called?.split(', ') ?? [])].map(foldName)

/** Tells whether texts can be values of a role. */
type Takes = (role: DefinitionRole, texts: readonly string[]) => boolean

/** Lists words that are in the names of many columns, and say little of any. */
const PLAIN_WORDS = new Set(
  'name, id, ids, type, number, no, is, can, of, the, a, and, or, by, in, order, kpi, user'.split(', '),
)

const wordsOf = (name: string): string[] => foldName(name).split(' ').filter((word) => !PLAIN_WORDS.has(word)) // prettier-ignore

const LEAST_NEAR = 4

/** Tells whether two names are nearly one, or one begins as the other does. */
const isNearly = (one: string, other: string): boolean => {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length < LEAST_NEAR) return false
  return long.startsWith(short) || isWithin(Math.min(2, Math.floor(short.length / 3)), one, other)
}

/** Tells whether a column may be called for a role: nearly so, or by a word of its name that says something. */
const isCalledFor = (column: string, role: DefinitionRole): boolean => {
  if (role === PERSON) return mayBePersons(column) || roleOf(column) === 'user'
  const [folded, words] = [foldName(column), new Set(wordsOf(column))]
  return namesOfRole(role).some((name) => {
    const own = wordsOf(name)
    return isNearly(folded, name) || (own.length > 0 && own.every((word) => words.has(word)))
  })
}

const LETTER = /\p{L}/u

/** Tells whether texts show by themselves what they are: choices, addresses, or names of what exists. */
const isTelling = ({ field: { oneOf, refers, form } }: DefinitionRole, texts: readonly string[]): boolean =>
  (oneOf !== undefined || refers !== undefined || form !== undefined) && texts.every((text) => LETTER.test(text))

/** Returns the only one of some roles that a column can be. */
const onlyOne = (roles: readonly DefinitionRole[]): DefinitionRole | undefined =>
  roles.length === 1 ? roles[0] : undefined

/** Returns the role that a column means by its name and its cells, or by its cells alone; undefined if none, or several. */
const meaningOf = (
  { name, texts }: UnusedColumn,
  roles: readonly DefinitionRole[],
  takes: Takes,
): DefinitionRole | undefined => {
  const given = texts.filter((text) => text !== '' && !isNoName(text))
  /** Tells whether a role takes the texts; of choices most are enough, as others may be words that the role does not have. */
  const fits = (role: DefinitionRole): boolean => {
    if (!role.field.oneOf) return takes(role, given)
    return 2 * given.filter((text) => takes(role, [text])).length > given.length
  }
  const fitting = given.length === 0 ? roles : roles.filter(fits)
  const called = fitting.filter((role) => isCalledFor(name, role))
  if (called.length > 0) return onlyOne(called)
  return given.length === 0 ? undefined : onlyOne(fitting.filter((role) => isTelling(role, given)))
}

/** Returns the columns that mean one of some roles each, by what they are called and hold; of two for one role, neither. */
export const meantRoles = (
  columns: readonly UnusedColumn[],
  roles: readonly DefinitionRole[],
  takes: Takes,
): ReadonlyMap<DefinitionRole, string> => {
  const byRole = Map.groupBy(
    columns.flatMap((column) => {
      const role = meaningOf(column, roles, takes)
      return role ? [{ role, name: column.name }] : []
    }),
    ({ role }) => role,
  )
  return new Map(
    [...byRole].flatMap(([role, [only, ...more]]) => (only && more.length === 0 ? [[role, only.name] as const] : [])),
  )
}
