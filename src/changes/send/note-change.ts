import { hash } from 'node:crypto'
import type { AnyRecord, FieldValue } from '../../domain/schema.ts'
import type { RecordedChange, RunHead } from '../../runs/run-record.ts'
import { type Change, isAccountRecord, type Value } from '../records/change.ts'
import { withIds } from '../records/formulas.ts'
import { type AccountRecord, nounOf, type Snapshot } from '../records/snapshot.ts'

const sentValue = (value: Value): FieldValue => (isAccountRecord(value) ? (value.id ?? null) : value)

/** Returns the fields of a change by the names of the interface, with the ids of records that are new. */
export const sentFields = (snapshot: Snapshot, { record, fields, defaults = {} }: Change): AnyRecord => {
  const written = record.desired?.values['formula']
  const given = fields.map(({ config, after }): [string, FieldValue] => [
    config.as,
    config.name === 'formula' ? withIds(snapshot, String(written)) : sentValue(after),
  ])
  const usual = Object.entries(defaults).map(([name, value]): [string, FieldValue] => [name, sentValue(value)])
  return Object.fromEntries([...usual, ...given])
}

/** Returns the values of the fields that an update changes, as they were. */
const fieldsBefore = ({ fields }: Change): AnyRecord =>
  Object.fromEntries(fields.map(({ config, before }): [string, FieldValue] => [config.as, sentValue(before)]))

/**
 * Returns the values before a change: of a record that is created again, its earlier id. Returns undefined for any other new
 * record, and for one that could not be read.
 */
const valuesBefore = (change: Change): AnyRecord | undefined => {
  const { action, record } = change
  const { replaces } = record.desired ?? {}
  if (action === 'create') return replaces === undefined ? undefined : { id: replaces }
  if (record.isUnread) return undefined
  return action === 'update' ? fieldsBefore(change) : record.stored
}

/** Returns the ids of what a record belongs to, by the names of the interface. */
const parentsOf = ({ kind, above }: AccountRecord): Record<string, number> =>
  Object.fromEntries(
    kind.fields.flatMap(({ name, as }): [string, number][] => {
      const id = above[name]?.id
      return id === undefined ? [] : [[as, id]]
    }),
  )

/** Leaves out secrets, which no file keeps. */
const withoutSecrets = (fields: AnyRecord, { kind }: AccountRecord): AnyRecord => {
  const secrets = new Set(kind.fields.flatMap(({ as, field }) => (field.secret ? as : [])))
  return secrets.size === 0 ? fields : Object.fromEntries(Object.entries(fields).filter(([name]) => !secrets.has(name)))
}

/** Returns a change as the record of a run holds it. */
export const noteOf = (snapshot: Snapshot, change: Change): RecordedChange => {
  const { action, record } = change
  const after = action === 'delete' ? undefined : withoutSecrets(sentFields(snapshot, change), record)
  return {
    place: record.desired?.line ?? 0,
    kind: record.kind.name,
    action,
    recordId: record.id,
    parents: parentsOf(record),
    name: nounOf(record),
    before: valuesBefore(change),
    after,
  }
}

const HASH_LENGTH = 16

/** Returns the idempotency key of a noted change: a continued run sends the same one, so that nothing is done twice. */
export const requestName = ({ name }: RunHead, id: number, fields: AnyRecord): string => {
  const text = JSON.stringify(fields, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return `${name}-${id}-${hash('sha256', text, 'hex').slice(0, HASH_LENGTH)}`
}
