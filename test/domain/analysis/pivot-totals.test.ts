import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer } from '../../../src/domain/analysis/answer.ts'
import { FUNCTIONS, type TimeFunction } from '../../../src/domain/analysis/functions.ts'
import type { Question } from '../../../src/domain/analysis/question.ts'
import { IS_TOTAL } from '../../../src/domain/analysis/report-table.ts'
import { formatDecimal } from '../../../src/domain/decimal.ts'
import { periodName } from '../../../src/domain/period.ts'
import type { Kpi } from '../../../src/domain/resources/kpi.ts'
import type { ReportRow } from '../../../src/domain/resources/report-row.ts'
import type { AnyRecord, FieldValue } from '../../../src/domain/schema.ts'
import { ask, factsOf } from '../../support/analysis.ts'
import { day } from '../../support/calendar.ts'
import { pageRow } from '../../support/page-rows.ts'
import { kpiRecord } from '../../support/store.ts'

const [SALES, COSTS, RATE, SHOP_SALES] = [1, 2, 3, 4]
const [EUROS, PERCENT] = [1, 2]

const NAMES = new Map([
  [SALES, 'Sales'],
  [COSTS, 'Costs'],
  [RATE, 'Rate'],
  [SHOP_SALES, 'Shop'],
])

const kpi = (id: number, fields: Partial<Kpi>): Kpi =>
  kpiRecord({ id, name: NAMES.get(id) ?? '', aggregate_function: 'SUM', frequency_id: 'D', unit_id: EUROS, ...fields })

const KPIS = [
  kpi(SALES, {}),
  kpi(COSTS, { value_direction: 'D' }),
  kpi(RATE, { aggregate_function: 'AVG', unit_id: PERCENT }),
  kpi(SHOP_SALES, {}),
]

const FACTS = {
  ...factsOf(KPIS, ['2026-10-01', '2026-11-30']),
  units: new Map([
    [EUROS, 'Euros'],
    [PERCENT, 'Percent'],
  ]),
}

/** A daily value of a KPI and person. */
const row = (kpiId: number, itemId: number, date: string, actual: bigint | null): ReportRow =>
  pageRow({
    kpiId,
    kpiName: NAMES.get(kpiId) ?? '',
    itemId,
    itemName: `P${itemId}`,
    periodId: 'D',
    entryDate: day(date),
    labelFormat: kpiId === RATE ? '#.0%' : '€ #.00',
    actual,
    target: null,
  })

const ROWS = [
  row(SALES, 1, '2026-10-01', 10_0000n),
  row(SALES, 1, '2026-10-02', 5_5000n),
  row(RATE, 1, '2026-10-01', 10_0000n),
  row(RATE, 1, '2026-10-02', 20_0000n),
  row(RATE, 2, '2026-10-02', 40_0000n),
  row(COSTS, 1, '2026-10-02', 1_0000n),
  row(SALES, 2, '2026-11-01', 7_0000n),
  row(RATE, 1, '2026-11-01', 25_0000n),
]

const ofKpis = (...ids: number[]): ReportRow[] => ROWS.filter(({ kpiId }) => ids.includes(kpiId))

const text = (record: AnyRecord, name: string): string => {
  const value = record[name] ?? null
  return typeof value === 'bigint' ? formatDecimal(value) : String(value ?? '-')
}

const pivoted = (rows: readonly ReportRow[], question: Partial<Question>) =>
  answer(rows, ask({ by: 'M', totals: true, ...question }), FACTS)

const lines = (rows: readonly ReportRow[], question: Partial<Question>): string[] => {
  const { columns, records } = pivoted(rows, question)
  const names = columns.map(({ name }) => name).filter((name) => !/Id$|^entryDate$/.test(name))
  return [names.join(' '), ...records.map((record) => names.map((name) => text(record, name)).join(' '))]
}

