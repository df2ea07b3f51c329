import { expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import type { ReportRequest } from '../../src/client/operations/queries.ts'
import { completeReport } from '../../src/client/operations/complete-report.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { REPORT_LIMIT, type ReportRow } from '../../src/domain/resources/report-row.ts'
import { day } from '../support/calendar.ts'
import { type Foreign, foreignService } from '../support/foreign.ts'
import { NOW } from '../support/io.ts'

const START = day('2026-01-01')
const STAMPS = { created_at: '2026-01-01T00:00:00', updated_at: '2026-01-01T00:00:00' }

/** What is at a service of somebody else: so many people, items that are nobody, KPIs and days, each with a value. */
type World = { readonly people: number; readonly others: number; readonly kpis: number; readonly days: number }

/** Items of people go the other way than their users do, and the others lie among them. */
const itemOf = (user: number): number => 1_000_000 - 2 * user
const otherOf = (at: number): number => 1_000_001 - 2 * at

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

const rowOf = (at: number, kpiId: number, itemId: number): object => ({
  kpiId,
  kpiName: `KPI ${kpiId}`,
  kpiDescription: null,
  itemId,
  itemName: `Item ${itemId}`,
  periodId: 'D',
  period: 'Daily',
  labelFormat: '#',
  isPercentage: 0,
  hasTarget: 0,
  direction: 'U',
  directionName: 'Up',
  entryDate: new Date((START + at) * 86_400_000).toISOString().slice(0, 10),
  actual: 1,
  target: null,
  notes: null,
})

const idsIn = (query: URLSearchParams, name: string): ReadonlySet<number> | undefined => {
  const text = query.get(name)
  return text === null ? undefined : new Set(text.split(',').map(Number))
}

/** The report in the order of days, KPIs and items, cut as the interface says, without a word of how many there were. */
const reportOf = ({ people, others, kpis, days }: World, query: URLSearchParams): object[] => {
  const [users, ids] = [idsIn(query, 'userIds'), idsIn(query, 'kpiIds')]
  const persons = upTo(people).filter((user) => !users || users.has(user))
  const items = [...persons.map(itemOf), ...(users ? [] : upTo(others).map(otherOf))].toSorted((a, b) => a - b)
  const [from, to] = [day(query.get('dateFrom') ?? ''), day(query.get('dateTo') ?? '')]
  const rows: object[] = []
  for (let at = Math.max(0, from - START); at < Math.min(days, to - START + 1); at += 1) {
    for (const kpi of upTo(kpis)) {
      if (ids && !ids.has(kpi)) continue
      for (const item of items) {
        rows.push(rowOf(at, kpi, item))
        if (rows.length === REPORT_LIMIT) return rows
      }
    }
  }
  return rows
}

const listsOf = ({ people, others, kpis }: World): Readonly<Record<string, object[]>> => {
  const item = { breakdown_id: 1, name: 'Item', is_archived: false, sort_order: 1, ...STAMPS }
  const definition = { icon_id: 1, unit_id: 1, frequency_id: 'D', description: null, value_direction: 'U' }
  const more = { category_id: 1, aggregate_function: 'SUM', target_default: null, sort_order: 1 }
  const flags = { is_active: true, is_calculated: false }
  return {
    '/v1/breakdownitems': [
      ...upTo(people).map((user) => ({ ...item, id: itemOf(user), user_id: user })),
      ...upTo(others).map((at) => ({ ...item, id: otherOf(at), user_id: null })),
    ],
    '/v1/kpis': upTo(kpis).map((id) => ({ id, name: `KPI ${id}`, ...definition, ...more, ...flags, ...STAMPS })),
  }
}

let foreign: Foreign
const clientOf = async (world: World): Promise<Client> => {
  const lists = listsOf(world)
  foreign = await foreignService((response, { url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const content = pathname === '/v1/reports/AllDataEntries' ? reportOf(world, searchParams) : lists[pathname]
    response.writeHead(content ? 200 : 404).end(JSON.stringify(content ?? {}))
  })
  const baseUrl = new URL(`${foreign.url}/v1`)
  const transport = httpTransport({ baseUrl, token: 'key', timeoutMs: 20_000, now: () => NOW })
  onTestFinished(transport.close)
  return createClient(transport, 'v1')
}
const asked = (): string[] => foreign.reached.map(({ target }) => target.replace(/\?.*/, ''))

const DAY = { from: START, to: START }
const collect = async (client: Client, request: ReportRequest): Promise<string[]> => {
  const rows: ReportRow[] = (await Array.fromAsync(completeReport(client, request))).flat()
  return rows.map(({ entryDate, kpiId, itemId }) => `${entryDate - START} ${kpiId} ${itemId}`)
}

test('a report of all items is one request where it fits, and names items that are no persons, too', async () => {
  const client = await clientOf({ people: 3, others: 2, kpis: 1, days: 1 })
  expect(await collect(client, DAY)).toEqual(['0 1 999994', '0 1 999996', '0 1 999997', '0 1 999998', '0 1 999999'])
  expect(await collect(client, { ...DAY, userIds: [1, 3] })).toEqual(['0 1 999994', '0 1 999998'])
  expect(asked()).toEqual(['/v1/reports/AllDataEntries', '/v1/reports/AllDataEntries'])
})

test('a report of more users than an address can hold has the rows of their items, and no others', async () => {
  const client = await clientOf({ people: 900, others: 3, kpis: 1, days: 2 })
  const userIds = upTo(450).map((at) => at * 2)
  const items = userIds.map(itemOf).toSorted((a, b) => a - b)
  const expected = [0, 1].flatMap((at) => items.map((item) => `${at} 1 ${item}`))
  expect(await collect(client, { from: START, to: START + 1, userIds })).toEqual(expected)
  expect(new Set(asked())).toEqual(new Set(['/v1/breakdownitems', '/v1/reports/AllDataEntries']))
})

test('a report that is split by day and KPI loses no row of an item that is no person', async () => {
  const client = await clientOf({ people: 30, others: 20, kpis: 300, days: 2 })
  const items = [...upTo(30).map(itemOf), ...upTo(20).map(otherOf)].toSorted((a, b) => a - b)
  const expected = [0, 1].flatMap((at) => upTo(300).flatMap((kpi) => items.map((item) => `${at} ${kpi} ${item}`)))
  expect(await collect(client, { from: START - 5, to: START + 5 })).toEqual(expected)
})

test('a day and KPI of too many items is split by users where they are named, in the order of items', async () => {
  const people = REPORT_LIMIT + 1
  const client = await clientOf({ people, others: 1, kpis: 1, days: 1 })
  const userIds = upTo(people).toReversed()
  expect(await collect(client, { ...DAY, userIds })).toEqual(userIds.map((user) => `0 1 ${itemOf(user)}`))
})

test('a day and KPI of too many items is an error where no users are named: parts of users are not all of it', async () => {
  const client = await clientOf({ people: REPORT_LIMIT, others: 1, kpis: 1, days: 1 })
  await expect(collect(client, DAY)).rejects.toMatchObject({
    code: 'too_large',
    message:
      'one KPI has more than 10000 rows on 2026-01-01, more than the service gives; a report of named users can be had in parts',
  })
})

test('a user whose item is not told is an error: rows could be lost', async () => {
  const client = await clientOf({ people: 500, others: 0, kpis: 1, days: 1 })
  await expect(collect(client, { ...DAY, userIds: upTo(501) })).rejects.toMatchObject({
    code: 'unsupported',
    message: 'the service lists no breakdown item of user 501; ask for fewer users',
  })
})
