import { isAccountRecord } from '../records/change.ts'
import type { KindName } from '../records/kind-fields.ts'
import type { AccountRecord } from '../records/snapshot.ts'
import type { Reason } from './match.ts'
import type { Plan, Planned } from './plan.ts'

/** Says which kinds the items of a row are of: what the row is about, and what else it asks for, if it is one with that. */
export type RowParts = { readonly main: KindName; readonly beside?: KindName }

/** Says of which row an item is; items of other kinds are made for several rows. */
type Rows = { readonly parts: RowParts; readonly lineOf: (place: number) => number }

const refusedFor = (one: Planned, reasons: readonly Reason[]): Planned => ({
  ...one,
  action: 'refuse',
  changes: [],
  reasons,
})

/** Returns the records that an item belongs to, and those that it is to refer to. */
const neededBy = ({ record, changes }: Planned): AccountRecord[] => [
  ...Object.values(record?.above ?? {}),
  ...changes.flatMap(({ fields }) => fields.flatMap(({ after }) => (isAccountRecord(after) ? [after] : []))),
]

/** Refuses items that refer to what is refused, with its reasons; those of what a row is about are said there. */
const refuseDependents = (planned: readonly Planned[], main: KindName): Planned[] => {
  const refused = new Map<AccountRecord, readonly Reason[]>()
  const note = (one: Planned): Planned => {
    if (one.action === 'refuse' && one.record) refused.set(one.record, one.reasons)
    return one
  }
  return planned.map((one) => {
    if (one.action === 'refuse') return note(one)
    const needed = neededBy(one).find((record) => refused.has(record))
    if (!needed) return one
    return note(refusedFor(one, needed.kind.name === main ? [] : (refused.get(needed) ?? [])))
  })
}

/**
 * Makes each row one: where one of its items is refused or left alone, so are the others. What is made for rows of which none is left is
 * not made.
 */
export const planWholeRows = (plan: Plan, { parts: { main, beside }, lineOf }: Rows): Plan => {
  const isOfRow = ({ desired: { kind } }: Planned): boolean => kind.name === main || kind.name === beside
  const all = refuseDependents(plan.planned, main)
  const linesWith = (action: Planned['action']): Set<number> =>
    new Set(all.filter((one) => one.action === action && isOfRow(one)).map(({ desired }) => lineOf(desired.line)))
  const [refused, skipped] = beside === undefined ? [new Set<number>(), new Set<number>()] : [linesWith('refuse'), linesWith('skip')] // prettier-ignore
  const whole = all.map((one) => {
    if (one.action === 'refuse' || !isOfRow(one)) return one
    const line = lineOf(one.desired.line)
    if (refused.has(line)) return refusedFor(one, [])
    return skipped.has(line) ? { ...one, action: 'skip' as const, changes: [] } : one
  })
  const needed = new Set<AccountRecord>()
  const need = (record: AccountRecord): void => {
    for (const one of Object.values(record.above)) {
      needed.add(one)
      need(one)
    }
  }
  for (const one of whole.filter(isOfRow).filter(({ changes }) => changes.length > 0))
    for (const record of neededBy(one)) {
      needed.add(record)
      need(record)
    }
  const planned = whole.map((one) =>
    isOfRow(one) || one.action === 'refuse' || (one.record && needed.has(one.record))
      ? one
      : { ...one, action: 'skip' as const, changes: [] },
  )
  const kept = new Set(planned.flatMap(({ changes }) => changes))
  return { ...plan, planned, changes: plan.changes.filter((change) => kept.has(change)) }
}
