import { REMOVAL_ORDER } from '../../domain/kinds.ts'
import type { FieldValue } from '../../domain/schema.ts'
import { KIND_NAMES, type KindField } from './kind-fields.ts'
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

const CLOSING: Readonly<Record<string, FieldValue>> = { is_active: false, user_status: 'L', is_archived: true }

/** Returns how coarse a frequency is: the field lists them from the finest on. */
const coarseness = ({ field }: KindField, value: Value): number => field.oneOf?.findIndex((one) => one === value) ?? -1

const isCoarsening = ({ config, before, after }: FieldChange): boolean =>
  config.name === 'frequency' && coarseness(config, after) > coarseness(config, before)

/** Tells whether an update must be sent after all others: it ends a record that they may still need. */
const isLate = ({ action, fields }: Change): boolean =>
  action === 'update' && fields.some((one) => CLOSING[one.config.name] === one.after || isCoarsening(one))

const rankOf = ({ record }: Change): number => KIND_NAMES.indexOf(record.kind.name)

const deleteRank = ({ record }: Change): number => REMOVAL_ORDER.indexOf(record.kind.name)

/**
 * Sorts changes so that each can be sent: records before those that refer to them, deletes last. With `isNewFirst`, new
 * records come before updates of their kind, which may refer to them.
 */
export const inOrder = (changes: readonly Change[], isNewFirst: boolean): Change[] => {
  const deletes = changes
    .filter(({ action }) => action === 'delete')
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .toReversed()
    .toSorted((one, other) => deleteRank(one) - deleteRank(other))
  const others = changes.filter(({ action }) => action !== 'delete')
  const early = Map.groupBy(
    others.filter((one) => !isLate(one)),
    ({ record, action }) => `${record.kind.name} ${action}`,
  )
  // Delete formulas, and what belongs to them, before the KPIs that they use are closed.
  const isBeforeLate = (one: Change): boolean => deleteRank(one) <= REMOVAL_ORDER.indexOf('calculated_kpi')
  return [
    ...KIND_NAMES.flatMap((name) => {
      const [created, updated] = [early.get(`${name} create`) ?? [], early.get(`${name} update`) ?? []]
      return isNewFirst ? [...created, ...updated] : [...updated, ...created]
    }),
    ...deletes.filter(isBeforeLate),
    ...others.filter(isLate).toSorted((one, other) => rankOf(one) - rankOf(other)),
    ...deletes.filter((one) => !isBeforeLate(one)),
  ]
}
