import { type PersonName, splitName } from '../directory/person.ts'
import { fullName } from '../../domain/resources/user.ts'
import type { ColumnPlan } from './columns.ts'
import { roleText } from './role-text.ts'

/** Returns the name that one or two columns give. */
export const nameIn = ({ roles, joined }: ColumnPlan, cells: readonly string[]): PersonName => {
  const [first, last] = (joined?.get('name') ?? [roles.get('name') ?? -1]).map((at) => cells[at]?.trim() ?? '')
  if (last === undefined) return splitName(first ?? '')
  return first === '' ? { first_name: last, last_name: null } : { first_name: first ?? '', last_name: last || null }
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
