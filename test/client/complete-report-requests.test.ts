import { describe, expect, test } from 'vitest'
import { completeReport } from '../../src/client/operations/complete-report.ts'
import { REPORT_LIMIT } from '../../src/domain/resources/report-row.ts'
import { VARIANTS } from '../../src/domain/variants.ts'
import { carryGroupItems, putGroupItems } from '../support/group-items.ts'
import { fillShape, isInOrder, only, rowKey, type Shape, START, upTo, YEAR } from '../support/report-shapes.ts'
import { IS_SOAK, some } from '../support/soak/tests.ts'
import { type Service, servedTo, startService, type Way, wayTo } from '../support/service.ts'

const SHAPES: readonly Shape[] = [
  { name: 'uniform', rows: () => 100, kpis: 10, most: 1 },
  { name: 'uniform and dense', rows: () => 1200, days: 20, kpis: 10, most: 1.3 },
  { name: 'of few, full days', rows: () => 3500, days: 10, kpis: 7, most: 1.3 },
  { name: 'growing', rows: (at) => Math.ceil(at / 2), kpis: 10, most: 1.2 },
  { name: 'declining', rows: (at) => Math.ceil((YEAR - at) / 2), kpis: 10, most: 1.2 },
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

/** Names shapes that are read in process as well. */
const IN_PROCESS: ReadonlySet<string> = new Set([
  'uniform',
  'of a few busy days',
  'all on one day',
  'of one huge day between small ones',
  'of all frequencies',
  'of a decade',
])

/** What reading a report took: its rows, and its requests as a multiple of the least number. */
type Cost = { readonly rows: number; readonly ratio: number }

const cost = async ({ client }: Way, { days = YEAR, request }: Shape): Promise<Cost> => {
  const asked = { from: START - 20, to: START + days + 20, ...request }
  const { total = 0 } = await client.report({ ...asked, kpiIds: undefined, ...request })
  const before = client.requests()
  const rows = (await Array.fromAsync(completeReport(client, asked))).flat()
  const requests = client.requests() - before
  expect(isInOrder(rows)).toBe(true)
  expect(new Set(rows.map(rowKey)).size).toBe(total)
  return { rows: total, ratio: requests / Math.ceil(total / REPORT_LIMIT) }
}

test('over HTTP, a report of any shape takes hardly more requests than its rows fill answers', async () => {
  const costs: number[] = []
  const dear: string[] = []
  for (const shape of some(7, SHAPES)) {
    await using service = await startService()
    await fillShape(service, shape)
    await using way = await servedTo(service, 'classic')
    const { ratio } = await cost(way, shape)
    // In process answers are longer, and a first part tells how many days to ask for.
    if (IN_PROCESS.has(shape.name)) await cost(await wayTo(service), shape)
    if (ratio > shape.most) dear.push(`${shape.name}: ${ratio}`)
    costs.push(ratio)
  }
  expect(dear).toEqual([])
  const average = costs.reduce((sum, one) => sum + one, 0) / costs.length
  // Those that are drawn may be the dearest.
  expect(average).toBeLessThanOrEqual(IS_SOAK ? 1.3 : 2)
}, 120_000)

/** Has two users' entries of each of 1,100 KPIs belong to ten group items: 11,000 rows of a day. */
const withGroupItems = async (service: Service): Promise<Shape> => {
  await fillShape(service, { rows: only(5, 2200), kpis: 1100 })
  const ids = upTo(10).map((at) => 3000 + at)
  await putGroupItems(
    service.db,
    ids.map((id) => ({ id, name: `Region ${id}` })),
  )
  const facts = [2, 3].flatMap((item) =>
    upTo(1100).map((at) => ({ item, kpi_id: at + 1, entry_date: START + 5, groups: ids })),
  )
  await carryGroupItems(service.db, facts)
  return { name: 'of group items', rows: () => 0, request: { groupItemIds: ids }, most: 1.5 }
}

const filled =
  (shape: Shape) =>
  async (service: Service): Promise<Shape> => {
    await fillShape(service, shape)
    return shape
  }

const named = (name: string): Shape => SHAPES.find((shape) => shape.name === name) ?? { name, rows: () => 0, most: 0 }

describe.each(VARIANTS)('over HTTP, %s,', (variant) => {
  const cases: readonly (readonly [name: string, rows: number, fill: (service: Service) => Promise<Shape>])[] = [
    ['one day', 35_000, filled(named('all on one day'))],
    ['exactly one answer', 10_000, filled(named('of exactly one answer'))],
    ['one KPI and user', 10_001, filled(named('of one row more than an answer'))],
    ['group items', 11_000, withGroupItems],
  ]
  test.each(some(1, cases))('a report of %s, %d rows, takes no more requests', async (_, rows, fill) => {
    await using service = await startService()
    const shape = await fill(service)
    await using way = await servedTo(service, variant)
    const read = await cost(way, shape)
    expect(read.rows).toBe(rows)
    expect(read.ratio).toBeLessThanOrEqual(shape.most)
  })
})
