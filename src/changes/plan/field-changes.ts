import { parseFormula } from '../../domain/calculated/formula-parser.ts'
import { Fault } from '../../domain/errors.ts'
import { nameFieldsOf } from '../../domain/kinds.ts'
import { newName } from '../../domain/name-form.ts'
import type { FieldValue } from '../../domain/schema.ts'
import type { FieldChange, Value } from '../records/change.ts'
import type { Desired } from '../records/desired.ts'
import { readFormula } from '../records/formulas.ts'
import type { KindField } from '../records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../records/snapshot.ts'
import type { Matched, Policy, Reason } from './match.ts'

/** Returns a text of the service as it would be read from an input. */
const normal = (value: FieldValue | undefined): FieldValue =>
  typeof value === 'string' ? value.trim().replaceAll(/\r\n?/g, '\n') || null : (value ?? null)

/** Returns the value that a record has now. */
const valueNow = (snapshot: Snapshot, { stored }: AccountRecord, { as, refers }: KindField): Value => {
  const value = normal(stored?.[as])
  if (!refers || value === null) return value
  return snapshot.byId(refers, Number(value)) ?? value
}

/** Returns the value that an item gives a field; undefined if it leaves the field alone. */
const valueGiven = (
  snapshot: Snapshot,
  { desired, references, record }: Matched,
  { name }: KindField,
  isConfiguration = false,
): Value | Fault | undefined => {
  const formula = name === 'formula' ? desired.values[name] : undefined
  if (formula !== undefined) {
    const read = readFormula(snapshot, String(formula))
    return read instanceof Fault ? read : read.text
  }
  const value = references[name] ?? desired.values[name]
  const isNewName = typeof value === 'string' && !isConfiguration && nameFieldsOf(desired.kind.of).includes(name)
  return isNewName && value !== record.stored?.[name] ? newName(value) : value
}

/** Returns a stored formula as one of an input is read: its blanks may differ. */
const formulaNow = (value: Value): Value => {
  const formula = typeof value === 'string' ? parseFormula(value) : undefined
  return formula && !(formula instanceof Fault) ? formula.text : value
}

/** Compares two values; texts may encode their accents differently. */
const isSameValue = (before: Value, after: Value): boolean =>
  before === after ||
  (typeof before === 'string' && typeof after === 'string' && before.normalize() === after.normalize())

/** Tells whether a field says which record is meant, and so never differs between an item and its record. */
const isIdentity = ({ kind, isById }: Desired, { name }: KindField): boolean => kind.identity.includes(name) && !isById

/** Returns the target that a KPI will have after the plan. */
const targetAfter = (kpi: AccountRecord | undefined): FieldValue => {
  const given = kpi?.desired?.values['target_default']
  return given === undefined ? normal(kpi?.stored?.['target_default']) : given
}

/** Tells whether a target of a user may be hidden: a KPI that gets a target shows those of its users again. */
const mayHide = ({ record }: Matched, { name }: KindField): boolean => {
  const kpi = record.above['kpi']
  return name === 'user_target' && normal(kpi?.stored?.['target_default']) === null && targetAfter(kpi) !== null
}

/** Returns the fields in which an item differs from its record, and the faults of those that cannot be read. */
export const fieldChanges = (
  snapshot: Snapshot,
  one: Matched,
  reasons: Reason[],
  { isConfiguration }: Policy,
): FieldChange[] => {
  const { desired, record } = one
  return desired.kind.fields.flatMap((config): FieldChange[] => {
    const { name, field, isHint } = config
    if (isHint || (record.stored && (isIdentity(desired, config) || field.secret))) return []
    const after = valueGiven(snapshot, one, config, isConfiguration)
    if (after instanceof Fault) {
      reasons.push({ field: name, message: `${name}: ${after.message}` })
      return []
    }
    if (after === undefined || (after === null && !record.stored && field.secret)) return []
    const now = valueNow(snapshot, record, config)
    const before = name === 'formula' ? formulaNow(now) : now
    const isKnown = record.stored !== undefined && !record.isUnread
    if (isKnown && isSameValue(before, after) && !mayHide(one, config)) return []
    return [{ config, before, after }]
  })
}

/** Returns why a user may not have a target: the KPI has none. */
export const faultOfTarget = ({ desired, record }: Matched): Reason[] => {
  const kpi = record.above['kpi']
  if (!kpi || (desired.values['user_target'] ?? null) === null || targetAfter(kpi) !== null) return []
  return [{ field: 'user_target', message: `${labelOf(kpi)} has no target, so a user cannot have one either` }]
}
