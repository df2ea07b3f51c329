import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import type { ReportRequest } from '../../src/client/operations/queries.ts'
import { readReportDays } from '../../src/client/operations/report-days.ts'
import { createDayDigests } from '../../src/codec/report-digest.ts'
import { formatDay } from '../../src/domain/day.ts'
import { passingBuilder, type ReportKpi } from '../../src/domain/report.ts'
import { CIVIL_CALENDAR } from '../../src/domain/period.ts'
import { day } from '../support/calendar.ts'
import { foreignService } from '../support/foreign.ts'
import { NOW } from '../support/io.ts'

const RANGE = { from: day('2026-01-01'), to: day('2026-01-08') }

/** Describes a service: what it calls itself, and how many days it answers at once; no digests at all for 0. */
type World = { readonly server?: string; readonly most: number }

/** Reads days of a service; returns them as dates, and the requests for them. */
const read = async ({ server = 'kpi/1', most }: World, more: Partial<ReportRequest> = {}) => {
  const { url, reached } = await foreignService((response, { url: target = '' }) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    const [from, to] = [day(searchParams.get('dateFrom') ?? ''), day(searchParams.get('dateTo') ?? '')]
    const days = Array.from({ length: to - from + 1 || 0 }, (_, at) => ({
      entryDate: formatDay(from + at),
      rows: 1,
      digest: 'a',
    }))
    const isOfDays = pathname.endsWith('/days')
    const status = !isOfDays ? 200 : most === 0 ? 404 : days.length > most ? 413 : 200
    const body = !isOfDays ? [] : status === 200 ? days : { message: 'no' }
    response.writeHead(status, { 'content-type': 'application/json', server }).end(JSON.stringify(body))
  })
  const transport = httpTransport({ baseUrl: new URL(`${url}/v1`), token: 'key', timeoutMs: 20_000, now: () => NOW })
  onTestFinished(transport.close)
  const client = createClient(transport, 'v1')
  await client.kpis.list()
  const days = await readReportDays(client, { ...RANGE, ...more })
  const dates = days && [...days.keys()].map((one) => formatDay(one).slice(-2)).join(' ')
  return { dates, requests: reached.filter(({ target }) => target.includes('/days')).length }
}

test.each<[what: string, world: World, dates: string | undefined, requests: number]>([
  ['in one request', { most: 8 }, '01 02 03 04 05 06 07 08', 1],
  ['in halves where they are too many for one answer', { most: 3 }, '01 02 03 04 05 06 07 08', 7],
  ['not of an older version, which has none', { most: 0 }, undefined, 1],
  ['not of a third-party service, which is not asked', { server: 'nginx', most: 8 }, undefined, 0],
])('reads the digests of days %s', async (_what, world, dates, requests) => {
  expect(await read(world)).toEqual({ dates, requests })
})

test('does not ask for more users than an address can hold', async () => {
  const userIds = Array.from({ length: 401 }, (_, at) => at + 1)
  expect(await read({ most: 8 }, { userIds })).toEqual({ dates: undefined, requests: 0 })
})

const KPI: ReportKpi = {
  id: 1,
  name: 'Visits',
  description: null,
  frequency_id: 'D',
  target_default: null,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 1,
  unit: { display_format: '#', is_percentage: false },
  has_target: false,
}

test('keeps digests of so many KPIs and days, and refuses more', () => {
  const digestsOf = (days: number) => {
    const builder = passingBuilder(CIVIL_CALENDAR, createDayDigests(3))
    const item = { id: 2, name: 'Ann' }
    for (let at = 0; at < days; at += 1) builder.add(KPI, item, { day: at, actual: 1n, target: null, notes: null })
    return [...builder.finish()]
  }
  expect(digestsOf(3).map(({ entryDate, rows }) => [entryDate, rows])).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ])
  expect(() => digestsOf(4)).toThrow('ask for fewer at a time')
})
