import { describe, expect, test } from 'vitest'
import { assignFirst, KPI, otherAccount, post, put, read, tell } from '../support/classic.ts'
import { day } from '../support/calendar.ts'
import { carryGroupItems, putGroupItems } from '../support/group-items.ts'
import { ask, type Service, startService } from '../support/service.ts'

const PATH = '/reports/AllDataEntries'

/** A service whose today is Saturday, 2026-11-21, with values of a daily KPI (1) and a monthly one (2). */
const startWithReport = async (): Promise<Service> => {
  const service = await startService()
  await assignFirst(service)
  await post(service, '/kpis', { ...KPI, name: 'Cost', unit_id: 3, frequency_id: 'M', value_direction: 'D' })
  await post(service, '/users/2/kpis', { id: 2, sort_order: 1 })
  await post(service, '/users/1/kpis', { id: 1, sort_order: 1 })
  const values = [
    [2, 1, '2026-11-20', '0.1'],
    [2, 1, '2026-11-21', '0.2'],
    [1, 1, '2026-11-21', '99999999999999.9999'],
    [2, 2, '2026-11-01', '1.00005'],
    [2, 2, '2026-11-30', '2'],
    [2, 2, '2026-12-01', '3'],
  ] as const
  const entries = values.map(([user_id, kpi_id, entry_date, actual]) => ({ user_id, kpi_id, entry_date, actual }))
  await post(service, '/kpientries/list', { entries })
  return service
}

type Row = { readonly kpiId: number; readonly itemId: number; readonly entryDate: string }

