import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { datedTargetsText } from '../../src/domain/targets/dated-targets.ts'
import type { Calendar, Frequency } from '../../src/domain/period.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { calculated } from '../../src/service/definitions/calculated-kpis.ts'
import type { Context } from '../../src/service/context.ts'
import { day } from '../support/calendar.ts'
import { databases, sqliteDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { anyFormula } from '../support/formula-model.ts'
import { carryGroupItems, putGroupItems } from '../support/group-items.ts'
import { type CalculationFact, type Facts, modelReport } from '../support/report-model.ts'
import { type Service, startService, wayTo } from '../support/service.ts'

const [FIRST, LAST] = [day('2023-11-01'), day('2026-02-28')]
/** How many accounts are drawn, and from which seed; `npm run soak -- reports 1000 7` draws 1,000 from the seed 7. */
const { RUNS = '12', SEED } = process.env
const seed = SEED === undefined ? {} : { seed: Number(SEED) }
const LARGEST = 99_999_999_999_999_9999n

const decimal = fc.oneof(
  fc.bigInt({ min: -30_000n, max: 30_000n }),
  fc.bigInt({ min: -LARGEST, max: LARGEST }),
  fc.constantFrom(0n, 1n, -1n, LARGEST, -LARGEST),
)
const days = fc.integer({ min: FIRST, max: LAST })
const optional = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { nil: null })

/** Targets that begin on days, close together, so that some of them meet in a period. */
const someDated = fc.oneof(
  fc.constant([]),
  fc.uniqueArray(fc.record({ from: fc.integer({ min: FIRST - 5, max: FIRST + 90 }), target: decimal }), {
    selector: ({ from }) => from,
    maxLength: 4,
  }),
)

const someKpi = fc.record({
  frequency_id: fc.constantFrom('D', 'W', 'M', 'Q', 'Y'),
  aggregate_function: fc.constantFrom('SUM', 'AVG'),
  value_direction: fc.constantFrom('U', 'D', 'N'),
  unit_id: fc.integer({ min: 1, max: 3 }),
  sort_order: fc.integer({ min: 1, max: 2 }),
  description: optional(fc.constantFrom('what it says', 'more')),
  target_default: decimal,
  dated: someDated,
  // Whether the default is there beside the dated ones.
  isOnlyDated: fc.boolean(),
  // Whether the target is taken away once all is entered: it is then hidden everywhere.
  clearsTarget: fc.boolean(),
})

/** Group items: some ids that users do not have. */
const GROUP_ITEMS = [
  { id: 11, name: 'North' },
  { id: 12, name: 'South' },
]

const someEntry = fc
  .record({
    // Three users, and a group item that has entries of its own.
    item: fc.constantFrom(2, 3, 4, 11),
    kpi_id: fc.integer({ min: 1, max: 4 }),
    groups: fc.uniqueArray(fc.constantFrom(11, 12), { maxLength: 2 }),
    // Many close together, so that they meet in periods.
    entry_date: fc.oneof(days, fc.integer({ min: FIRST + 20, max: FIRST + 65 })),
    actual: optional(decimal),
    target: optional(decimal),
    notes: optional(fc.constantFrom('one', 'two\nlines')),
  })
  .filter(({ actual, target, notes }) => actual !== null || target !== null || notes !== null)

/** A calculated KPI over those before it; its frequency is made coarse enough. */
const someCalculated = (id: number): fc.Arbitrary<SomeCalculated> => {
  const before = Array.from({ length: id - 1 }, (_, at) => at + 1)
  return fc.record({
    formula: anyFormula(before).filter(({ text, kpis }) => kpis.length > 0 && text.length <= 60),
    frequency_id: fc.constantFrom<Frequency>('D', 'W', 'M', 'Q', 'Y'),
    aggregate_function: fc.constantFrom('SUM', 'AVG'),
    over: fc.constantFrom('results', 'inputs'),
    target_from: fc.constantFrom('default', 'formula'),
    target_default: optional(decimal),
    user_targets: fc.array(optional(decimal), { minLength: 3, maxLength: 3 }),
    sort_order: fc.integer({ min: 1, max: 2 }),
    is_active: fc.boolean(),
  })
}

type SomeCalculated = CalculationFact & {
  readonly frequency_id: Frequency
  readonly aggregate_function: 'SUM' | 'AVG'
  readonly target_default: bigint | null
  readonly user_targets: readonly (bigint | null)[]
  readonly sort_order: number
  readonly is_active: boolean
}

