import { looseName, type Named } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { columnsBeside, textBeside } from '../columns/person-text.ts'
import { roleHeader } from '../columns/role-text.ts'
import { listFlag } from '../options/flag-text.ts'
import type { Lookup } from '../directory/permissions.ts'
import { isProvisional } from '../directory/provisional-id.ts'

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
export const rejectOtherPersons = (
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
