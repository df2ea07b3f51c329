import { looseName } from '../../domain/name-form.ts'
import { type Named } from '../../client/directory.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { columnsBeside, textBeside } from '../columns/persons.ts'
import { roleHeader, roleText } from '../columns/roles.ts'
import { listFlag } from '../options/flag-text.ts'
import { isProvisional, type Lookup, mayNotRead } from '../directory/lookup.ts'
import { type ColumnFormats, nameFinder } from '../detect/column-formats.ts'
import { rejectMissingNames } from '../columns/name-column.ts'
import type { ImportOptions, NameRole, Role } from '../options/options.ts'
import type { Reference } from '../directory/reference.ts'

/** Returns the ids of the users whom people call by a name or an e-mail address, by it in the form that is compared. */
const idsByName = ({ byId }: Lookup): ReadonlyMap<string, readonly number[]> => {
  const ids = new Map<string, number[]>()
  for (const { id, name, email } of byId.values()) {
    if (isProvisional(id)) continue
    for (const key of new Set([name, email ?? name].map(looseName))) {
      const same = ids.get(key)
      if (same) same.push(id)
      else ids.set(key, [id])
    }
  }
  return ids
}

/**
 * Restricts a reader of users to those whom the column beside theirs does not call another user: of a name and an address
 * of two users, nobody knows which is right.
 */
const rejectOtherPersons = (
  plan: ColumnPlan,
  users: Lookup,
  userIn: (cells: readonly string[]) => Named | Fault,
): ((cells: readonly string[]) => Named | Fault) => {
  const columns = columnsBeside(plan)
  if (!plan.roles.has('user') || columns.length === 0) return userIn
  const textIn = textBeside(plan)
  let ids: ReadonlyMap<string, readonly number[]> | undefined
  return (cells) => {
    const user = userIn(cells)
    if (user instanceof Fault || isProvisional(user.id)) return user
    ids ??= idsByName(users)
    const text = textIn(cells)
    const [other, ...more] = ids.get(looseName(text)) ?? []
    if (other === undefined || [other, ...more].includes(user.id)) return user
    return new Fault(
      `"${roleHeader(plan, 'user')}" is user ${user.id}, "${user.name}", and "${columns.join('+')}" is user ${other}, "${text}"; correct one of them, or leave the other column out: ${listFlag('--ignore', columns)}`,
    )
  }
}

/** Reports that a cell is empty in a column that must have a value. */
class EmptyCell extends Fault {}

/** Creates a reader of names or dates from a column, or from the constant in its place. */
export const cellReader = <T>(
  plan: ColumnPlan,
  role: Role,
  constant: string | undefined,
  read: (text: string) => T | Fault,
): ((cells: readonly string[]) => T | Fault) => {
  if (constant !== undefined) {
    const value = read(constant)
    if (value instanceof Fault) throw new KpiError('malformed', `--${role}: ${value.message}`)
    return () => value
  }
  const textIn = roleText(plan, role)
  return (cells) => {
    const text = textIn(cells)
    return text.trim() === '' ? new EmptyCell(`the ${role} is empty`) : read(text)
  }
}

/** Records the breakdown item that a row gives beside a user; a user has only one. */
const noteBeside = (known: Map<number, number>, user: Named, source: Named): Named | Fault => {
  const [item, other] = [-source.id, known.get(user.id)]
  if (other === undefined) known.set(user.id, item)
  else if (other !== item) {
    return new Fault(`user ${user.id} cannot be both source ${item} and source ${other}, which another row gives`)
  }
  return user
}

/** Holds the first line that names only a user, and the first that names only a source; 0 if there is none. */
export type FirstLines = { user: number; source: number }

/** Refuses a file that may give the same entry twice unnoticed, once by its user and once by its source. */
export const requireDistinctOwners = ({ sources }: Reference, { user, source }: FirstLines): void => {
  if (sources?.unread === undefined || user === 0 || source === 0) return
  throw new KpiError(
    'malformed',
    `${mayNotRead(sources.unread)}, so it cannot be checked whether a user and a source are the same: line ${user} gives only a user, line ${source} only a source; use the same one for all rows (nothing was sent)`,
  )
}

/**
 * Creates a reader of a row's owner. A user and a breakdown item in one row must be the same person; if the key may not
 * read items, they are recorded, and the service compares them.
 */
export const ownerReader = (
  plan: ColumnPlan,
  options: ImportOptions,
  reference: Reference,
  formats: ColumnFormats,
  sourcesOfUsers: Map<number, number>,
): ((cells: readonly string[]) => Named | Fault) => {
  const finder = (role: NameRole) => rejectMissingNames(plan, role, options, nameFinder(formats, role))
  const userIn = rejectOtherPersons(plan, reference.users, cellReader(plan, 'user', options.user, finder('user')))
  const { sources } = reference
  const findSource = finder('source')
  if (!sources) return userIn
  const sourceIn = cellReader(plan, 'source', options.source, (text) => {
    const item = findSource(text)
    return item instanceof Fault ? item : reference.ownerOf(item)
  })
  if (options.user === undefined && !plan.roles.has('user')) return sourceIn
  return (cells) => {
    const [user, source] = [userIn(cells), sourceIn(cells)]
    if (source instanceof EmptyCell) return user instanceof EmptyCell ? new Fault('user and source are empty') : user
    if (user instanceof EmptyCell) return source
    if (user instanceof Fault) return source instanceof Fault ? new Fault(`${user.message}; ${source.message}`) : user
    if (source instanceof Fault || source.id === user.id) return source
    if (sources.unread !== undefined) return noteBeside(sourcesOfUsers, user, source)
    return new Fault(`the source is "${source.name}", who is not "${user.name}"; give one of them`)
  }
}
