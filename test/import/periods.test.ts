import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { type Frequency, periodStart } from '../../src/domain/period.ts'
import type { Kpi } from '../../src/domain/resources/kpi.ts'
import { notesOnPeriods } from '../../src/import/periods.ts'
import { embeddedImporter, kpiNamed } from '../support/import.ts'

const CIVIL = { week_start: 'monday', fiscal_year_start: 1 } as const
const FREQUENCIES: readonly Frequency[] = ['D', 'W', 'M', 'Q', 'Y']
const KPIS = new Map(
  FREQUENCIES.map((frequency_id, at) => [at, { id: at, name: frequency_id, frequency_id, aggregate_function: 'SUM' }]),
) as unknown as ReadonlyMap<number, Kpi>

test('KPIs are told of which an owner has several entries in one period, with how many and the first of them', () => {
  const one = fc.record({ owner: fc.constantFrom(1, 2), kpi: fc.nat(4), day: fc.integer({ min: 20_000, max: 20_400 }) })
  const list = fc.uniqueArray(one, { selector: ({ owner, kpi, day }) => `${owner}/${kpi}/${day}` })
  fc.assert(
    fc.property(list, (all) => {
      const sorted = all.toSorted((a, b) => a.owner - b.owner || a.kpi - b.kpi || a.day - b.day)
      const periodOf = ({ owner, kpi, day }: (typeof all)[number]): string =>
        `${kpi}/${owner}/${periodStart(FREQUENCIES[kpi] ?? 'D', day, CIVIL)}`
      const crowded = [...Map.groupBy(sorted, periodOf).values()].filter(({ length }) => length > 1)
      const expected = [...Map.groupBy(crowded, ([first]) => first?.kpi ?? NaN)].map(([kpi, periods]) => [
        FREQUENCIES[kpi],
        periods.length,
        ...(periods[0] ?? []).slice(0, 2).map(({ day }) => formatDay(day)),
      ])
      const drafts = sorted.map(({ owner, kpi, day }) => ({ user_id: owner, kpi_id: kpi, entry_date: day, actual: 1n }))
      const told = notesOnPeriods(drafts, KPIS).map((note) => {
        const [, name, count, first, second] =
          /^(\w) is \w+ly, and (one|\d+) \w+ (?:has|of users have) several entries, (?:such as )?(\S+) and (\S+): reports add them up$/.exec(
            note,
          ) ?? []
        return [name, count === 'one' ? 1 : Number(count), first, second]
      })
      expect(new Set(told.map(String))).toEqual(new Set(expected.map(String)))
    }),
  )
})

test('an import tells it before anything is sent, and by the weeks of the account', async () => {
  await using importer = await embeddedImporter()
  await importer.client.kpis.add(kpiNamed('Rent', { frequency_id: 'M', aggregate_function: 'AVG' }))
  await importer.client.kpis.add(kpiNamed('Hours', { frequency_id: 'W' }))
  importer.write(
    'data.csv',
    [
      'user,kpi,date,actual',
      'Bob,Rent,2026-03-01,10',
      'Bob,Rent,2026-03-15,20',
      'Bob,Rent,2026-04-01,20',
      // A Saturday, a Sunday and a Monday.
      'Bob,Hours,2026-03-07,1',
      'Bob,Hours,2026-03-08,1',
      'Bob,Hours,2026-03-09,1',
      '',
    ].join('\n'),
  )
  const line = ['entries', 'import', 'data.csv', '--create-assignments', '--dry-run']
  const rent =
    'Rent is monthly, and one month has several entries, 2026-03-01 and 2026-03-15: reports show their average\n'
  const hours = (days: string): string =>
    `Hours is weekly, and one week has several entries, ${days}: reports add them up\n`
  expect((await importer.kpi(...line)).stderr).toContain(rent + hours('2026-03-07 and 2026-03-08'))
  await importer.kpi('service', 'settings', 'set', '--week-start', 'sunday')
  expect((await importer.kpi(...line)).stderr).toContain(rent + hours('2026-03-08 and 2026-03-09'))
})
