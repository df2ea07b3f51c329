import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer } from '../../../src/domain/analysis/answer.ts'
import { earlierDays } from '../../../src/domain/analysis/earlier.ts'
import type { Facts, Question } from '../../../src/domain/analysis/question.ts'
import { formatDay } from '../../../src/domain/day.ts'
import { CIVIL_CALENDAR } from '../../../src/domain/period.ts'
import type { Kpi } from '../../../src/domain/resources/kpi.ts'
import type { ReportRow } from '../../../src/domain/resources/report-row.ts'
import type { AnyRecord } from '../../../src/domain/schema.ts'
import { ask } from '../../support/analysis.ts'
import { day } from '../../support/calendar.ts'
import { kpiRecord } from '../../support/store.ts'

const VISITS = 1
const RATE = 2

const kpis = new Map<number, Kpi>([
  [VISITS, kpiRecord({ id: VISITS, name: 'Visits', aggregate_function: 'SUM', frequency_id: 'D' })],
  [RATE, kpiRecord({ id: RATE, name: 'Rate', aggregate_function: 'AVG', frequency_id: 'D', value_direction: 'D' })],
])

const facts = (from: string, to: string, today = to): Facts => ({
  kpis,
  categories: new Map([[1, 'General']]),
  units: new Map([[1, 'Number']]),
  calendar: CIVIL_CALENDAR,
  today: day(today),
  range: { from: day(from), to: day(to) },
})

const row = (values: Partial<ReportRow> & Pick<ReportRow, 'entryDate' | 'actual'>): ReportRow => ({
  kpiId: VISITS,
  kpiName: values.kpiId === RATE ? 'Rate' : 'Visits',
  kpiDescription: null,
  itemId: 1,
  itemName: `Shop ${values.itemId ?? 1}`,
  periodId: 'D',
  period: 'Daily',
  labelFormat: '#',
  isPercentage: 0,
  hasTarget: 1,
  direction: 'U',
  directionName: 'Up',
  target: null,
  notes: null,
  ...values,
})

/** Some fields of the answer's rows, as texts. */
const shown = (records: readonly AnyRecord[], names: readonly string[]): string[] =>
  records.map((record) =>
    names
      .map((name) => {
        const value = record[name] ?? null
        if (name.endsWith('ate') && typeof value === 'number') return formatDay(value)
        return typeof value === 'bigint' ? String(Number(value) / 10_000) : String(value)
      })
      .join(' '),
  )

const units = (value: number): bigint => BigInt(value) * 10_000n

const year = Array.from({ length: 365 }, (_, at) => row({ entryDate: day('2025-01-01') + at, actual: units(at % 7) }))

