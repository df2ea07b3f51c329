import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { Calendar } from '../../src/domain/period.ts'
import type { User } from '../../src/domain/resources/user.ts'
import { day } from '../support/calendar.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { type Asked, type Facts, modelReport } from '../support/report-model.ts'
import { type Service, startService, wayTo } from '../support/service.ts'

const [FIRST, LAST] = [day('2023-11-01'), day('2026-02-28')]
const LARGEST = 99_999_999_999_999_9999n

const decimal = fc.oneof(
  fc.bigInt({ min: -30_000n, max: 30_000n }),
  fc.bigInt({ min: -LARGEST, max: LARGEST }),
  fc.constantFrom(0n, 1n, -1n, LARGEST, -LARGEST),
)
const days = fc.integer({ min: FIRST, max: LAST })
const optional = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { nil: null })

const someKpi = fc.record({
  frequency_id: fc.constantFrom('D', 'W', 'M', 'Q', 'Y'),
  aggregate_function: fc.constantFrom('SUM', 'AVG'),
  value_direction: fc.constantFrom('U', 'D', 'N'),
  unit_id: fc.integer({ min: 1, max: 3 }),
  sort_order: fc.integer({ min: 1, max: 2 }),
  description: optional(fc.constantFrom('what it says', 'more')),
  target_default: decimal,
  // Whether the target is taken away once all is entered: it is then hidden everywhere.
  clearsTarget: fc.boolean(),
})

const someEntry = fc
  .record({
    user: fc.nat(2),
    kpi: fc.nat(3),
    entry_date: days,
    actual: optional(decimal),
    target: optional(decimal),
    notes: optional(fc.constantFrom('one', 'two\nlines')),
  })
  .filter(({ actual, target, notes }) => actual !== null || target !== null || notes !== null)

const someAccount = fc.record({
  calendar: fc.record<Calendar>({
    week_start: fc.constantFrom('monday', 'sunday'),
    fiscal_year_start: fc.integer({ min: 1, max: 12 }),
  }),
  kpis: fc.array(someKpi, { minLength: 4, maxLength: 4 }),
  targets: fc.array(optional(decimal), { minLength: 12, maxLength: 12 }),
  entries: fc.uniqueArray(someEntry, {
    selector: ({ user, kpi, entry_date }) => `${user} ${kpi} ${entry_date}`,
    maxLength: 60,
  }),
})

type SomeAccount = typeof someAccount extends fc.Arbitrary<infer T> ? T : never

const someIds = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }), {
  nil: undefined,
})

/** What is asked for, and a day to split it after. */
const someQuestion = fc.record({ ends: fc.tuple(days, days, days), kpiIds: someIds, userIds: someIds })

const NAMES = ['Sales', 'Visits', 'Cost', 'Margin']
const PEOPLE = ['Ann', 'Bob', 'Lou']

const setCalendar = ({ db }: Service, { week_start, fiscal_year_start }: Calendar): Promise<number> =>
  db.write((tx) => tx.run('update accounts set week_start = ?, fiscal_year_start = ?', [week_start, fiscal_year_start]))

/** Enters a random account through its interface, and tells what it holds then. */
const enter = async (client: Client, account: SomeAccount): Promise<Facts> => {
  for (const [at, { clearsTarget: _, ...fields }] of account.kpis.entries()) {
    await client.kpis.add(kpiNamed(NAMES[at] ?? '', fields))
  }
  const people: User[] = []
  for (const name of PEOPLE) people.push(await client.users.add(userNamed(name)))
  const targets = new Map<string, bigint | null>()
  for (const [at, user_target] of account.targets.entries()) {
    const [user, kpi] = [people[at % 3]?.id ?? NaN, Math.floor(at / 3) + 1]
    await client.assignments(user).add({ id: kpi, sort_order: 1, user_target })
    targets.set(`${user} ${kpi}`, user_target)
  }
  const entries = account.entries.map(({ user, kpi, ...values }) => {
    return { ...values, user_id: people[user]?.id ?? NaN, kpi_id: kpi + 1 }
  })
  if (entries.length > 0) await client.entries.addMany(entries)
  for (const [at, { clearsTarget }] of account.kpis.entries()) {
    if (clearsTarget) await client.kpis.update(at + 1, { target_default: null })
  }
  const [kpis, units, users] = await Promise.all([client.kpis.list(), client.units.list(), client.users.list()])
  return { calendar: account.calendar, kpis, units, users, targets, entries }
}

test('the report of any account is what a slow model makes of it, and may be split after any day', async () => {
  await fc.assert(
    fc.asyncProperty(
      someAccount,
      fc.array(someQuestion, { minLength: 4, maxLength: 4 }),
      async (account, questions) => {
        await using service = await startService()
        await setCalendar(service, account.calendar)
        await using way = await wayTo(service)
        const { client } = way
        const facts = await enter(client, account)
        const everything: Asked = { from: FIRST - 366, to: LAST }
        const asked = questions.map(({ ends, ...ids }) => {
          const [from = 0, cut = 0, to = 0] = ends.toSorted((left, right) => left - right)
          return { from, cut, to, ...ids }
        })
        for (const { from, cut, to, ...ids } of [{ ...everything, cut: FIRST }, ...asked]) {
          const { rows, total } = await client.report({ from, to, ...ids })
          expect(rows).toEqual(modelReport(facts, { from, to, ...ids }))
          expect(total).toBe(rows.length)
          const before = await client.report({ from, to: cut, ...ids })
          const after = cut < to ? await client.report({ from: cut + 1, to, ...ids }) : { rows: [] }
          expect([...before.rows, ...after.rows]).toEqual(rows)
        }
      },
    ),
    { numRuns: 100 },
  )
})
