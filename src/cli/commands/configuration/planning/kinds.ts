import { assignment } from '../../../../domain/resources/assignment.ts'
import { breakdownItem } from '../../../../domain/resources/breakdowns.ts'
import { calculatedKpi } from '../../../../domain/resources/calculated-kpi.ts'
import { category, icon, unit } from '../../../../domain/resources/catalog.ts'
import { group, groupItem, userGroupItem } from '../../../../domain/resources/groups.ts'
import { kpi } from '../../../../domain/resources/kpi.ts'
import { user } from '../../../../domain/resources/user.ts'
import { type Field, resource, type Resource } from '../../../../domain/schema.ts'

/** Lists the kinds of things that a configuration holds, in the order in which they depend on each other. */
export const KIND_NAMES = [
  'icons',
  'categories',
  'units',
  'groups',
  'group_items',
  'kpis',
  'calculated',
  'users',
  'assignments',
  'user_group_items',
] as const
export type KindName = (typeof KIND_NAMES)[number]

/** Describes a field as a configuration names it: `category` is `category_id` in the interface. */
export type ConfigField = {
  readonly name: string
  /** Names it in the interface. */
  readonly as: string
  readonly field: Field
  /** Names the kinds of things that it may refer to. */
  readonly refers?: readonly KindName[]
  /** Tells that it only helps to find what another field names: the group of a group item. */
  readonly isHint?: true
}

/** Describes a kind of things: its fields, and those that tell one thing from another. */
export type Kind = {
  readonly name: KindName
  readonly of: Resource
  readonly fields: readonly ConfigField[]
  readonly identity: readonly string[]
}

/** Lists what the fields of the interface refer to. */
const REFERS: Readonly<Record<string, readonly KindName[]>> = {
  category: ['categories'],
  unit: ['units'],
  icon: ['icons'],
  group: ['groups'],
  group_item: ['group_items'],
  user: ['users'],
  kpi: ['kpis', 'calculated'],
}

const fieldOf = (of: Resource, as: string, field: Field): ConfigField => {
  const name = as === 'id' && field.refers !== undefined ? field.refers : as.replace(/_id$/, '')
  const refers = REFERS[name]
  const isHint = of === userGroupItem && name === 'group'
  return { name, as, field, ...(refers && { refers }), ...(isHint && { isHint }) }
}

/** Creates a kind with the fields that can be written, and those that identify it first. */
const kind = (name: KindName, of: Resource, identity: readonly string[]): Kind => {
  const all = Object.entries(of.fields).map(([as, field]) => fieldOf(of, as, field))
  const own = all.filter(({ name, field }) => !identity.includes(name) && !field.readOnly && !field.secret)
  return { name, of, identity, fields: [...identity.flatMap((id) => all.find((one) => one.name === id) ?? []), ...own] }
}

const { is_archived } = breakdownItem.fields
const archivable = resource({ ...groupItem, fields: { ...groupItem.fields, is_archived }, brief: ['name'] })

/** Describes each kind once: what a file may say of it, what is compared, and what is sent. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  icons: kind('icons', icon, ['name']),
  categories: kind('categories', category, ['name']),
  units: kind('units', unit, ['name']),
  groups: kind('groups', group, ['name']),
  group_items: kind('group_items', archivable, ['group', 'name']),
  kpis: kind('kpis', kpi, ['name']),
  calculated: kind('calculated', calculatedKpi, ['name']),
  users: kind('users', user, ['email']),
  assignments: kind('assignments', assignment, ['user', 'kpi']),
  user_group_items: kind('user_group_items', userGroupItem, ['user', 'group', 'group_item']),
}

/** Returns the fields without which nobody knows what an item of a file is about. */
export const needed = ({ identity, fields }: Kind): string[] =>
  identity.filter((name) => !fields.some((one) => one.name === name && one.isHint))

/** Describes a section of a file: its kind, and its own words for fields. */
export type Section = { readonly kind: Kind; readonly words?: Readonly<Record<string, string>> }

/** Returns what a section calls a field. */
export const wordOf = ({ words }: Section, name: string): string => words?.[name] ?? name

/**
 * Lists the sections that a file may have. Groups are the breakdowns of the newer interface, and have either name.
 */
export const sections: ReadonlyMap<string, Section> = new Map([
  ...KIND_NAMES.filter((name) => name !== 'icons').map((name): [string, Section] => [name, { kind: kinds[name] }]),
  ['breakdowns', { kind: kinds.groups }],
  ['breakdown_items', { kind: kinds.group_items, words: { group: 'breakdown' } }],
])
