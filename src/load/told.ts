import type { Plan } from './columns/columns.ts'
import { type Forms, remarksOn } from './forms/forms.ts'
import { mayNotRead } from './readable.ts'
import type { Table } from './reading/table.ts'
import type { Reference } from './reference.ts'
import type { Summary } from './summary.ts'

/** What has to be known of how a file is read, though all of it is. */
export const warningsOn = ({ reading }: Table, forms: Forms): string[] => [
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

/** What there is to say of a file before it is sent. */
export const notesOn = (
  { plan: { unused }, reference }: { readonly plan: Plan; readonly reference: Reference },
  { name }: Table,
  { read }: Summary,
): string[] => [
  ...(read === 0 ? [`${name} holds no rows`] : []),
  ...(unused.length > 0 ? [`columns left out: ${unused.join(', ')}`] : []),
  ...notesOnUnread(reference),
]
