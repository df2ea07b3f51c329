import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer } from '../../../src/domain/analysis/answer.ts'
import type { TimeFunction } from '../../../src/domain/analysis/functions.ts'
import type { Facts, Question } from '../../../src/domain/analysis/question.ts'
import { CIVIL_CALENDAR } from '../../../src/domain/period.ts'
import type { ReportRow } from '../../../src/domain/resources/report-row.ts'
import type { AnyRecord } from '../../../src/domain/schema.ts'
import { ask } from '../../support/analysis.ts'
import { day } from '../../support/calendar.ts'
import { kpiRecord } from '../../support/store.ts'

const STOCK = 1
const SALES = 2

const factsWith = (functions: readonly (readonly [number, TimeFunction])[]): Facts => ({
  kpis: new Map(
    [STOCK, SALES].map((id) => [
      id,
      kpiRecord({ id, name: `KPI ${id}`, aggregate_function: 'SUM', frequency_id: 'D' }),
    ]),
  ),
  functions: new Map(functions),
  categories: new Map([[1, 'General']]),
  units: new Map([[1, 'Number']]),
  calendar: CIVIL_CALENDAR,
  today: day('2026-12-31'),
  range: { from: day('2026-01-01'), to: day('2026-12-31') },
})

/** A value of an item on a day, with or without a target. */
const row = (
  kpiId: number,
  itemId: number,
  on: string,
  actual: number | null,
  target: number | null = null,
): ReportRow => ({
  kpiId,
  kpiName: `KPI ${kpiId}`,
  kpiDescription: null,
  itemId,
  itemName: `Shop ${itemId}`,
  periodId: 'D',
  period: 'Daily',
  labelFormat: '#',
  isPercentage: 0,
  hasTarget: 1,
  direction: 'U',
  directionName: 'Up',
  entryDate: day(on),
  actual: actual === null ? null : BigInt(actual) * 10_000n,
  target: target === null ? null : BigInt(target) * 10_000n,
  notes: null,
})

/** Shop 1 counts on three days, shop 2 on the first two; what one has in February the other has, too. */
const ROWS = [
  row(STOCK, 1, '2026-01-01', 10, 12),
  row(STOCK, 2, '2026-01-01', 5, 6),
  row(STOCK, 1, '2026-01-02', 40, 42),
  row(STOCK, 2, '2026-01-02', 1, 2),
  row(STOCK, 1, '2026-01-03', 20, 22),
  row(STOCK, 1, '2026-02-01', 7, 8),
  row(STOCK, 2, '2026-02-01', 3, 4),
  row(SALES, 1, '2026-01-01', 1),
  row(SALES, 1, '2026-01-02', 2),
]

const shown = (records: readonly AnyRecord[], ...names: string[]): string[] =>
  records.map((record) =>
    names
      .map((name) => {
        const value = record[name] ?? null
        return typeof value === 'bigint' ? String(Number(value) / 10_000) : String(value)
      })
      .join(' '),
  )

const answerTo = (question: Partial<Question>, how: TimeFunction): readonly AnyRecord[] =>
  answer(
    ROWS.filter(({ kpiId }) => kpiId === STOCK),
    ask({ hasFunctions: true, ...question }),
    factsWith([[STOCK, how]]),
  ).records

