import type { Checked } from './check.ts'
import { remarksOn } from './detect/column-formats.ts'
import type { Forms } from './detect/survey.ts'
import type { Table } from './parse/table.ts'
import { mayNotRead } from './permissions.ts'
import type { Reference } from './reference.ts'

/** What has to be known of how a file is read, though all of it is; of one without rows, as an export may have failed. */
export const warningsOn = ({ name, reading }: Table, forms: Forms, isEmpty: boolean): string[] => [
  ...(isEmpty ? [`${name} holds no rows`] : []),
  ...(reading.assumed === undefined ? [] : [reading.assumed]),
  ...remarksOn(forms),
]

/** What cannot be checked as the key may not read it. */
export const notesOnUnread = ({ kpis, users, sources, unchecked }: Reference): string[] => {
  const unread = [
    unchecked.has('KPIs') ? kpis.unread : undefined,
    unchecked.has('users') ? users.unread : undefined,
    unchecked.has('breakdown items') ? sources?.unread : undefined,
  ].filter((one) => one !== undefined)
  return unread.length > 0
    ? [`${mayNotRead(unread.join(', '))}: what rows say of them is left to the service to check`]
    : []
}

const NAMED = 3

/** Which KPIs have no target, and how the first of them gets one. */
const withoutTarget = (first: string, others: readonly string[]): string => {
  const names = [first, ...others].slice(0, NAMED).join(', ')
  const more = others.length < NAMED ? '' : ` and ${others.length + 1 - NAMED} more`
  return `${names}${more}; kpi kpis update ${JSON.stringify(first)} --target-default N gives it one`
}

/** A KPI without a target of its own keeps none of its entries (decisions, section 5). */
const notesOnTargets = ({ reference: { kpis }, lostTargets }: Checked): string[] => {
  const [first, ...others] = [...lostTargets.keys()].map((id) => kpis.byId.get(id)?.name ?? String(id))
  if (first === undefined) return []
  const count = [...lostTargets.values()].reduce((sum, one) => sum + one)
  const what =
    count === 1 ? '1 target is not kept, as its KPI has' : `${count} targets are not kept, as their KPIs have`
  return [`${what} none: ${withoutTarget(first, others)}`]
}

/** What makes good rows of those that give users targets of KPIs that have none themselves; nothing where there are none. */
export const adviceOnTargets = (kpis: Iterable<string>): string[] => {
  const [first, ...others] = kpis
  if (first === undefined) return []
  const what =
    others.length === 0
      ? '1 KPI has no target, so its users'
      : `${others.length + 1} KPIs have no target, so their users`
  return [`${what} cannot have one either: ${withoutTarget(first, others)}`]
}

/** What there is to say of a file before it is sent. */
export const notesOn = (checked: Checked): string[] => {
  const { unused } = checked.plan
  return [
    ...(unused.length > 0 ? [`columns left out: ${unused.join(', ')}`] : []),
    ...notesOnUnread(checked.reference),
    ...notesOnTargets(checked),
  ]
}
