import type { Client } from '../../src/client/client.ts'
import { parseDay } from '../../src/domain/day.ts'
import type { KpiDraft } from '../../src/domain/resources/kpi.ts'
import type { Verb } from '../../src/domain/schema.ts'
import { refusal } from './refusal.ts'
import type { Way } from './service.ts'

/** What a client is asked through a way, and what is worth knowing of the answer. */
export type ClientQuestion = (way: Way) => Promise<unknown>

const VERBS: readonly Verb[] = ['list', 'get', 'add', 'update', 'remove']

/** The operations on one resource. What they are given does not matter where they are refused unsent. */
type Operations = Partial<Record<Verb, (...given: never[]) => Promise<unknown>>>

const isRefusedUnsent = async (client: Client, ask: () => Promise<unknown>): Promise<boolean> => {
  const before = client.requests()
  const code = await ask().then(
    () => undefined,
    (error: { readonly code?: string }) => error.code,
  )
  return code === 'unsupported' && client.requests() === before
}

/** The operations of some resources that a client refuses, because its variant does not have them, and does not send. */
const unsentOf = async (client: Client, resources: Readonly<Record<string, Operations>>): Promise<string[]> => {
  const unsent: string[] = []
  for (const [name, operations] of Object.entries(resources)) {
    for (const verb of VERBS) {
      const ask = operations[verb] as ((id: unknown, patch: object) => Promise<unknown>) | undefined
      const given = verb === 'add' ? {} : 99
      if (ask && (await isRefusedUnsent(client, () => ask(given, {})))) unsent.push(`${verb} ${name}`)
    }
  }
  return unsent
}

export const unsentOfGroups: ClientQuestion = ({ client }) => {
  const { list, get, add, remove } = client.userGroupItems(1)
  return unsentOf(client, {
    groups: client.groups,
    'group items': client.groupItems(2),
    'group items of a user': { list, get, add, remove },
    'KPIs of a user': client.assignments(1),
  })
}

export const unsentOfUsers: ClientQuestion = ({ client }) => unsentOf(client, { users: client.users })

export const unsentOfBreakdownItems: ClientQuestion = ({ client }) =>
  unsentOf(client, { 'breakdown items': client.breakdownItems })

/** What makes a KPI. */
export const kpiDraft = (fields: Partial<KpiDraft> = {}): KpiDraft => ({
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name: 'Sales',
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 1,
  is_active: true,
  ...fields,
})

const faultsOr = async (promise: Promise<object>): Promise<unknown> =>
  promise.catch(async () => (await refusal(promise)).issues.map(({ field }) => field))

/** A KPI as older clients make it. */
export const lenientKpi: ClientQuestion = async ({ client }) => {
  const { category_id: _category, aggregate_function: _function, ...sent } = kpiDraft()
  return faultsOr(client.kpis.add(sent as KpiDraft))
}

/** A number as older clients send it. */
export const numberInText: ClientQuestion = async ({ client }) => {
  const { id } = await client.kpis.add(kpiDraft())
  return faultsOr(client.kpis.update(id, { sort_order: '7' as unknown as number }))
}

const DAY = parseDay('2026-03-01') ?? NaN

/** A daily KPI, and an item that stands for no person; the first of both that the account has. */
const placeOfItem = async ({ application }: Way): Promise<{ readonly kpi_id: number; readonly source_id: number }> => {
  const { id: kpi_id } = await application.kpis.add(kpiDraft())
  const { id: group } = await application.groups.add({ name: 'Region' })
  const { id: source_id } = await application.groupItems(group).add({ name: 'North' })
  return { kpi_id, source_id }
}

/** An entry that is made for an item. */
export const entryOfItem: ClientQuestion = async (way) => {
  const place = await placeOfItem(way)
  return faultsOr(way.client.entries.add({ ...place, entry_date: DAY, actual: 1n }))
}

/** An entry that was made for an item, as it is shown. */
export const shownEntryOfItem: ClientQuestion = async (way) => {
  const place = await placeOfItem(way)
  const { id } = await way.newer.entries.add({ ...place, entry_date: DAY, actual: 1n })
  const { user_id, source_id } = await way.client.entries.get(id)
  return { user_id, source_id }
}

/** An entry that was made for a user, as it is shown. */
export const shownEntryOfUser: ClientQuestion = async ({ client, application }) => {
  const { id: kpi_id } = await application.kpis.add(kpiDraft())
  await application.assignments(1).add({ id: kpi_id, sort_order: 1 })
  const { user_id, source_id } = await client.entries.add({ user_id: 1, kpi_id, entry_date: DAY, actual: 1n })
  return { user_id, source_id }
}

/** The items of the report of an entry that was made for an item. */
export const reportOfItem: ClientQuestion = async (way) => {
  const place = await placeOfItem(way)
  await way.newer.entries.add({ ...place, entry_date: DAY, actual: 1n })
  const { rows } = await way.client.report({ from: DAY, to: DAY })
  return rows.map(({ itemId, itemName }) => ({ itemId, itemName }))
}
