import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { formatDay } from '../../../src/domain/day.ts'
import { day } from '../calendar.ts'
import type { World } from '../io.ts'
import { jsonOf, shellIn } from '../kpi.ts'
import { createRandom } from '../random.ts'
import { create } from './account.ts'
import { askIn, type PlainTable } from './plain-table.ts'

/** The first and the last day of the figures: three whole years, one of them a leap year, and a part of a fourth. */
const [FIRST, LAST] = [day('2023-01-01'), day('2026-11-20')]

const PEOPLE = ['Ann', 'Ben', 'Cid', 'Dee'] as const
const [MONEY, HEALTH] = [2, 3]

/** Holds the greatest values of the KPIs. */
const MOST: Readonly<Record<string, number>> = {
  Sales: 200,
  Refunds: 9,
  Pulse: 99,
  Tickets: 90,
  Mood: 10,
  Rent: 900,
  Price: 30,
  Audits: 20,
  Score: 100,
}

const KPIS = [
  { name: 'Sales', category_id: MONEY, frequency_id: 'D', aggregate_function: 'SUM', target_default: 80 },
  { name: 'Refunds', category_id: MONEY, frequency_id: 'D', aggregate_function: 'SUM', value_direction: 'D' },
  { name: 'Pulse', category_id: HEALTH, frequency_id: 'D', aggregate_function: 'AVG', value_direction: 'D' },
  { name: 'Tickets', category_id: MONEY, frequency_id: 'W', aggregate_function: 'SUM', target_default: 40 },
  { name: 'Mood', category_id: HEALTH, frequency_id: 'W', aggregate_function: 'AVG', target_default: 6 },
  { name: 'Rent', category_id: MONEY, frequency_id: 'M', aggregate_function: 'SUM', value_direction: 'N' },
  { name: 'Price', category_id: MONEY, frequency_id: 'M', aggregate_function: 'AVG' },
  { name: 'Audits', category_id: HEALTH, frequency_id: 'Q', aggregate_function: 'SUM' },
  { name: 'Score', category_id: HEALTH, frequency_id: 'Y', aggregate_function: 'AVG' },
]

/** How many days lie between values of a frequency; weeks have more than one of them now and then. */
const EVERY: Readonly<Record<string, number>> = { D: 1, W: 5, M: 27, Q: 80, Y: 300 }

const valueUpTo = (most: number, whole: (from: number, to: number) => number): string =>
  (whole(1, most * 10_000) / 10_000).toFixed(4)

/** The figures as a file: holes of days and of weeks, and a person who came later. */
const figures = (): string => {
  const random = createRandom(7)
  const lines = ['user,kpi,date,actual']
  for (const [at, person] of PEOPLE.entries()) {
    for (const { name, frequency_id } of KPIS) {
      // Dee pays no rent, and nobody takes the pulse of Cid.
      if ((at === 3 && name === 'Rent') || (at === 2 && name === 'Pulse')) continue
      let hole = 0
      for (let on = FIRST + at * 200; on <= LAST; on += EVERY[frequency_id] ?? 1) {
        hole -= 1
        if (frequency_id === 'D' && random.chance(0.01)) hole = random.whole(3, 20)
        if (hole > 0 || random.chance(0.12)) continue
        lines.push(`${person},${name},${formatDay(on)},${valueUpTo(MOST[name] ?? 1, random.whole)}`)
      }
    }
  }
  return `${lines.join('\n')}\n`
}

/** Loads a ledger of four people in two regions into an account. */
export const loadLedger = async (world: World, ofService: readonly string[]): Promise<void> => {
  const kpi = async (...words: string[]): Promise<unknown> => jsonOf(await shellIn(world)(...words, '-o', 'json'))
  await create(world, 'categories', [{ name: 'Money' }, { name: 'Health' }])
  await create(
    world,
    'kpis',
    KPIS.map((one, at) => ({
      value_direction: 'U',
      unit_id: 2,
      icon_id: 1,
      sort_order: 5 + at,
      is_active: true,
      ...one,
    })),
  )
  const people = PEOPLE.map((first_name) => ({ first_name, email: `${first_name.toLowerCase()}@example.com` }))
  await create(
    world,
    'users',
    people.map((one) => ({ ...one, user_type: 'User', user_status_id: 'A' })),
  )
  await kpi('groups', 'create', '--name', 'Region')
  for (const [region, names] of [
    ['North', 'Ann,Ben'],
    ['South', 'Cid,Dee'],
  ] as const) {
    await kpi('group-items', 'create', '--group', 'Region', '--name', region)
    await kpi('assign', 'group-items', 'add', '--users', names, '--group-items', region)
  }
  const file = `${world.home}/figures.csv`
  writeFileSync(file, figures())
  await kpi('entries', 'import', file, '--create-assignments', '--period-dates', 'as-is')
  const formula = ['--formula', '[Sales] / [Rent]', '--over', 'inputs', '--aggregate-function', 'average']
  const calculated = ['--name', 'Sales per rent', '--category', 'Money', '--unit', '2', '--frequency', 'monthly']
  await kpi('service', 'calculated', 'add', ...calculated, ...formula, ...ofService)
}

/** Opens a store of the service, beside it, with a view of all its figures that knows nothing of periods. */
export const openLedger = (dataDir: string): PlainTable => {
  const db = new DatabaseSync(`${dataDir}/kpi.db`, { readOnly: true })
  db.exec(`create temp view cell as
    select i.name as item, k.name as kpi, date(e.entry_date * 86400, 'unixepoch') as day, e.actual as units
    from main.entries e join main.items i on i.account_id = e.account_id and i.id = e.item_id
    join main.kpis k on k.account_id = e.account_id and k.id = e.kpi_id`)
  return askIn(db)
}
