import fc from 'fast-check'
import { type Day, formatDay } from '../../../src/domain/day.ts'
import { CIVIL_CALENDAR, type Frequency, nextPeriod, periodStart } from '../../../src/domain/period.ts'

/** A set of values, as a business has them before it writes them to a file. */
export type Meant = {
  readonly frequency: Frequency
  readonly days: readonly Day[]
  readonly owners: readonly string[]
  readonly kpis: readonly string[]
  /** The values by owner, KPI and day, in ten-thousandths; undefined where there is none. */
  readonly values: readonly (number | undefined)[]
}

const OWNERS = ['North', 'South', 'Zürich', 'Paris', 'Store 7', 'Łódź', 'São Paulo', 'Berlin Mitte', 'A&B', 'Nord-Ost']
/** Names of owners that look like numbers, like dates, or like words for no value. */
const ODD_OWNERS = [
  ['101', '102', '7', '2', '31', '205'],
  ['2019', '2024', '101', '2025'],
  ['May', 'March', 'Q1', 'Jan', 'April', 'June'],
  ['2026-01', '3/4', '1.5', '10-12', '4711', '1,5'],
  ['NA', 'DE', 'NO', 'None', 'ES'],
  ["O'Neill", 'Smith, Ann', '"Best" Shop', 'Total Ltd', 'All Saints', '+49', '007'],
]
const KPIS = ['Revenue', 'Visits', 'Umsatz', 'Complaints', 'Energy use', 'Coût', 'Fläche', 'Orders']
const ODD_KPIS = [
  'CO2',
  '5G users',
  'Q1',
  '2024',
  '24h',
  'May',
  'Plan 2026',
  '101',
  'Orders (open)',
  'Sales, net',
  'Total cost',
  'Rate %',
  'Umsatz in €',
]

const FIRST = 13_000
const LAST = 20_500

const valueOf = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -9_999_999, max: 99_999_999 }).map((one) => one * 100) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 999_999 }).map((one) => one * 10_000) },
  { weight: 2, arbitrary: fc.integer({ min: -99_999_999, max: 999_999_999 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 99_999 }).map((one) => one * 10) },
)

/** The days of consecutive periods. */
const daysFrom = (frequency: Frequency, start: Day, count: number): Day[] => {
  const days = [periodStart(frequency, start, CIVIL_CALENDAR)]
  while (days.length < count) days.push(nextPeriod(frequency, days.at(-1) ?? start))
  return days
}

const someOf = (names: readonly string[], most: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: most })

const anyOwners = fc.oneof(
  { weight: 12, arbitrary: someOf(OWNERS, 4) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_OWNERS).chain((names) => someOf(names, 4)) },
  { weight: 1, arbitrary: someOf([...OWNERS, ...ODD_OWNERS.flat()], 4) },
)

const anyKpis = fc.oneof(
  { weight: 7, arbitrary: someOf(KPIS, 3) },
  { weight: 1, arbitrary: someOf([...KPIS, ...ODD_KPIS], 3) },
)

/** Any set of values. */
export const anyMeant: fc.Arbitrary<Meant> = fc
  .record({
    frequency: fc.constantFrom<Frequency>('D', 'D', 'W', 'M', 'M', 'Q', 'Y'),
    start: fc.integer({ min: FIRST, max: LAST }),
    count: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 3, max: 7 }) },
      { weight: 1, arbitrary: fc.integer({ min: 12, max: 40 }) },
    ),
    owners: anyOwners,
    kpis: anyKpis,
  })
  .chain(({ frequency, start, count, owners, kpis }) => {
    const days = daysFrom(frequency, start, count)
    const size = days.length * owners.length * kpis.length
    const value = fc.option(valueOf, { nil: undefined, freq: 8 })
    return fc
      .array(value, { minLength: size, maxLength: size })
      .filter((values) => values.filter((one) => one !== undefined).length * 2 > size)
      .map((values) => ({ frequency, days, owners, kpis, values }))
  })

/** The value of an owner's KPI on a day, in ten-thousandths. */
export const valueAt = (
  { days, owners, kpis, values }: Meant,
  owner: string,
  kpi: string,
  day: Day,
): number | undefined =>
  values[(owners.indexOf(owner) * kpis.length + kpis.indexOf(kpi)) * days.length + days.indexOf(day)]

/** A value as the service writes it. */
const plain = (value: number): string => {
  const sign = value < 0 ? '-' : ''
  const digits = String(Math.abs(value)).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -4)}${fraction === '' ? '' : `.${fraction}`}`
}

/** All entries that are meant, as texts in order; `called` gives what owners are called in the service. */
export const entriesOf = (meant: Meant, called = (owner: string): string => owner): string[] =>
  meant.owners
    .flatMap((owner) =>
      meant.kpis.flatMap((kpi) =>
        meant.days.flatMap((day) => {
          const value = valueAt(meant, owner, kpi, day)
          return value === undefined ? [] : [[called(owner), kpi, formatDay(day), plain(value)].join('|')]
        }),
      ),
    )
    .toSorted()
