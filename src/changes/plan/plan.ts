import { didYouMeanName } from '../../client/nearest.ts'
import { unknownName } from '../../client/directory.ts'
import { parseFormula } from '../../domain/calculated/formula-parser.ts'
import type { Day } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import { nameFieldsOf } from '../../domain/kinds.ts'
import { newName } from '../../domain/name-form.ts'
import type { Pause } from '../../domain/pause.ts'
import { type AnyRecord, type FieldValue, usualWith } from '../../domain/schema.ts'
import { mergeDatedTargets, targetOn } from '../../domain/targets/dated-targets.ts'
import { isShownToday, showsDated, targetFieldOf, withBaseSettled } from '../records/base-targets.ts'
import type { Change, FieldChange, Value } from '../records/change.ts'
import { type Desired, desiredName } from '../records/desired.ts'
import { readFormula } from '../records/formulas.ts'
import { type KindField, type KindName, kindsBeside } from '../records/kind-fields.ts'
import { type AccountRecord, isOfPerson, labelOf, type Snapshot } from '../records/snapshot.ts'
import { matchDesired, type Matched, type Policy, type Reason, type Unmatched } from './match.ts'
import { refuseByFormulas } from './formula-rules.ts'
import { inOrder, isLate } from './order.ts'
import { refuseDoubtfulNames, refuseTakenNames } from './new-names.ts'

/** Describes the planned action for one item of an input. */
export type Planned = {
  readonly action: 'create' | 'update' | 'delete' | 'unchanged' | 'skip' | 'refuse'
  readonly desired: Desired
  /** Holds the record that it is about; undefined where that is not clear. */
  readonly record: AccountRecord | undefined
  /** Lists the changes: mostly one, none where nothing is to be done. */
  readonly changes: readonly Change[]
  /** Says why it is refused. */
  readonly reasons: readonly Reason[]
}

/** Plans an item again, by what is known of its record now. */
export type PlanAgain = (record: AccountRecord) => Planned | undefined

/** Describes the changes that an input needs: by item, and in the order in which they can be sent. */
export type Plan = {
  readonly planned: readonly Planned[]
  readonly changes: readonly Change[]
  readonly again: PlanAgain
}

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
  if (name === 'targets' && desired.datedTargets) return datedAfter(record)
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

const textOf = (value: FieldValue): string | null => (value === null ? null : String(value))

/** Returns the dated targets that a record will have after the plan. */
const datedAfter = ({ stored, desired }: AccountRecord): FieldValue => {
  const given = desired?.values['targets']
  const before = given === undefined ? normal(stored?.['targets']) : given
  if (!desired?.datedTargets) return before
  return mergeDatedTargets(textOf(before), desired.datedTargets)
}

/** Returns the target that a KPI will have after the plan: its base, else its dated ones; null if it has none at all. */
const targetAfter = (kpi: AccountRecord | undefined): FieldValue => {
  const given = kpi?.desired?.values['target_default']
  const base = given === undefined ? normal(kpi?.stored?.['target_default']) : given
  return base ?? (kpi ? datedAfter(kpi) : null)
}

/** Tells whether a KPI has no target now, so that those of its users are hidden. */
const hidesTargets = (kpi: AccountRecord | undefined): boolean =>
  normal(kpi?.stored?.['target_default']) === null && normal(kpi?.stored?.['targets']) === null

/** Tells whether a target of a user may be hidden: a KPI that gets a target shows those of its users again. */
const mayHide = ({ record }: Matched, { name }: KindField): boolean => {
  const kpi = record.above['kpi']
  return (
    (name === 'user_target' || name === 'targets') &&
    kpi !== undefined &&
    hidesTargets(kpi) &&
    targetAfter(kpi) !== null
  )
}

/** Returns the end of dated targets that goes with no target at all, as a service ends them then. */
const endOfDated = (
  { desired, record }: Matched,
  changes: readonly FieldChange[],
  { isConfiguration }: Policy,
): FieldChange[] => {
  const { kind, values } = desired
  const { stored } = record
  const target = targetFieldOf(kind.name) ?? ''
  const isOnlyDated = values[target] === null && stored !== undefined && showsDated(kind.name, stored)
  const isEnded =
    (isOnlyDated && !isConfiguration) ||
    changes.some(({ config, before, after }) => config.as === target && before !== null && after === null)
  const before = normal(stored?.['targets'])
  const config = kind.fields.find(({ name }) => name === 'targets')
  if (!isEnded || before === null || !config || 'targets' in values || desired.datedTargets) return []
  return [{ config, before, after: null }]
}

