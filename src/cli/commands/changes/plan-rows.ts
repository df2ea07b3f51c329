import { valueWord } from '../../../codec/cell-text.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { type Change, type FieldChange, isAccountRecord, type Value } from '../../../changes/records/change.ts'
import { withNames } from '../../../changes/records/formulas.ts'
import { type KindField, sectionOf } from '../../../changes/records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../../../changes/records/snapshot.ts'
import { type ChangedField, fieldRows } from '../../output/plan.ts'

/** Returns a value as people read it: a name for a record, a word for a letter, and no secret; null for nothing. */
export const valueText = ({ field }: KindField, value: Value): string | null => {
  if (value === null) return null
  return isAccountRecord(value) ? labelOf(value) : valueWord(field, value)
}

/** Returns a field with its values as people read them. */
export const changedField = ({ config, before, after }: FieldChange): ChangedField => ({
  field: config.name,
  old: valueText(config, before),
  new: valueText(config, after),
})

/** Returns a formula with its values as people write them, with names. */
const changedFormula = (snapshot: Snapshot, { desired }: AccountRecord, { before }: FieldChange): ChangedField => {
  const after = desired?.values['formula']
  return {
    field: 'formula',
    old: typeof before === 'string' ? withNames(snapshot, before) : null,
    new: typeof after === 'string' ? after : null,
  }
}

/** Returns changes as rows, one for each field; one alone for what has no fields but its name. */
export const planRows = (snapshot: Snapshot, changes: readonly Change[]): AnyRecord[] =>
  changes.flatMap(({ action, record, fields }): AnyRecord[] => {
    const row = { action, section: sectionOf(record.kind.name), name: labelOf(record) }
    const shown = fields.filter(({ config }) => action === 'update' || !record.kind.identity.includes(config.name))
    const isFormula = ({ config }: FieldChange): boolean => config.name === 'formula'
    const rows = shown.map((one) => (isFormula(one) ? changedFormula(snapshot, record, one) : changedField(one)))
    return fieldRows(row, rows)
  })

/** Counts the changes of a plan, and what stays as it is. */
export type Counts = Readonly<Record<'created' | 'updated' | 'deleted' | 'unchanged', number>>

/** Counts changes by what is done. */
export const countChanges = (changes: readonly Change[], unchanged: number): Counts => {
  const count = (wanted: Change['action']): number => changes.filter(({ action }) => action === wanted).length
  return { created: count('create'), updated: count('update'), deleted: count('delete'), unchanged }
}