describe('an answer', () => {
  test('has a row for each period asked for, over the days in the range only', () => {
    const { records } = answer(year, ask({ by: 'Q' }), facts('2025-02-15', '2025-04-02'))
    expect(shown(records, ['entryDate', 'periodId', 'actual'])).toEqual(['2025-01-01 Q 138', '2025-04-01 Q 6'])
  })

  test('leaves rows of longer periods than asked for as they are', () => {
    const rows = [row({ entryDate: day('2025-01-01'), actual: units(9), periodId: 'Y' })]
    const { records } = answer(rows, ask({ by: 'M' }), facts('2025-01-01', '2025-12-31'))
    expect(shown(records, ['entryDate', 'periodId', 'actual'])).toEqual(['2025-01-01 Y 9'])
  })

  test('rounds an average of averages once', () => {
    const rate = (at: number, actual: number, itemId: number): ReportRow =>
      row({ entryDate: day('2025-01-01') + at, actual: units(actual), kpiId: RATE, itemId, direction: 'D' })
    const rows = [rate(0, 1, 1), rate(1, 1, 1), rate(2, 0, 1), rate(0, 0, 2)]
    const { records } = answer(rows, ask({ by: 'M', total: true }), facts('2025-01-01', '2025-01-31'))
    // Two thirds and nothing: 0.6667 and 0 would make 0.3334.
    expect(shown(records, ['actual'])).toEqual(['0.3333'])
  })

  test.each([
    [[10, 20], '30'],
    [[10, null], 'null'],
  ] as const)('has a target where each value has one: of %j it is %s', (targets, target) => {
    const rows = targets.map((one, at) =>
      row({ entryDate: day('2025-01-01'), actual: units(5), target: one === null ? null : units(one), itemId: at + 1 }),
    )
    const { records } = answer(rows, ask({ groupBy: 'kpi' }), facts('2025-01-01', '2025-01-31'))
    expect(shown(records, ['target'])).toEqual([target])
  })

  test('counts days with values that lie ahead as over in a forecast', () => {
    const rows = year.slice(0, 31).map((one) => ({ ...one, actual: units(10) }))
    const { records } = answer(rows, ask({ by: 'M', pace: true }), facts('2025-01-01', '2025-01-31', '2025-01-24'))
    expect(shown(records, ['actual', 'forecast'])).toEqual(['310 310'])
  })

  test('puts KPIs of a category together by unit, function and direction', () => {
    const rows = [
      row({ entryDate: day('2025-01-01'), actual: units(3) }),
      row({ entryDate: day('2025-01-02'), actual: units(4), itemId: 2 }),
      row({ entryDate: day('2025-01-01'), actual: units(5), kpiId: RATE, direction: 'D' }),
    ]
    const { records } = answer(rows, ask({ groupBy: 'category' }), facts('2025-01-01', '2025-01-31'))
    expect(shown(records, ['category', 'actual', 'values', 'first_date', 'last_date'])).toEqual([
      'General 7 2 2025-01-01 2025-01-02',
      'General 5 1 2025-01-01 2025-01-01',
    ])
  })

  test.each([
    ['previous', '2025-02-01', '2025-02-28', 84],
    ['year', '2024-03-01', '2024-03-31', 93],
  ] as const)('compares a month with the %s one', (compare, from, to, before) => {
    const earlier = Array.from({ length: day(to) - day(from) + 1 }, (_, at) =>
      row({ entryDate: day(from) + at, actual: units(3) }),
    )
    const rows = [...earlier, row({ entryDate: day('2025-03-05'), actual: units(1) })]
    const { records } = answer(rows, ask({ by: 'M', compare }), facts('2025-03-01', '2025-03-31'))
    expect(shown(records, ['previous_actual'])).toEqual([String(before)])
  })

  /** A value of 1 a day from 2023 to the 10th of November 2026, so that each sum is a count of days. */
  const ones = Array.from({ length: day('2026-11-10') - day('2023-01-01') + 1 }, (_, at) =>
    row({ entryDate: day('2023-01-01') + at, actual: units(1) }),
  )

  test.each<[string, Partial<Question>, [string, string], string, string[]]>([
    [
      'half a year with half a year',
      { by: 'Y', compare: 'year' },
      ['2026-01-01', '2026-06-30'],
      '2026-11-21',
      ['181 181'],
    ],
    ['months that are leap', { by: 'Y', compare: 'year' }, ['2025-01-01', '2025-02-28'], '2026-11-21', ['59 60']],
    ['half a year before', { by: 'Y', compare: 'previous' }, ['2026-01-01', '2026-06-30'], '2026-11-21', ['181 181']],
    [
      'both ends',
      { by: 'M', compare: 'previous' },
      ['2026-01-20', '2026-03-10'],
      '2026-11-21',
      ['12 12', '28 31', '10 10'],
    ],
    ['one month', { by: 'M', compare: 'year' }, ['2026-03-05', '2026-03-20'], '2026-11-21', ['16 16']],
    ['quarters', { by: 'Q', compare: 'previous' }, ['2026-01-01', '2026-05-15'], '2026-11-21', ['90 92', '45 46']],
    ['weeks', { by: 'W', compare: 'previous' }, ['2026-03-04', '2026-03-10'], '2026-11-21', ['5 5', '2 2']],
    [
      'weeks of the year before',
      { by: 'W', compare: 'year' },
      ['2026-03-02', '2026-03-10'],
      '2026-11-21',
      ['7 7', '2 2'],
    ],
    [
      'a month under way',
      { by: 'M', compare: 'previous' },
      ['2026-10-01', '2026-11-30'],
      '2026-11-10',
      ['31 30', '10 10'],
    ],
    ['a month up to today', { by: 'M', compare: 'previous' }, ['2026-11-01', '2026-11-10'], '2026-11-10', ['10 10']],
    ['a year under way', { by: 'Y', compare: 'year' }, ['2026-01-01', '2026-12-31'], '2026-11-10', ['314 314']],
    ['a whole range', { groupBy: 'kpi', compare: 'year' }, ['2026-01-15', '2026-06-30'], '2026-11-21', ['167 167']],
    ['a range under way', { groupBy: 'kpi', compare: 'year' }, ['2026-01-01', '2026-12-31'], '2026-11-10', ['314 314']],
    [
      'by period',
      { groupBy: 'period', by: 'Y', compare: 'year' },
      ['2026-01-01', '2026-06-30'],
      '2026-11-21',
      ['181 181'],
    ],
  ])('compares like with like: %s', (_, question, range, today, wanted) => {
    const asked = ask(question)
    const known = facts(...range, today)
    const lasts = earlierDays(asked, known)
    const read = ones.filter(
      ({ entryDate }) =>
        (entryDate >= known.range.from && entryDate <= known.range.to) ||
        lasts.some(({ from, to }) => entryDate >= from && entryDate <= to),
    )
    expect(shown(answer(read, asked, known).records, ['actual', 'previous_actual'])).toEqual(wanted)
  })

  test('compares the 29th of February with the 28th of the year before', () => {
    const rows = [
      row({ entryDate: day('2023-02-28'), actual: units(4) }),
      row({ entryDate: day('2024-02-29'), actual: units(3) }),
    ]
    const { records } = answer(rows, ask({ compare: 'year' }), facts('2024-02-29', '2024-02-29'))
    expect(shown(records, ['difference', 'difference_percent'])).toEqual(['-1 -25'])
  })

  test('averages the periods that have values, and no others', () => {
    const rows = [1, 2, 6].map((at) => row({ entryDate: day('2025-01-01') + at, actual: units(at) }))
    const { records } = answer(rows, ask({ rolling: 5 }), facts('2025-01-06', '2025-01-10'))
    expect(shown(records, ['entryDate', 'rolling_average'])).toEqual(['2025-01-07 4'])
  })

  test.each([
    ['U', ['9', '8']],
    ['D', ['1', '2']],
  ] as const)('has the best rows first, where %s is better', (direction, best) => {
    const rows = [8, 1, 9, 2].map((value, at) =>
      row({ entryDate: day('2025-01-01') + at, actual: units(value), direction }),
    )
    const { records } = answer(rows, ask({ top: 2 }), facts('2025-01-01', '2025-01-31'))
    expect(shown(records, ['actual'])).toEqual(best)
  })

  test('has rows without a value last, in either order', () => {
    const rows = [null, 1n, 2n].map((actual, at) => row({ entryDate: day('2025-01-01') + at, actual }))
    for (const isDescending of [true, false]) {
      const sort = { field: 'actual', isDescending }
      const { records } = answer(rows, ask({ sort }), facts('2025-01-01', '2025-01-31'))
      expect(records.at(-1)?.['actual']).toBeNull()
    }
  })

  test('forecasts from the days with values of a period under way, and no other', () => {
    const rows = year.filter(({ entryDate }) => entryDate <= day('2025-02-10'))
    const { records } = answer(rows, ask({ by: 'M', pace: true }), facts('2025-01-01', '2025-02-12'))
    expect(shown(records, ['entryDate', 'actual', 'forecast'])).toEqual(['2025-01-01 87 null', '2025-02-01 33 92.4'])
  })

  test('shares go by unit and period, also where units look alike or periods begin on one day', () => {
    const of = facts('2026-10-01', '2026-10-31')
    const more = new Map<number, Kpi>([
      ...kpis,
      [8, kpiRecord({ id: 8, unit_id: 2 })],
      [9, kpiRecord({ id: 9, frequency_id: 'M' })],
    ])
    const rows = [
      row({ entryDate: day('2026-10-01'), actual: 10n }),
      row({ entryDate: day('2026-10-01'), actual: 30n, kpiId: 8 }),
      row({ entryDate: day('2026-10-01'), actual: 50n, kpiId: 9, periodId: 'M' }),
    ]
    const { records } = answer(rows, ask({ total: true, share: true }), { ...of, kpis: more })
    expect(records.map(({ share_percent }) => share_percent)).toEqual([100_0000n, 100_0000n, 100_0000n])
  })

  test('marks periods of one name by their frequency', () => {
    const rows = [
      row({ entryDate: day('2026-10-05'), actual: 1n }),
      row({ entryDate: day('2026-10-05'), actual: 2n, kpiId: 9, periodId: 'W' }),
    ]
    const { columns } = answer(rows, ask({ pivot: 'period' }), facts('2026-10-01', '2026-10-31'))
    expect(columns.map(({ name }) => name).slice(-2)).toEqual(['2026-10-05 (D)', '2026-10-05 (W)'])
  })

  test('names columns of equal items, and of items that are called as a field is, by their ids too', () => {
    const rows = ['Shop', 'Shop', 'actual', '__proto__'].map((itemName, at) =>
      row({ entryDate: day('2025-01-01'), actual: units(at + 1), itemId: at + 1, itemName }),
    )
    const { columns, records } = answer(rows, ask({ pivot: 'item' }), facts('2025-01-01', '2025-01-31'))
    const names = columns.map(({ name }) => name).slice(-4)
    expect(names).toEqual(['Shop (1)', 'Shop (2)', 'actual (3)', '__proto__ (4)'])
    expect(shown(records, names)).toEqual(['1 2 3 4'])
  })
})

