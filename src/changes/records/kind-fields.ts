import { hasNames, keyOf, KIND_NAMES as ALL, type KindName as AnyKind, KINDS } from '../../domain/kinds.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { groupItem, userGroupItem } from '../../domain/resources/groups.ts'
import { type AnyRecord, type Field, resource, type Resource } from '../../domain/schema.ts'

/** Names the kinds that a configuration holds: breakdown items are its group items. */
export type KindName = Exclude<AnyKind, 'breakdown_item'>

const isConfigured = (name: AnyKind): name is KindName => name !== 'breakdown_item'

/** Lists the kinds that a configuration holds, in the order in which they depend on each other. */
export const KIND_NAMES: readonly KindName[] = ALL.filter(isConfigured)

/** Describes a field as a configuration names it: `category` is `category_id` in the interface. */
export type KindField = {
  readonly name: string
  /** Names it in the interface. */
  readonly as: string
  readonly field: Field
  /** Names the kinds of records that it may refer to. */
  readonly refers?: readonly KindName[]
  /** Tells that it only helps to find what another field names: the group of a group item. */
  readonly isHint?: true
}

/** Describes a kind of records: its fields, and those that tell one record from another. */
export type Kind = {
  readonly name: KindName
  readonly of: Resource
  readonly fields: readonly KindField[]
  readonly identity: readonly string[]
}

/** Lists the kinds of KPIs, which stand in one list. */
export const KPIS: readonly KindName[] = ['kpi', 'calculated_kpi']

/** Returns the kinds whose records stand in one list with those of a kind, and should not have their names. */
export const kindsBeside = (name: KindName): readonly KindName[] => (KPIS.includes(name) ? KPIS : [name])

/** Returns the kinds that a field may refer to, by what it is called; a KPI may be a calculated one. */
const referredBy = (name: string): readonly KindName[] => {
  if (name === 'kpi') return KPIS
  return KIND_NAMES.filter((kind) => kind === name)
}

const fieldOf = (of: Resource, as: string, field: Field): KindField => {
  const name = as === 'id' && field.refers !== undefined ? field.refers : as.replace(/_id$/, '')
  const refers = referredBy(name)
  const isHint = of === userGroupItem && name === 'group'
  return { name, as, field, ...(refers.length > 0 && { refers }), ...(isHint && { isHint }) }
}

const { is_archived } = breakdownItem.fields
const archivable = resource({ ...groupItem, fields: { ...groupItem.fields, is_archived }, brief: ['name'] })

/** Describes a kind as a configuration holds it: the fields that identify it first, then those that can be written. */
const kindOf = (name: KindName): Kind => {
  const of = name === 'group_item' ? archivable : KINDS[name].of
  const all = Object.entries(of.fields).map(([as, field]) => fieldOf(of, as, field))
  const identity = KINDS[name].identity.flatMap((id) => all.find(({ as }) => as === id) ?? [])
  const names = identity.map((one) => one.name)
  const own = all.filter((one) => !names.includes(one.name) && !one.field.readOnly && !one.field.isDerived)
  return { name, of, identity: names, fields: [...identity, ...own] }
}

/** Describes each kind: what a file may say of it, what is compared, and what is sent. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  icon: kindOf('icon'),
  category: kindOf('category'),
  unit: kindOf('unit'),
  group: kindOf('group'),
  group_item: kindOf('group_item'),
  kpi: kindOf('kpi'),
  calculated_kpi: kindOf('calculated_kpi'),
  user: kindOf('user'),
  assignment: kindOf('assignment'),
  user_group_item: kindOf('user_group_item'),
}

/** Returns the kind of a name; undefined where a configuration holds none of it. */
export const kindNamed = (name: string): Kind | undefined => {
  const known = KIND_NAMES.find((one) => one === name)
  return known && kinds[known]
}

/** Returns the fields without which nobody knows what an item of a file is about. */
export const needed = ({ identity, fields }: Kind): string[] =>
  identity.filter((name) => !fields.some((one) => one.name === name && one.isHint))

/** Returns the name or e-mail address that values give a record of a kind; empty where records of the kind have none. */
export const nameIn = ({ name }: Kind, values: AnyRecord): string =>
  hasNames(name) ? String(values[keyOf(name)] ?? '') : ''

/** Returns the section of a file that holds a kind. */
export const sectionOf = (name: KindName): string => KINDS[name].of.plural

/** Describes a section of a file: its kind, and its own words for fields. */
export type Section = { readonly kind: Kind; readonly words?: Readonly<Record<string, string>> }

/** Returns what a section calls a field. */
export const wordOf = ({ words }: Section, name: string): string => words?.[name] ?? name

/**
 * Lists the sections that a file may have. Groups are the breakdowns of the newer interface, and have either name.
 */
export const sections: ReadonlyMap<string, Section> = new Map([
  ...KIND_NAMES.filter((name) => name !== 'icon').map((name): [string, Section] => [
    sectionOf(name),
    { kind: kinds[name] },
  ]),
  ['breakdowns', { kind: kinds.group }],
  ['breakdown_items', { kind: kinds.group_item, words: { group: 'breakdown' } }],
])
