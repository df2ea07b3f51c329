import { expect, test } from 'vitest'
import { missingRows } from '../../../src/domain/analysis/missing.ts'
import { formatDay } from '../../../src/domain/day.ts'
import type { Decimal } from '../../../src/domain/decimal.ts'
import type { Frequency } from '../../../src/domain/period.ts'
import { frequencyNames } from '../../../src/domain/resources/catalog.ts'
import type { ReportRow } from '../../../src/domain/resources/report-row.ts'
import { factsOf } from '../../support/analysis.ts'
import { day } from '../../support/calendar.ts'
import { kpiRecord } from '../../support/store.ts'

const ANN = { id: 2, name: 'Ann', email: 'ann@example.com' }
const BOB = { id: 3, name: 'Bob', email: 'bob@example.com' }

/** A row of the KPI and Ann. */
const reported = (
  date: string,
  actual: Decimal | null,
  frequency: Frequency,
  target: Decimal | null = null,
): ReportRow => ({
  kpiId: 1,
  kpiName: 'Sales',
  kpiDescription: null,
  itemId: ANN.id,
  itemName: ANN.name,
  periodId: frequency,
  period: frequencyNames[frequency],
  labelFormat: '#',
  isPercentage: 0,
  hasTarget: 1,
  direction: 'U',
  directionName: 'Up',
  entryDate: day(date),
  actual,
  target,
  notes: null,
})

const missing = (
  frequency_id: Frequency,
  range: readonly [from: string, to: string],
  rows: readonly ReportRow[] = [],
  users: readonly (typeof ANN)[] = [ANN],
): string[] => {
  const kpi = kpiRecord({ id: 1, name: 'Sales', frequency_id })
  const expected = users.map((user) => ({ kpi, unit: undefined, user, targetIn: () => 5n }))
  return missingRows(rows, expected, factsOf([kpi], range)).map(
    ({ entryDate, itemName, target }) => `${formatDay(entryDate ?? NaN)} ${itemName} ${target}`,
  )
}

test.each<[Frequency, string, string, string[]]>([
  ['D', '2026-11-20', '2026-12-31', ['2026-11-20', '2026-11-21']],
  ['W', '2026-11-03', '2026-11-30', ['2026-11-09']],
  ['M', '2026-09-02', '2026-12-31', ['2026-10-01']],
  ['Q', '2026-07-01', '2026-12-31', ['2026-07-01']],
  ['Y', '2025-01-01', '2026-12-31', ['2025-01-01']],
])('of the frequency %s, what begins from %s to %s is missing if it ends by today', (frequency, from, to, wanted) => {
  expect(missing(frequency, [from, to])).toEqual(wanted.map((date) => `${date} Ann 5`))
})

test('a value of zero is there, and a row without a value is missing with its own target', () => {
  const rows = [reported('2026-11-19', 0n, 'D'), reported('2026-11-20', null, 'D', 7n)]
  expect(missing('D', ['2026-11-19', '2026-11-20'], rows)).toEqual(['2026-11-20 Ann 7'])
})

test('a week that the service begins on a Sunday is not missing where weeks are thought to begin on Mondays', () => {
  const rows = [reported('2026-11-08', 1n, 'W')]
  expect(missing('W', ['2026-11-02', '2026-11-14'], rows)).toEqual(['2026-11-09 Ann 5'])
})

test('what is missing is in the order of the report', () => {
  expect(missing('D', ['2026-11-19', '2026-11-20'], [], [BOB, ANN])).toEqual([
    '2026-11-19 Ann 5',
    '2026-11-19 Bob 5',
    '2026-11-20 Ann 5',
    '2026-11-20 Bob 5',
  ])
})
