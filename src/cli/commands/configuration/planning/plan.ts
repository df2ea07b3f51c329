import { parseFormula } from '../../../../domain/calculated/formula-parser.ts'
import { Fault, type Issue, MOST_FAULTS } from '../../../../domain/errors.ts'
import type { Pause } from '../../../../domain/pause.ts'
import { INT16_MAX } from '../../../../domain/field-value.ts'
import { type FieldValue, usualWith } from '../../../../domain/schema.ts'
import { type Change, type FieldChange, inOrder, type Value } from './changes.ts'
import { readFormula } from './formulas.ts'
import type { ConfigField, KindName } from './kinds.ts'
import { type Matched, matchItems } from './match.ts'
import { faultsOfNewNames } from './new-names.ts'
import { faultAt } from '../../../../codec/yaml-reader.ts'
import type { Item } from './read-file.ts'
import { labelOf, type Thing, type Things } from './things.ts'

/** Describes what would make an account what a file says, or why the file cannot be used. */
export type Plan = {
  readonly changes: readonly Change[]
  readonly unchanged: number
  readonly faults: readonly Issue[]
}

/** Returns a text of the service as it would be read from a file. */
const normal = (value: FieldValue | undefined): FieldValue =>
  typeof value === 'string' ? value.trim().replaceAll(/\r\n?/g, '\n') || null : (value ?? null)

/** Returns the value that a thing has now. */
const valueNow = (things: Things, { record }: Thing, { as, refers }: ConfigField): Value => {
  const value = normal(record?.[as])
  if (!refers || value === null) return value
  return things.byId(refers, Number(value)) ?? value
}

/** Returns the value that an item gives a field; undefined if it says nothing of it. */
const valueGiven = (
  things: Things,
  { item, references }: Matched,
  { name }: ConfigField,
): Value | Fault | undefined => {
  if (name !== 'formula' || item.values[name] === undefined) return references[name] ?? item.values[name]
  const formula = readFormula(things, String(item.values[name]))
  return formula instanceof Fault ? formula : formula.text
}

/** Returns a stored formula as one of a file is read: its blanks may differ. */
const formulaNow = (value: Value): Value => {
  const formula = typeof value === 'string' ? parseFormula(value) : undefined
  return formula && !(formula instanceof Fault) ? formula.text : value
}

/** Tells whether two values are the same; a text is, however its accents are encoded. */
const isSameValue = (before: Value, after: Value): boolean =>
  before === after ||
  (typeof before === 'string' && typeof after === 'string' && before.normalize() === after.normalize())

const isIdentity = ({ kind }: Item, { name }: ConfigField): boolean => kind.identity.includes(name)

/** Creates the planning of fields, with all that is wrong in `faults`. */
const createPlanner = (things: Things, matched: readonly Matched[], faults: Issue[]) => {
  const targetAfter = (kpi: Thing | undefined): FieldValue =>
    kpi?.item?.values['target_default'] ??
    (kpi?.item && 'target_default' in kpi.item.values ? null : normal(kpi?.record?.['target_default']))
  /** A KPI that gets a target shows those of its users again, which were hidden. */
  const mayHide = ({ thing }: Matched, { name }: ConfigField): boolean => {
    const kpi = thing.above['kpi']
    return name === 'user_target' && normal(kpi?.record?.['target_default']) === null && targetAfter(kpi) !== null
  }
  const fieldChanges = (one: Matched): FieldChange[] => {
    const { item, thing } = one
    return item.kind.fields.flatMap((config): FieldChange[] => {
      if (config.isHint || (thing.record && isIdentity(item, config))) return []
      const after = valueGiven(things, one, config)
      if (after instanceof Fault) {
        faults.push(faultAt(item.lines[config.name] ?? item.line, `${config.name}: ${after.message}`))
        return []
      }
      if (after === undefined) return []
      const now = valueNow(things, thing, config)
      const before = config.name === 'formula' ? formulaNow(now) : now
      if (thing.record && isSameValue(before, after) && !mayHide(one, config)) return []
      return [{ config, before, after }]
    })
  }
  const checkTarget = ({ item, thing }: Matched): void => {
    const kpi = thing.above['kpi']
    if (!kpi || (item.values['user_target'] ?? null) === null || targetAfter(kpi) !== null) return
    const message = `${labelOf(kpi)} has no target, so a user cannot have one either`
    faults.push(faultAt(item.lines['user_target'] ?? item.line, message))
  }
  return { fieldChanges, checkTarget, matched }
}

/** Gives new things that have no place the next one among those that they stand beside. */
const createPlaces = (things: Things) => {
  const last = new Map<string, number>()
  const placeOf = ({ record, item }: Thing): number => Number(item?.values['sort_order'] ?? record?.['sort_order'] ?? 0)
  return (thing: Thing): number => {
    const { kind, above } = thing
    const isBeside = (one: Thing): boolean => one.above['user'] === above['user']
    const key = `${kind.name} ${above['user']?.serial ?? ''}`
    const beside = last.has(key) ? [] : things.ofKind(kind.name).filter(isBeside)
    const most = beside.reduce((so, one) => Math.max(so, placeOf(one)), last.get(key) ?? 0)
    const place = Math.min(most + 1, INT16_MAX)
    last.set(key, place)
    return place
  }
}

