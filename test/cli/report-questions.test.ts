import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import { csvRows } from '../support/csv.ts'
import { kpiNamed } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, newerUser, SHOP, type User, users } from '../support/user.ts'

const RANGE = ['--from', '2026-10-01', '--to', '2026-11-21']

/**
 * Fills an account for questions: Ann and the first Bob report Revenue (a sum with the target of 100), and Ann the
 * daily Mood (an average). Revenue is of the category General, Mood of People.
 */
const fillAnswers = async (user: User): Promise<void> => {
  const { client } = user
  await fillShop(user)
  const { id: category } = await client.categories.add({ name: 'People' })
  const mood = await client.kpis.add(
    kpiNamed('Mood', { category_id: category, aggregate_function: 'AVG', value_direction: 'D', sort_order: 3 }),
  )
  await client.assignments(SHOP.bob).add({ id: SHOP.revenue, sort_order: 1 })
  await client.assignments(SHOP.ann).add({ id: mood.id, sort_order: 3 })
  for (const [user_id, kpi_id, date, actual] of [
    [SHOP.ann, SHOP.revenue, '2025-11-02', 9_0000n],
    [SHOP.ann, SHOP.revenue, '2026-09-30', 5_0000n],
    [SHOP.ann, SHOP.revenue, '2026-10-02', 10_0000n],
    [SHOP.bob, SHOP.revenue, '2026-10-03', 30_0000n],
    [SHOP.bob, SHOP.revenue, '2026-11-19', 19_2500n],
    [SHOP.ann, mood.id, '2026-10-02', 1_0000n],
    [SHOP.ann, mood.id, '2026-10-03', 2_0000n],
    [SHOP.ann, mood.id, '2026-10-04', 2_0000n],
  ] as const) {
    await client.entries.add({ user_id, kpi_id, entry_date: parseDay(date) ?? 0, actual })
  }
}

const ways: readonly (readonly [string, () => Promise<User>])[] = [
  ...users,
  ['through a profile of the newer interface', newerUser],
]

type Row = Readonly<Record<string, string | number | null>>

