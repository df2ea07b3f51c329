import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  byPerson,
  latestValues,
  missingPeriods,
  missingPersonRecord,
} from '../../../src/domain/analysis/missing-people.ts'
import { toAnswerRow } from '../../../src/domain/analysis/answer-row.ts'
import { CIVIL_CALENDAR, type Frequency, nextPeriod, periodName, periodStart } from '../../../src/domain/period.ts'
import { frequencyNames } from '../../../src/domain/resources/catalog.ts'
import { pageRow } from '../../support/page-rows.ts'

const ANN = { id: 2, name: 'Ann', email: 'ann@example.com' }
const FREQUENCIES = ['D', 'W', 'M', 'Q', 'Y'] as const
const FIRST = 20_000

/** The first days of so many periods, from one on. */
const periodsFrom = (frequency: Frequency, count: number): number[] => {
  const starts = [periodStart(frequency, FIRST, CIVIL_CALENDAR)]
  while (starts.length < count) starts.push(nextPeriod(frequency, starts.at(-1) ?? 0))
  return starts
}

const rowsOf = (frequency: Frequency, starts: readonly number[]) =>
  starts.map((entryDate) =>
    toAnswerRow(
      pageRow({
        kpiId: 1,
        kpiName: 'Sales',
        itemId: ANN.id,
        periodId: frequency,
        period: frequencyNames[frequency],
        entryDate,
        actual: null,
      }),
    ),
  )

test('the periods of a message are those that are missing, each once, in as few runs as there are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FREQUENCIES),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }),
      (frequency, gaps) => {
        const all = periodsFrom(frequency, gaps.length)
        const missing = all.filter((_, at) => gaps[at])
        fc.pre(missing.length > 0)
        const [found, ...others] = missingPeriods(
          { user: ANN, rows: rowsOf(frequency, missing.toReversed()) },
          CIVIL_CALENDAR,
        )
        const names = all.map((start) => periodName(frequency, start, CIVIL_CALENDAR))
        const shown = (found?.periods ?? []).flatMap((text) => {
          const [first = '', last = first] = text.replace(/^weeks? of /, '').split(' to ')
          return names.slice(names.indexOf(first), names.indexOf(last) + 1)
        })
        expect(others).toEqual([])
        expect(shown).toEqual(missing.map((start) => periodName(frequency, start, CIVIL_CALENDAR)))
        expect(found?.count).toBe(missing.length)
        expect(found?.periods).toHaveLength(gaps.filter((gap, at) => gap && !gaps[at - 1]).length)
      },
    ),
  )
})

test('people come by how much they lack, then by name, and what formulas come to is nobody’s value', () => {
  const [bob, cy] = [
    { id: 3, name: 'Bob', email: 'bob@example.com' },
    { id: 4, name: 'Cy', email: 'cy@example.com' },
  ]
  const rows = [ANN, bob, bob, cy].flatMap(({ id }, at) =>
    rowsOf('D', [FIRST + at]).map((row) => ({ ...row, itemId: id })),
  )
  const kpi = { kpi: undefined as never, unit: undefined, targetIn: () => null }
  const people = byPerson(
    rows,
    [cy, bob, ANN].map((user) => ({ ...kpi, user })),
  )
  expect(people.map(({ user }) => user.name)).toEqual(['Bob', 'Ann', 'Cy'])
  const values = [
    pageRow({ kpiId: 1, kpiName: 'Sales', itemId: bob.id, entryDate: FIRST - 9, actual: 5n }),
    pageRow({ kpiId: 2, kpiName: 'Share', itemId: bob.id, entryDate: FIRST - 1, actual: 6n }),
    pageRow({ kpiId: 1, kpiName: 'Sales', itemId: bob.id, entryDate: FIRST - 2, actual: null }),
  ]
  const latest = latestValues(values, (id) => id === 2)
  expect(people.map((one) => missingPersonRecord(one, latest))).toMatchObject([
    { user: 'Bob', missing: 2, since: FIRST + 1, latest_date: FIRST - 9, latest_kpi: 'Sales', latest_actual: 5n },
    { user: 'Ann', missing: 1, since: FIRST, latest_date: null },
    { user: 'Cy', missing: 1, since: FIRST + 3, latest_date: null },
  ])
})