/** Returns what is known of a thing: by the service, and over that by the file. */
const propertiesOf = (thing: Thing | undefined): object => ({ ...thing?.record, ...thing?.item?.values })

/** Returns what a new thing needs beside what the file says; what has no usual value is a fault. */
const defaultsOf = (
  things: Things,
  { item, thing, references }: Matched,
  nextPlace: (thing: Thing) => number,
  faults: Issue[],
): Record<string, Value> => {
  const defaults: Record<string, Value> = {}
  for (const { name, as, field, refers } of item.kind.fields) {
    // A field with a fault is there, too.
    if (!field.required || name in item.lines) continue
    const usual = usualWith(field, propertiesOf(references[field.unless?.field.replace(/_id$/, '') ?? '']))
    const value =
      usual === 'next'
        ? nextPlace(thing)
        : refers && usual !== undefined
          ? usualReference(things, refers, usual)
          : usual
    if (value === undefined) faults.push(faultAt(item.line, `${name} is required for a new ${item.kind.of.title}`))
    else defaults[as] = value
  }
  return defaults
}

const usualReference = (
  things: Things,
  refers: readonly Thing['kind']['name'][],
  usual: string | number | boolean,
): Thing | undefined => {
  const found = things.find(refers, typeof usual === 'number' ? `#${usual}` : String(usual))
  return found instanceof Fault ? undefined : found
}

/** Splits the archiving of a new item from its creation: users are linked to it in between. */
const createsOf = (thing: Thing, fields: readonly FieldChange[], defaults: Record<string, Value>): Change[] => {
  const archiving = fields.filter(({ config, after }) => config.name === 'is_archived' && after === true)
  const create: Change = { action: 'create', thing, fields: fields.filter((one) => !archiving.includes(one)), defaults }
  const archive = archiving.map((one): Change => ({ action: 'update', thing, fields: [{ ...one, before: false }] }))
  return [create, ...archive]
}

/** Returns the new calculated KPIs behind those that their formulas use. */
const byDependence = async (things: Things, changes: readonly Change[], pause: Pause): Promise<Change[]> => {
  const open = new Map(changes.map((change) => [change.thing, change]))
  const sorted: Change[] = []
  const takeInputs = (change: Change): { readonly change: Change; readonly inputs: Iterator<Thing> } => {
    open.delete(change.thing)
    const formula = readFormula(things, String(change.thing.item?.values['formula'] ?? ''))
    return { change, inputs: (formula instanceof Fault ? [] : formula.inputs).values() }
  }
  for (const first of changes) {
    const taken = open.has(first.thing) ? [takeInputs(first)] : []
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

const changesOf = async (
  things: Things,
  matched: readonly Matched[],
  faults: Issue[],
  pause: Pause,
): Promise<{ readonly changes: Change[]; readonly unchanged: number }> => {
  const { fieldChanges, checkTarget } = createPlanner(things, matched, faults)
  const nextPlace = createPlaces(things)
  const changes: Change[] = []
  let unchanged = 0
  for (const one of matched) {
    const turn = pause()
    if (turn) await turn
    if (faults.length >= MOST_FAULTS) break
    checkTarget(one)
    const { thing } = one
    const fields = fieldChanges(one)
    if (!thing.record) changes.push(...createsOf(thing, fields, defaultsOf(things, one, nextPlace, faults)))
    else if (fields.length > 0) changes.push({ action: 'update', thing, fields })
    else unchanged += 1
  }
  const isNewFormula = ({ action, thing }: Change): boolean =>
    action === 'create' && thing.kind.name === 'calculated_kpi'
  const sorted = await byDependence(things, changes.filter(isNewFormula), pause)
  return { changes: [...changes.filter((one) => !isNewFormula(one)), ...sorted], unchanged }
}

/** Says how an account is made what a file says. */
type PlanOptions = {
  /** Lists what earlier runs made, of which the file may say nothing any longer. */
  readonly made: readonly Thing[]
  readonly isByIdAlone: boolean
  /** Holds the kinds whose new names are meant, whatever they could stand for. */
  readonly byName: ReadonlySet<KindName>
}

/**
 * Plans what makes the things of an account what the items of a file say, and deletes `made` things, of which the file
 * says nothing any longer.
 */
export const planChanges = async (
  things: Things,
  items: readonly Item[],
  { made, isByIdAlone, byName }: PlanOptions,
  pause: Pause,
): Promise<Plan> => {
  const { matched, faults: unmatched } = await matchItems(things, items, isByIdAlone, pause)
  const faults = [...unmatched]
  const { changes, unchanged } = await changesOf(things, matched, faults, pause)
  faults.push(...(await faultsOfNewNames(things, changes, byName, pause)))
  const deletes = made.filter(({ item }) => !item).map((thing): Change => ({ action: 'delete', thing, fields: [] }))
  return { changes: inOrder([...changes, ...deletes]), unchanged, faults }
}
