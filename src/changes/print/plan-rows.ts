import { valueWord } from '../../codec/cell-text.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { type Change, type FieldChange, isAccountRecord, type Value } from '../records/change.ts'
import { withNames } from '../records/formulas.ts'
import { type KindField, sectionOf } from '../records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../records/snapshot.ts'

/** Returns a value as people read it: a name for a record, a word for a letter, and no secret; null for nothing. */
export const valueText = ({ field }: KindField, value: Value): string | null => {
  if (value === null) return null
  return isAccountRecord(value) ? labelOf(value) : valueWord(field, value)
}

/** Returns the texts of a value now and afterwards. A formula is shown as people write it, with names. */
const textsOf = (snapshot: Snapshot, record: AccountRecord, { config, before, after }: FieldChange): AnyRecord => {
  if (config.name !== 'formula') return { old: valueText(config, before), new: valueText(config, after) }
  return {
    old: typeof before === 'string' ? withNames(snapshot, before) : null,
    new: record.desired?.values['formula'] ?? null,
  }
}

/** Returns changes as rows, one for each field; one alone for what has no fields but its name. */
export const planRows = (snapshot: Snapshot, changes: readonly Change[]): AnyRecord[] =>
  changes.flatMap(({ action, record, fields }): AnyRecord[] => {
    const row = { action, section: sectionOf(record.kind.name), name: labelOf(record) }
    const shown = fields.filter(({ config }) => action === 'update' || !record.kind.identity.includes(config.name))
    if (shown.length === 0) return [{ ...row, field: null, old: null, new: null }]
    return shown.map((one) => ({ ...row, field: one.config.name, ...textsOf(snapshot, record, one) }))
  })

/** Counts the changes of a plan, and what stays as it is. */
export type Counts = Readonly<Record<'created' | 'updated' | 'deleted' | 'unchanged', number>>

/** Counts changes by what is done. */
export const countChanges = (changes: readonly Change[], unchanged: number): Counts => {
  const count = (wanted: Change['action']): number => changes.filter(({ action }) => action === wanted).length
  return { created: count('create'), updated: count('update'), deleted: count('delete'), unchanged }
}
