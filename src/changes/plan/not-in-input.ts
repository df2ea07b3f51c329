import type { Change } from '../records/change.ts'
import { type KindName, sections } from '../records/kind-fields.ts'
import { type AccountRecord, isOfPerson, type Snapshot } from '../records/snapshot.ts'

/** Holds the records of a section that an account has, and an input lacks. */
export type NotInInput = { readonly kind: KindName; readonly records: readonly AccountRecord[] }

/**
 * Returns what an account has of some sections, and an input that was planned has not, without what the plan deletes. Of
 * assignments and links of users, what was read counts. Items of people follow these, and are in no input.
 */
export const recordsNotInInput = (
  snapshot: Snapshot,
  names: Iterable<string>,
  changes: readonly Change[],
): NotInInput[] => {
  const deleted = new Set(changes.flatMap(({ action, record }) => (action === 'delete' ? [record] : [])))
  const wanted = new Set([...names].flatMap((name) => sections.get(name)?.kind.name ?? []))
  return [...wanted].flatMap((kind) => {
    const records = snapshot
      .ofKind(kind)
      .filter((one) => one.stored && !one.isUnread && !one.desired && !isOfPerson(one) && !deleted.has(one))
    return records.length === 0 ? [] : [{ kind, records }]
  })
}