describe.each(ways)('%s, kpi report', (_, open) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillAnswers(user)
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  const report = (...args: string[]): Promise<Ran> => user.kpi('report', ...RANGE, ...args)

  /** The answer in three formats, which must be the same, as lines of some fields. */
  const answer = async (fields: readonly string[], ...args: string[]): Promise<string[]> => {
    const json = await report(...args, '-o', 'json')
    expect(json.code).toBe(0)
    const rows = jsonOf(json) as Row[]
    const ndjson = (await report(...args, '-o', 'ndjson')).stdout.split('\n').filter(Boolean)
    expect(ndjson.map((line) => JSON.parse(line) as Row)).toEqual(rows)
    const [header = [], ...cells] = csvRows((await report(...args, '-o', 'csv')).stdout)
    expect(rows.map((row) => Object.keys(row))).toEqual(rows.map(() => header))
    expect(cells).toEqual(rows.map((row) => Object.values(row).map((value) => String(value ?? ''))))
    return rows.map((row) => fields.map((name) => String(row[name] ?? '-')).join(' '))
  }

  test.each<[line: string, fields: string, rows: string[]]>([
    [
      '--by M',
      'entryDate period kpiName itemName actual target state',
      [
        '2026-10-01 Monthly Revenue Ann Lee 10 100 missed',
        '2026-10-01 Monthly Revenue Bob Ray 30 100 missed',
        '2026-10-01 Monthly Mood Ann Lee 1.6667 - no target',
        '2026-11-01 Monthly Revenue Ann Lee 180.75 300 missed',
        '2026-11-01 Monthly Revenue Bob Ray 19.25 100 missed',
      ],
    ],
    [
      '--by M --total',
      'entryDate kpiName itemId itemName actual progress_percent',
      ['2026-10-01 Revenue - Total 40 20', '2026-10-01 Mood - Total 1.6667 -', '2026-11-01 Revenue - Total 200 50'],
    ],
    [
      '--group-by kpi --kpis Revenue --compare previous',
      'entryDate kpiName actual values first_date last_date previous_actual difference_percent',
      ['- Revenue 240 6 2026-10-02 2026-11-21 5 4700'],
    ],
    [
      '--by M --group-by period --compare previous --rolling 2 --kpis Revenue',
      'entryDate actual previous_actual difference rolling_average',
      ['2026-10-01 40 5 35 22.5', '2026-11-01 200 40 160 120'],
    ],
    [
      '--by M --total --kpis Revenue --compare year',
      'actual previous_actual difference_percent',
      ['40 - -', '200 9 2122.2222'],
    ],
    [
      '--group-by category --share',
      'category unit aggregate_function kpiName actual values share_percent',
      ['General Number SUM - 240 6 99.3103', 'People Number AVG - 1.6667 3 0.6897'],
    ],
    [
      '--group-by item --share --sort -share_percent --top 2',
      'kpiName itemName actual share_percent',
      ['Mood Ann Lee 1.6667 100', 'Revenue Ann Lee 190.75 79.4792'],
    ],
    ['--category People --top 1', 'entryDate kpiName actual', ['2026-10-02 Mood 1']],
    ['--by M --total --pace', 'entryDate forecast', ['2026-10-01 -', '2026-10-01 -', '2026-11-01 285.7143']],
    [
      '--only-missed --kpis Revenue --users 2',
      'entryDate progress_percent state',
      ['2026-10-02 10 missed', '2026-11-19 40 missed', '2026-11-20 80.5 missed', '2026-11-21 60.25 missed'],
    ],
    [
      '--by M --pivot period',
      'kpiName itemName 2026-10 2026-11',
      ['Revenue Ann Lee 10 180.75', 'Revenue Bob Ray 30 19.25', 'Mood Ann Lee 1.6667 -'],
    ],
    [
      '--by Q --pivot kpi',
      'entryDate periodId itemName Revenue Mood',
      ['2026-10-01 Q Ann Lee 190.75 1.6667', '2026-10-01 Q Bob Ray 49.25 -'],
    ],
  ])('%s', async (line, fields, rows) => {
    expect(await answer(fields.split(' '), ...line.split(' '))).toEqual(rows)
  })
  test('--pivot item has a column for each user', async () => {
    const line = ['--by', 'Y', '--kpis', 'Revenue', '--pivot', 'item']
    expect(await answer(['entryDate', 'kpiName', 'Ann Lee', 'Bob Ray'], ...line)).toEqual([
      '2026-01-01 Revenue 190.75 49.25',
    ])
  })

  test('an answer is printed at a terminal by the patterns of units, and says which periods are cut', async () => {
    const line = ['--by', 'M', '--total', '--compare', 'previous', '--kpis', 'Revenue']
    const whole = await report(...line)
    expect(whole).toEqual({
      code: 0,
      stdout: [
        'period   kpi      item   actual  target  before  change   percent  progress  state',
        '2026-10  Revenue  Total      40     200       5     +35  +700.0 %      20 %  ✗ missed',
        '2026-11  Revenue  Total     200     400      40    +160  +400.0 %      50 %  ✗ missed',
        '',
      ].join('\n'),
      stderr: '2026-11 is under way: 2026-11-01 to 2026-11-21 is compared with 2026-10-01 to 2026-10-21\n',
    })
    expect(await report(...line, '--rows')).toEqual(whole)
    const cut = await user.kpi('report', '--from', '2026-10-02', '--to', '2026-11-20', '--by', 'Q')
    expect(cut.stderr).toBe(
      '2026-Q4 begins before --from: only its days in the range count\n2026-Q4 ends after --to: only its days in the range count\n',
    )
  })

  test('tables have the heads of the overview, by which they can be sorted, and shares in percent', async () => {
    const line = ['--by', 'M', '--share', '--kpis', 'Revenue', '--sort', '-share']
    const { stdout } = await report(...line)
    const [head = '', ...rows] = stdout.trimEnd().split('\n')
    expect(head.split(/ +/)).toEqual(['period', 'kpi', 'item', 'actual', 'target', 'share', 'progress', 'state'])
    expect(rows.map((row) => / (\d+\.\d %) /.exec(row)?.[1])).toEqual(['90.4 %', '75.0 %', '25.0 %', '9.6 %'])
    const json = jsonOf(await report(...line, '-o', 'json')) as Row[]
    expect(json[0]).toMatchObject({ kpiName: 'Revenue', entryDate: '2026-11-01', share_percent: 90.375 })
    const latest = jsonOf(await report('--by', 'M', '--sort', '-period', '--top', '1', '-o', 'json')) as Row[]
    expect(latest).toMatchObject([{ entryDate: '2026-11-01' }])
  })

  test('no values is an answer without rows', async () => {
    const nothing = ['--from', '2020-01-01', '--to', '2020-01-31', '--by', 'M']
    expect(await report(...nothing, '-o', 'json')).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: expect.stringMatching(/^no values from 2020-01-01 to 2020-01-31; there are some from /) as string,
    })
    expect((await report(...nothing, '--pivot', 'kpi', '-o', 'csv')).stdout).toBe(
      'itemId,itemName,periodId,entryDate\n',
    )
  })
})

