import { parentOf } from '../../domain/kinds.ts'
import { Fault } from '../../domain/errors.ts'
import { type Change, isAccountRecord } from '../records/change.ts'
import { readFormula } from '../records/formulas.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'

/** Returns the records that a change cannot be made without, its own among them. */
export const neededBy = (snapshot: Snapshot, { record, fields, defaults = {} }: Change): AccountRecord[] => {
  const formula = record.desired?.values['formula']
  const read = formula === undefined ? undefined : readFormula(snapshot, String(formula))
  return [
    record,
    ...Object.values(record.above),
    ...[...Object.values(defaults), ...fields.map(({ after }) => after)].filter(isAccountRecord),
    ...(read === undefined || read instanceof Fault ? [] : read.inputs),
  ]
}

/** Counts the first changes of one kind: they are noted together, once the records that they refer to have ids. */
export const blockLength = (changes: readonly Change[], most: number): number => {
  const [first] = changes
  const end = changes.findIndex(
    ({ record, action }, at) => at === most || record.kind !== first?.record.kind || action !== first.action,
  )
  return end < 0 ? changes.length : end
}

/** Tells whether two records lie in the same parent: the items of a group, or the assignments of a user. */
export const isBeside = (one: AccountRecord, other: AccountRecord): boolean => {
  const parent = one.kind.fields.find(({ as }) => as === parentOf(one.kind.name))
  return parent === undefined || one.above[parent.name] === other.above[parent.name]
}