describe('the report', () => {
  test('is written in JSON exactly, its fields in the order of the table', async () => {
    await using service = await startWithReport()
    const { body, headers } = await ask(service, { path: `${PATH}?dateFrom=2026-11-01&dateTo=2026-11-01` })
    expect(headers['x-total-count']).toBe('1')
    expect(body).toBe(
      '[{"kpiId":2,"kpiName":"Cost","kpiDescription":null,"itemId":2,"itemName":"Ann","periodId":"M",' +
        '"period":"Monthly","labelFormat":"#.00%","isPercentage":1,"hasTarget":0,"direction":"D",' +
        '"directionName":"Down","entryDate":"2026-11-01","actual":3.0001,"target":null,"notes":null}]',
    )
  })

  test.each([
    ['', ['2026-11-21 1 1', '2026-11-21 1 2']],
    ['dateFrom=2026-11-20', ['2026-11-20 1 2', '2026-11-21 1 1', '2026-11-21 1 2']],
    ['dateTo=2026-12-31', ['2026-11-21 1 1', '2026-11-21 1 2', '2026-12-01 2 2']],
    ['dateFrom=2026-11-02&dateTo=2026-11-20', ['2026-11-20 1 2']],
    ['userIds=1', ['2026-11-21 1 1']],
    ['userids=1,2', ['2026-11-21 1 1', '2026-11-21 1 2']],
    ['USERIDS=1&userIds=%202%20,', ['2026-11-21 1 1', '2026-11-21 1 2']],
    ['userIds=99', []],
    ['userIds=,', ['2026-11-21 1 1', '2026-11-21 1 2']],
    ['kpiIds=2&dateFrom=1899-01-01&dateTo=2199-12-31', ['2026-11-01 2 2', '2026-12-01 2 2']],
    ['kpiIds=2,99&dateTo=2199-12-31', ['2026-12-01 2 2']],
    ['kpiIds=999999999999999', []],
    ['groupItemIds=1,2', []],
    ['groupItemIds=,', ['2026-11-21 1 1', '2026-11-21 1 2']],
  ])('for %j has these rows, and says how many', async (query, rows) => {
    await using service = await startWithReport()
    const { status, headers, body } = await tell(service, { path: `${PATH}?${query}` })
    const keys = (body as Row[]).map(({ entryDate, kpiId, itemId }) => `${entryDate} ${kpiId} ${itemId}`)
    expect([status, headers['x-total-count'], keys]).toEqual([200, String(rows.length), rows])
  })

  test.each([
    ['groupItemIds=11', ['2026-11-20 1 11', '2026-11-21 1 11', '2026-12-01 2 11']],
    ['groupItemIds=11&userIds=2', ['2026-11-20 1 11', '2026-11-21 1 11', '2026-12-01 2 11']],
    ['groupItemIds=11&userIds=1', ['2026-11-21 1 11']],
    ['groupItemIds=11&userIds=99', []],
    ['groupItemIds=11&kpiIds=2', ['2026-12-01 2 11']],
    [
      'GROUPITEMIDS= 12,,11 &groupItemIds=12',
      ['2026-11-20 1 11', '2026-11-21 1 11', '2026-12-01 2 11', '2026-12-01 2 12'],
    ],
    ['groupItemIds=2,99', []],
  ])('of group items, for %j, has a row for each that carries entries', async (query, rows) => {
    await using service = await startWithReport()
    await putGroupItems(service.db, [
      { id: 11, name: 'North' },
      { id: 12, name: 'South' },
    ])
    const carrying = (item: number, kpi_id: number, date: string, ...groups: number[]) => {
      return { item, kpi_id, entry_date: day(date), groups }
    }
    await carryGroupItems(service.db, [
      carrying(2, 1, '2026-11-20', 11),
      carrying(2, 1, '2026-11-21', 11),
      carrying(1, 1, '2026-11-21', 11),
      carrying(2, 2, '2026-12-01', 11, 12),
    ])
    const path = `${PATH}?dateFrom=2026-11-01&dateTo=2026-12-31&${query}`
    const { status, headers, body } = await tell(service, { path })
    const keys = (body as Row[]).map(({ entryDate, kpiId, itemId }) => `${entryDate} ${kpiId} ${itemId}`)
    expect([status, headers['x-total-count'], keys]).toEqual([200, String(rows.length), rows])
  })

  test.each([
    ['dateFrom=2026-11-22', 'dateFrom'],
    ['dateTo=2026-11-20', 'dateFrom'],
    ['dateFrom=2026-11-31', 'dateFrom'],
    ['dateTo=2200-01-01', 'dateTo'],
    ['kpiIds=a', 'kpiIds'],
    ['kpiIds=1,-2', 'kpiIds'],
    ['userIds=1.5', 'userIds'],
    ['groupItemIds=x', 'groupItemIds'],
    ['userIds=1&userIds=x', 'userIds'],
  ])('for %j is 400, and says which parameter', async (query, parameter) => {
    await using service = await startService()
    const { status, body } = await tell(service, { path: `${PATH}?${query}` })
    expect(status).toBe(400)
    expect(body).toEqual({ message: expect.stringContaining(parameter) as string })
  })

  test('holds what was sent to the last digit', async () => {
    await using service = await startWithReport()
    const { body } = await ask(service, { path: `${PATH}?userIds=1` })
    expect(body).toContain('"actual":99999999999999.9999,')
  })

  test('of another account is empty, whatever ids are asked for', async () => {
    await using service = await startWithReport()
    const other = await otherAccount(service, 'acme')
    const path = `${PATH}?dateFrom=1899-01-01&dateTo=2199-12-31&kpiIds=1,2&userIds=1,2`
    expect(await tell(other, { path })).toMatchObject({ body: [], headers: { 'x-total-count': '0' } })
  })

  test('goes on telling of KPIs that are inactive or unassigned, and of locked users', async () => {
    await using service = await startWithReport()
    const before = await read(service, PATH)
    await put(service, '/kpis/1', { is_active: false })
    await put(service, '/users/2', { user_status_id: 'L' })
    await tell(service, { method: 'DELETE', path: '/users/1/kpis/1' })
    expect(before).toHaveLength(2)
    expect(await read(service, PATH)).toEqual(before)
  })
})
