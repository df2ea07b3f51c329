import { describe, expect, test } from 'vitest'
import { assignFirst, KPI, post, read, tell } from '../support/classic.ts'
import { type Service, startService } from '../support/service.ts'

/** A service whose today is 2026-11-21, with entries of two users and two KPIs around it. */
const startWithEntries = async (): Promise<Service> => {
  const service = await startService()
  await assignFirst(service)
  await post(service, '/kpis', KPI)
  for (const [user, kpi] of [
    [2, 2],
    [1, 1],
  ]) {
    await post(service, `/users/${user}/kpis`, { id: kpi, sort_order: 1 })
  }
  const entries = [
    { user_id: 2, kpi_id: 1, entry_date: '2026-11-22' },
    { user_id: 2, kpi_id: 2, entry_date: '2026-11-21' },
    { user_id: 1, kpi_id: 1, entry_date: '2026-11-21' },
    { user_id: 2, kpi_id: 1, entry_date: '2026-11-20' },
    { user_id: 2, kpi_id: 1, entry_date: '1900-01-01' },
    { user_id: 2, kpi_id: 1, entry_date: '2199-12-31' },
  ]
  await post(service, '/kpientries/list', { entries: entries.map((entry) => ({ ...entry, actual: 1 })) })
  return service
}

const WIDE = 'dateFrom=1899-01-01&dateTo=2199-12-31'

describe('the list of entries', () => {
  test.each([
    ['', [2, 3]],
    ['dateFrom=2026-11-20', [4, 2, 3]],
    ['dateTo=2026-11-22', [2, 3, 1]],
    ['dateFrom=2026-11-22', [1]],
    ['dateTo=2026-11-20', [4]],
    ['dateFrom=&dateTo=', [2, 3]],
    ['dateFrom=2026-11-20&dateTo=2026-11-20', [4]],
    ['DATEFROM=2026-11-20&dateto=2026-11-20T00:00:00', [4]],
    [WIDE, [5, 4, 2, 3, 1, 6]],
    [`${WIDE}&userid=2`, [5, 4, 2, 1, 6]],
    [`${WIDE}&UserId=2&KpiID=2`, [2]],
    [`${WIDE}&kpiid=1`, [5, 4, 3, 1, 6]],
    [`${WIDE}&userid=1&kpiid=2`, []],
    [`${WIDE}&userid=99`, []],
    [`${WIDE}&kpiid=0`, []],
    [`${WIDE}&rows=2`, [5, 4]],
    [`${WIDE}&rows=2&page=1`, [5, 4]],
    [`${WIDE}&rows=2&page=3`, [1, 6]],
    [`${WIDE}&rows=4&page=2`, [1, 6]],
    [`${WIDE}&rows=2&page=4`, []],
    [`${WIDE}&rows=500&page=1000000`, []],
    ['dateFrom=1900-01-01&dateTo=2199-12-31&after=5', [4, 2, 3, 1, 6]],
    ['dateFrom=2026-11-21&dateTo=2199-12-31&after=2', [3, 1, 6]],
    ['dateFrom=2026-11-21&dateTo=2199-12-31&after=2&rows=1', [3]],
    ['dateFrom=2026-11-21&dateTo=2199-12-31&after=2&rows=1&page=2', [1]],
    ['dateFrom=2026-11-21&dateTo=2026-11-21&after=3', []],
    [`${WIDE}&rows=500&unknown=1&kpiIds=99`, [5, 4, 2, 3, 1, 6]],
  ])('for %j is by date, then id', async (query, ids) => {
    await using service = await startWithEntries()
    const { status, body } = await tell(service, { path: `/kpientries?${query}` })
    expect([status, (body as { id: number }[]).map(({ id }) => id)]).toEqual([200, ids])
  })

  test.each([
    ['dateFrom=2026-11-21&dateTo=2026-11-20', 'dateFrom'],
    ['dateFrom=2026-02-29', 'dateFrom'],
    ['dateFrom=1898-12-31', 'dateFrom'],
    ['dateTo=2200-01-01', 'dateTo'],
    ['dateTo=yesterday', 'dateTo'],
    ['rows=0', 'rows'],
    ['rows=501', 'rows'],
    ['rows=all', 'rows'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['after=last', 'after'],
    ['userid=ann', 'userid'],
    ['userid=1,2', 'userid'],
    ['kpiid=1%20or%201=1', 'kpiid'],
  ])('for %j is 400, and says which parameter', async (query, parameter) => {
    await using service = await startService()
    const { status, headers, body } = await tell(service, { path: `/kpientries?${query}` })
    expect([status, headers['x-request-id']]).toEqual([400, 'request-1'])
    expect(body).toEqual({ message: expect.stringContaining(parameter) as string })
  })

  test('hides targets while their KPI has none, and shows them again', async () => {
    await using service = await startService()
    await assignFirst(service, { target_default: 1 })
    await post(service, '/kpientries', { user_id: 2, kpi_id: 1, entry_date: '2026-11-21', actual: 1, target: 2 })
    const change = (target_default: number | null): Promise<unknown> =>
      tell(service, { method: 'PUT', path: '/kpis/1', body: { target_default } })
    await change(null)
    expect(await read(service, '/kpientries')).toMatchObject([{ target: null }])
    const shown = await read(service, '/kpientries/1')
    await tell(service, { method: 'PUT', path: '/kpientries/1', body: shown })
    await change(5)
    expect(await read(service, '/kpientries')).toMatchObject([{ target: 2 }])
  })
})
