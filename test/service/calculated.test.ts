import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { KpiError } from '../../src/domain/errors.ts'
import type { CalculatedDraft, CalculatedKpi, CalculatedPatch } from '../../src/domain/resources/calculated-kpi.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { calculated } from '../../src/service/definitions/calculated-kpis.ts'
import { calculationSteps } from '../../src/service/reports/calculation-steps.ts'
import type { Context } from '../../src/service/context.ts'
import { day } from '../support/calendar.ts'
import { carryGroupItems, putGroupItems } from '../support/group-items.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { ask, type Service, startService, type Way, wayTo } from '../support/service.ts'

const ID = {
  revenue: 1,
  visits: 2,
  weekly: 3,
  monthly: 4,
  closed: 5,
  twin: 6,
  otherTwin: 7,
  first: 8,
  second: 9,
} as const

let service: Service
let way: Way
let client: Client
let ctx: Context

beforeEach(async () => {
  service = await startService()
  way = await wayTo(service)
  client = way.client
  const [account] = await accounts.list(service.db)
  if (!account) throw new Error('there is no account')
  ctx = { db: service.db, account, now: NOW / 1000 }
  for (const [name, fields] of [
    ['Revenue', { target_default: 100_0000n }],
    ['Visits', { target_default: 10_0000n, aggregate_function: 'AVG' }],
    ['Weekly', { frequency_id: 'W' }],
    ['Monthly', { frequency_id: 'M' }],
    ['Closed', { is_active: false }],
    ['Twin', {}],
    ['Twin', {}],
  ] as const) {
    await client.kpis.add(kpiNamed(name, fields))
  }
})
afterEach(async () => {
  await way[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const draft = (formula: string, fields: Partial<CalculatedDraft> = {}): CalculatedDraft => ({
  ...kpiNamed('Calculated', {}),
  formula,
  over: 'results',
  target_from: 'default',
  ...fields,
})

const add = (formula: string, fields?: Partial<CalculatedDraft>): Promise<CalculatedKpi> =>
  calculated.add(ctx, draft(formula, fields))

const refusalOf = (work: Promise<unknown>): Promise<Pick<KpiError, 'code' | 'issues'>> =>
  work.then(
    () => {
      throw new Error('it was not refused')
    },
    ({ code, issues }: KpiError) => ({ code, issues: [...issues] }),
  )

const formulaFault = (message: string): object => ({ code: 'invalid', issues: [{ field: 'formula', message }] })

test('one is a KPI like any other over the interface, but cannot be changed or removed there', async () => {
  const made = await add('[Revenue] / [Visits]', { name: 'Per visit', description: 'what it says' })
  expect(made).toMatchObject({ id: ID.first, formula: '[1] / [2]', is_calculated: true, over: 'results' })
  const { formula: _, over: __, target_from: ___, ...kpi } = made
  expect(await client.kpis.get(ID.first)).toMatchObject(kpi)
  for (const method of ['PUT', 'DELETE']) {
    const { status, headers } = await ask(service, { method, path: `/kpis/${ID.first}`, body: { name: 'Mine' } })
    expect({ status, retry: headers['retry-after'] }).toEqual({ status: 403, retry: undefined })
  }
  expect(await client.kpis.get(ID.first)).toMatchObject(kpi)
})

test('they are listed, found, changed and removed by their operator', async () => {
  const first = await add('[1] + [2]')
  const second = await add('[8] * 2', { name: 'Double', sort_order: 0 })
  expect(await calculated.list(ctx)).toEqual([second, first])
  expect(await calculated.get(ctx, ID.first)).toEqual(first)
  const later = { ...ctx, now: ctx.now + 60 }
  const changed = await calculated.update(later, ID.first, { formula: 'SUM([Visits], [1])', name: 'Sum' })
  expect(changed).toEqual({ ...first, formula: 'SUM([2], [1])', name: 'Sum', updated_at: first.updated_at + 60 })
  expect(await calculated.update({ ...ctx, now: ctx.now + 120 }, ID.first, { name: 'Sum' })).toEqual(changed)
  await calculated.remove(ctx, ID.second)
  await calculated.remove(ctx, ID.first)
  expect(await calculated.list(ctx)).toEqual([])
  expect((await client.kpis.list()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('only what is calculated is found', async () => {
  for (const work of [calculated.get(ctx, 1), calculated.update(ctx, 1, {}), calculated.remove(ctx, 1)]) {
    await expect(work).rejects.toThrow('KPI 1 (Revenue) is not calculated: its values are entered')
  }
  await expect(calculated.get(ctx, 99)).rejects.toThrow('there is no KPI 99')
})

describe('a definition is refused', () => {
  test.each([
    ['[1] + [99]', 'there is no KPI 99 at character 7: "[99]"'],
    ['[1] + [Cost]', 'there is no KPI named "Cost" at character 7: "[Cost]"'],
    ['[1] + [revenue]', 'there is no KPI named "revenue" at character 7: "[revenue]"'],
    ['[Twin]', '"Twin" is the name of more than one KPI: 6, 7; use the id at character 1: "[Twin]"'],
    ['[8]', 'there is no KPI 8 at character 1: "[8]"'],
    ['1 + 2', 'must use at least one KPI'],
    ['[1] + [5]', 'uses KPI 5 (Closed), which is inactive'],
    ['[1] [2]', 'expected an operator or the end at character 5: "[2]"'],
  ])('%s', async (formula, message) => {
    expect(await refusalOf(add(formula))).toEqual(formulaFault(message))
    expect(await calculated.list(ctx)).toEqual([])
  })

  test('whose KPIs go in a circle', async () => {
    await add('[1]', { name: 'A' })
    await add('[8] + [2]', { name: 'B' })
    await add('[9] + [8]', { name: 'C' })
    const change = (formula: string): Promise<unknown> => refusalOf(calculated.update(ctx, ID.first, { formula }))
    expect(await change('[10]')).toEqual(formulaFault('goes in a circle: [8] uses [10] uses [8]'))
    expect(await change('[9] + 1')).toEqual(formulaFault('goes in a circle: [8] uses [9] uses [8]'))
    expect(await change('[1] + [A]')).toEqual(formulaFault('uses its own KPI'))
  })

  test('that is finer than one of its inputs', async () => {
    const fault = (message: string): object => ({ code: 'invalid', issues: [{ field: 'frequency_id', message }] })
    expect(await refusalOf(add('[1] + [3]'))).toEqual(
      fault("is D, finer than its formula's KPI 3 (Weekly); it must be W, M, Q, Y"),
    )
    expect(await refusalOf(add('[1] + [3] + [4]', { frequency_id: 'W' }))).toEqual(
      fault("is W, finer than its formula's KPI 4 (Monthly); it must be M, Q, Y"),
    )
    await add('[1] + [3] + [4]', { frequency_id: 'M' })
    expect(await refusalOf(add('[8]', { frequency_id: 'W' }))).toMatchObject({ code: 'invalid' })
    await add('[8]', { frequency_id: 'Y' })
  })

  test('with a default target besides the one of its formula', async () => {
    expect(await refusalOf(add('[1]', { target_from: 'formula', target_default: 5n }))).toMatchObject({
      issues: [{ field: 'target_from' }],
    })
    await add('[1]', { target_from: 'formula' })
    expect(await refusalOf(calculated.update(ctx, ID.first, { target_default: 5n }))).toMatchObject({
      issues: [{ field: 'target_from' }],
    })
  })

  test('with all that is wrong with it at once', async () => {
    const { issues } = await refusalOf(add('[1] + [3] + [5]', { category_id: 9, unit_id: 9 }))
    expect(issues.map(({ field }) => field).toSorted()).toEqual(['category_id', 'formula', 'frequency_id', 'unit_id'])
  })

  test('that grows too large with all formulas written out, whichever of them grows', async () => {
    const many = (id: number, count: number): string => Array(count).fill(`[${id}]`).join('+')
    await add(many(1, 30))
    await add(many(8, 30))
    expect(await refusalOf(add(many(9, 2)))).toEqual(
      formulaFault(
        'is too large: KPI 10 (Calculated) would come to 1862 numbers and KPIs with all formulas written out; the most is 1000',
      ),
    )
    expect(await refusalOf(calculated.update(ctx, ID.first, { formula: many(1, 40) }))).toMatchObject({
      issues: [
        { field: 'formula', message: expect.stringContaining('KPI 9 (Calculated) would come to 1230') as string },
      ],
    })
  })
})

describe('a KPI that a formula uses', () => {
  beforeEach(async () => {
    await add('[3] + [1]', { name: 'Both', frequency_id: 'W' })
    await add('[8]', { name: 'Again', frequency_id: 'W' })
  })

  test('cannot be deleted', async () => {
    const { status, body } = await ask(service, { method: 'DELETE', path: '/kpis/3' })
    expect([status, body]).toEqual([409, expect.stringContaining('the formula of KPI 8 (Both)')])
    expect(await client.kpis.get(3)).toMatchObject({ name: 'Weekly' })
  })

  test.each([
    ['coarser than the formula', { frequency_id: 'M' }, ['frequency_id']],
    ['inactive', { is_active: false }, ['is_active']],
    ['either', { is_active: false, frequency_id: 'Y' }, ['frequency_id', 'is_active']],
  ])('cannot be made %s', async (_, body, fields) => {
    const answer = await ask(service, { method: 'PUT', path: '/kpis/3', body })
    const { errors } = JSON.parse(answer.body) as { errors: { field: string; message: string }[] }
    expect(answer.status).toBe(409)
    expect(errors.map(({ field }) => field)).toEqual(fields)
    expect(errors[0]?.message).toContain('the formula of KPI 8 (Both)')
    expect(await client.kpis.get(3)).toMatchObject({ frequency_id: 'W', is_active: true })
  })

  test('can be changed in any other way', async () => {
    expect(await client.kpis.update(1, { frequency_id: 'W', name: 'Sales', target_default: null })).toMatchObject({
      name: 'Sales',
    })
    await client.kpis.update(3, { frequency_id: 'D' })
    await client.kpis.remove(4)
  })

  test('is held so by its operator too, where it is calculated itself', async () => {
    const change = (patch: CalculatedPatch): Promise<unknown> => refusalOf(calculated.update(ctx, ID.first, patch))
    expect(await change({ frequency_id: 'M' })).toMatchObject({ code: 'conflict', issues: [{ field: 'frequency_id' }] })
    expect(await change({ is_active: false })).toMatchObject({ code: 'conflict', issues: [{ field: 'is_active' }] })
    await expect(calculated.remove(ctx, ID.first)).rejects.toThrow('is used by the formula of KPI 9 (Again)')
    await calculated.remove(ctx, ID.second)
    expect(await calculated.update(ctx, ID.first, { frequency_id: 'M', is_active: false })).toMatchObject({
      frequency_id: 'M',
    })
  })
})

test('accounts do not see the formulas of others', async () => {
  await add('[1]')
  const other = await accounts.create(service.db, { name: 'other', login: 'me@example.com', plan: 'team' }, 0)
  expect(await calculated.list({ ...ctx, account: other })).toEqual([])
  await expect(calculated.get({ ...ctx, account: other }, ID.first)).rejects.toThrow('there is no KPI 8')
})

/** Users 2 and 3, entries of both, and a group item that they carry. */
const enterTwo = async (): Promise<void> => {
  const groups = [11]
  const entries = (
    [
      [2, ID.revenue, '2026-11-02', 100_0000n],
      [2, ID.visits, '2026-11-02', 10_0000n],
      [2, ID.visits, '2026-11-03', 20_0000n],
      [3, ID.revenue, '2026-11-02', 100_0000n],
      [3, ID.visits, '2026-11-02', 40_0000n],
    ] as const
  ).map(([item, kpi_id, date, actual], at) => {
    return { id: at + 1, item, kpi_id, entry_date: day(date), actual, target: null, notes: 'said', groups }
  })
  for (const name of ['Ann', 'Bob']) {
    const { id } = await client.users.add(userNamed(name))
    for (const kpi of [1, 2]) await client.assignments(id).add({ id: kpi, sort_order: 1 })
  }
  const sent = entries.map(({ item, kpi_id, entry_date, actual, notes }) => {
    return { user_id: item, kpi_id, entry_date, actual, notes }
  })
  await client.entries.addMany(sent)
  await putGroupItems(service.db, [{ id: 11, name: 'North' }])
  await carryGroupItems(service.db, entries)
}

const report = async (kpi: number, groupItemIds?: readonly number[]): Promise<unknown[]> => {
  const { rows } = await client.report({ from: day('2026-11-01'), to: day('2026-11-30'), kpiIds: [kpi], groupItemIds })
  return rows.map(({ itemId, actual, target, hasTarget, notes }) => [itemId, actual, target, hasTarget, notes])
}

describe('the report', () => {
  beforeEach(enterTwo)

  test('calculates per user and period, rounding once', async () => {
    await add('[1] / [2] * 3', { frequency_id: 'M' })
    // Visits are averaged over the month first: 15 for Ann.
    expect(await report(ID.first)).toEqual([
      [2, 20_0000n, null, 0, null],
      [3, 7_5000n, null, 0, null],
    ])
    await add('[8] / 7', { frequency_id: 'M' })
    expect(await report(ID.second)).toEqual([
      [2, 2_8571n, null, 0, null],
      [3, 1_0714n, null, 0, null],
    ])
  })

  test.each([
    ['results', 'SUM', 27_5000n],
    ['results', 'AVG', 13_7500n],
    ['inputs', 'SUM', 25_7143n],
  ] as const)('of a group item over %s, by %s', async (over, aggregate_function, actual) => {
    await add('[1] / [2] * 3', { frequency_id: 'M', over, aggregate_function })
    expect(await report(ID.first, [11])).toEqual([[11, actual, null, 0, null]])
  })

  test('has the default target of a calculated KPI, or that of the user', async () => {
    const { id } = await add('[1]', { frequency_id: 'M', target_default: 7_0000n })
    await client.assignments(3).add({ id, sort_order: 1, user_target: 9_0000n })
    expect(await report(id)).toEqual([
      [2, 100_0000n, 7_0000n, 1, null],
      [3, 100_0000n, 9_0000n, 1, null],
    ])
    expect(await report(id, [11])).toEqual([[11, 200_0000n, 16_0000n, 1, null]])
    await calculated.update(ctx, id, { over: 'inputs' })
    expect(await report(id, [11])).toEqual([[11, 200_0000n, 7_0000n, 1, null]])
  })

  test('has the formula over the targets where that is chosen, and as long as all inputs have one', async () => {
    const { id } = await add('[1] / [2]', { frequency_id: 'M', target_from: 'formula' })
    expect(await report(id)).toMatchObject([
      [2, 6_6667n, 10_0000n, 1, null],
      [3, 2_5000n, 10_0000n, 1, null],
    ])
    await client.kpis.update(2, { target_default: null })
    expect(await report(id)).toMatchObject([
      [2, 6_6667n, null, 0, null],
      [3, 2_5000n, null, 0, null],
    ])
  })

  test('shows a calculated KPI that is inactive, which is display only', async () => {
    await add('[1]', { frequency_id: 'M', is_active: false })
    expect(await report(ID.first)).toHaveLength(2)
  })

  test('has no row for a result that has too many digits, and computes on with it', async () => {
    await add('[1] * 90000000000000', { frequency_id: 'M' })
    await add('[8] / 90000000000000', { frequency_id: 'M' })
    expect(await report(ID.first)).toEqual([])
    expect(await report(ID.second)).toHaveLength(2)
  })

  test.each([
    ['cannot be read', '[1] +'],
    ['goes in a circle', '[9]'],
    ['uses its own KPI', '[8]'],
  ])(
    'has no row for a KPI whose stored formula %s, and all rows of others, until it is changed',
    async (_, formula) => {
      await add('[1]', { frequency_id: 'M' })
      await add('[8]', { frequency_id: 'M' })
      await add('[1] * 2', { frequency_id: 'M' })
      await service.db.write((tx) => tx.run('update formulas set formula = ? where kpi_id = 8', [formula]))
      expect(await report(ID.first)).toEqual([])
      expect(await report(ID.second)).toEqual([])
      expect(await report(10)).toHaveLength(2)
      expect((await report(1)).length).toBeGreaterThan(0)
      expect(service.logged).toEqual([])
      const steps = calculationSteps(ctx, { kpiId: ID.first, days: { from: 0, to: 1 } })
      await expect(steps).rejects.toThrow('KPI 8 (Calculated) has a formula that cannot be read, or goes in a circle')
      await add('[10]', { frequency_id: 'M' })
      await calculated.update(ctx, ID.first, { formula: '[1]' })
      expect(await report(ID.second)).toHaveLength(2)
    },
  )
})
