import type { Client } from '../../../client/client.ts'
import { looseName } from '../../../client/directory.ts'
import { Fault, type Issue, KpiError } from '../../../domain/errors.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { type AssignmentAction, planAssignmentActions } from '../../../import/assignments/planned-action.ts'
import type { AssignmentRow } from '../../../import/assignments/rows.ts'
import { isNamedKind, type NamedKind } from '../../args/names.ts'
import { keyField, type PlannedRow, planRows } from '../import-definitions/plan.ts'
import { createNames, type Names } from '../verbs/reference-names.ts'
import type { Configuration, WantedLinks } from './read-configuration.ts'
import { type Section, SECTIONS } from './sections.ts'

/** Describes what is planned for the things of a section. */
export type PlannedSection = { readonly section: Section; readonly rows: readonly PlannedRow[] }

/** Describes what is planned for the links of a user, whose id is negative while it is still to be created. */
export type PlannedLinks = {
  readonly email: string
  readonly user: number
  readonly assignments: readonly AssignmentAction[]
  /** Lists the group items to link, by id, with their names. */
  readonly groupItems: ReadonlyMap<number, string>
}

/** Describes all that a configuration changes. */
export type ConfigurationPlan = {
  /** Names what exists, and what is to be created. */
  readonly names: Names
  readonly sections: readonly PlannedSection[]
  readonly links: readonly PlannedLinks[]
}

/** Creates names that also know what is about to be created: it has a negative id until then. */
const namesWithPending = (client: Client): { names: Names; add: (kind: NamedKind, name: string) => void } => {
  const names = createNames(client)
  const [called, ids] = [new Map<number, string>(), new Map<string, number[]>()]
  const keyOf = (kind: NamedKind, name: string): string => `${kind}/${looseName(name)}`
  const find: Names['find'] = async (kind, text) => {
    const found = await names.find(kind, text)
    const [id, another] = (found instanceof Fault ? ids.get(keyOf(kind, text)) : undefined) ?? []
    if (another !== undefined) return new Fault(`"${text}" is the name of several things that are to be created`)
    return id === undefined ? found : { id, name: text }
  }
  return {
    names: { ...names, find, nameOf: async (kind, id) => called.get(Number(id)) ?? names.nameOf(kind, id) },
    add: (kind, name) => {
      const [id, key] = [-called.size - 1, keyOf(kind, name)]
      called.set(id, name)
      ids.set(key, [...(ids.get(key) ?? []), id])
    },
  }
}

/** Plans the things of one section. */
export const planSection = async (
  client: Client,
  section: Section,
  { rows }: Configuration,
  names: Names = createNames(client),
): Promise<PlannedSection> => {
  const wanted = rows.get(section.name) ?? []
  const records: readonly AnyRecord[] = wanted.length === 0 ? [] : await section.collection(client).list()
  return { section, rows: await planRows(section.of, names, wanted, records, 'update') }
}

/** Looks up ids of names; collects what is not found. */
type FindId = (line: number, kind: NamedKind, text: string) => Promise<number | undefined>

const assignmentRows = async ({ assignments }: WantedLinks, user: number, find: FindId): Promise<AssignmentRow[]> => {
  const rows: AssignmentRow[] = []
  for (const { line, kpi: name, target, place } of assignments) {
    const kpi = await find(line, 'kpi', name)
    if (kpi !== undefined) rows.push({ line, user, kpi, target, place })
  }
  return rows
}

/** Returns the actions for the assignments of a user; one that is still to be created has none yet. */
const planAssignments = (client: Client, rows: readonly AssignmentRow[]): Promise<AssignmentAction[]> =>
  Array.fromAsync(
    planAssignmentActions((user) => (user < 0 ? Promise.resolve([]) : client.assignments(user).list()), rows),
  )

/** Returns the group items that a user lacks, with their names. */
const planGroupItems = async (
  client: Client,
  { line, groupItems }: WantedLinks,
  user: number,
  find: FindId,
): Promise<Map<number, string>> => {
  const items = new Map<number, string>()
  if (groupItems.length === 0) return items
  const linked = user < 0 ? [] : await client.userGroupItems(user).list()
  for (const text of groupItems) {
    const id = await find(line, 'group_item', text)
    if (id !== undefined && !linked.some((one) => one.id === id)) items.set(id, text)
  }
  return items
}

/** Plans the links of all users. Names that are not found are faults, all at once. */
export const planLinks = async (
  client: Client,
  { name, links }: Configuration,
  names: Names = createNames(client),
): Promise<PlannedLinks[]> => {
  const issues: Issue[] = []
  const fault = (line: number, message: string): void => void issues.push({ field: `line ${line}`, message })
  const find: FindId = async (line, kind, text) => {
    const found = await names.find(kind, text)
    if (!(found instanceof Fault)) return found.id
    fault(line, found.message)
    return undefined
  }
  const planned: PlannedLinks[] = []
  for (const wanted of links) {
    if (wanted.assignments.length + wanted.groupItems.length === 0) continue
    // A name that is not found is a fault; the others are still looked up, to tell of all at once.
    const user = (await find(wanted.line, 'user', wanted.email)) ?? -Infinity
    const assignments = await planAssignments(client, await assignmentRows(wanted, user, find))
    planned.push({
      email: wanted.email,
      user,
      assignments,
      groupItems: await planGroupItems(client, wanted, user, find),
    })
  }
  if (issues.length > 0) throw new KpiError('malformed', `${name} cannot be applied`, { issues })
  return planned
}

/** Refuses a configuration with things that cannot be created or changed; all faults at once. */
const requireSound = ({ name }: Configuration, sections: readonly PlannedSection[]): void => {
  const issues = sections.flatMap(({ rows }) =>
    rows.flatMap((row) =>
      row.action === 'reject' ? row.reasons.map((message) => ({ field: `line ${row.line}`, message })) : [],
    ),
  )
  if (issues.length > 0) throw new KpiError('malformed', `${name} cannot be applied`, { issues })
}

/** Plans all that a configuration changes, in the order in which it is done. Nothing is sent. */
export const planConfiguration = async (client: Client, wanted: Configuration): Promise<ConfigurationPlan> => {
  const { names, add } = namesWithPending(client)
  const sections: PlannedSection[] = []
  for (const section of SECTIONS) {
    const planned = await planSection(client, section, wanted, names)
    sections.push(planned)
    const kind = section.of.name
    for (const row of planned.rows) {
      const name =
        row.action === 'create'
          ? Object.entries(row.draft).find(([field]) => field === keyField(section.of))?.[1]
          : undefined
      if (typeof name === 'string' && isNamedKind(kind)) add(kind, name)
    }
  }
  requireSound(wanted, sections)
  return { names, sections, links: await planLinks(client, wanted, names) }
}
