import { Document, isCollection, isMap, isSeq } from 'yaml'
import { formatDay } from '../../domain/day.ts'
import { exactNumber, formatDecimal } from '../../domain/decimal.ts'
import { Fault } from '../../domain/errors.ts'
import { checkValue } from '../../domain/field-value.ts'
import type { FieldValue } from '../../domain/schema.ts'
import { datedTargetsIn } from '../../domain/targets/dated-targets.ts'
import { withNames } from '../records/formulas.ts'
import { type Kind, type KindField, needed, type Section, sections, wordOf } from '../records/kind-fields.ts'
import { isOfPerson, nounOf, type AccountRecord, type Snapshot } from '../records/snapshot.ts'

type Scalar = string | number | boolean | null
type Plain = Scalar | readonly Readonly<Record<string, Scalar>>[]

/** Describes a dump: its sections, and what a file cannot hold. */
type Dumping = { readonly snapshot: Snapshot; readonly leftOut: string[] }

/** Returns a value as YAML holds it: numbers that a double would round are texts, which are read as exactly. */
const plainOf = ({ field, name }: KindField, value: FieldValue, snapshot: Snapshot): Plain => {
  if (field.kind === 'targets')
    return datedTargetsIn(String(value)).map(({ from, target }) => ({
      from: formatDay(from),
      target: exactNumber(target) ?? formatDecimal(target),
    }))
  if (typeof value === 'bigint') return exactNumber(value) ?? formatDecimal(value)
  if (name === 'formula') return withNames(snapshot, String(value))
  const at = field.oneOf?.indexOf(String(value)) ?? -1
  return field.words?.[at] ?? value
}

/** Returns the reference that a field of a record holds. */
const referenceIn = (
  snapshot: Snapshot,
  record: AccountRecord,
  { name, as, refers = [] }: KindField,
): AccountRecord | undefined =>
  name === 'group' && record.above['group_item']
    ? record.above['group_item'].above['group']
    : snapshot.byId(refers, Number(record.stored?.[as]))

/** Returns a field as a file holds it; undefined if a file cannot hold it, or it is the default. */
const fieldText = ({ snapshot, leftOut }: Dumping, record: AccountRecord, config: KindField): Plain | undefined => {
  if (config.refers) {
    const target = referenceIn(snapshot, record, config)
    if (target) return snapshot.referenceTo(target)
    leftOut.push(`${config.name} of ${nounOf(record)}: the service does not list it`)
    return undefined
  }
  const value = record.stored?.[config.as] ?? null
  // A group item is only archived where the newer interface says so.
  if (config.name === 'is_archived' && value !== true) return undefined
  if (value === null) return config.field.nullable && config.field.kind !== 'targets' ? null : undefined
  const checked = checkValue(config.field, value)
  if (!(checked instanceof Fault)) return plainOf(config, checked, snapshot)
  leftOut.push(`${config.name} of ${nounOf(record)}: ${checked.message}`)
  return undefined
}

/** Returns a record as a file says it; its id only where its name does not tell which one it is. */
const entryOf = (dumping: Dumping, record: AccountRecord, section: Section): Record<string, Plain> => {
  const { kind, above, name, id } = record
  const isAmbiguous = name !== '' && dumping.snapshot.same(kind, above, name).length > 1
  const entry: Record<string, Plain> = isAmbiguous ? { id: id ?? null } : {}
  for (const config of kind.fields.filter(({ field }) => !field.secret)) {
    const text = fieldText(dumping, record, config)
    if (text !== undefined) entry[wordOf(section, config.name)] = text
  }
  return entry
}

/** Tells whether a record is about a person or so little that it fits in a line. */
const isLine = ({ name }: Kind): boolean => name === 'assignment' || name === 'user_group_item'

/** Writes each dated target of an entry in a line. */
const flowTargets = (entry: unknown): void => {
  const targets = isMap(entry) ? entry.get('targets') : undefined
  if (isSeq(targets)) for (const one of targets.items) if (isCollection(one)) one.flow = true
}

/** Returns the place of the group of a record; 0 where there is none. */
const groupOrder = ({ above }: AccountRecord): number => above['group']?.serial ?? 0

/** Returns some sections of the configuration of an account as YAML, and what of it could not be said. */
export const dumpSnapshot = (
  snapshot: Snapshot,
  names: readonly string[],
): { readonly text: string; readonly leftOut: readonly string[] } => {
  const dumping: Dumping = { snapshot, leftOut: [] }
  const document = new Document({})
  for (const name of names) {
    const section = sections.get(name)
    if (!section) continue
    const { kind } = section
    const grouped = snapshot
      .ofKind(kind.name)
      .filter((record) => !isOfPerson(record))
      .toSorted((one, other) => groupOrder(one) - groupOrder(other))
    const own = grouped.map((record) => entryOf(dumping, record, section))
    const whole = own.filter((entry) => needed(kind).every((field) => wordOf(section, field) in entry))
    if (whole.length === 0) continue
    const list = document.createNode(whole)
    for (const entry of list.items) {
      if (isLine(kind) && isCollection(entry)) entry.flow = true
      else flowTargets(entry)
    }
    document.set(name, list)
  }
  return { text: document.toString({ lineWidth: 0, flowCollectionPadding: true }), leftOut: dumping.leftOut }
}
