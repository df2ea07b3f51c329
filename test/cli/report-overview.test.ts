import { describe, expect, test } from 'vitest'
import { overviewRows, sparkline } from '../../src/cli/commands/report/overview.ts'
import { overviewTable } from '../../src/cli/commands/report/overview-table.ts'
import { CIVIL_CALENDAR } from '../../src/domain/period.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'
import { embeddedUser, fillShop } from '../support/user.ts'

const row = (fields: Partial<ReportRow>): ReportRow => ({
  kpiId: 1,
  kpiName: 'Sales',
  kpiDescription: null,
  itemId: 2,
  itemName: 'Ann',
  periodId: 'D',
  period: 'Daily',
  labelFormat: '#',
  isPercentage: 0,
  hasTarget: 1,
  direction: 'U',
  directionName: 'Up',
  entryDate: 0,
  actual: 10_0000n,
  target: 20_0000n,
  notes: null,
  ...fields,
})
const days = (...actuals: (bigint | null)[]): ReportRow[] =>
  actuals.map((actual, entryDate) => row({ actual, entryDate }))

const rowsOf = (rows: readonly ReportRow[], before: readonly ReportRow[] = []) =>
  overviewRows(rows, before, CIVIL_CALENDAR)

describe('the overview', () => {
  test.each([
    [199_9999n, '99 %'],
    [200_0000n, '100 %'],
    [150_0000n, '75 %'],
  ])('never shows a target as reached that is not: %d', (actual, progress) => {
    expect(rowsOf([row({ actual, target: 200_0000n })])).toMatchObject([{ progress }])
  })

  test('is of the latest period with a value, and of the change to it', () => {
    expect(rowsOf(days(1_0000n, 5_0000n, 3_0000n))).toEqual([
      {
        state: '✗ missed',
        kpi: 'Sales',
        item: 'Ann',
        period: '1970-01-03',
        actual: '3',
        target: '20',
        progress: '15 %',
        change: '-2',
        percent: '-40.0 %',
        trend: '▁█▅',
      },
    ])
    expect(rowsOf(days(1n, 5n, null))).toMatchObject([{ period: '1970-01-02', actual: '0', trend: '▁█' }])
    expect(rowsOf(days(null, null))).toMatchObject([
      { state: '', period: '1970-01-02', actual: null, progress: null, change: null, trend: '' },
    ])
  })

  test('tells the change on the period just before only, also where that lies before the range', () => {
    const month = (entryDate: number, actual: bigint): ReportRow => row({ periodId: 'M', entryDate, actual })
    const [january, february, april] = [month(0, 4_0000n), month(31, 5_0000n), month(90, 6_0000n)]
    expect(rowsOf([february], [january])).toMatchObject([{ period: '1970-02', change: '+1', percent: '+25.0 %' }])
    expect(rowsOf([february, april])).toMatchObject([{ period: '1970-04', change: null, percent: null }])
  })

  test('shows values by the pattern of their unit', () => {
    const money = { labelFormat: '£ #,##0.00', actual: 1234_5000n, target: 1000_0000n }
    expect(rowsOf([row(money)])).toMatchObject([{ state: '✓ met', actual: '£ 1,234.50', target: '£ 1,000.00' }])
  })

  test('has a row for each KPI and item, as they first come', () => {
    const rows = [row({ kpiId: 2 }), row({ itemId: 3 }), row({ kpiId: 2, entryDate: 1, actual: 1n }), row({})]
    expect(rowsOf(rows).map(({ actual }) => actual)).toEqual(['0', '10', '10'])
  })

  test.each<[string, Partial<ReportRow>, string | null]>([
    ['half way up', {}, '50 %'],
    ['beyond', { actual: 30_0000n }, '150 %'],
    ['below what is allowed', { direction: 'D' }, '200 %'],
    ['above what is allowed', { direction: 'D', actual: 40_0000n }, '50 %'],
    ['nothing where none is best', { direction: 'D', actual: 0n }, null],
    ['no target', { target: null }, null],
    ['a target of nothing', { target: 0n }, null],
    ['neither up nor down', { direction: 'N' }, null],
    ['half a percent, away from zero', { actual: 1000n }, '1 %'],
  ])('progress: %s', (_, fields, progress) => {
    expect(rowsOf([row(fields)])).toMatchObject([{ progress }])
  })
})

describe('the line of bars', () => {
  test.each<[(number | null)[], string]>([
    [[], ''],
    [[5], '▄'],
    [[5, 5, 5], '▄▄▄'],
    [[0, 1, 2, 3, 4, 5, 6, 7], '▁▂▃▄▅▆▇█'],
    [[-10, 0, 10], '▁▅█'],
    [[1, null, 2, null], '▁ █'],
    [[null, null], ''],
  ])('of %j is %j', (values, bars) => {
    expect(sparkline(values)).toBe(bars)
  })

  test('has at most 24, from the first value to the last', () => {
    const [{ trend } = {}] = rowsOf(days(...Array.from({ length: 1000 }, (_, at) => BigInt(at))))
    expect(trend).toMatch(/^▁{1,4}.*█{1,4}$/)
    expect(String(trend)).toHaveLength(24)
  })
})