/** Tells whether a field shows a value today, and goes on to show it with the dated targets of the item: that changes nothing. */
const staysShown = (
  { desired, record }: Matched,
  stored: AnyRecord,
  { name, value }: { readonly name: string; readonly value: Value },
  today: Day | undefined,
): boolean => {
  if (!isShownToday(desired.kind.name, stored, name, value)) return false
  const targets = desired.values['targets'] === undefined && !desired.datedTargets ? undefined : datedAfter(record)
  if (targets === undefined || today === undefined) return true
  const base = stored[name] ?? null
  return targetOn({ base: typeof base === 'bigint' ? base : null, targets: textOf(targets) }, today) === value
}

/** Returns the fields in which an item differs from its record, and the faults of those that cannot be read. */
const fieldChanges = (snapshot: Snapshot, given: Matched, reasons: Reason[], policy: Policy): FieldChange[] => {
  const { record } = given
  const { kind, values } = given.desired
  const desired = { ...given.desired, values: withBaseSettled(kind.name, values, record.stored) }
  const one = { ...given, desired }
  const { isConfiguration } = policy
  const changes = desired.kind.fields.flatMap((config): FieldChange[] => {
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
    if (record.stored && !isConfiguration && staysShown(one, record.stored, { name, value: after }, policy.today))
      return []
    return [{ config, before, after }]
  })
  return [...changes, ...endOfDated(one, changes, policy)]
}

/** Returns why a user may not have a target: the KPI has none. */
const faultOfTarget = ({ desired, record }: Matched): Reason[] => {
  const kpi = record.above['kpi']
  const hasDated = 'targets' in desired.values || desired.datedTargets !== undefined
  const field = hasDated && (desired.values['user_target'] ?? null) === null ? 'targets' : 'user_target'
  const isGiven = field === 'targets' ? datedAfter(record) !== null : (desired.values[field] ?? null) !== null
  if (!kpi || !isGiven || targetAfter(kpi) !== null) return []
  return [{ field, message: `${labelOf(kpi)} has no target, so a user cannot have one either` }]
}

/** Creates a function that gives new records without a place the next free one of their list. */
const createPlaces = (snapshot: Snapshot): ((record: AccountRecord) => number) => {
  const last = new Map<string, number>()
  const placeOf = ({ stored, desired }: AccountRecord): number =>
    Number(stored ? (desired?.values['sort_order'] ?? stored['sort_order'] ?? 0) : 0)
  const keyOf = ({ kind, above }: AccountRecord): string =>
    `${kindsBeside(kind.name)[0]} ${above['user']?.serial ?? ''}`
  const read = new Set<KindName>()
  return (record) => {
    for (const name of kindsBeside(record.kind.name)) {
      if (!read.has(name))
        for (const one of snapshot.ofKind(name)) last.set(keyOf(one), Math.max(last.get(keyOf(one)) ?? 0, placeOf(one)))
      read.add(name)
    }
    const before = last.get(keyOf(record)) ?? 0
    const place = Number(record.desired?.values['sort_order'] ?? Math.min(before + 1, INT16_MAX))
    last.set(keyOf(record), Math.max(before, place))
    return place
  }
}

/** Returns the fields of a record as the service has them, overridden by those of the input. */
const propertiesOf = (record: AccountRecord | undefined): object => ({ ...record?.stored, ...record?.desired?.values })

const usualReference = (
  snapshot: Snapshot,
  refers: readonly KindName[],
  usual: string | number | boolean,
): AccountRecord | undefined => {
  const found = snapshot.find(refers, typeof usual === 'number' ? `#${usual}` : String(usual))
  return found instanceof Fault ? undefined : found
}

/** Splits the archiving of a new item of a configuration from its creation: users are linked to it in between. */
const createsOf = (
  record: AccountRecord,
  fields: readonly FieldChange[],
  defaults: Record<string, Value>,
  { isConfiguration }: Policy,
): Change[] => {
  const archiving = isConfiguration
    ? fields.filter(({ config, after }) => config.name === 'is_archived' && after === true)
    : []
  const create: Change = {
    action: 'create',
    record,
    fields: fields.filter((one) => !archiving.includes(one) && one.after !== null),
    defaults,
  }
  const archive = archiving.map((one): Change => ({ action: 'update', record, fields: [{ ...one, before: false }] }))
  return [create, ...archive]
}