describe.each(users)('%s, kpi report --only-missing', (_, open) => {
  test('has what active users have not entered, with their targets, and nothing else', async () => {
    await using user = await open()
    await fillAnswers(user)
    await user.client.assignments(SHOP.bobby).add({ id: SHOP.revenue, sort_order: 1 })
    await user.client.users.update(SHOP.bobby, { user_status_id: 'L' })
    await user.client.assignments(SHOP.bob).update(SHOP.revenue, { user_target: 7_0000n })
    const missing = async (...line: string[]): Promise<string[]> => {
      const ran = await user.kpi(
        'report',
        '--only-missing',
        '--from',
        '2026-11-20',
        '--to',
        '2026-12-31',
        ...line,
        '-o',
        'json',
      )
      return (jsonOf(ran) as Row[]).map((row) =>
        ['entryDate', 'kpiName', 'itemId', 'itemName', 'actual', 'target'].map((name) => String(row[name])).join(' '),
      )
    }
    expect(await missing()).toEqual([
      '2026-11-20 Revenue 3 Bob Ray null 7',
      '2026-11-20 Visits 2 Ann Lee null null',
      '2026-11-20 Mood 2 Ann Lee null null',
      '2026-11-21 Revenue 3 Bob Ray null 7',
      '2026-11-21 Visits 2 Ann Lee null null',
      '2026-11-21 Mood 2 Ann Lee null null',
    ])
    expect(await missing('--users', '3,4', '--kpis', 'Revenue', '--sort', '-entryDate', '--top', '1')).toEqual([
      '2026-11-21 Revenue 3 Bob Ray null 7',
    ])
  })
})

