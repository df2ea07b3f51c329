import { REMOVAL_ORDER } from '../../domain/kinds.ts'
import type { FieldValue } from '../../domain/schema.ts'
import type { Change, FieldChange, Value } from '../records/change.ts'
import { KIND_NAMES, type KindField } from '../records/kind-fields.ts'

const CLOSING: Readonly<Record<string, FieldValue>> = { is_active: false, user_status: 'L', is_archived: true }

/** Returns how coarse a frequency is: the field lists them from the finest on. */
const coarseness = ({ field }: KindField, value: Value): number => field.oneOf?.findIndex((one) => one === value) ?? -1

const isCoarsening = ({ config, before, after }: FieldChange): boolean =>
  config.name === 'frequency' && coarseness(config, after) > coarseness(config, before)

/** Tells whether an update must be sent after all others: it ends a record that they may still need. */
export const isLate = ({ action, fields }: Change): boolean =>
  action === 'update' && fields.some((one) => CLOSING[one.config.name] === one.after || isCoarsening(one))

const rankOf = ({ record }: Change): number => KIND_NAMES.indexOf(record.kind.name)

const isOfFormula = ({ record }: Change): boolean => record.kind.name === 'calculated_kpi'

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
  // Formulas come after those that they use; what ends or gets coarser goes first where it uses others.
  const lateFormulas = others.filter((one) => isLate(one) && isOfFormula(one))
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
    ...lateFormulas.toReversed(),
    ...others.filter((one) => isLate(one) && !isOfFormula(one)).toSorted((one, other) => rankOf(one) - rankOf(other)),
    ...deletes.filter((one) => !isBeforeLate(one)),
  ]
}