describe('the table of the overview', () => {
  const course = days(...[5, 1, 2, 3, 2, 4, 6, 7, 9, 8, 11, 12, 14, 15, 19].map((value) => BigInt(value) * 10_000n))
  const rows = rowsOf([
    ...course,
    ...course.map((one) => ({
      ...one,
      kpiId: 2,
      kpiName: 'Turnover of the whole region in euros',
      itemId: 3,
      itemName: 'Marie-Louise',
      actual: 12345_0000n,
      target: 12000_0000n,
      labelFormat: '#,##0.00 €',
    })),
  ])

  test.each([
    [50, ['   kpi           item             actual  progress', '~  Sales         Ann                  19      95 %']],
    [
      80,
      [
        '   kpi                item        period           actual       target  progress',
        '~  Sales              Ann         1970-01-15           19           20      95 %',
      ],
    ],
    [120, ['state   kpi', '~ near  Sales']],
    [
      200,
      [
        'state   kpi                                    item          period           actual       target  progress  change  percent  trend',
        '~ near  Sales                                  Ann           1970-01-15           19           20      95 %      +4  +26.7 %  ▃▁▁▂▁▂▃▃▄▄▅▅▆▆█',
      ],
    ],
  ])('fits %i columns, and cuts no number', async (width, begin) => {
    const { text } = await overviewTable(rows, { width, color: false })
    const lines = text.trimEnd().split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
    for (const line of lines.slice(2)) expect(line).toContain('12,345.00 €')
    expect(lines.slice(0, 2).map((line, at) => line.slice(0, begin[at]?.length))).toEqual(begin)
  })

  test.each([
    [200, []],
    [115, []],
    [100, ['percent']],
    [80, ['change', 'percent', 'trend']],
    [70, ['period', 'change', 'percent', 'trend']],
  ])('keeps target and progress at %i columns longer than what tells the course', async (width, leftOut) => {
    const fitted = await overviewTable(rows, { width, color: false })
    expect(fitted.leftOut.toSorted()).toEqual(leftOut.toSorted())
    expect(fitted.text).toContain('target')
    expect((await overviewTable(rows, { width: fitted.needed, color: false })).leftOut).toEqual([])
  })

  test('keeps the newest end of a trend that does not fit', async () => {
    const { text } = await overviewTable(rows, { width: 115, color: false })
    const [, sales = ''] = text.split('\n')
    expect(sales).toMatch(/[▁▂▃▄▅▆▇]+█$/)
    expect('▃▁▁▂▁▂▃▃▄▄▅▅▆▆█'.endsWith(sales.slice(sales.lastIndexOf(' ') + 1))).toBe(true)
  })

  test('colours the state alone, and only where colour is wanted', async () => {
    const { text } = await overviewTable(rows, { width: 200, color: true })
    expect(text).toContain('\u001b[33m~ near\u001b[0m  Sales')
    expect(text).toContain('\u001b[32m✓ met\u001b[0m')
    expect((await overviewTable(rows, { width: 200, color: false })).text).not.toContain('\u001b')
  })
})

test('the overview is printed as Markdown, too, below its range', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const { stdout } = await user.kpi('report', '-o', 'markdown', '--kpis', 'Revenue')
  expect(stdout).toMatch(
    /^2026-10-22 to 2026-11-21: days .*\n\n\| state \| kpi \| .*\n\| --- .*\n\| ✗ missed \| Revenue \|/,
  )
})

test('a note says which columns of the overview a terminal has no room for, and where they are', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const at = (terminal: number) => user.kpiIn({ terminal }, 'report', '--kpis', 'Revenue', '--no-color')
  const { stdout, stderr } = await at(60)
  expect(stdout).toContain('target  progress')
  const needed = /^no room for change, percent, trend: a terminal of (\d+) columns shows all/m.exec(stderr)?.[1]
  const wide = await at(Number(needed))
  expect(wide.stdout).toMatch(/change +percent +trend/)
  expect(wide.stderr).not.toContain('no room')
})

test.each([
  ['2026-11-19', '2026-11-21', '2026-11-19 to 2026-11-21'],
  ['2026-11-18', '2026-11-21', '2026-11-18 to 2026-11-21: days 2026-11-19 to 2026-11-21'],
])('the overview of %s to %s says its days only where they differ', async (from, to, heading) => {
  await using user = await embeddedUser()
  await fillShop(user)
  const { stdout } = await user.kpi('report', '--kpis', 'Revenue', '--from', from, '--to', to)
  expect(stdout.split('\n', 1)).toEqual([heading])
})