describe('the values of several periods', () => {
  test.each<[what: string, question: Partial<Question>, how: TimeFunction, rows: string[]]>([
    ['of an item by month are its last one', { by: 'M' }, 'last', ['1 20 22', '2 1 2', '1 7 8', '2 3 4']],
    ['of an item by month are its least', { by: 'M' }, 'min', ['1 10 12', '2 1 2', '1 7 8', '2 3 4']],
    ['of an item by month are its greatest', { by: 'M' }, 'max', ['1 40 42', '2 5 6', '1 7 8', '2 3 4']],
    ['of all items by month are the last of each', { by: 'M', total: true }, 'last', ['null 21 24', 'null 10 12']],
    ['of all items by month are the least of all', { by: 'M', total: true }, 'min', ['null 15 18', 'null 10 12']],
    ['of all items by month are the greatest of all', { by: 'M', total: true }, 'max', ['null 41 44', 'null 10 12']],
    ['of all items by month are their average', { by: 'M', total: true }, 'avg', ['null 25.3333 28', 'null 10 12']],
    ['of an item are its last one', { groupBy: 'item' }, 'last', ['1 7 8', '2 3 4']],
    ['of an item are its greatest', { groupBy: 'item' }, 'max', ['1 40 42', '2 5 6']],
    ['of a KPI are the last of each item', { groupBy: 'kpi' }, 'last', ['null 10 12']],
    ['of a KPI are the greatest of all items', { groupBy: 'kpi' }, 'max', ['null 41 44']],
    ['of a category are the last of each item', { groupBy: 'category' }, 'last', ['null 10 12']],
    [
      'of a day stay as they are',
      { groupBy: 'period', by: undefined },
      'last',
      ['null 15 18', 'null 41 44', 'null 20 22', 'null 10 12'],
    ],
  ])('%s', (_, question, how, rows) => {
    expect(shown(answerTo(question, how), 'itemId', 'actual', 'target')).toEqual(rows)
  })

  test('count all that they are made of, from the first to the last', () => {
    const [first] = answerTo({ groupBy: 'kpi' }, 'last')
    expect([first?.['values'], first?.['first_date'], first?.['last_date']]).toEqual([
      7,
      day('2026-01-01'),
      day('2026-02-01'),
    ])
  })

  test('of a period without values are none, and its target is the last one', () => {
    const rows = [row(STOCK, 1, '2026-01-01', null, 3), row(STOCK, 1, '2026-01-02', null, 4)]
    const { records } = answer(rows, ask({ by: 'M' }), factsWith([[STOCK, 'last']]))
    expect(shown(records, 'actual', 'target')).toEqual(['null 4'])
  })

  test('of KPIs with other functions stand beside these, in the order of the report', () => {
    const { records } = answer(ROWS, ask({ groupBy: 'kpi', hasFunctions: true }), factsWith([[STOCK, 'last']]))
    expect(shown(records, 'kpiId', 'actual', 'function')).toEqual(['1 10 last', '2 3 sum'])
    const { records: months } = answer(
      ROWS,
      ask({ by: 'M', total: true, hasFunctions: true }),
      factsWith([[STOCK, 'last']]),
    )
    expect(shown(months, 'kpiId', 'actual', 'function')).toEqual(['1 21 last', '2 3 sum', '1 10 last'])
    const { records: kinds } = answer(
      ROWS,
      ask({ groupBy: 'category', hasFunctions: true }),
      factsWith([[STOCK, 'last']]),
    )
    expect(shown(kinds, 'category', 'actual', 'function')).toEqual(['General 10 last', 'General 3 sum'])
  })

  test('are compared with those of the same function', () => {
    const records = answerTo({ by: 'M', total: true, compare: 'previous' }, 'last')
    expect(shown(records, 'actual', 'previous_actual', 'difference')).toEqual(['21 null null', '10 21 -11'])
  })

  test('are no forecast of more where they are not added up', () => {
    const facts = { ...factsWith([[STOCK, 'last']]), today: day('2026-02-01') }
    const { records } = answer(ROWS.slice(0, 7), ask({ by: 'M', total: true, pace: true }), facts)
    expect(shown(records, 'actual', 'forecast')).toEqual(['21 null', '10 10'])
  })
})

test('a KPI put together by its own function is what it is without one', () => {
  const value = fc.record({ kpi: fc.constantFrom(STOCK, SALES), item: fc.nat(2), day: fc.nat(40), actual: fc.nat(99) })
  const asked = fc.constantFrom<Partial<Question>>(
    { by: 'M' },
    { by: 'W', total: true },
    { groupBy: 'kpi' },
    { groupBy: 'item', by: 'M' },
    { groupBy: 'category' },
  )
  fc.assert(
    fc.property(
      fc.uniqueArray(value, { selector: ({ kpi, item, day: on }) => `${kpi} ${item} ${on}` }),
      asked,
      (all, question) => {
        const rows = all
          .toSorted((one, other) => one.day - other.day || one.kpi - other.kpi || one.item - other.item)
          .map(({ kpi, item, day: on, actual }) => ({
            ...row(kpi, item, '2026-01-01', actual),
            entryDate: day('2026-01-01') + on,
          }))
        const plain = answer(rows, ask(question), factsWith([])).records
        const said = answer(rows, ask(question), factsWith([[STOCK, 'sum']])).records
        expect(said.toSorted(byText)).toEqual(plain.toSorted(byText))
      },
    ),
    { numRuns: 100 },
  )
})

const textOf = ({ kpiId, itemId, entryDate, actual }: AnyRecord): string => `${entryDate} ${kpiId} ${itemId} ${actual}`
const byText = (one: AnyRecord, other: AnyRecord): number => (textOf(one) < textOf(other) ? -1 : 1)

test('rolling sums and averages are over their own numbers of periods', () => {
  const rows = [1, 2, 3, 4].map((actual) => row(SALES, 1, `2026-01-0${actual}`, actual))
  const { records } = answer(rows, ask({ rolling: 2, rollingSum: 3 }), factsWith([]))
  expect(shown(records, 'rolling_average', 'rolling_sum')).toEqual(['1 1', '1.5 3', '2.5 6', '3.5 9'])
})