/** Splits the first target of a KPI of a configuration from what ends it: its assignments get theirs in between. */
const updatesOf = (
  record: AccountRecord,
  fields: readonly FieldChange[],
  { isConfiguration }: Policy,
): readonly Change[] => {
  const update: Change = { action: 'update', record, fields }
  const first = fields.filter(({ config, before }) => config.name === 'target_default' && before === null)
  const rest: Change = { ...update, fields: fields.filter((one) => !first.includes(one)) }
  return isConfiguration && first.length > 0 && isLate(rest) ? [{ ...update, fields: first }, rest] : [update]
}

/** Returns why a record may not be changed here; undefined if it may. The service decides on records that are meant by id. */
const faultOfChange = (record: AccountRecord, { kind, isById }: Desired): string | undefined => {
  const label = `${kind.of.title} ${String(record.id)}`
  if (record.kind.name !== kind.name)
    return `${label} is calculated, and only its operator changes it: kpi service calculated update`
  return isOfPerson(record) && !isById ? `${label} stands for a person, whose name and status it follows` : undefined
}

const existsText = ({ kind }: Desired): string => {
  const key = kind.identity.at(-1)
  return `there is a ${kind.of.title} of that ${key === 'email' ? 'e-mail address' : key} already`
}

/** Creates the planning of items whose records are found. */
const createPlanner = (snapshot: Snapshot, policy: Policy): ((one: Matched) => Planned) => {
  const nextPlace = createPlaces(snapshot)
  const refused = ({ desired, record }: Matched, reasons: readonly Reason[]): Planned => ({
    action: 'refuse',
    desired,
    record,
    changes: [],
    reasons,
  })
  const isAbout = ({ desired: { kind } }: Matched): boolean => policy.about === undefined || policy.about === kind.name
  const meantBy = ({ desired, record }: Matched): string =>
    didYouMeanName(snapshot.suggest(desired.kind, record.above, desiredName(desired)))
  /** Refuses an item without a record, which policy or item need; earlier parts of the run may have taken it away. */
  const isNotThere = (one: Matched): Planned => {
    const { desired, record } = one
    if (desired.isAbsent && policy.isOurs?.(desired))
      return { action: 'unchanged', desired, record, changes: [], reasons: [] }
    const name = desiredName(desired)
    const message =
      name === '' || desired.isAbsent
        ? `${labelOf(record)} is not there`
        : `${unknownName(desired.kind.of.title)}${name}"${meantBy(one)}`
    return refused(one, [{ field: 'name', message, isMissing: true }])
  }
  const planNew = (one: Matched): Planned => {
    const { desired, record, references } = one
    const { kind } = desired
    if (policy.onlyExisting && isAbout(one)) return isNotThere(one)
    const [reasons, lacking]: [Reason[], string[]] = [[...one.reasons, ...faultOfTarget(one)], []]
    const fields = fieldChanges(snapshot, one, reasons, policy)
    const defaults: Record<string, Value> = {}
    for (const { name, as, field, refers } of kind.fields) {
      // A field with a fault is there, too.
      const isSaid = name in desired.values || name in desired.references || name in (desired.lines ?? {})
      const isGiven = isSaid && (references[name] ?? desired.values[name]) !== null
      if (!field.required) continue
      const usual = usualWith(field, propertiesOf(references[field.unless?.field.replace(/_id$/, '') ?? '']))
      const place = usual === 'next' ? nextPlace(record) : undefined
      if (isGiven) continue
      const value =
        usual === 'next' ? place : refers && usual !== undefined ? usualReference(snapshot, refers, usual) : usual
      if (value === undefined) lacking.push(name)
      else defaults[as] = value
    }
    if (lacking.length > 0)
      reasons.push({
        field: 'name',
        message: `the new ${kind.of.title} "${desiredName(desired)}" needs ${lacking.join(', ')}${meantBy(one)}`,
      })
    if (reasons.length > 0) return refused(one, reasons)
    return { action: 'create', desired, record, changes: createsOf(record, fields, defaults, policy), reasons: [] }
  }
  const planHeld = (one: Matched): Planned => {
    const { desired, record } = one
    const reasons = [...one.reasons, ...faultOfTarget(one)]
    const fields = fieldChanges(snapshot, one, reasons, policy)
    if (reasons.length > 0) return refused(one, reasons)
    const isSame = fields.length === 0
    const same = { desired, record, changes: [], reasons: [] }
    if (!(isSame && policy.isOurs?.(desired))) {
      const { kind } = desired
      const isAnother = { stored: undefined, name: desiredName(desired), desired, id: undefined }
      if (desired.isNew) return planNew({ ...one, record: snapshot.add({ kind, above: record.above, ...isAnother }) })
      if (policy.existing === 'skip' && isAbout(one)) return { action: 'skip', ...same }
      const message = policy.tellTaken?.(record, true) ?? existsText(desired)
      if (policy.existing === 'refuse' && isAbout(one)) return refused(one, [{ field: 'name', message }])
    }
    if (isSame) return { action: 'unchanged', ...same }
    const fault = faultOfChange(record, desired)
    if (fault !== undefined) return refused(one, [{ field: 'name', message: fault }])
    return { action: 'update', desired, record, changes: updatesOf(record, fields, policy), reasons: [] }
  }
  return (one) => {
    const { desired, record } = one
    if (!desired.isAbsent) return record.stored ? planHeld(one) : planNew(one)
    if (record.stored)
      return { action: 'delete', desired, record, changes: [{ action: 'delete', record, fields: [] }], reasons: [] }
    return isNotThere(one)
  }
}