const anyRows = fc
  .uniqueArray(
    fc.record({
      entryDate: fc.integer({ min: day('2024-01-01'), max: day('2025-12-31') }),
      itemId: fc.integer({ min: 1, max: 4 }),
      kpiId: fc.constantFrom(VISITS, RATE),
      actual: fc.option(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })),
    }),
    { selector: ({ entryDate, itemId, kpiId }) => `${entryDate} ${itemId} ${kpiId}`, minLength: 1, maxLength: 60 },
  )
  .map((list) => list.map(row))

const sumOf = (records: readonly AnyRecord[], kpiId: number): bigint =>
  records
    .filter((record) => record['kpiId'] === kpiId)
    .reduce((sum, { actual }) => sum + (typeof actual === 'bigint' ? actual : 0n), 0n)

const ALL = facts('2024-01-01', '2025-12-31')

describe('for any rows', () => {
  test.each([
    ['weeks', ask({ by: 'W' })],
    ['quarters', ask({ by: 'Q' })],
    ['totals', ask({ total: true })],
    ['groups of items', ask({ groupBy: 'item' })],
    ['years of each KPI', ask({ by: 'Y', groupBy: 'kpi' })],
  ])('%s of sums have the sum of the rows', (_, question) => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const range = { ...ALL, range: { from: ALL.range.from - 7, to: ALL.range.to } }
        expect(sumOf(answer(rows, question, range).records, VISITS)).toBe(sumOf(rows, VISITS))
      }),
    )
  })

  test('a pivot holds each value once', () => {
    fc.assert(
      fc.property(anyRows, fc.constantFrom('period', 'kpi', 'item'), (rows, pivot) => {
        const { columns, records } = answer(rows, ask({ pivot }), ALL)
        const cells = records.flatMap((record) =>
          columns.filter(({ field }) => field.kind === 'decimal').map(({ name }) => record[name] ?? null),
        )
        const values = (list: readonly unknown[]): string[] =>
          list
            .filter((value) => value !== null)
            .map(String)
            .toSorted()
        expect(values(cells)).toEqual(values(rows.map(({ actual }) => actual)))
      }),
    )
  })

  test('shares of positive values add up to a hundred percent, but for what is rounded', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const positive = rows.map((one) => ({ ...one, actual: (one.actual ?? 0n) ** 2n + 1n }))
        const { records } = answer(positive, ask({ share: true }), ALL)
        for (const group of Map.groupBy(
          records,
          ({ kpiId, entryDate }) => `${String(kpiId)} ${String(entryDate)}`,
        ).values()) {
          const sum = group.reduce((all, { share_percent }) => all + Number(share_percent), 0)
          expect(Math.abs(sum - 1_000_000)).toBeLessThanOrEqual(group.length)
        }
      }),
    )
  })
})
