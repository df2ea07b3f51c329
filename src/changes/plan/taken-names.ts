import { looseName } from '../../client/directory.ts'
import { isAccountRecord } from '../records/change.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import type { Planned } from './plan.ts'
import type { Policy } from './policy.ts'

const keyOf = ({ kind }: AccountRecord): string => kind.identity.at(-1) ?? 'name'

/** Describes a rename: the comparable forms of the name before and after, each with the parent's. */
type Renaming = {
  readonly one: Planned
  readonly record: AccountRecord
  readonly before: string
  readonly after: string
}

const formOf = (parent: AccountRecord | undefined, name: string): string => `${parent?.serial ?? ''} ${looseName(name)}`

/** Returns the rename that an item asks for, unless the name keeps its form. */
const renamingOf = (one: Planned): Renaming | undefined => {
  const { desired, record, changes } = one
  const [update] = changes
  if (!record || update?.action !== 'update' || desired.isNew) return undefined
  const { group } = record.above
  const afterIn = (name: string) => update.fields.find(({ config }) => config.name === name)?.after
  const [name, parent] = [afterIn(keyOf(record)), afterIn('group')]
  if (typeof name !== 'string' && !isAccountRecord(parent)) return undefined
  const before = formOf(group, record.name)
  const after = formOf(isAccountRecord(parent) ? parent : group, typeof name === 'string' ? name : record.name)
  return before === after ? undefined : { one, record, before, after }
}

/**
 * Refuses items that would give a record a name that another one has. Items are taken in order: a name is free once an
 * earlier item has renamed its record.
 */
export const refuseTakenNames = (
  snapshot: Snapshot,
  planned: readonly Planned[],
  tellTaken: NonNullable<Policy['tellTaken']>,
): readonly Planned[] => {
  const renamings = planned.flatMap((one) => renamingOf(one) ?? [])
  const holders = new Map<string, AccountRecord[]>()
  const hold = (form: string, record: AccountRecord): void => {
    const same = holders.get(form)
    if (same) same.push(record)
    else holders.set(form, [record])
  }
  for (const kind of new Set(renamings.map(({ record }) => record.kind.name)))
    for (const record of snapshot.ofKind(kind))
      if (record.stored) hold(formOf(record.above['group'], record.name), record)
  const refused = new Map<Planned, Planned>()
  const renamed = new Set<AccountRecord>()
  for (const { one, record, before, after } of renamings) {
    holders.set(before, holders.get(before)?.filter((other) => other !== record) ?? [])
    const other = holders.get(after)?.find((holder) => holder !== record)
    hold(after, record)
    // Name the item, and not the stored record, if an earlier item gives the name.
    const holder = other && renamed.has(other) ? { ...other, stored: undefined } : other
    renamed.add(record)
    if (!holder) continue
    const reasons = [{ field: keyOf(record), message: tellTaken(holder, false) }]
    refused.set(one, { ...one, action: 'refuse', changes: [], reasons })
  }
  return planned.map((one) => refused.get(one) ?? one)
}