const someAccount = fc.record({
  calendar: fc.record<Calendar>({
    week_start: fc.constantFrom('monday', 'sunday'),
    fiscal_year_start: fc.integer({ min: 1, max: 12 }),
  }),
  kpis: fc.array(someKpi, { minLength: 4, maxLength: 4 }),
  targets: fc.array(optional(decimal), { minLength: 12, maxLength: 12 }),
  dated: fc.array(someDated, { minLength: 12, maxLength: 12 }),
  entries: fc.uniqueArray(someEntry, {
    selector: ({ item, kpi_id, entry_date }) => `${item} ${kpi_id} ${entry_date}`,
    maxLength: 60,
    size: '+1',
  }),
  calculated: fc.tuple(someCalculated(5), someCalculated(6), someCalculated(7)),
})

type SomeAccount = typeof someAccount extends fc.Arbitrary<infer T> ? T : never

const someOf = (...ids: readonly number[]): fc.Arbitrary<number[] | undefined> =>
  fc.option(fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 3 }), { nil: undefined })

/** What is asked for, and a day to split it after. */
const someQuestion = fc.record({
  ends: fc.tuple(days, days, days),
  kpiIds: someOf(1, 2, 3, 4, 5, 6, 7, 8),
  userIds: someOf(1, 2, 3, 4, 5, 11),
  // Users are no group items.
  groupItemIds: someOf(11, 12, 2, 99),
})

const NAMES = ['Sales', 'Visits', 'Cost', 'Margin']
const PEOPLE = ['Ann', 'Bob', 'Lou']

/** Clears dated targets, too, where the field shows none today, and a change to none is no change. */
const clearsDated = { targets: null, target_base: null }

const contextOf = async ({ db }: Service): Promise<Context> => {
  const [account] = await accounts.list(db)
  if (!account) throw new Error('there is no account')
  return { db, account, now: 0 }
}

const setCalendar = ({ db }: Service, { week_start, fiscal_year_start }: Calendar): Promise<number> =>
  db.write((tx) => tx.run('update accounts set week_start = ?, fiscal_year_start = ?', [week_start, fiscal_year_start]))

const FREQUENCIES: readonly Frequency[] = ['D', 'W', 'M', 'Q', 'Y']

/** The coarsest of some frequencies. */
const coarsest = (list: readonly Frequency[]): Frequency => FREQUENCIES.findLast((one) => list.includes(one)) ?? 'D'

/** Defines the calculated KPIs and gives users their targets for them. */
const defineCalculated = async (service: Service, client: Client, list: readonly SomeCalculated[]): Promise<void> => {
  for (const [at, { formula, user_targets, ...fields }] of list.entries()) {
    const known = await client.kpis.list()
    const inputs = known.filter(({ id }) => formula.kpis.includes(id)).map(({ frequency_id }) => frequency_id)
    // One that others use must be active, and a default target goes before one of the formula.
    const isUsed = list.some((other) => other.formula.kpis.includes(5 + at))
    const { id, target_default } = await calculated.add(await contextOf(service), {
      ...kpiNamed(`Calculated ${at}`, {}),
      ...fields,
      formula: formula.text,
      frequency_id: coarsest([fields.frequency_id, ...inputs]),
      target_default: fields.target_from === 'formula' ? null : fields.target_default,
      is_active: isUsed || fields.is_active,
    })
    for (const [user, user_target] of user_targets.entries()) {
      const own = target_default === null ? null : user_target
      await client.assignments(user + 2).add({ id, sort_order: 1, user_target: own })
    }
  }
}

/** A client of each variant. */
type Clients = { readonly classic: Client; readonly newer: Client }

