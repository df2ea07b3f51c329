import fc from 'fast-check'
import { type Day, formatDay } from '../../../src/domain/day.ts'
import { CIVIL_CALENDAR, type Frequency, nextPeriod, periodStart } from '../../../src/domain/period.ts'

/** What a file means: whose value of which KPI on which day. */
export type MeantEntry = { readonly owner: string; readonly kpi: string; readonly day: Day; readonly value: string }

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
const KPIS = ['Revenue', 'Visits', 'Umsatz', 'Complaints', 'Energy use', 'Coût', 'Fläche', 'Orders']

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

/** Any set of values. */
export const anyMeant: fc.Arbitrary<Meant> = fc
  .record({
    frequency: fc.constantFrom<Frequency>('D', 'D', 'W', 'M', 'M', 'Q', 'Y'),
    start: fc.integer({ min: FIRST, max: LAST }),
    count: fc.integer({ min: 3, max: 7 }),
    owners: fc.uniqueArray(fc.constantFrom(...OWNERS), { minLength: 1, maxLength: 4 }),
    kpis: fc.uniqueArray(fc.constantFrom(...KPIS), { minLength: 1, maxLength: 3 }),
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

/** All entries that are meant, as texts in order. */
export const entriesOf = (meant: Meant): string[] =>
  meant.owners
    .flatMap((owner) =>
      meant.kpis.flatMap((kpi) =>
        meant.days.flatMap((day) => {
          const value = valueAt(meant, owner, kpi, day)
          return value === undefined ? [] : [[owner, kpi, formatDay(day), plain(value)].join('|')]
        }),
      ),
    )
    .toSorted()
