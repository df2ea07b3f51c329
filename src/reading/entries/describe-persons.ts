import { looseName } from '../../client/directory.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import { nameForm } from '../../domain/name-form.ts'
import { fullName } from '../../domain/resources/user.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { columnsBeside, nameIn, otherRole } from '../columns/person-text.ts'
import type { PersonName, PersonDetails } from '../directory/person.ts'
import { roleHeader, roleText } from '../columns/role-text.ts'
import { listFlag } from '../options/flag-text.ts'
import type { Table } from '../../tabular/source/table.ts'
import type { Lookup } from '../directory/permissions.ts'
import type { Missing } from '../directory/missing.ts'

/** Describes what a row says of a user: what it calls the user by, and the name or the address beside it. */
type Said = { readonly user: string; readonly other: string; readonly line: number; readonly details: PersonDetails }

/** Sets how many contradictions are shown. */
const SHOWN = 10

/** Returns a name as it is compared: `Lee, Ann` is Ann Lee. */
const looseFullName = (name: PersonName): string => looseName(fullName(name))

/** Returns a function that reads what a row says of its user; undefined if it says nothing. */
const reader = (plan: ColumnPlan): ((cells: readonly string[], line: number) => Said | undefined) => {
  const role = otherRole(plan)
  const [userIn, otherIn] = [roleText(plan, 'user'), roleText(plan, role)]
  return (cells, line) => {
    const [user, other] = [userIn(cells).trim(), otherIn(cells).trim()]
    if (user === '' || other === '') return undefined
    return { user, other, line, details: role === 'name' ? { name: nameIn(plan, cells) } : { email: other } }
  }
}

/** Describes what a row says of something: of an address its name, or of a name its address. */
type Claim = { readonly says: string; readonly line: number }

/** Returns a fault that says how two rows contradict each other, and what to do about it. */
const contradiction = (plan: ColumnPlan, of: string, one: Claim, other: Claim): Issue => {
  const out = listFlag('--ignore', columnsBeside(plan))
  return {
    field: roleHeader(plan, 'user'),
    message: `"${of}" is "${one.says}" on line ${one.line} and "${other.says}" on line ${other.line}; write one of them throughout, or leave the column out: ${out}`,
  }
}

/** Collects what rows say of the users that the service does not have, and in what they contradict each other. */
const createCollector = (plan: ColumnPlan, users: Lookup) => {
  const byUser = new Map<string, Said>()
  const byAddress = new Map<string, Said>()
  const issues: Issue[] = []
  const blame = (of: string, one: Claim, other: Claim): void => {
    if (issues.length < SHOWN) issues.push(contradiction(plan, of, one, other))
  }
  /** Returns what a row says of a user, as it is compared. */
  const looseOther = ({ details: { name }, other }: Said): string => (name ? looseFullName(name) : nameForm(other))
  return {
    issues,
    persons: byUser,
    note: (said: Said): void => {
      const key = looseName(said.user)
      const before = byUser.get(key)
      if (before && looseOther(before) === looseOther(said)) return
      if (!(users.find(said.user) instanceof Fault)) return
      if (before) {
        blame(said.user, { says: before.other, line: before.line }, { says: said.other, line: said.line })
        return
      }
      byUser.set(key, said)
      if (said.details.email === undefined) return
      const owner = byAddress.get(looseOther(said))
      if (owner) blame(said.other, { says: owner.user, line: owner.line }, { says: said.user, line: said.line })
      else byAddress.set(looseOther(said), said)
    },
  }
}

/**
 * Reads what the columns beside that of users say of new ones, before any is named. Throws if an address has two names,
 * or a name two addresses.
 */
export const describePersons = async (
  table: Table,
  plan: ColumnPlan,
  users: Lookup,
  created: Missing,
): Promise<void> => {
  if (created.users === undefined || !plan.roles.has('user')) return
  if (!plan.roles.has('name') && !plan.roles.has('email')) return
  const read = reader(plan)
  const collector = createCollector(plan, users)
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const { cells, line } of rows) {
      const said = isHeader ? undefined : read(cells, line)
      isHeader = false
      if (said) collector.note(said)
    }
  }
  const { issues, persons } = collector
  if (issues.length > 0)
    throw new KpiError('malformed', 'rows contradict each other about new users; nothing was sent', { issues })
  created.describe(new Map([...persons].map(([key, { details }]) => [key, details])))
}
