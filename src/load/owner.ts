import type { Named } from '../client/directory.ts'
import { Fault } from '../domain/errors.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import { cellReader, EmptyCell } from './cells.ts'
import type { Plan } from './columns.ts'
import type { ImportOptions } from './options.ts'
import { mayNotRead } from './readable.ts'
import type { Reference } from './reference.ts'

/** Whom an entry belongs to, as one number that rows are sorted by: a user, or, below 0, another breakdown item. */
export const ownerOf = ({ user_id, source_id }: Pick<EntryDraft, 'user_id' | 'source_id'>): number =>
  typeof user_id === 'number' ? user_id : -(source_id ?? 0)

/** The number of a breakdown item that stands for no user. */
export const ownerOfItem = (id: number): number => -id

/** Reads whom a row belongs to. A user and a breakdown item in one row have to be the same person. */
export const ownerReader = (
  plan: Plan,
  options: ImportOptions,
  reference: Reference,
): ((cells: readonly string[]) => Named | Fault) => {
  const userIn = cellReader(plan, 'user', options.user, reference.findUser)
  const { sources } = reference
  if (!sources) return userIn
  const sourceIn = cellReader(plan, 'source', options.source, reference.findSource)
  if (options.user === undefined && !plan.roles.has('user')) return sourceIn
  return (cells) => {
    const [user, source] = [userIn(cells), sourceIn(cells)]
    if (source instanceof EmptyCell) return user instanceof EmptyCell ? new Fault('user and source are empty') : user
    if (user instanceof EmptyCell) return source
    if (user instanceof Fault) return source instanceof Fault ? new Fault(`${user.message}; ${source.message}`) : user
    if (source instanceof Fault || source.id === user.id) return source
    if (sources.unread !== undefined) {
      return new Fault(`${mayNotRead(sources.unread)} to tell whether user and source are the same; give one of them`)
    }
    return new Fault(`the source is ${source.name}, who is not user ${user.id}; give one of them`)
  }
}
