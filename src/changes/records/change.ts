import type { FieldValue } from '../../domain/schema.ts'
import type { KindField } from './kind-fields.ts'
import type { AccountRecord } from './snapshot.ts'

/** Holds the value of a field: plain, or a record that it refers to. */
export type Value = FieldValue | AccountRecord

/** Tells whether a value is a record that a field refers to. */
export const isAccountRecord = (value: Value | undefined): value is AccountRecord =>
  typeof value === 'object' && value !== null

/** Describes the change of a field. */
export type FieldChange = { readonly config: KindField; readonly before: Value; readonly after: Value }

/** Describes what is to be done with a record. */
export type Change = {
  readonly action: 'create' | 'update' | 'delete'
  readonly record: AccountRecord
  readonly fields: readonly FieldChange[]
  /** Holds what a new record needs and the input does not say, by the names of the interface. */
  readonly defaults?: Readonly<Record<string, Value>>
}
