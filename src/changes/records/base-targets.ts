import type { KindName } from '../../domain/kinds.ts'
import type { AnyRecord } from '../../domain/schema.ts'

/** Names the field with the target of a kind: the interface shows that of today in it. */
const TARGET_OF: Readonly<Partial<Record<KindName, string>>> = { kpi: 'target_default', assignment: 'user_target' }

/** Names what holds the target of today in a record whose own field has the base. */
const TODAY = 'target_today'

/** Returns the field with the target of a kind; undefined for kinds without any. */
export const targetFieldOf = (kind: KindName): string | undefined => TARGET_OF[kind]

/**
 * Returns a record with the base in its field, which is what a change of that field changes, where dated targets make it
 * show another one today.
 */
export const withBase = (kind: KindName, record: AnyRecord): AnyRecord => {
  const name = TARGET_OF[kind]
  if (name === undefined || (record['targets'] ?? null) === null || TODAY in record) return record
  return { ...record, [name]: record['target_base'] ?? null, [TODAY]: record[name] ?? null }
}

/** Tells whether a value is what a field shows today: to set it changes nothing. */
export const isShownToday = (kind: KindName, record: AnyRecord, name: string, value: unknown): boolean =>
  name === TARGET_OF[kind] && TODAY in record && record[TODAY] === value

/** Tells whether the field with the target shows a dated one today. */
export const showsDated = (kind: KindName, record: AnyRecord): boolean =>
  TARGET_OF[kind] !== undefined && (record[TODAY] ?? null) !== null

/** Returns a record as the service shows it. */
export const withToday = (kind: KindName, { [TODAY]: today, ...record }: AnyRecord): AnyRecord => {
  const name = TARGET_OF[kind]
  return name === undefined || today === undefined ? record : { ...record, [name]: today }
}

/** Returns the fields to send for a record: the base has a name of its own where dated targets are beside it. */
export const withBaseNamed = (kind: KindName, before: AnyRecord, fields: AnyRecord): AnyRecord => {
  const name = TARGET_OF[kind]
  if (name === undefined || !(name in fields) || (before['targets'] ?? null) === null) return fields
  const { [name]: base = null, ...others } = fields
  return { ...others, target_base: base }
}

/** Names what holds the base beside a field that shows the target of today, where there are dated ones. */
export const TARGET_BASE = 'target_base'

/**
 * Returns the values that an input gives a record, with a base under its own name in the field of the target: one that
 * differs from that of the record is meant, and beside another the target that is shown is the one that was read.
 */
export const withBaseSettled = (kind: KindName, given: AnyRecord, record: AnyRecord | undefined): AnyRecord => {
  const name = TARGET_OF[kind]
  const { [TARGET_BASE]: base, ...others } = given
  if (name === undefined || base === undefined) return given
  const { [name]: shown, ...rest } = others
  const isDated = record ? TODAY in record : (others['targets'] ?? null) !== null
  const [before, today] = record && isDated ? [record[name], record[TODAY]] : [null, record?.[name]]
  if (base !== (before ?? null)) return { ...rest, [name]: base }
  const isRead = record ? shown === (today ?? null) : isDated
  return isRead ? rest : others
}
