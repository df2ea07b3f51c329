import { fromNewerItem, toNewerItem } from '../../../changes/records/access.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import { type Kind, KIND_NAMES, kinds } from '../../../changes/records/kind-fields.ts'
import { createSnapshot, type Snapshot } from '../../../changes/records/snapshot.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import type { AnyRecord, FieldValue, Resource } from '../../../domain/schema.ts'

/** Returns the kind of the records of a resource: breakdown items are group items. */
export const kindOf = ({ name }: Resource): Kind => {
  const kind = KIND_NAMES.find((one) => one === (name === breakdownItem.name ? 'group_item' : name))
  if (kind === undefined) throw new TypeError(`${name} is no kind of definitions`)
  return kinds[kind]
}

/** Returns a record of a resource as its kind has it, with the group of a breakdown item. */
const toKind = ({ name }: Resource, record: AnyRecord): AnyRecord =>
  name === breakdownItem.name ? fromNewerItem(record) : record

/** Returns a record of a kind as the resource shows it. */
export const fromKind = ({ name }: Resource, record: AnyRecord): AnyRecord =>
  name === breakdownItem.name ? toNewerItem(record) : record

/** Holds values by field; undefined where nothing is said. */
export type Values = Readonly<Record<string, FieldValue | undefined>>

/** Says how an item is meant: its place in the list, its record, and whether that is new or is to go. */
type Meaning = Pick<Desired, 'line' | 'id' | 'isById' | 'isAbsent' | 'isNew'>

/** Returns what an item asks for, by the values of its fields; other records stand in it by id. */
export const desiredOf = (of: Resource, given: Values, meaning: Meaning): Desired => {
  const kind = kindOf(of)
  const said = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const own = toKind(of, Object.fromEntries(said))
  const [values, references]: [Record<string, FieldValue>, Record<string, string>] = [{}, {}]
  for (const { name, as, refers } of kind.fields) {
    const value = own[as]
    if (value === undefined) continue
    if (refers && value !== null) references[name] = `#${String(value)}`
    else values[name] = value
  }
  return { kind, values, references, ...meaning }
}

/** Returns a snapshot of records of a resource, with what items refer to, of which the ids alone are known. */
export const snapshotOf = (
  of: Resource,
  stored: readonly AnyRecord[],
  desired: readonly Desired[],
  unread: readonly AnyRecord[] = [],
): Snapshot => {
  const kind = kindOf(of)
  const snapshot = createSnapshot(new Map())
  for (const { name, as, refers: [refers] = [] } of kind.fields) {
    if (!refers) continue
    const given = desired.flatMap(({ references }) => references[name]?.slice(1) ?? [])
    const held = [...stored, ...unread].flatMap((record) => toKind(of, record)[as] ?? [])
    snapshot.takeUnread(
      refers,
      [...new Set([...given, ...held].map(Number))].map((id) => ({ id })),
    )
  }
  snapshot.take(
    kind.name,
    stored.map((record) => toKind(of, record)),
  )
  snapshot.takeUnread(
    kind.name,
    unread.map((record) => toKind(of, record)),
  )
  return snapshot
}
