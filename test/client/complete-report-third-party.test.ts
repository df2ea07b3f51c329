import { expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { completeReport } from '../../src/client/operations/complete-report.ts'
import type { ReportRequest } from '../../src/client/operations/queries.ts'
import { formatDay } from '../../src/domain/day.ts'
import { day } from '../support/calendar.ts'
import { foreignService } from '../support/foreign.ts'
import { NOW } from '../support/io.ts'

const START = day('2026-01-01')
const RANGE = { from: START, to: START + 364 }
const KPIS = 50

/** What a service of somebody else has, and how it answers. */
type Habits = {
  readonly rowsOf: (at: number) => number
  readonly cut?: number
  readonly tellsTotal?: boolean
  /** Adds to the total that is told. */
  readonly wrongBy?: number
  /** Cuts the rows before it sorts them by day: the first ones of each KPI come first. */
  readonly cutsByKpi?: boolean
  /** Sorts the rows of a day by their KPIs in another order than its list has these. */
  readonly hasOtherOrder?: boolean
  /** Keeps the last rows instead of the first ones. */
  readonly keepsNewest?: boolean
  /** Has rows of one KPI only. */
  readonly hasOneKpi?: boolean
}

type Row = { readonly kpiId: number; readonly itemId: number; readonly entryDate: string }

const rowsIn = ({ rowsOf, cutsByKpi, hasOtherOrder, hasOneKpi }: Habits, query: URLSearchParams): Row[] => {
  const [from, to] = [day(query.get('dateFrom') ?? ''), day(query.get('dateTo') ?? '')]
  const idsOf = (name: string): number[] | undefined => query.get(name)?.split(',').map(Number)
  const [wanted, items] = [idsOf('kpiIds'), idsOf('groupItemIds') ?? idsOf('userIds')]
  const rows: Row[] = []
  for (let at = from; at <= to; at += 1) {
    const count = rowsOf(at - START)
    for (let row = 0; row < count; row += 1) {
      const [kpiId, itemId] = [hasOneKpi ? 1 : Math.floor((row * KPIS) / count) + 1, row + 1]
      if (wanted?.includes(kpiId) === false || items?.includes(itemId) === false) continue
      rows.push({ kpiId, itemId, entryDate: formatDay(at) })
    }
  }
  if (hasOtherOrder) return rows.toSorted((a, b) => ((a.kpiId * 7) % KPIS) - ((b.kpiId * 7) % KPIS))
  return cutsByKpi ? rows.toSorted((a, b) => a.kpiId - b.kpiId) : rows
}

const MORE = { periodId: 'D', period: 'Daily', kpiName: 'K', itemName: 'I', direction: 'U', actual: 1, target: null }

const start = async (habits: Habits): Promise<{ client: Client; requests: () => number }> => {
  const { cut = 10_000, tellsTotal = false, wrongBy = 0, keepsNewest = false } = habits
  const kpis = Array.from({ length: KPIS }, (_, at) => ({ id: at + 1, name: `K${at}`, sort_order: 1 }))
  const foreign = await foreignService((response, { url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (pathname !== '/api/reports/AllDataEntries') return response.end(JSON.stringify(kpis))
    const all = rowsIn(habits, searchParams)
    if (tellsTotal) response.setHeader('x-total-count', all.length + (all.length > cut ? wrongBy : 0))
    const given = all
      .slice(...(keepsNewest ? [-cut] : [0, cut]))
      .toSorted((a, b) => (a.entryDate < b.entryDate ? -1 : a.entryDate > b.entryDate ? 1 : 0))
    return response.end(JSON.stringify(given.map((row) => ({ ...row, ...MORE }))))
  })
  const baseUrl = new URL(`${foreign.url}/api`)
  const transport = httpTransport({ baseUrl, login: 'a', token: 'b', timeoutMs: 20_000, now: () => NOW })
  return { client: createClient(transport), requests: () => foreign.reached.length }
}

const read = async (client: Client, range: ReportRequest = RANGE): Promise<number> => {
  const rows = (await Array.fromAsync(completeReport(client, range))).flat()
  return new Set(rows.map(({ entryDate, kpiId, itemId }) => `${entryDate} ${kpiId} ${itemId}`)).size
}

const onDay =
  (one: number, rows: number) =>
  (at: number): number =>
    at === one ? rows : 0

test.each<[name: string, habits: Habits, rows: number, most: number]>([
  ['with totals, evenly', { rowsOf: () => 100, tellsTotal: true }, 36_500, 5],
  ['with totals, all on one day', { rowsOf: onDay(100, 35_000), tellsTotal: true }, 35_000, 6],
  [
    'with totals, all on one day, by KPIs in another order',
    { rowsOf: onDay(100, 35_000), tellsTotal: true, hasOtherOrder: true },
    35_000,
    14,
  ],
  ['with totals, cut at a thousand rows', { rowsOf: () => 10, tellsTotal: true, cut: 1000 }, 3650, 5],
  ['with totals, cut before it is sorted', { rowsOf: () => 100, tellsTotal: true, cutsByKpi: true }, 36_500, 14],
  ['without totals, evenly', { rowsOf: () => 100 }, 36_500, 9],
  ['without totals, all on one day', { rowsOf: onDay(100, 35_000) }, 35_000, 24],
  ['without totals, cut before it is sorted', { rowsOf: () => 100, cutsByKpi: true }, 36_500, 14],
  ['without totals, exactly one answer', { rowsOf: onDay(100, 10_000) }, 10_000, 19],
])('a third-party report comes whole %s, at a bounded cost', async (_, habits, rows, most) => {
  const { client, requests } = await start(habits)
  expect(await read(client)).toBe(rows)
  expect(requests()).toBeLessThanOrEqual(most)
})

test.each<[name: string, habits: Habits, groupItemIds?: number[]]>([
  ['at 5000 rows, evenly', { rowsOf: () => 20, cut: 5000 }],
  ['at 1000 rows, all on one day', { rowsOf: onDay(0, 1200), cut: 1000 }],
  ['at 5000 rows, the newest ones', { rowsOf: () => 20, cut: 5000, keepsNewest: true }],
  ['at 100 rows, fewer than a day has', { rowsOf: () => 120, cut: 100 }],
  ['at 5000 rows, all on one day of a year', { rowsOf: onDay(1, 8000), cut: 5000 }],
  ['at 1000 rows, before they are sorted', { rowsOf: () => 20, cut: 1000, cutsByKpi: true }],
  ['at 30 rows, all of one KPI on one day', { rowsOf: onDay(0, 50), cut: 30, hasOneKpi: true }],
  [
    'at 30 rows, all of one KPI on one day, of group items',
    { rowsOf: onDay(0, 50), cut: 30, hasOneKpi: true },
    Array.from({ length: 50 }, (_, at) => at + 1),
  ],
])('a service that cuts silently %s is an error that says what to do', async (_, habits, groupItemIds) => {
  const { client } = await start(habits)
  const range = habits.rowsOf(1) === 0 ? { from: START, to: START } : RANGE
  await expect(read(client, { ...range, ...(groupItemIds && { groupItemIds }) })).rejects.toMatchObject({
    code: 'not_acceptable',
    message: expect.stringMatching(/cuts reports at \d+ rows and does not say so.*ask for fewer days/) as string,
  })
})

test('a size of answers that was found whole is not checked again', async () => {
  const { client, requests } = await start({ rowsOf: () => 1 })
  for (const times of [3, 4, 5]) {
    expect(await read(client)).toBe(365)
    expect(requests()).toBe(times)
  }
})

test.each([-5, 5])('parts that do not add up to the total are an error: off by %d', async (wrongBy) => {
  const { client } = await start({ rowsOf: () => 100, tellsTotal: true, wrongBy })
  await expect(read(client)).rejects.toMatchObject({
    code: 'not_acceptable',
    message: expect.stringContaining('do not add up') as string,
  })
})
