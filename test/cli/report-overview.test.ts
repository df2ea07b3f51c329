import { describe, expect, test } from 'vitest'
import { overviewRows, sparkline } from '../../src/cli/commands/report/overview.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'

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

describe('the overview', () => {
  test('is of the latest period with a value, and of the change to it', () => {
    expect(overviewRows(days(1_0000n, 5_0000n, 3_5000n))).toEqual([
      {
        kpi: 'Sales',
        item: 'Ann',
        date: 2,
        actual: 3_5000n,
        target: 20_0000n,
        progress: '18 %',
        change: '-1.5',
        trend: '▁█▅',
      },
    ])
    expect(overviewRows(days(1n, 5n, null))).toMatchObject([{ date: 1, actual: 5n, change: '+0.0004', trend: '▁█' }])
    expect(overviewRows(days(null, null))).toMatchObject([
      { date: 0, actual: null, progress: null, change: null, trend: '' },
    ])
  })

  test('has a row for each KPI and item, as they first come', () => {
    const rows = [row({ kpiId: 2 }), row({ itemId: 3 }), row({ kpiId: 2, entryDate: 1, actual: 1n }), row({})]
    expect(overviewRows(rows).map(({ actual }) => actual)).toEqual([1n, 10_0000n, 10_0000n])
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
    expect(overviewRows([row(fields)])).toMatchObject([{ progress }])
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
    const [{ trend } = {}] = overviewRows(days(...Array.from({ length: 1000 }, (_, at) => BigInt(at))))
    expect(trend).toMatch(/^▁{1,4}.*█{1,4}$/)
    expect(String(trend)).toHaveLength(24)
  })
})
