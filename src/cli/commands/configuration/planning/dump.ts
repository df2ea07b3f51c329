import { Document, isCollection } from 'yaml'
import { exactNumber, formatDecimal } from '../../../../domain/decimal.ts'
import { Fault } from '../../../../domain/errors.ts'
import { checkValue } from '../../../../domain/field-value.ts'
import type { FieldValue } from '../../../../domain/schema.ts'
import { withNames } from './formulas.ts'
import { type ConfigField, type Kind, needed, type Section, sections, wordOf } from './kinds.ts'
import { nounOf, type Thing, type Things } from './things.ts'

type Plain = string | number | boolean | null

/** Describes what a dump is made of: sections of things, and what could not be said. */
type Dumping = { readonly things: Things; readonly leftOut: string[] }

/** Returns a value as YAML holds it: numbers that a double would round are texts, which are read as exactly. */
const plainOf = ({ field, name }: ConfigField, value: FieldValue, things: Things): Plain => {
  if (typeof value === 'bigint') return exactNumber(value) ?? formatDecimal(value)
  if (name === 'formula') return withNames(things, String(value))
  const at = field.oneOf?.indexOf(String(value)) ?? -1
  return field.words?.[at] ?? value
}

/** Returns the reference that a field of a thing holds. */
const referenceIn = (things: Things, thing: Thing, { name, as, refers = [] }: ConfigField): Thing | undefined =>
  name === 'group' && thing.above['group_item']
    ? thing.above['group_item'].above['group']
    : things.byId(refers, Number(thing.record?.[as]))

/** Returns what a field says; undefined if a file cannot say it, or need not. */
const fieldText = ({ things, leftOut }: Dumping, thing: Thing, config: ConfigField): Plain | undefined => {
  if (config.refers) {
    const target = referenceIn(things, thing, config)
    if (target) return things.referenceTo(target)
    leftOut.push(`${config.name} of ${nounOf(thing)}: the service does not list it`)
    return undefined
  }
  const value = thing.record?.[config.as] ?? null
  // A group item is only archived where the newer interface says so.
  if (config.name === 'is_archived' && value !== true) return undefined
  if (value === null) return config.field.nullable ? null : undefined
  const checked = checkValue(config.field, value)
  if (!(checked instanceof Fault)) return plainOf(config, checked, things)
  leftOut.push(`${config.name} of ${nounOf(thing)}: ${checked.message}`)
  return undefined
}

/** Returns a thing as a file says it; its id only where its name does not tell which one it is. */
const entryOf = (dumping: Dumping, thing: Thing, section: Section): Record<string, Plain> => {
  const { kind, above, name, id } = thing
  const isAmbiguous = name !== '' && dumping.things.same(kind, above, name).length > 1
  const entry: Record<string, Plain> = isAmbiguous ? { id: id ?? null } : {}
  for (const config of kind.fields) {
    const text = fieldText(dumping, thing, config)
    if (text !== undefined) entry[wordOf(section, config.name)] = text
  }
  return entry
}

/** Tells whether a thing is about a person or so little that it fits in a line. */
const isLine = ({ name }: Kind): boolean => name === 'assignment' || name === 'user_group_item'

/** Returns the place of the group of a thing; 0 where there is none. */
const groupOrder = ({ above }: Thing): number => above['group']?.serial ?? 0

/** Returns some sections of the configuration of an account as YAML, and what of it could not be said. */
export const dumpThings = (
  things: Things,
  names: readonly string[],
): { readonly text: string; readonly leftOut: readonly string[] } => {
  const dumping: Dumping = { things, leftOut: [] }
  const document = new Document({})
  for (const name of names) {
    const section = sections.get(name)
    if (!section) continue
    const { kind } = section
    const grouped = things.ofKind(kind.name).toSorted((one, other) => groupOrder(one) - groupOrder(other))
    const own = grouped.map((thing) => entryOf(dumping, thing, section))
    const whole = own.filter((entry) => needed(kind).every((field) => wordOf(section, field) in entry))
    if (whole.length === 0) continue
    const list = document.createNode(whole)
    if (isLine(kind)) for (const entry of list.items) if (isCollection(entry)) entry.flow = true
    document.set(name, list)
  }
  return { text: document.toString({ lineWidth: 0, flowCollectionPadding: true }), leftOut: dumping.leftOut }
}
