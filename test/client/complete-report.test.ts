import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { ReportRequest } from '../../src/client/operations/queries.ts'
import { completeReport } from '../../src/client/operations/complete-report.ts'
import { REPORT_LIMIT, type ReportRow } from '../../src/domain/resources/report-row.ts'
import { assignments } from '../../src/store/tables/assignments.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { users } from '../../src/store/tables/users.ts'
import { day } from '../support/calendar.ts'
import { carryGroupItems, putGroupItems } from '../support/group-items.ts'
import { servedTo, type Service, startService, wayTo } from '../support/service.ts'
import { entryRow, kpiRecord, userRecord, insertEntries } from '../support/store.ts'

const START = day('2026-01-01')
const ACCOUNT = 1

/** Keeps so many users' values of so many KPIs on so many days, each with a value of its own. */
const fill = (service: Service, people: number, definitions: number, days: number): Promise<void> =>
  service.db.write(async (tx) => {
    const kpiIds = Array.from({ length: definitions }, (_, at) => at + 1)
    const userIds = Array.from({ length: people }, (_, at) => at + 2)
    for (const id of kpiIds) await kpis.insert(tx, ACCOUNT, kpiRecord({ id, name: `KPI ${id}`, sort_order: -id }))
    for (const id of userIds) await users.insert(tx, ACCOUNT, userRecord({ id, email: `user${id}@example.com` }))
    const keys = userIds.flatMap((user) => kpiIds.map((kpi) => ({ user, kpi })))
    for (const { user, kpi } of keys) {
      const stamps = { created_at: 0, updated_at: 0 }
      await assignments.insert(tx, ACCOUNT, { id: kpi, user_id: user, user_target: null, sort_order: 1, ...stamps })
    }
    const rows = keys.flatMap(({ user, kpi }) =>
      Array.from({ length: days }, (_, at) => ({ item_id: user, kpi_id: kpi, entry_date: START + at })),
    )
    await insertEntries(
      tx,
      ACCOUNT,
      rows.map((row, at) => entryRow({ ...row, id: at + 1, actual: BigInt(at) })),
    )
  })

const collect = async (client: Client, request: ReportRequest): Promise<ReportRow[]> => {
  const parts = await Array.fromAsync(completeReport(client, request))
  return parts.flat()
}

const keyOf = ({ entryDate, kpiId, itemId }: ReportRow): string => `${entryDate - START} ${kpiId} ${itemId}`

/** Every row's key in the report's order: by day, KPI (the later ones are sorted first), user. */
const keysOf = (people: number, definitions: number, days: number): string[] =>
  Array.from({ length: days }, (_, at) => at).flatMap((at) =>
    Array.from({ length: definitions }, (_, kpi) => definitions - kpi).flatMap((kpi) =>
      Array.from({ length: people }, (_, user) => `${at} ${kpi} ${user + 2}`),
    ),
  )

/** A client of a service that does not say how many rows there are in all. */
const silent = (client: Client): Client => ({
  ...client,
  report: async (request) => ({ ...(await client.report(request)), total: undefined }),
})

test.each([
  ['of many days is split by day', 1, 1, 25_000],
  ['of exactly what one answer holds', 1, 1, REPORT_LIMIT],
  ['of one day with many KPIs is split by KPI, too', 20, 520, 1],
  ['of one day and KPI with many users is split by user, too', 10_001, 1, 1],
  ['of several such days', 26, 401, 3],
])('a report %s, and comes whole and in order', async (_, people, definitions, days) => {
  await using service = await startService()
  await fill(service, people, definitions, days)
  await using way = await wayTo(service)
  await using served = await servedTo(service, 'classic')
  for (const client of [way.client, silent(way.client), served.client]) {
    const rows = await collect(client, { from: START - 1000, to: START + days + 1000 })
    expect(rows.map(keyOf)).toEqual(keysOf(people, definitions, days))
  }
})

test('a report of more ids than an address can hold has their rows, and no others', async () => {
  await using service = await startService()
  await fill(service, 3, 900, 2)
  await using way = await wayTo(service)
  const kpiIds = Array.from({ length: 450 }, (_, at) => at * 2 + 1)
  const rows = await collect(way.client, { from: START, to: START + 1, kpiIds, userIds: [3, 99] })
  const wanted = new Set(kpiIds)
  const expected = keysOf(3, 900, 2).filter((key) => key.endsWith(' 3') && wanted.has(Number(key.split(' ')[1])))
  expect(rows.map(keyOf)).toEqual(expected)
  expect(expected).toHaveLength(900)
})

test('a report that one answer holds is one request', async () => {
  await using service = await startService()
  await fill(service, 2, 2, 3)
  await using way = await wayTo(service)
  expect(await collect(way.client, { from: START, to: START + 2 })).toHaveLength(12)
  expect(way.client.requests()).toBe(1)
})

test('a report that cannot be had whole is an error, never a short one', async () => {
  const answer = { rows: [], total: REPORT_LIMIT + 1 }
  await using service = await startService()
  await using way = await wayTo(service)
  const cut: Client = { ...way.client, report: () => Promise.resolve(answer) }
  await expect(collect(cut, { from: START, to: START })).rejects.toMatchObject({
    code: 'too_large',
    message: 'one KPI of one user has more than 10000 rows on 2026-01-01, more than the service gives',
  })
})

test('a report of group items is split by them too, never by the users whose entries they are made of', async () => {
  await using service = await startService()
  const [people, definitions, groups] = [2, 520, 20]
  await fill(service, people, definitions, 1)
  const items = Array.from({ length: groups }, (_, at) => ({ id: 3000 + at, name: `Region ${at}` }))
  await putGroupItems(service.db, items)
  const carried = items.map(({ id }) => id)
  const facts = [2, 3].flatMap((item) =>
    Array.from({ length: definitions }, (_, at) => ({ item, kpi_id: at + 1, entry_date: START, groups: carried })),
  )
  await carryGroupItems(service.db, facts)
  await using way = await wayTo(service)
  const request = { from: START, to: START, userIds: [2, 3], groupItemIds: carried.toReversed() }
  const rows = await collect(way.client, request)
  expect(rows).toHaveLength(definitions * groups)
  expect(rows.slice(0, 3).map(keyOf)).toEqual(['0 520 3000', '0 520 3001', '0 520 3002'])
  // Both users have a part in every row: KPI 1 has the first value of the one and the first of the other.
  expect(rows.at(-1)).toMatchObject({ kpiId: 1, itemId: 3019, actual: BigInt(definitions) })
  const cut: Client = { ...way.client, report: () => Promise.resolve({ rows: [], total: REPORT_LIMIT + 1 }) }
  await expect(collect(cut, { ...request, kpiIds: [1], groupItemIds: [3000] })).rejects.toMatchObject({
    message: 'one KPI of one group item has more than 10000 rows on 2026-01-01, more than the service gives',
  })
})

test('a report of group items of more users than an address can hold is refused, not narrowed wrongly', async () => {
  await using service = await startService()
  await using way = await wayTo(service)
  const userIds = Array.from({ length: 401 }, (_, at) => at + 1)
  await expect(collect(way.client, { from: START, to: START, userIds, groupItemIds: [9] })).rejects.toMatchObject({
    code: 'unsupported',
    message: 'a report of group items can name at most 400 of them, and as many users; ask for fewer at a time',
  })
})
