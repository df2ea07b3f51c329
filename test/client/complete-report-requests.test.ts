import { expect, test } from 'vitest'
import { completeReport } from '../../src/client/operations/complete-report.ts'
import type { ReportRequest } from '../../src/client/operations/queries.ts'
import type { Frequency } from '../../src/domain/period.ts'
import { REPORT_LIMIT, type ReportRow } from '../../src/domain/resources/report-row.ts'
import { entries } from '../../src/store/tables/entries.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { users } from '../../src/store/tables/users.ts'
import { day } from '../support/calendar.ts'
import { type Service, startService, wayTo } from '../support/service.ts'
import { entryRow, kpiRecord, userRecord } from '../support/store.ts'

const START = day('2026-01-01')
const YEAR = 365

/** Tells how many rows a day has, counted from the first. */
type RowsOf = (at: number) => number

/** Data of a shape: rows by day, spread over so many KPIs, with as many users as it takes. */
type Shape = {
  readonly name: string
  readonly days?: number
  readonly kpis?: number
  readonly rows: RowsOf
  readonly frequencies?: readonly Frequency[]
  readonly request?: Partial<ReportRequest>
  /** The most requests for it, as a multiple of the least number. */
  readonly most: number
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
const only =
  (first: number, rows: number): RowsOf =>
  (at) =>
    at === first ? rows : 0

const SHAPES: readonly Shape[] = [
  { name: 'uniform', rows: () => 100, kpis: 10, most: 1 },
  { name: 'uniform and dense', rows: () => 1200, days: 30, kpis: 10, most: 1.3 },
  { name: 'of few, full days', rows: () => 3500, days: 10, kpis: 7, most: 1.3 },
  { name: 'growing', rows: (at) => at, kpis: 10, most: 1.2 },
  { name: 'declining', rows: (at) => YEAR - at, kpis: 10, most: 1.2 },
  { name: 'of a few busy days', rows: (at) => (at % 60 === 30 ? 5000 : 5), kpis: 10, most: 2 },
  { name: 'of working days', rows: (at) => (at % 7 < 5 ? 130 : 0), kpis: 10, most: 1.3 },
  { name: 'all on one day', rows: only(200, 35_000), kpis: 50, most: 1.3 },
  { name: 'all on the first day', rows: only(0, 35_000), kpis: 50, most: 1.3 },
  { name: 'all on the last day', rows: only(YEAR - 1, 35_000), kpis: 50, most: 1.3 },
  { name: 'of exactly one answer', rows: only(3, REPORT_LIMIT), kpis: 10, most: 1 },
  { name: 'of one row more than an answer', rows: () => 1, days: 10_001, kpis: 1, most: 1 },
  { name: 'of just under two answers', rows: (at) => (at % 2 === 0 ? 69 : 41), days: 363, kpis: 3, most: 1.5 },
  { name: 'of one row more than two answers', rows: (at) => (at === 5 ? 101 : 100), days: 200, kpis: 3, most: 1 },
  { name: 'of one huge day between small ones', rows: (at) => (at === 180 ? 25_000 : 30), kpis: 30, most: 1.5 },
  { name: 'with an empty first half', rows: (at) => (at > 200 ? 200 : 0), kpis: 10, most: 1 },
  { name: 'of many users of one KPI on one day', rows: only(5, 10_400), kpis: 1, most: 1.5 },
  { name: 'of many KPIs on one day', rows: only(5, 12_000), kpis: 300, most: 1.5 },
  { name: 'of all frequencies', rows: () => 100, kpis: 10, frequencies: ['D', 'W', 'M', 'Q', 'Y'], most: 1.2 },
  { name: 'of some KPIs', rows: () => 400, days: 90, kpis: 10, request: { kpiIds: [2, 4, 6, 8] }, most: 1.2 },
  {
    name: 'of some users',
    rows: () => 400,
    days: 90,
    kpis: 4,
    request: { userIds: upTo(80).map((at) => at + 2) },
    most: 1.2,
  },
  {
    name: 'of lists too long for an address',
    rows: () => 450,
    days: 80,
    kpis: 450,
    request: { kpiIds: upTo(420).map((at) => at + 1) },
    most: 1.2,
  },
  { name: 'of a decade', rows: () => 25, days: 3650, kpis: 5, most: 1.2 },
]

/** Keeps the rows of a shape: a day's rows go from KPI to KPI, each of another user. */
const fill = ({ db }: Service, { days = YEAR, kpis: count = 1, rows, frequencies = ['D'] }: Shape): Promise<void> =>
  db.write(async (tx) => {
    for (const at of upTo(count)) {
      const frequency_id = frequencies[at % frequencies.length] ?? 'D'
      await kpis.insert(tx, 1, kpiRecord({ id: at + 1, name: `KPI ${at}`, sort_order: -at, frequency_id }))
    }
    const most = Math.ceil(Math.max(...upTo(days).map(rows)) / count)
    for (const at of upTo(most)) await users.insert(tx, 1, userRecord({ id: at + 2, email: `user${at}@example.com` }))
    const list = upTo(days).flatMap((at) =>
      upTo(rows(at)).map((row) => ({
        item_id: Math.floor(row / count) + 2,
        kpi_id: (row % count) + 1,
        entry_date: START + at,
      })),
    )
    await entries.insert(
      tx,
      1,
      list.map((one, at) => entryRow({ ...one, id: at + 1, actual: BigInt(at) })),
    )
  })

const keyOf = ({ entryDate, kpiId, itemId }: ReportRow): string => `${entryDate} ${kpiId} ${itemId}`

/** Tells whether rows are in the report's order, each once; later KPIs are sorted first. */
const isInOrder = (rows: readonly ReportRow[]): boolean =>
  rows.every((row, at) => {
    const before = rows[at - 1]
    if (!before) return true
    return (row.entryDate - before.entryDate || before.kpiId - row.kpiId || row.itemId - before.itemId) > 0
  })

/** Reads a report; returns its requests as a multiple of the least number. */
const cost = async (service: Service, { days = YEAR, request }: Shape): Promise<number> => {
  await using way = await wayTo(service)
  const asked = { from: START - 20, to: START + days + 20, ...request }
  const { total = 0 } = await way.client.report({ ...asked, kpiIds: undefined, ...request })
  const before = way.client.requests()
  const rows = (await Array.fromAsync(completeReport(way.client, asked))).flat()
  const requests = way.client.requests() - before
  expect(isInOrder(rows)).toBe(true)
  expect(new Set(rows.map(keyOf)).size).toBe(total)
  return requests / Math.ceil(total / REPORT_LIMIT)
}

test('a report of any shape takes hardly more requests than its rows fill answers', async () => {
  const costs: number[] = []
  const dear: string[] = []
  for (const shape of SHAPES) {
    await using service = await startService()
    await fill(service, shape)
    const ratio = await cost(service, shape)
    if (ratio > shape.most) dear.push(`${shape.name}: ${ratio}`)
    costs.push(ratio)
  }
  expect(dear).toEqual([])
  const average = costs.reduce((sum, one) => sum + one, 0) / costs.length
  expect(average).toBeLessThanOrEqual(1.3)
}, 120_000)
