import { cellText } from '../../../codec/cell-text.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { type AnyRecord, type Field, resource } from '../../../domain/schema.ts'
import type { AssignmentAction } from '../../../import/assignments/planned-action.ts'
import { keyField, type PlannedRow } from '../import-definitions/plan.ts'
import { nameColumns, type Names } from '../verbs/reference-names.ts'
import type { ConfigurationPlan, PlannedLinks, PlannedSection } from './plan-configuration.ts'
import type { Deletion } from './applied-state.ts'
import { SECTIONS } from './sections.ts'

/** Defines a change that a plan makes, as it is printed and saved. */
export const plannedChange = resource({
  name: 'planned_change',
  plural: 'planned_changes',
  title: 'planned change',
  path: '',
  verbs: [],
  fields: {
    action: { kind: 'text', about: 'create, update or delete' },
    section: { kind: 'text', about: 'Section of the file' },
    name: { kind: 'text', about: 'Name, or e-mail address' },
    changes: {
      kind: 'text',
      about: 'Fields that change, with the old and the new value; what else is deleted',
      nullable: true,
      isSentence: true,
    },
  },
})

type Change = AnyRecord

const textOf = (record: object, field: string): string => {
  const value: unknown = Object.entries(record).find(([name]) => name === field)?.[1]
  return typeof value === 'string' ? value : ''
}

/** Returns the changes of fields as people read them: `target_default: 100 → 120`. */
const sayChanges = async (
  { of }: PlannedSection['section'],
  names: Names,
  row: Extract<PlannedRow, { action: 'update' }>,
): Promise<string> => {
  const definitions: Readonly<Record<string, Field>> = of.fields
  const columns = new Map(nameColumns(of).map((column) => [column.idField, column]))
  const parts = row.changes.map(async ({ field, was, will }) => {
    const [column, definition] = [columns.get(field), definitions[field]]
    const say = async (value: typeof was): Promise<string> => {
      if (value === null || !definition) return 'none'
      return column ? names.nameOf(column.kind, value) : cellText(definition, value)
    }
    return `${column?.name ?? field}: ${await say(was)} → ${await say(will)}`
  })
  return (await Promise.all(parts)).join('; ')
}

const changesIn = async ({ section, rows }: PlannedSection, names: Names): Promise<Change[]> => {
  const changes: Change[] = []
  for (const row of rows) {
    const key = keyField(section.of)
    if (row.action === 'create')
      changes.push({ action: 'create', section: section.name, name: textOf(row.draft, key), changes: null })
    if (row.action === 'update')
      changes.push({
        action: 'update',
        section: section.name,
        name: textOf(row.existing, key),
        changes: await sayChanges(section, names, row),
      })
  }
  return changes
}

const targetOf = (value: bigint | null | undefined): string =>
  value === undefined || value === null ? 'none' : formatDecimal(value)

/** Returns the change of an assignment: nothing where there is none. */
const assignmentChange = async (plan: AssignmentAction, email: string, names: Names): Promise<Change[]> => {
  if (plan.action === 'unchanged') return []
  const name = `${email}: ${await names.nameOf('kpi', plan.row.kpi)}`
  const { user_target: target, sort_order: place } = plan.values
  if (plan.action === 'add')
    return [
      {
        action: 'create',
        section: 'assignments',
        name,
        changes: target === undefined ? null : `user_target: ${targetOf(target)}`,
      },
    ]
  const parts = [
    ...(target === undefined ? [] : [`user_target: ${targetOf(plan.held.user_target)} → ${targetOf(target)}`]),
    ...(place === undefined ? [] : [`sort_order: ${plan.held.sort_order} → ${place}`]),
  ]
  return [{ action: 'update', section: 'assignments', name, changes: parts.join('; ') }]
}

const linkChanges = async ({ email, assignments, groupItems }: PlannedLinks, names: Names): Promise<Change[]> => {
  const changes = await Promise.all(assignments.map((plan) => assignmentChange(plan, email, names)))
  const links = [...groupItems.values()].map((name) => ({
    action: 'create',
    section: 'links to group items',
    name: `${email}: ${name}`,
    changes: null,
  }))
  return [...changes.flat(), ...links]
}

/** Returns all changes of a plan, in the order in which they are made; deletions come last. */
export const changesOf = async (
  { sections, links, names }: ConfigurationPlan,
  deletions: readonly Deletion[],
): Promise<Change[]> => [
  ...(await Promise.all(sections.map((one) => changesIn(one, names)))).flat(),
  ...(await Promise.all(links.map((one) => linkChanges(one, names)))).flat(),
  ...deletions.map(({ section, name }) => ({
    action: 'delete',
    section,
    name,
    changes: SECTIONS.find((one) => one.name === section)?.of.removal ?? null,
  })),
]

/** Counts the changes of each kind, as a sentence says it. */
export const countChanges = (changes: readonly Change[]): string => {
  const count = (action: string): number => changes.filter((one) => one['action'] === action).length
  return `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete`
}