describe('the totals of a pivot', () => {
  test.each<[what: string, rows: ReportRow[], question: Partial<Question>, shown: string[]]>([
    [
      'are sums of sums, and averages of averages; those of a single row stand in no row of their own',
      ofKpis(SALES, RATE, COSTS),
      { pivot: 'period' },
      [
        'kpiName itemName 2026-10 2026-11 total',
        'Sales P1 15.5 - 15.5',
        'Costs P1 1 - 1',
        'Rate P1 15 25 20',
        'Rate P2 40 - 40',
        'Sales P2 - 7 7',
        'Sales Total 15.5 7 22.5',
        'Rate Total 27.5 25 26.6667',
      ],
    ],
    [
      'are not of KPIs with several units, functions or directions',
      ofKpis(SALES, RATE),
      { pivot: 'kpi' },
      ['itemName Sales Rate', 'P1 15.5 15', 'P2 - 40', 'P2 7 -', 'P1 - 25', 'Total 22.5 26.6667'],
    ],
    [
      'are not of what is good with what is bad',
      ofKpis(SALES, COSTS),
      { pivot: 'kpi', total: true },
      ['Sales Costs', '15.5 1', '7 -', '22.5 1'],
    ],
    [
      'are of several KPIs that are sums in one unit',
      [...ofKpis(SALES), row(SHOP_SALES, 1, '2026-11-03', 2_0000n)],
      { pivot: 'period' },
      [
        'kpiName itemName 2026-10 2026-11 total',
        'Sales P1 15.5 - 15.5',
        'Sales P2 - 7 7',
        'Shop P1 - 2 2',
        'Sales Total 15.5 7 22.5',
        'Total Total 15.5 9 24.5',
      ],
    ],
    [
      'stand with their units: beside the name of a KPI, or in a column',
      ofKpis(SALES, RATE),
      { pivot: 'kpi', units: true, total: true, by: 'Y' },
      ['Sales (Euros) Rate (Percent)', '22.5 29.1667'],
    ],
    [
      'of items are below each KPI',
      ofKpis(SALES, RATE),
      { pivot: 'item', units: true },
      [
        'kpiName unit P1 P2 total',
        'Sales Euros 15.5 - 15.5',
        'Rate Percent 15 40 27.5',
        'Sales Euros - 7 7',
        'Rate Percent 25 - 25',
        'Sales Euros 15.5 7 22.5',
        'Rate Percent 20 40 26.6667',
      ],
    ],
  ])('%s', (_, rows, question, shown) => {
    expect(lines(rows, question)).toEqual(shown)
  })

  test('of values that are chosen are of these alone', () => {
    expect(lines(ofKpis(SALES), { pivot: 'period', sort: { field: 'actual', isDescending: true }, top: 1 })).toEqual([
      'kpiName itemName 2026-10 total',
      'Sales P1 15.5 15.5',
    ])
  })

  test('are what --group-by says, whatever the values and the functions over time are', () => {
    const values = fc.array(
      fc.record({
        kpiId: fc.constantFrom(SALES, RATE),
        itemId: fc.constantFrom(1, 2, 3),
        date: fc.constantFrom('2026-10-01', '2026-10-02', '2026-11-01', '2026-11-02'),
        actual: fc.option(fc.bigInt(-9_9999n, 9_9999n)),
      }),
      { minLength: 1, maxLength: 30 },
    )
    const functions = fc
      .tuple(fc.option(fc.constantFrom(...FUNCTIONS)), fc.option(fc.constantFrom(...FUNCTIONS)))
      .map(([ofSales, ofRate]) => ({
        ...FACTS,
        functions: new Map(
          [[SALES, ofSales] as const, [RATE, ofRate] as const].flatMap(([id, how]) =>
            how ? [[id, how] as const] : [],
          ),
        ),
      }))
    fc.assert(
      fc.property(values, functions, fc.constantFrom(undefined, 'M' as const), (drawn, facts, by) => {
        const rows = [...new Map(drawn.map((one) => [`${one.kpiId} ${one.itemId} ${one.date}`, one])).values()].map(
          ({ kpiId, itemId, date, actual }) => row(kpiId, itemId, date, actual),
        )
        const grouped = (groupBy: Question['groupBy']) => answer(rows, ask({ by, groupBy }), facts).records
        const [byItem, byKpi, byPeriod] = [grouped('item'), grouped('kpi'), grouped('period')]
        const ofKpi = (all: readonly AnyRecord[], kpiId: FieldValue | undefined): AnyRecord[] =>
          all.filter((one) => one['kpiId'] === kpiId)
        const pivot = (dimension: 'period' | 'item' | 'kpi') =>
          answer(rows, ask({ by, pivot: dimension, totals: true }), facts).records

        for (const record of pivot('period')) {
          const expected = ofKpi(record['itemId'] === null ? byKpi : byItem, record['kpiId'])
          const same = expected.find(({ itemId }) => itemId === record['itemId'])
          expect(record['total']).toBe(same?.['actual'])
          if (record['itemId'] !== null) continue
          for (const { entryDate, actual } of ofKpi(byPeriod, record['kpiId'])) {
            const name = periodName(by ?? 'D', Number(entryDate), FACTS.calendar)
            expect(record[name] ?? null).toBe(actual)
          }
        }
        for (const record of pivot('item')) {
          const expected = ofKpi(record['entryDate'] === null ? byKpi : byPeriod, record['kpiId'])
          const same = expected.find((one) => record['entryDate'] === null || one['entryDate'] === record['entryDate'])
          expect(record['total']).toBe(same?.['actual'])
        }
        const below = pivot('kpi').find((one) => one[IS_TOTAL])
        for (const { kpiName, actual } of below ? byKpi : []) expect(below?.[String(kpiName)] ?? null).toBe(actual)
      }),
      { numRuns: 200 },
    )
  })

  test('are of several KPIs only where these have one function over time', () => {
    const rows = [...ofKpis(SALES), row(SHOP_SALES, 1, '2026-11-03', 2_0000n)]
    const asked = ask({ by: 'M', pivot: 'kpi', totals: true })
    const pivotWith = (functions: ReadonlyMap<number, TimeFunction>) => answer(rows, asked, { ...FACTS, functions })
    const { columns, records } = pivotWith(new Map([[SALES, 'last']]))
    expect(columns.map(({ name }) => name)).not.toContain('total')
    expect(text(records.at(-1) ?? {}, 'total')).toBe('-')
    // The last of each item, and of each KPI.
    const stocks = pivotWith(
      new Map([
        [SALES, 'last'],
        [SHOP_SALES, 'last'],
      ]),
    )
    expect(text(stocks.records.at(-1) ?? {}, 'total')).toBe('14.5')
  })
})
