import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, remoteUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const calculated = (...args: string[]): Promise<Ran> => user.kpi('service', 'calculated', ...args)
const add = (...args: string[]): Promise<Ran> => calculated('add', '--name', 'Half', '--frequency', 'D', ...args)

test('a calculated KPI is defined with flags, KPIs in its formula by name', async () => {
  const made = jsonOf(await add('--formula', '[Revenue] / 2 + SUM([Visits])', '--over', 'inputs', '-o', 'json'))
  expect(made).toEqual({
    id: 3,
    category_id: 1,
    icon_id: 1,
    unit_id: 1,
    frequency_id: 'D',
    name: 'Half',
    description: null,
    target_default: null,
    value_direction: 'U',
    aggregate_function: 'SUM',
    sort_order: 3,
    is_active: true,
    is_calculated: true,
    created_at: '2026-11-21T12:00:00',
    updated_at: '2026-11-21T12:00:00',
    formula: '[1] / 2 + SUM([2])',
    over: 'inputs',
    target_from: 'default',
  })
  expect(jsonOf(await calculated('show', 'Half', '-o', 'json'))).toEqual(made)
  expect(jsonOf(await calculated('list', '-o', 'json'))).toEqual([made])
  expect(jsonOf(await user.kpi('kpis', 'get', 'Half', '-o', 'json'))).toMatchObject({ id: 3, is_calculated: true })
})

test('its formula may use other calculated KPIs, by name and by id, and not itself', async () => {
  await add('--formula', '[Revenue] / 2')
  await calculated('add', '--name', 'Third', '--frequency', 'D', '--formula', '[Revenue] / 3')
  const half = await calculated('update', 'Half', '--formula', '[Third] + [4]', '-o', 'json')
  expect(jsonOf(half)).toMatchObject({ formula: '[4] + [4]' })
  const circle = { code: 1, stderr: expect.stringContaining('--formula: goes in a circle') as unknown }
  expect(await calculated('update', 'Third', '--formula', '[Half]')).toMatchObject(circle)
  expect(await calculated('update', 'Third', '--formula', '[Half]', '--dry-run')).toMatchObject(circle)
})

test.each([
  [
    ['kpis', 'delete', 'Revenue', 'Visits'],
    ['--yes'],
    1,
    /KPI 1 \(Revenue\) is used by the formula of calculated KPI 3/,
  ],
  [
    ['kpis', 'update', 'Revenue', '--frequency', 'W'],
    [],
    1,
    /--frequency: cannot be Weekly: the formula of KPI 3 \(Half\)/,
  ],
  [['kpis', 'update', 'Revenue', '--is-active', 'false'], [], 1, /--is-active: cannot be false: the formula of KPI 3/],
  [['kpis', 'delete', 'Half'], ['--yes'], 4, /KPI 3 \(Half\) is calculated .*kpi service calculated remove 3/],
])('what it keeps from being changed is refused in a dry run, as in the run: %j', async (line, yes, code, message) => {
  await add('--formula', '[Revenue] / 2')
  for (const more of [['--dry-run'], yes]) {
    const ran = await user.kpi(...line, ...more)
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) as unknown })
  }
  expect(await user.client.kpis.list()).toHaveLength(3)
})

test('it is listed briefly in a table, changed and removed', async () => {
  await add('--formula', '[1] / 2')
  const changed = await calculated('update', 'Half', '--formula', '[Revenue] * 0.5', '--unit', 'Decimal', '-o', 'json')
  expect(jsonOf(changed)).toMatchObject({ formula: '[1] * 0.5', unit_id: 2 })
  expect((await calculated('list', '--columns', 'id,formula,over')).stdout).toBe(
    'id  formula    over\n 3  [1] * 0.5  results\n',
  )
  const remove = (...args: string[]): Promise<Ran> => calculated('remove', 'Half', '--no-input', ...args)
  expect(await remove()).toMatchObject({
    code: 2,
    stderr:
      'kpi service calculated remove: delete calculated KPI 3, Half with 0 assignments needs --yes where nobody can be asked; --dry-run shows what would be done\n',
  })
  expect(await remove('--yes')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'deleted calculated KPI 3, Half with 0 assignments\n',
  })
  expect(jsonOf(await calculated('list', '-o', 'json'))).toEqual([])
})

