import { expect, test } from 'vitest'
import type { Db } from '../../src/store/db.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { type Database, sqliteDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { ask, type Asked, startService } from '../support/service.ts'

/** A SQLite store as `kpi serve` opens it: what takes long has threads of its own. */
const servedSqlite = async (): Promise<Database> => {
  const database = await sqliteDatabase()
  return { ...database, open: () => openStore(`${database.dataDir}/kpi.db`, { apart: true }) }
}

/** Numbers from 1 as rows of a table `name (i)`. */
const upTo = (most: number, name: string): string =>
  `${name} (i) as (select 1 union all select i + 1 from ${name} where i < ${most})`

const STAMPS = 'created_at, updated_at'
const [USERS, DAYS, ITEMS, KPIS] = [100, 200, 1000, 4000]

/** An account with much of everything: people who report KPI 1, user 1001 with a thousand group items, many KPIs. */
const fill = (db: Db): Promise<void> =>
  db.write(async (tx) => {
    const numbers = (most: number): string => `with recursive ${upTo(most, 'n')}`
    const item = `items (account_id, id, breakdown_id, name, user_id, is_archived, sort_order, ${STAMPS})`
    for (const sql of [
      `insert into breakdowns (account_id, id, name, sort_order, ${STAMPS}) values (1, 2, 'Regions', 1, 0, 0)`,
      `insert into ${item} ${numbers(USERS)} select 1, 1000 + i, 1, 'Ann', 1000 + i, 0, 1, 0, 0 from n`,
      `insert into users (account_id, id, user_type, user_status_id, first_name, email, can_manage_users,
         can_admin_settings, ${STAMPS}, email_key) ${numbers(USERS)}
       select 1, 1000 + i, 'User', 'A', 'Ann', 'a' || i || '@example.com', 0, 0, 0, 0, 'a' || i || '@example.com' from n`,
      `insert into ${item} ${numbers(ITEMS)} select 1, 10000 + i, 2, 'North', null, 0, 1, 0, 0 from n`,
      `insert into user_items (account_id, user_id, id, created_at) ${numbers(ITEMS)} select 1, 1001, 10000 + i, 0 from n`,
      `insert into kpis (account_id, id, category_id, icon_id, unit_id, frequency_id, name, value_direction,
         aggregate_function, sort_order, is_active, is_calculated, ${STAMPS}) ${numbers(KPIS)}
       select 1, i, 1, 1, 1, 'D', 'Sales', 'U', 'SUM', 1, 1, 0, 0, 0 from n`,
      `insert into assignments (account_id, user_id, id, sort_order, ${STAMPS}) ${numbers(KPIS)}
       select 1, 1001, i, 1, 0, 0 from n`,
      `insert into entries (account_id, item_id, kpi_id, entry_date, id, actual, ${STAMPS})
       with recursive ${upTo(USERS, 'n')}, ${upTo(DAYS, 'd')}
       select 1, 1000 + n.i, 1, 15000 + d.i, n.i * ${DAYS} + d.i, 1, 0, 0 from n cross join d`,
    ]) {
      await tx.run(sql)
    }
    await tx.run("insert into counters (account_id, name, last) values (1, 'entries', 1000000)")
  })

const batch = (count: number): unknown => ({
  entries: Array.from({ length: count }, (_, at) => ({
    user_id: 1001,
    kpi_id: 2 + at,
    entry_date: '2026-01-01',
    actual: at,
  })),
})

const USER_IDS = Array.from({ length: USERS }, (_, at) => 1001 + at).join(',')

/** What reads, writes or removes any number of rows. */
const LONG: readonly (readonly [name: string, asked: Asked])[] = [
  ['a batch of a user with a thousand group items', { method: 'POST', path: '/kpientries/list', body: batch(3000) }],
  ['the first page of many', { path: '/kpientries?dateFrom=2000-01-01&dateTo=2030-01-01' }],
  ['a later page of many', { path: '/kpientries?dateFrom=2000-01-01&dateTo=2030-01-01&page=70' }],
  ['the list of all KPIs', { path: '/kpis' }],
  ["the list of a user's KPIs", { path: '/users/1001/kpis' }],
  ['what many entries come to', { path: '/kpientries/sums?dateFrom=2000-01-01&dateTo=2030-01-01' }],
  [
    'a group item that many entries get',
    {
      method: 'POST',
      path: '/kpientries/runs/a/groupitem',
      body: { group_item_id: 10_001, user_ids: USER_IDS, date_from: '2000-01-01', dry_run: false },
    },
  ],
  [
    'the deletion of many entries',
    {
      method: 'POST',
      path: '/kpientries/runs/b/delete?dateFrom=2000-01-01&dateTo=2015-12-31&kpiIds=1',
      body: { count: USERS * DAYS },
    },
  ],
  ['an undo of that', { method: 'POST', path: '/kpientries/runs/b/undo', body: { dry_run: false } }],
  ['the removal of a KPI with all its entries', { method: 'DELETE', path: '/kpis/1' }],
]

test('others are answered while something is done that takes SQLite long', async () => {
  await using service = await startService(NOW, servedSqlite)
  await fill(service.db)
  // What is asked for the first time takes longer.
  await ask(service, { path: '/kpicategories/1' })
  for (const [name, asked] of LONG) {
    let isOver = false
    const long = ask(service, asked).finally(() => (isOver = true))
    const answered: [status: number, isOver: boolean][] = []
    for (const path of ['/health', '/kpicategories/1?fresh', '/users/1050']) {
      const { status } = await ask(service, { path })
      answered.push([status, isOver])
    }
    expect([name, answered]).toEqual([name, Array.from({ length: 3 }, () => [200, false])])
    expect([name, (await long).status]).toEqual([name, 200])
  }
})