/** Sorts calculated KPIs that are new or changed: each after those that its formula uses. */
const byDependence = async (snapshot: Snapshot, changes: readonly Change[], pause: Pause): Promise<Change[]> => {
  const open = new Map(changes.map((change) => [change.record, change]))
  const sorted: Change[] = []
  const takeInputs = (change: Change): { readonly change: Change; readonly inputs: Iterator<AccountRecord> } => {
    open.delete(change.record)
    const { desired, stored } = change.record
    const formula = readFormula(snapshot, String(desired?.values['formula'] ?? stored?.['formula'] ?? ''))
    return { change, inputs: (formula instanceof Fault ? [] : formula.inputs).values() }
  }
  for (const first of changes) {
    const taken = open.has(first.record) ? [takeInputs(first)] : []
    for (let last = taken.at(-1); last; last = taken.at(-1)) {
      const turn = pause()
      if (turn) await turn
      const { value: input, done } = last.inputs.next()
      const before = input && open.get(input)
      if (before) taken.push(takeInputs(before))
      else if (done) sorted.push(...taken.splice(-1).map(({ change }) => change))
    }
  }
  return sorted
}

const isUnmatched = (one: Matched | Unmatched): one is Unmatched => one.record === undefined

/**
 * Plans the changes that make an account match an input. Records in `gone`, which the input no longer holds, are deleted
 * unless an item is about them.
 */
export const planChanges = async (
  snapshot: Snapshot,
  all: readonly Desired[],
  policy: Policy,
  pause: Pause,
  gone: readonly AccountRecord[] = [],
): Promise<Plan> => {
  const found = await matchDesired(snapshot, all, policy, pause)
  const plan = createPlanner(snapshot, policy)
  const matched = new Map(found.flatMap((one) => (isUnmatched(one) ? [] : [[one.record, one] as const])))
  const drafts: Planned[] = []
  for (const one of found) {
    const turn = pause()
    if (turn) await turn
    if (isUnmatched(one)) drafts.push({ action: 'refuse', record: undefined, changes: [], ...one })
    else drafts.push(plan(one))
  }
  const free = policy.tellTaken ? refuseTakenNames(snapshot, drafts, policy.tellTaken) : drafts
  const named = await refuseDoubtfulNames(snapshot, free, policy, pause)
  const planned = refuseByFormulas(
    snapshot,
    named,
    gone.filter(({ desired }) => !desired),
  )
  const changes = planned.flatMap((one) => one.changes)
  const isOfFormula = ({ action, record }: Change): boolean =>
    action !== 'delete' && record.kind.name === 'calculated_kpi'
  const formulas = await byDependence(snapshot, changes.filter(isOfFormula), pause)
  const deletes = gone
    .filter(({ desired }) => !desired)
    .map((record): Change => ({ action: 'delete', record, fields: [] }))
  return {
    planned,
    changes: inOrder(
      [...changes.filter((one) => !isOfFormula(one)), ...formulas, ...deletes],
      policy.isConfiguration === true,
    ),
    again: (record) => {
      const one = matched.get(record)
      return one && plan(one)
    },
  }
}