test('it is tried on the entries there are: inputs, results, and why there is none', async () => {
  await add('--formula', '[Revenue] / ([Visits] - 2)')
  await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Visits', '--date', '2026-11-19', '--actual', '6')
  await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Visits', '--date', '2026-11-20', '--actual', '2')
  const tried = await calculated('test', 'Half', '--from', '2026-11-01', '--users', 'Ann Lee', '-o', 'json')
  const steps = jsonOf(tried) as Record<string, unknown>[]
  const of = { itemId: 2, itemName: 'Ann Lee' }
  const input = { ...of, role: 'input' }
  const revenue = { ...input, kpiId: 1, kpiName: 'Revenue', target: 100, reason: null }
  const visits = { ...input, kpiId: 2, kpiName: 'Visits', target: null, reason: null }
  const result = { ...of, role: 'result', kpiId: 3, kpiName: 'Half', target: null, reason: null }
  expect(steps).toEqual([
    { ...revenue, entryDate: '2026-11-19', actual: 40 },
    { ...visits, entryDate: '2026-11-19', actual: 6 },
    { ...result, entryDate: '2026-11-19', actual: 10 },
    { ...revenue, entryDate: '2026-11-20', actual: 80.5 },
    { ...visits, entryDate: '2026-11-20', actual: 2 },
    { ...result, entryDate: '2026-11-20', actual: null, reason: 'division by zero' },
    { ...revenue, entryDate: '2026-11-21', actual: 60.25 },
    { ...visits, entryDate: '2026-11-21', actual: null, reason: 'no value in this period' },
    { ...result, entryDate: '2026-11-21', actual: null, reason: 'no value of [2]' },
  ])
  expect((await calculated('test', 'Half')).stdout).toContain('division by zero')
  expect(await calculated('test', 'Half', '--from', '2025-01-01', '--to', '2025-01-31', '-o', 'csv')).toEqual({
    code: 0,
    stdout: 'entryDate,itemId,itemName,role,kpiId,kpiName,actual,target,reason\n',
    stderr: 'no period that begins from 2025-01-01 to 2025-01-31 has a value of an input\n',
  })
})

test('it is of the account that is named', async () => {
  const db = await openStore(user.folder.in('.local/share/kpi/kpi.db'))
  await accounts.create(db, { name: 'acme', login: 'boss@acme.example.com', plan: 'team' }, 0)
  await db.close()
  expect(await add('--formula', '[Revenue]', '--account', 'acme')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no KPI "Revenue"') as string,
  })
  await add('--formula', '[Revenue]')
  expect(jsonOf(await calculated('list', '--account', 'acme', '-o', 'json'))).toEqual([])
})

describe('it is refused', () => {
  test.each([
    [
      ['--formula', '[Revenue] + * 2'],
      1,
      'kpi: --formula: expected a number, a [KPI], a function or ( at character 13: "* 2"',
    ],
    [['--formula', '[Visit] / 2'], 1, 'there is no KPI "Visit"; did you mean "Visits"? at character 1'],
    [['--formula', ''], 2, 'kpi service calculated add: --formula must not be empty'],
    [[], 2, 'kpi service calculated add: a calculated KPI needs --formula <text>'],
    [['--formula', '[1]', '--over', 'members'], 2, 'kpi service calculated add: --over must be one of results, inputs'],
    [
      ['--formula', '[1]', '--target-from', 'formula', '--target-default', '5'],
      1,
      'kpi: --target-from: cannot be formula',
    ],
    [['--formula', '[1]', '--account', 'nil'], 1, 'kpi: there is no account nil'],
  ])('with %j', async (flags, code, message) => {
    const ran = await add(...flags)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  test('to give it the name of another KPI, calculated or not', async () => {
    await add('--formula', '[1]')
    for (const args of [
      ['update', 'Half', '--name', 'Revenue'],
      ['update', 'Half', '--name', 'Revenue', '--dry-run'],
      ['add', '--name', 'Visits', '--frequency', 'D', '--formula', '[1]'],
    ])
      expect(await calculated(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /there is a KPI of that name already\n {2}--name: is .*--allow-duplicate/,
        ) as unknown,
      })
  })

  test('to change nothing, or what is not calculated', async () => {
    await add('--formula', '[1]')
    expect(await calculated('update', 'Half')).toMatchObject({ code: 2 })
    expect(await calculated('show', 'Revenue')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'kpi: KPI 1 (Revenue) is not calculated: its values are entered\n',
    })
  })

  test('through a profile of a remote service', async () => {
    await using other = await remoteUser()
    const ran = await other.kpi('service', 'calculated', 'list')
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('directly on the data of the bundled service') as string,
    })
  })
})
