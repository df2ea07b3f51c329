import { beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { calculated } from '../../src/service/definitions/calculated-kpis.ts'
import { put, tell } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { kpiNamed } from '../support/import.ts'
import type { Service } from '../support/service.ts'
import { ANN, NORTH, SOUTH, startRegions, v1 } from '../support/v1.ts'

const REPORT = '/reports/AllDataEntries?dateFrom=2026-03-01&dateTo=2026-03-31'

type Row = { readonly entryDate: string; readonly kpiId: number; readonly itemId: number; readonly itemName: string }

const keysOf = (body: unknown): string[] =>
  (body as Row[]).map(({ entryDate, kpiId, itemId }) => `${Number(entryDate.slice(-2))} ${kpiId} ${itemId}`)

/** Defines KPI 2 as twice KPI 1. */
const addCalculated = async ({ db }: Service): Promise<void> => {
  const [account] = await accounts.list(db)
  if (!account) throw new Error('there is no account')
  const how = { formula: '[1] * 2', over: 'results', target_from: 'default' } as const
  await calculated.add({ db, account, now: 0 }, { ...kpiNamed('Twice'), ...how })
}

describe.each(databases)('the report of the newer variant, on %s', (_, makeDatabase) => {
  let service: Service

  /** Ann, who has North, reports on the 1st and 2nd, North on the 1st, South on the 3rd and is archived then. */
  beforeEach(async () => {
    service = await startRegions(makeDatabase)
    await addCalculated(service)
    for (const [names, day, actual] of [
      [{ user_id: ANN }, 1, 1],
      [{ source_id: ANN }, 2, 2],
      [{ source_id: NORTH }, 1, 4],
      [{ source_id: SOUTH }, 3, 8],
    ] as const) {
      await v1.post(service, '/kpientries', { ...names, kpi_id: 1, entry_date: `2026-03-0${day}`, actual })
    }
    await v1.put(service, `/breakdownitems/${SOUTH}`, { is_archived: true })
    return () => service[Symbol.asyncDispose]()
  })

  const ALL = ['1 1 2', '1 1 5', '1 2 2', '1 2 5', '2 1 2', '2 2 2', '3 1 6', '3 2 6']

  test.each([
    ['', ALL],
    ['&kpiIds=1', ['1 1 2', '1 1 5', '2 1 2', '3 1 6']],
    [`&userIds=${ANN}`, ['1 1 2', '1 2 2', '2 1 2', '2 2 2']],
    [`&userIds=${NORTH}`, []],
    ['&userIds=,', ALL],
  ])('has a row for each item, person or not, for "%s" these', async (query, keys) => {
    const { status, headers, body } = await v1.tell(service, { path: `${REPORT}${query}` })
    expect([status, headers['x-total-count'], keysOf(body)]).toEqual([200, String(keys.length), keys])
  })

  test('says of people what the classic one says, and of other items their names and the default target', async () => {
    const [newer, classic] = [await v1.tell(service, { path: REPORT }), await tell(service, { path: REPORT })]
    const rows = newer.body as Row[]
    expect(classic.body).toEqual(rows.filter(({ itemId }) => itemId === ANN))
    expect(rows.filter(({ itemId }) => itemId !== ANN)).toMatchObject([
      { entryDate: '2026-03-01', kpiId: 1, itemId: NORTH, itemName: 'North', actual: 4, target: 10 },
      { entryDate: '2026-03-01', kpiId: 2, itemId: NORTH, itemName: 'North', actual: 8, target: null },
      { entryDate: '2026-03-03', kpiId: 1, itemId: SOUTH, itemName: 'South', actual: 8, target: 10 },
      { entryDate: '2026-03-03', kpiId: 2, itemId: SOUTH, itemName: 'South', actual: 16, target: null },
    ])
    expect(rows[0]).toMatchObject({ itemName: 'Ann Lee', actual: 1, target: 20 })
  })

  test('names people and items as they are called now', async () => {
    await put(service, `/users/${ANN}`, { first_name: 'Anna', last_name: null })
    await put(service, `/groups/2/items/${NORTH}`, { name: 'Far North' })
    const { body } = await v1.tell(service, { path: `${REPORT}&kpiIds=1` })
    expect(new Set((body as Row[]).map(({ itemName }) => itemName))).toEqual(new Set(['Anna', 'Far North', 'South']))
  })

  test.each([
    [`&groupItemIds=${NORTH}`, ['1 1 5', '1 2 5', '2 1 5', '2 2 5']],
    [`&groupItemIds=${NORTH},${SOUTH},${ANN}&kpiIds=1`, ['1 1 5', '2 1 5', '3 1 6']],
    [`&groupItemIds=${NORTH}&userIds=${ANN}&kpiIds=1`, ['1 1 5', '2 1 5']],
    [`&groupItemIds=${NORTH}&userIds=${NORTH}`, []],
    [`&groupItemIds=${NORTH}&userIds=99`, []],
  ])('of group items is the same in both variants, for "%s"', async (query, keys) => {
    const newer = await v1.tell(service, { path: `${REPORT}${query}` })
    const classic = await tell(service, { path: `${REPORT}${query}` })
    expect(keysOf(newer.body)).toEqual(keys)
    expect(classic.body).toEqual(newer.body)
    expect(classic.headers['x-total-count']).toBe(newer.headers['x-total-count'])
  })
})
