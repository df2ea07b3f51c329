import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import { csvRows } from '../support/csv.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { fillShop, SHOP, type User, users } from '../support/user.ts'

describe.each(users)('%s, kpi report', (_, open) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillShop(user)
    const visits = {
      user_id: SHOP.ann,
      kpi_id: SHOP.visits,
      entry_date: 20_777,
      actual: 3n,
      notes: 'shop 1, "new"\n=1+1',
    }
    await user.client.entries.add(visits)
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  const report = (...args: string[]): Promise<Ran> => user.kpi('report', ...args)

  test('is an overview: the latest value of each KPI and user, progress, change, and a line of bars', async () => {
    expect(await report()).toEqual({
      code: 0,
      stdout: [
        '2026-10-22 to 2026-11-21: days 2026-11-19 to 2026-11-21',
        'state     kpi      item     period      actual  target  progress  change  percent  trend',
        '✗ missed  Revenue  Ann Lee  2026-11-21      60     100      60 %     -20  -25.2 %  ▁█▅',
        '          Visits   Ann Lee  2026-11-20       0                                     ▄',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  test('has the KPIs in their own order, whichever had a value first', async () => {
    await user.client.kpis.update(SHOP.visits, { sort_order: 0 })
    const { stdout } = await report()
    const [, , ...lines] = stdout.trimEnd().split('\n')
    expect(lines.map((line) => /Revenue|Visits/.exec(line)?.[0])).toEqual(['Visits', 'Revenue'])
    await user.client.kpis.update(SHOP.visits, { sort_order: 2 })
  })

  test('keeps the people of a KPI together, whoever began first', async () => {
    const later = { user_id: SHOP.bob, kpi_id: SHOP.revenue, entry_date: 20_778, actual: 7_0000n }
    await user.client.assignments(SHOP.bob).add({ id: SHOP.revenue, sort_order: 1 })
    const { id } = await user.client.entries.add(later)
    const { stdout } = await report()
    const [, , ...lines] = stdout.trimEnd().split('\n')
    expect(lines.map((line) => /(?:Revenue|Visits) +\S+/.exec(line)?.[0])).toEqual([
      'Revenue  Ann',
      'Revenue  Bob',
      'Visits   Ann',
    ])
    await user.client.entries.remove(id)
    await user.client.assignments(SHOP.bob).remove(SHOP.revenue)
  })

  test('the overview has a period that began before its range, as long as that is under way', async () => {
    const kpi = {
      unit_id: 1,
      icon_id: 1,
      category_id: 1,
      value_direction: 'U',
      aggregate_function: 'SUM',
      sort_order: 3,
    } as const
    for (const [name, frequency_id, day] of [
      ['Rent', 'Q', '2026-10-02'],
      ['Fees', 'M', '2026-10-03'],
      ['Tax', 'Y', '2026-02-03'],
    ] as const) {
      const { id } = await user.client.kpis.add({ ...kpi, name, frequency_id, is_active: true })
      await user.client.assignments(SHOP.ann).add({ id, sort_order: id })
      await user.client.entries.add({ user_id: SHOP.ann, kpi_id: id, entry_date: parseDay(day) ?? 0, actual: 9_0000n })
    }
    const shown = async (...args: string[]): Promise<string[]> =>
      (await report(...args)).stdout
        .split('\n')
        .flatMap((line) => /(?:Rent|Fees|Tax) .*?(?:\d{4}-\w\d|\d{4})(?= )/.exec(line)?.[0] ?? [])
    const words = async (...args: string[]): Promise<string[]> =>
      (await shown(...args)).map((line) => line.replace(/ .* /, ' ')).toSorted()
    expect(await words('--from', '2026-11-15')).toEqual(['Rent 2026-Q4', 'Tax 2026'])
    expect(await words('--from', '2026-10-20')).toEqual(['Fees 2026-10', 'Rent 2026-Q4', 'Tax 2026'])
    expect(await words('--from', '2026-11-15', '--kpis', 'Rent')).toEqual(['Rent 2026-Q4'])
    expect((await report('--from', '2026-11-15')).stdout).toMatch(
      /^2026-11-15 to 2026-11-21: days .*, quarter 2026-Q4 \(under way\), year 2026 \(under way\)\n/,
    )
    const rows = await report('--from', '2026-11-15', '--rows')
    expect(rows.stdout).not.toContain('Rent')
    expect(rows.stderr).toContain('left out: 2026-Q4 of Rent, which began before the range; --from 2026-10-01 has it\n')
    for (const name of ['Rent', 'Fees', 'Tax']) await user.kpi('kpis', 'delete', name, '--yes')
  })

  test('--rows is a row for each period', async () => {
    const { stdout } = await report('--rows', '--kpis', 'Revenue')
    const days = stdout.split('\n').map((line) => /\d{4}-\d\d-\d\d/.exec(line)?.[0])
    expect(days).toEqual([undefined, '2026-11-19', '2026-11-20', '2026-11-21', undefined])
  })

  test('json has all fields of all rows, exact', async () => {
    const rows = jsonOf(await report('--kpis', '2', '-o', 'json'))
    expect(rows).toEqual([
      {
        kpiId: 2,
        kpiName: 'Visits',
        kpiDescription: null,
        itemId: 2,
        itemName: 'Ann Lee',
        periodId: 'D',
        period: 'Daily',
        labelFormat: '#',
        isPercentage: 0,
        hasTarget: 0,
        direction: 'U',
        directionName: 'Up',
        entryDate: '2026-11-20',
        actual: 0.0003,
        target: null,
        notes: 'shop 1, "new"\n=1+1',
      },
    ])
  })

  test('csv has a header and the same fields, quoted where they must be', async () => {
    const { stdout } = await report('--kpis', 'Visits', '-o', 'csv')
    expect(stdout.split('\n')[0]).toMatch(/^kpiId,kpiName,kpiDescription,itemId,.*,notes$/)
    expect(stdout).toContain(',"shop 1, ""new""\n=1+1"\n')
    expect(csvRows(stdout)).toHaveLength(2)
  })

  test.each<[line: string[], days: string[]]>([
    [['--from', 'today'], ['11-21']],
    [['--from', 'yesterday', '--to', 'yesterday'], ['11-20']],
    [['--from', '2026-11-01', '--to', '2026-11-19'], ['11-19']],
    [['--from', 'last-month', '--to', 'last-month'], []],
    [['--users', '3,4'], []],
    [
      ['--users', 'ann@example.com,3'],
      ['11-19', '11-20', '11-21'],
    ],
  ])('%j narrows it', async (line, days) => {
    const rows = jsonOf(await report('--kpis', 'Revenue', ...line, '-o', 'json')) as { entryDate: string }[]
    expect(rows.map(({ entryDate }) => entryDate.slice(5))).toEqual(days)
  })

  test('of group items has the entries that carry them', async () => {
    const { client } = user
    const { id: group } = await client.groups.add({ name: 'Regions' })
    const { id } = await client.groupItems(group).add({ name: 'North' })
    await client.userGroupItems(SHOP.ann).add({ id })
    const entry = { user_id: SHOP.ann, kpi_id: SHOP.revenue, entry_date: Math.floor(NOW / 86_400_000) - 9 }
    const { id: added } = await client.entries.add({ ...entry, actual: 7_0000n })
    const rows = jsonOf(await report('--group-items', 'North', '--users', 'Ann Lee', '-o', 'json'))
    expect(rows).toMatchObject([{ itemId: id, itemName: 'North', entryDate: '2026-11-12', actual: 7, target: 100 }])
    expect(jsonOf(await report('--group-items', `${id}`, '--users', '3', '-o', 'json'))).toEqual([])
    await client.entries.remove(added)
  })

  test('with nothing in it says so, and in no case prints anything but its form', async () => {
    const line = ['--from', '2020-01-01', '--to', '2020-01-31']
    const stderr =
      'no values from 2020-01-01 to 2020-01-31; there are some from 2026-11-19 to 2026-11-21: try --from 2026-11-19 --to 2026-11-21\n'
    expect(await report(...line)).toEqual({ code: 0, stdout: '', stderr })
    const nothing = await report(...line, '--users', String(SHOP.bob), '--kpis', 'Visits')
    expect(nothing.stderr).toContain('nor on any other day, of what was asked for')
    expect(await report(...line, '-o', 'json')).toEqual({ code: 0, stdout: '[]\n', stderr })
    expect((await report(...line, '-o', 'csv')).stdout).toMatch(/^kpiId,[^\n]*\n$/)
  })

  test.each([
    [['--from', '2026-13-01'], '"2026-13-01" is a date that does not exist'],
    [['--from', 'last-constructor'], '"last-constructor" is not a date'],
    [['--from', '-9999y'], '--from -9999y --to today leaves the years 1899 to 2199'],
    [['--from', '0001-01-01'], '--from 0001-01-01 --to today leaves the years 1899 to 2199'],
    [['--to', '2200-01-01'], '--from -30d --to 2200-01-01 leaves the years 1899 to 2199'],
    [['--from', 'today', '--to', '-1w'], '--from today is after --to -1w'],
    [
      ['--kpis', 'Revenu,Visit,x'],
      'there is no KPI "Revenu"; did you mean "Revenue"?; there is no KPI "Visit"; did you',
    ],
    [['--users', ''], '--users is an empty list'],
    [['--kpis', ','], '--kpis is an empty list'],
    [['--group-items', 'West'], 'there is no group item "West"'],
    [['--group-items', ','], '--group-items is an empty list'],
  ])('%j is wrong usage', async (line, message) => {
    const ran = await report(...line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(`kpi report: ${message}`)
  })
})
