import type { Named } from '../client/directory.ts'
import { Fault, KpiError } from '../domain/errors.ts'
import { cellReader, EmptyCell } from './columns/cells.ts'
import type { Plan } from './columns/columns.ts'
import { type Forms, finderIn } from './forms/file-forms.ts'
import type { ImportOptions } from './options.ts'
import { mayNotRead } from './readable.ts'
import type { Reference } from './reference.ts'

/** Notes that a row gives a breakdown item beside a user, who has but one. */
const noteBeside = (known: Map<number, number>, user: Named, source: Named): Named | Fault => {
  const [item, other] = [-source.id, known.get(user.id)]
  if (other === undefined) known.set(user.id, item)
  else if (other !== item) {
    return new Fault(`user ${user.id} cannot be both source ${item} and source ${other}, which another row gives`)
  }
  return user
}

/** The first lines that name a user, and a source alone; 0 where none does. */
export type FirstLines = { user: number; source: number }

/** Refuses a file in which the same entry may stand twice, once by its user and once by its source, unseen. */
export const mustBeTellable = ({ sources }: Reference, { user, source }: FirstLines): void => {
  if (sources?.unread === undefined || user === 0 || source === 0) return
  throw new KpiError(
    'malformed',
    `${mayNotRead(sources.unread)}, so users and sources cannot be told apart: line ${user} names a user, line ${source} a source alone; name all rows by one of them (nothing was sent)`,
  )
}

/**
 * Reads whom a row belongs to. A user and a breakdown item in one row have to be the same person; where the key may not
 * read items, they are noted for the service to compare.
 */
export const ownerReader = (
  plan: Plan,
  options: ImportOptions,
  reference: Reference,
  forms: Forms,
  sourcesOfUsers: Map<number, number>,
): ((cells: readonly string[]) => Named | Fault) => {
  const userIn = cellReader(plan, 'user', options.user, finderIn(forms, 'user'))
  const { sources } = reference
  const findSource = finderIn(forms, 'source')
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
    return new Fault(`the source is ${source.name}, who is not user ${user.id}; give one of them`)
  }
}
