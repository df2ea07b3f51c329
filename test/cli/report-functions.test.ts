import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  for (const name of ['Stock', 'Sales'])
    await user.kpi('kpis', 'create', '--name', name, '--frequency', 'daily', '--unit', 'Number')
  await user.kpi('users', 'create', '--email', 'ann@example.com', '--first-name', 'Ann', '--last-name', 'Lee')
  await user.kpi('assign', 'add', '--kpis', 'Stock,Sales', '--users', 'ann@example.com')
  const rows = ['01-30,9', '01-31,40', '02-01,7', '02-02,8'].flatMap((one) => [
    `Stock,2026-${one}`,
    `Sales,2026-${one}`,
  ])
  writeFileSync(user.folder.in('data.csv'), ['KPI,Date,Actual', ...rows, ''].join('\n'))
  const { code, stderr } = await user.kpi('entries', 'import', 'data.csv', '--user', 'ann@example.com')
  if (code !== 0) throw new Error(stderr)
})
afterAll(() => user[Symbol.asyncDispose]())

const report = (...flags: string[]) => user.kpi('report', '--from', '2026-01-01', '--to', '2026-02-28', ...flags)
const valuesOf = async (...flags: string[]): Promise<unknown> =>
  (jsonOf(await report(...flags, '-o', 'json')) as Record<string, unknown>[]).map((row) => [
    row['kpiName'],
    row['actual'],
    row['function'],
  ])
const project = (text: string): void => writeFileSync(user.folder.in('kpi.yaml'), text)

describe('the periods of KPIs', () => {
  test('are put together as the flag says', async () => {
    project('')
    expect(await valuesOf('--by', 'month', '--kpis', 'Stock', '--function', 'last')).toEqual([
      ['Stock', 40, 'last'],
      ['Stock', 8, 'last'],
    ])
  })

  test('are put together as the project file says, and the flag over that', async () => {
    project('functions:\n  stock: Last\n')
    expect(await valuesOf('--group-by', 'kpi')).toEqual([
      ['Stock', 8, 'last'],
      ['Sales', 64, 'sum'],
    ])
    expect(await valuesOf('--group-by', 'kpi', '--function', 'max')).toEqual([
      ['Stock', 40, 'max'],
      ['Sales', 40, 'max'],
    ])
    expect((await report('--group-by', 'kpi')).stdout).toMatch(/kpi +item +actual +target +function/)
    expect((await user.kpi('doctor')).stdout).toMatch(/functions of KPIs +stock: last/)
  })

  test('are their own functions where nothing is said, and no column says so', async () => {
    project('')
    expect(await valuesOf('--group-by', 'kpi')).toEqual([
      ['Stock', 64, undefined],
      ['Sales', 64, undefined],
    ])
  })

  test('of a name that no KPI has are warned of', async () => {
    project('functions:\n  Stok: last\n')
    expect((await report('--by', 'month')).stderr).toContain(
      'functions names Stok, which is no KPI; did you mean Stock?',
    )
  })

  test.each([
    ['functions:\n  Stock: lst\n', 'functions: lst of Stock is none of sum, avg, last, min, max; did you mean last?'],
    ['functions: last\n', 'functions must be a map of names: write functions: { NAME: sum|avg|last|min|max }'],
  ])('are refused by a project file that says %j', async (text, message) => {
    project(text)
    const { code, stderr } = await report('--by', 'month')
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test.each([[['--by', 'month']], [[]]])(
    'are put together in totals as by --group-by and --total, with %j',
    async (by) => {
      project('functions:\n  Stock: last\n')
      for (const how of [[], ...['max', 'min', 'avg'].map((one) => ['--function', one])]) {
        const ofStock = ['--kpis', 'Stock', ...how, ...by]
        const [whole] = jsonOf(await report(...ofStock, '--group-by', 'kpi', '-o', 'json')) as Record<string, unknown>[]
        for (const [dimension, cell] of [
          ['item', 'Ann Lee'],
          ['period', 'total'],
          ['kpi', 'Stock'],
        ] as const) {
          const pivot = await report(...ofStock, '--pivot', dimension, '--totals', '-o', 'json')
          const below = (jsonOf(pivot) as Record<string, unknown>[]).at(-1)
          expect([below?.[cell], below?.['total']]).toEqual([whole?.['actual'], whole?.['actual']])
        }
      }
    },
  )

  test('that are not put together have no function', async () => {
    project('')
    const { code, stderr } = await report('--function', 'last', '--total')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--function needs --by, or --group-by kpi')])
  })
})

test('a note says of which KPIs the items are averaged, and only where items are put together', async () => {
  project('')
  await using own = await embeddedUser()
  for (const name of ['Rate', 'Stock']) {
    const how = name === 'Rate' ? 'AVG' : 'SUM'
    await own.kpi(
      'kpis',
      'create',
      '--name',
      name,
      '--frequency',
      'daily',
      '--unit',
      'Number',
      '--aggregate-function',
      how,
    )
  }
  for (const name of ['ann', 'bob']) {
    await own.kpi('users', 'create', '--email', `${name}@example.com`, '--first-name', name, '--last-name', 'Lee')
  }
  await own.kpi('assign', 'add', '--kpis', 'Rate,Stock', '--users', 'ann@example.com,bob@example.com')
  const rows = ['Rate', 'Stock'].flatMap((name) =>
    ['ann', 'bob'].map((user, at) => `${name},${user}@example.com,2026-02-01,${at * 10 + 10}`),
  )
  writeFileSync(own.folder.in('data.csv'), ['KPI,User,Date,Actual', ...rows, ''].join('\n'))
  expect(await own.kpi('entries', 'import', 'data.csv')).toMatchObject({ code: 0 })
  const ask = (...flags: string[]) => own.kpi('report', '--from', '2026-02-01', '--to', '2026-02-28', ...flags)

  const said =
    'the items of Rate are averaged, as KPIs that are averages are: a function over time is for periods alone'
  for (const flags of [
    ['--by', 'month', '--total'],
    ['--group-by', 'kpi'],
    ['--by', 'month', '--pivot', 'period', '--totals'],
  ])
    expect((await ask(...flags, '--function', 'last')).stderr).toContain(said)
  const { stdout } = await ask('--group-by', 'kpi', '--function', 'last')
  expect(stdout).toMatch(/Rate +Total +15 .*\nStock +Total +30 /)
  for (const flags of [
    ['--by', 'month', '--function', 'last'],
    ['--group-by', 'kpi'],
    ['--group-by', 'kpi', '--function', 'last', '--kpis', 'Stock'],
    ['--group-by', 'kpi', '--function', 'last', '--users', 'ann@example.com'],
  ])
    expect((await ask(...flags)).stderr).not.toContain('averaged')
})

test('rolling sums stand beside rolling averages', async () => {
  project('')
  const { stdout } = await report('--kpis', 'Sales', '--rolling', '2', '--rolling-sum', '3', '-o', 'csv')
  const lines = stdout
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))
  const [average, sum] = ['rolling_average', 'rolling_sum'].map((name) => lines[0]?.indexOf(name) ?? -1)
  expect(lines.slice(1).map((line) => [line[average ?? -1], line[sum ?? -1]])).toEqual([
    ['9', '9'],
    ['24.5', '49'],
    ['23.5', '56'],
    ['7.5', '55'],
  ])
})