/** Enters a random account through its interface, and tells what it holds then. */
const enter = async (service: Service, { classic: client, newer }: Clients, account: SomeAccount): Promise<Facts> => {
  for (const [at, { clearsTarget: _, dated, isOnlyDated, ...fields }] of account.kpis.entries()) {
    const target_default = isOnlyDated && dated.length > 0 ? null : fields.target_default
    const targets = { targets: datedTargetsText(dated) }
    await client.kpis.add({ ...kpiNamed(NAMES[at] ?? '', { ...fields, target_default }), ...targets })
  }
  for (const name of PEOPLE) await client.users.add(userNamed(name))
  for (const [at, user_target] of account.targets.entries()) {
    const targets = { targets: datedTargetsText(account.dated[at] ?? []) }
    await client.assignments((at % 3) + 2).add({ id: Math.floor(at / 3) + 1, sort_order: 1, user_target, ...targets })
  }
  const entered = account.entries.filter(({ item }) => item < 11)
  const sent = entered.map(({ item, kpi_id, entry_date, actual, target, notes }) => {
    return { user_id: item, kpi_id, entry_date, actual, target, notes }
  })
  if (sent.length > 0) await client.entries.addMany(sent)
  await putGroupItems(service.db, GROUP_ITEMS)
  const own = account.entries.filter(({ item }) => item >= 11)
  const ownSent = own.map(({ item, kpi_id, entry_date, actual, target, notes }) => {
    return { source_id: item, kpi_id, entry_date, actual, target, notes }
  })
  if (ownSent.length > 0) await newer.entries.addMany(ownSent)
  const entries = [...entered, ...own].map((one, at) => ({ ...one, id: at + 1 }))
  await carryGroupItems(service.db, entries)
  await defineCalculated(service, client, account.calculated)
  const targets = new Map<string, bigint | null>(
    account.targets.map((target, at) => [`${(at % 3) + 2} ${Math.floor(at / 3) + 1}`, target]),
  )
  for (const [at, { user_targets }] of account.calculated.entries()) {
    for (const [user, target] of user_targets.entries()) targets.set(`${user + 2} ${at + 5}`, target)
  }
  for (const [at, { clearsTarget }] of account.kpis.entries()) {
    if (clearsTarget) await client.kpis.update(at + 1, { target_default: null, ...clearsDated })
  }
  const [kpis, units, users] = await Promise.all([client.kpis.list(), client.units.list(), client.users.list()])
  const calculations = new Map(account.calculated.map((one, at) => [at + 5, one]))
  const dated = new Map([
    ...account.kpis.map(({ clearsTarget, dated }, at) => [`${at + 1}`, clearsTarget ? [] : dated] as const),
    ...account.dated.map((one, at) => [`${(at % 3) + 2} ${Math.floor(at / 3) + 1}`, one] as const),
  ])
  const bases = new Map(
    account.kpis.map(({ clearsTarget, dated, isOnlyDated, target_default }, at) => [
      at + 1,
      clearsTarget || (isOnlyDated && dated.length > 0) ? null : target_default,
    ]),
  )
  for (const { id, target_default } of kpis) if (!bases.has(id)) bases.set(id, target_default)
  return {
    dated,
    bases,
    calendar: account.calendar,
    kpis,
    units,
    users,
    groupItems: GROUP_ITEMS,
    targets,
    entries,
    calculations,
  }
}

test.each(databases)(
  'the report of any account is what a slow model makes of it, and may be split after any day, on %s',
  async (_, makeDatabase) => {
    await fc.assert(
      fc.asyncProperty(
        someAccount,
        fc.array(someQuestion, { minLength: 4, maxLength: 4 }),
        async (account, questions) => {
          await using service = await startService(NOW, makeDatabase)
          await setCalendar(service, account.calendar)
          await using way = await wayTo(service)
          await using newer = await wayTo(service, 'v1')
          const clients = [way.client, newer.client]
          const facts = await enter(service, { classic: way.client, newer: newer.client }, account)
          const everything = { from: FIRST - 366, to: LAST }
          const asked = questions.map(({ ends, ...ids }) => {
            const [from = 0, cut = 0, to = 0] = ends.toSorted((left, right) => left - right)
            return { from, cut, to, ...ids }
          })
          const groups = { ...everything, groupItemIds: [11, 12] }
          for (const { from, cut, to, ...ids } of [
            { ...everything, cut: FIRST },
            { ...groups, cut: FIRST },
            ...asked,
          ]) {
            for (const client of clients) {
              const { rows, total } = await client.report({ from, to, ...ids })
              expect(rows).toEqual(modelReport(facts, { variant: client.variant, from, to, ...ids }))
              expect(total).toBe(rows.length)
              const before = await client.report({ from, to: cut, ...ids })
              const after = cut < to ? await client.report({ from: cut + 1, to, ...ids }) : { rows: [] }
              expect([...before.rows, ...after.rows]).toEqual(rows)
            }
          }
        },
      ),
      { numRuns: makeDatabase === sqliteDatabase ? Number(RUNS) : Math.ceil(Number(RUNS) / 3), ...seed },
    )
  },
  // Each of many accounts is asked for its reports through both variants.
  180_000 + Number(RUNS) * 3000,
)