describe('kpi report, asked', () => {
  let user: User
  beforeAll(async () => {
    user = (await users[0]?.[1]()) as User
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  test.each(['month', 'monthly', 'Month', 'm'])('--by %s is --by M', async (word) => {
    const by = (one: string): Promise<Ran> => user.kpi('report', ...RANGE, '--by', one, '-o', 'csv')
    const ran = await by(word)
    expect(ran.code).toBe(0)
    expect(ran).toEqual(await by('M'))
  })

  test.each<[line: string, faults: string[]]>([
    ['--by D', ['--by must be one of week (W), month (M), quarter (Q), year (Y); leave it out for days\n']],
    ['--by day', ['--by must be one of week (W), month (M), quarter (Q), year (Y); leave it out for days\n']],
    ['--by mnoth', ['--by must be one of week (W), month (M), quarter (Q), year (Y); did you mean month?\n']],
    ['--by X', ['--by must be one of week (W), month (M), quarter (Q), year (Y)\n']],
    ['--top 0', ['--top 0 is no whole number from 1']],
    ['--rolling x --top 1.5', ['--rolling x is no whole number from 2', '--top 1.5 is no whole number from 1']],
    [
      '--total --group-by kpi',
      ['--total and --group-by do not go together: --group-by puts the items together itself'],
    ],
    [
      '--pivot kpi --compare year --pace',
      ['--pivot and --compare do not go together: the columns of a pivot hold actuals', '--pivot and --pace do not'],
    ],
    ['--rolling 1001', ['--rolling 1001 is no whole number from 2 to 1000']],
    ['--manifest', ['--manifest is for files: write kpi report export … --manifest']],
    ['-o xlsx', ['xlsx is a format of files: write kpi report export -o xlsx --to-file FILE']],
    ['--pivot kpi --group-by category', ['--group-by category and --pivot do not go together']],
    ['--group-by kpi --rolling 3', ['--group-by kpi, item or category and --rolling do not go together']],
    [
      '--only-missing --by M --only-missed',
      ['--only-missing and --by do', '--only-missing and --only-missed do not go'],
    ],
    ['--only-missing --group-items North', ['--only-missing and --group-items do not go together: KPIs are assigned']],
    ['--sort -forecast', ['--sort forecast: --pace makes this field; give that, too']],
    ['--sort x', ['--sort x: the answer has no such field; it has kpiId,', 'progress_percent, state']],
  ])('%s is wrong usage', async (line, faults) => {
    const ran = await user.kpi('report', ...line.split(' '))
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    for (const fault of faults) expect(ran.stderr).toContain(fault)
  })
})

test('--group-by with the name of a group reports its items', async () => {
  await using user = await embeddedUser()
  await user.kpi('groups', 'create', '--name', 'Shop')
  await user.kpi('kpis', 'create', '--name', 'Sales', '--frequency', 'D')
  await user.kpi('assign', 'add', '--kpis', 'Sales', '--users', '1')
  for (const name of ['North', 'Lake, East']) await user.kpi('group-items', 'create', '--group', 'Shop', '--name', name)
  await user.kpi('assign', 'group-items', 'add', '--users', '1', '--group-items', '"Lake, East"')
  await user.kpi('entries', 'create', '--user', '1', '--kpi', 'Sales', '--entry-date', '2026-01-05', '--actual', '7')
  const range = ['--from', '2026-01-01', '--to', '2026-01-31']
  const asked = ['report', ...range, '-o', 'json', '--group-by']
  const byName = jsonOf(await user.kpi(...asked, 'shop'))
  expect(byName).toMatchObject([{ itemName: 'Lake, East', actual: 7 }])
  expect(byName).toEqual(jsonOf(await user.kpi(...asked, 'item', '--group-items', 'North,"Lake, East"')))
  const exported = await user.kpi('report', 'export', ...range, '-o', 'json', '--group-by', 'Shop')
  expect(jsonOf(exported)).toEqual(byName)
  const choices = '--group-by must be one of kpi, item, category, period'
  const told = async (...args: string[]): Promise<string> => (await user.kpi('report', ...args)).stderr
  expect(await told('--group-by', 'Town')).toBe(`kpi report: ${choices}\n`)
  expect(await told('--group-by', 'itme')).toBe(`kpi report: ${choices}; did you mean item?\n`)
  expect(await told('--group-by', 'Item')).toContain('did you mean item?')
  expect(await told('--group-by', 'Shop', '--group-items', 'North')).toBe(
    'kpi report: --group-by Shop reports all items of the group "Shop"; with --group-items write --group-by item\n',
  )
})
