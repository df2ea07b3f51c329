import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { checkStore, type StoreCheck } from '../../src/service/check-store.ts'
import * as integrity from '../../src/store/maintenance/check.ts'
import type { StoreFault } from '../../src/store/maintenance/check.ts'
import { keys } from '../../src/store/tables/keys.ts'
import { itemSetDigest, itemSets } from '../../src/store/tables/item-sets.ts'
import type { Db } from '../../src/store/db.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { table } from '../../src/store/tables/table.ts'
import { users } from '../../src/store/tables/users.ts'
import { breakdownItem } from '../../src/domain/resources/breakdowns.ts'
import type { Key } from '../../src/domain/resources/key.ts'
import { storedKpi } from '../../src/domain/resources/kpi.ts'
import { group } from '../../src/domain/resources/groups.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { hashSecret } from '../../src/service/accounts/secrets.ts'
import { assignments } from '../../src/store/tables/assignments.ts'
import { type Database, databases, postgresDatabase } from '../support/databases.ts'
import { entryRow, kpiRecord, openTestStore, userRecord, insertEntries } from '../support/store.ts'
import { oneIn } from '../support/soak/tests.ts'

const KPI_COLUMNS = `account_id, ${Object.keys(storedKpi.fields).join(', ')}`
/** A key of Ann's as it is kept. */
const keyRecord = (fields: Partial<Key> = {}): Key => ({
  id: 1,
  name: 'nightly',
  begins: 'kpi_key_4fZp0aQ9',
  user_id: 2,
  scopes: 'entries:read,entries:write',
  expires_at: 7_776_000,
  last_used_at: null,
  revoked_at: null,
  created_at: 0,
  ...fields,
})
const stamp = { created_at: 0, updated_at: 0 }

/** Fills an account: a group item, a KPI and a calculated one, a user with all that hangs on them, a key too, and a locked one. */
const fill = (db: Db, account: number): Promise<void> =>
  db.write(async (tx) => {
    await table('breakdowns', group).insert(tx, account, { id: 2, name: 'Regions', sort_order: 1, ...stamp })
    const north = { id: 4, breakdown_id: 2, name: 'North', user_id: null, is_archived: false, sort_order: 1, ...stamp }
    await table('items', breakdownItem).insert(tx, account, north)
    await kpis.insert(tx, account, kpiRecord())
    await kpis.insert(tx, account, kpiRecord({ id: 2, name: 'Ratio', is_calculated: true }))
    await tx.run(`insert into formulas values (?, 2, '[1] / 2', 'results', 'default', 0, 0)`, [account])
    await users.insert(tx, account, userRecord())
    await users.insert(
      tx,
      account,
      userRecord({ id: 3, user_status_id: 'L', email: 'B\u00f6b@example.com', last_name: null }),
    )
    await assignments.insert(tx, account, { id: 1, user_id: 2, user_target: null, sort_order: 1, ...stamp })
    await tx.run('insert into user_items (account_id, user_id, id, created_at) values (?, 2, 4, 0)', [account])
    await itemSets.insert(tx, account, { id: 1, digest: itemSetDigest([4]), items: [4] })
    await insertEntries(tx, account, [
      entryRow({ item_id: 2, item_set: 1 }),
      entryRow({ id: 2, item_id: 2, entry_date: 1, actual: null, notes: 'ill' }),
    ])
    await keys.insert(tx, account, keyRecord(), { key_hash: hashSecret(`${account}`) })
    for (const [name, last] of Object.entries({
      breakdowns: 2,
      items: 4,
      kpis: 2,
      entries: 2,
      keys: 1,
      item_sets: 1,
    })) {
      const sql = `insert into counters (account_id, name, last) values (?, ?, ?)
                   on conflict (account_id, name) do update set last = excluded.last`
      await tx.run(sql, [account, name, last])
    }
  })

/** Runs SQL on a store that no constraint holds up. */
const breakStore = async ({ dataDir, env }: Database, broken: readonly string[]): Promise<void> => {
  const url = env['KPI_POSTGRES_URL']
  if (url === undefined) {
    const file = new DatabaseSync(`${dataDir}/kpi.db`, { enableForeignKeyConstraints: false })
    for (const sql of broken) file.exec(sql)
    file.close()
  } else {
    const client = new Client(url)
    await client.connect()
    for (const sql of ['set session_replication_role = replica', ...broken]) await client.query(sql)
    await client.end()
  }
}

/** Breaks a filled store by SQL, and answers what a check finds. */
const checkBroken = async (make: () => Promise<Database>, ...broken: readonly string[]): Promise<StoreCheck> => {
  await using database = await make()
  const db = await database.open()
  try {
    const { id } = await accounts.create(db, { name: 'acme', login: 'boss@acme' }, 0)
    await fill(db, id)
    await breakStore(database, broken)
    return await checkStore(db, make === postgresDatabase ? undefined : integrity)
  } finally {
    await db.close()
  }
}

const linesOf = ({ faults }: StoreCheck): string[] =>
  faults.map(({ table: name, account, id, fault }: StoreFault) => `${name} ${account} ${id}: ${fault}`)

describe.each(databases)('a store on %s', (name, make) => {
  test('in which all is well has nothing wrong, and says how much was looked at', async () => {
    await using database = await make()
    const db = await database.open()
    for (const one of ['acme', 'other']) {
      const { id } = await accounts.create(db, { name: one, login: `boss@${one}` }, 0)
      await fill(db, id)
    }
    const counts = { accounts: 2, accounts_with_api: 0, users: 6, kpis: 4, entries: 4 }
    expect(await checkStore(db, name === 'SQLite' ? integrity : undefined)).toEqual({ counts, faults: [], more: 0 })
    await db.close()
  })
})

/** Makes one more KPI, calculated from the calculated one. */
const CALCULATED_TOO = `insert into kpis (${KPI_COLUMNS}) select ${KPI_COLUMNS.replace(' id,', ' 3,').replace(' name,', " 'Twice',")} from kpis where id = 2;
  insert into formulas values (1, 3, '[2] * 2', 'results', 'default', 0, 0);
  update counters set last = 3 where name = 'kpis'`

/** What is done to a store, and what is found: table, account, id, and what is wrong. */
const BROKEN: readonly [sql: string, ...found: string[]][] = [
  [
    "update counters set last = 1 where name = 'entries'",
    'entries acme 2: has an id above its counter, so the id could be given again',
  ],
  [
    "delete from counters where name = 'items'",
    'items acme 4: has an id above its counter, so the id could be given again',
  ],
  ['update entries set notes = null where id = 2', 'entries acme 2: has neither actual, target nor notes'],
  ['update entries set kpi_id = 9 where id = 2', 'entries acme 2: kpi_id 9 names nothing in kpis'],
  ['update entries set item_id = 9 where id = 2', 'entries acme 2: item_id 9 names nothing in items'],
  ['update entries set kpi_id = 2 where id = 2', 'entries acme 2: is of a calculated KPI, which takes none'],
  [
    'update entries set entry_date = 84006 where id = 2',
    'entries acme 2: entry_date must be in the years 1900 to 2199',
  ],
  [
    'update entries set entry_date = -25568 where id = 2',
    'entries acme 2: entry_date must be in the years 1900 to 2199',
  ],
  [
    'update entries set actual = 1000000000000000000 where id = 2',
    'entries acme 2: actual must have at most 14 digits before the decimal point',
  ],
  [
    `update entries set notes = '${'x'.repeat(501)}' where id = 2`,
    'entries acme 2: notes has 501 characters, at most 500 are allowed',
  ],
  ["update entries set notes = '  ' where id = 2", 'entries acme 2: notes is blank'],
  [
    "update entries set notes = ' x' where id = 2",
    'entries acme 2: notes is not normalized: it has spaces around it, or line ends other than LF',
  ],
  [
    'update item_set_members set group_item_id = 1',
    'item_set_members acme group_item_id 1, set_id 1: entries carry a person in place of a group item',
    'item_sets acme 1: its digest is not that of the group items in it',
  ],
  ['update entries set item_set = 7 where id = 1', 'entries acme 1: item_set 7 names nothing in item_sets'],
  ['delete from item_set_members', 'item_sets acme 1: its digest is not that of the group items in it'],
  [
    'update item_set_members set set_id = 3',
    'item_set_members acme group_item_id 4, set_id 3: set_id 3 names nothing in item_sets',
    'item_sets acme 1: its digest is not that of the group items in it',
  ],
  [
    'update user_items set id = 1',
    'user_items acme user_id 2, id 1: links a user to a person in place of a group item',
  ],
  ['update user_items set id = 9', 'user_items acme user_id 2, id 9: id 9 names nothing in items'],
  ["update items set name = 'Anna Lee' where id = 2", 'users acme 2: its item has another name'],
  ["update users set last_name = 'Ray' where id = 3", 'users acme 3: its item has another name'],
  [
    'update items set is_archived = 1 where id = 2',
    'users acme 2: its item is archived and the user is not locked, or the other way round',
  ],
  [
    'update items set is_archived = 0 where id = 3',
    'users acme 3: its item is archived and the user is not locked, or the other way round',
  ],
  ['update items set breakdown_id = 2 where id = 3', 'users acme 3: its item is not one of the breakdown of people'],
  ['update items set user_id = null where id = 3', 'users acme 3: its item is not one of the breakdown of people'],
  ['delete from users where id = 3', 'items acme 3: stands for a user who is not there'],
  [
    "update users set email_key = 'ann' where id = 2",
    'users acme 2: its e-mail address is not the one that it is found by',
  ],
  [
    "update users set email = 'ANN@ex.com' where id = 2",
    'users acme 2: its e-mail address is not the one that it is found by',
  ],
  ["update users set email = 'ann', email_key = 'ann' where id = 2", 'users acme 2: email must be an e-mail address'],
  [
    "update users set user_type = 'Boss' where id = 2",
    'users acme 2: user_type must be one of Admin, Director, Manager, User',
  ],
  ['update users set can_manage_users = 2 where id = 2', 'users acme 2: can_manage_users must be 0 or 1'],
  [
    "update users set user_status_id = 'L'; update items set is_archived = 1 where user_id is not null",
    'accounts acme 1: has no active user, so that nobody can log in',
  ],
  [
    'delete from breakdowns where id = 1',
    ...[1, 2, 3].map((id) => `items acme ${id}: breakdown_id 1 names nothing in breakdowns`),
    'accounts acme 1: has no breakdown of people',
  ],
  ['delete from categories', ...[1, 2].map((id) => `kpis acme ${id}: category_id 1 names nothing in categories`)],
  ['update kpis set unit_id = 9 where id = 1', 'kpis acme 1: unit_id 9 names nothing in units'],
  ['update kpis set icon_id = 99 where id = 1', 'kpis acme 1: has an icon that does not exist'],
  ["update kpis set frequency_id = 'X' where id = 1", 'kpis acme 1: frequency_id must be one of D, W, M, Q, Y'],
  [
    'update kpis set sort_order = 32768 where id = 1',
    'kpis acme 1: sort_order must be a whole number from -32768 to 32767',
  ],
  ['delete from formulas', 'kpis acme 2: is calculated and has no formula'],
  ['update kpis set is_calculated = 0 where id = 2', 'formulas acme 2: is of a KPI that is not calculated'],
  [
    'update accounts set fiscal_year_start = 13',
    'accounts acme 1: fiscal_year_start must be a whole number from 1 to 12',
  ],
  ["update accounts set plan = 'gold'", 'accounts acme 1: plan must be one of individual, team'],
  [
    `update items set name = '${'x'.repeat(101)}' where id = 4`,
    'items acme 4: name has 101 characters, at most 100 are allowed',
  ],
  [
    "update units set entry_format = 'x' where id = 1",
    'units acme 1: entry_format must be a number pattern of 0, # and . only',
  ],
  [
    'update assignments set user_target = -1000000000000000000',
    'assignments acme user_id 2, id 1: user_target must have at most 14 digits before the decimal point',
  ],
  [
    'update entries set account_id = 5 where id = 2',
    'entries 5 2: account_id 5 names nothing in accounts',
    'entries 5 2: item_id 2 names nothing in items',
    'entries 5 2: kpi_id 1 names nothing in kpis',
  ],
  [
    'update item_set_members set group_item_id = 9',
    'item_set_members acme group_item_id 9, set_id 1: group_item_id 9 names nothing in items',
    'item_sets acme 1: its digest is not that of the group items in it',
  ],
  [
    'update item_set_members set account_id = 5',
    ...[
      'account_id 5 names nothing in accounts',
      'group_item_id 4 names nothing in items',
      'set_id 1 names nothing in item_sets',
    ].map((fault) => `item_set_members 5 group_item_id 4, set_id 1: ${fault}`),
    'item_sets acme 1: its digest is not that of the group items in it',
  ],
  [
    "update counters set account_id = 5 where name = 'units'",
    'counters 5 units: account_id 5 names nothing in accounts',
    'units acme 4: has an id above its counter, so the id could be given again',
  ],
  [
    "update counters set last = 0 where name = 'keys'",
    'keys acme 1: has an id above its counter, so the id could be given again',
  ],
  ['update keys set user_id = 9', 'keys acme 1: user_id 9 names nothing in users'],
  [
    "update keys set scopes = 'entries:read,entries:burn'",
    'keys acme 1: scopes must be scopes with commas between: kpis:read, kpis:write, entries:read, entries:write, reports:read, users:read, breakdowns:read, breakdowns:write',
  ],
  ["update keys set scopes = ' '", 'keys acme 1: scopes is blank'],
  ["update keys set begins = 'kpi_token_4fZp0a'", 'keys acme 1: begins must be the first 16 characters of a key'],
  ["update keys set key_hash = 'x'", 'keys acme 1: its hash is malformed, so it never matches'],
  [
    `insert into keys select * from (select account_id, 2 as id, name, begins, user_id, scopes, expires_at, last_used_at, revoked_at, created_at, key_hash from keys) k;
     update counters set last = 2 where name = 'keys'`,
    'keys acme 1: another key has the same secret',
    'keys acme 2: another key has the same secret',
  ],
  [
    "insert into formulas values (1, 9, '[1]', 'results', 'default', 0, 0)",
    'formulas acme 9: kpi_id 9 names nothing in kpis',
  ],
  ['update assignments set user_id = 9', 'assignments acme user_id 9, id 1: user_id 9 names nothing in users'],
  [
    "update formulas set formula = '[1] +'",
    'formulas acme 2: KPI 2 (Ratio): formula: expected a number, a [KPI], a function or ( at the end, character 6',
  ],
  [
    "update formulas set formula = '[9] + [1]'",
    'formulas acme 2: KPI 2 (Ratio): formula: uses KPI 9, which is not there',
  ],
  ["update formulas set formula = '7'", 'formulas acme 2: KPI 2 (Ratio): formula: must use at least one KPI'],
  ["update formulas set formula = '[2]'", 'formulas acme 2: KPI 2 (Ratio): formula: uses its own KPI'],
  [
    'update kpis set is_active = 0 where id = 1',
    'formulas acme 2: KPI 2 (Ratio): formula: uses KPI 1 (Sales), which is inactive',
  ],
  [
    "update kpis set frequency_id = 'W' where id = 1",
    "formulas acme 2: KPI 2 (Ratio): frequency_id: is D, finer than its formula's KPI 1 (Sales); it must be W, M, Q, Y",
  ],
  ["update formulas set calculated_over = 'all'", 'formulas acme 2: over must be one of results, inputs'],
  ["update formulas set target_from = 'nowhere'", 'formulas acme 2: target_from must be one of default, formula'],
  [
    "update formulas set target_from = 'formula'; update kpis set target_default = 1 where id = 2",
    'formulas acme 2: KPI 2 (Ratio): target_from: cannot be formula if there is a default target, which takes precedence',
  ],
  [
    `update formulas set formula = '${'1+'.repeat(500)}[1]'`,
    'formulas acme 2: formula has 1003 characters, at most 1000 are allowed',
  ],
  [
    `${CALCULATED_TOO}; update formulas set formula = case kpi_id when 2 then '[3]' else '[2]' end`,
    'formulas acme 2: KPI 2 (Ratio): formula: goes in a circle: [2] uses [3] uses [2]',
    'formulas acme 3: KPI 3 (Twice): formula: goes in a circle: [3] uses [2] uses [3]',
  ],
  [
    `${CALCULATED_TOO}; update formulas set formula = '[1]${'+[1]'.repeat(150)}' where kpi_id = 2; update formulas set formula = '[2]+[2]+[2]+[2]+[2]+[2]+[2]' where kpi_id = 3`,
    'formulas acme 3: KPI 3 (Twice): formula: is too large: KPI 3 (Twice) would come to 1064 numbers and KPIs with all formulas written out; the most is 1000',
  ],
]

describe.each(databases.map((one, row) => [...one, row] as const))(
  'a store on %s in which something is wrong',
  (_name, make, row) => {
    const broken = BROKEN.map(([sql, ...found]) => ({ title: sql.slice(0, 80), sql, found }))
    test.each(broken.filter(oneIn(3, row)))('$title', async ({ sql, found }) => {
      const checked = await checkBroken(make, sql)
      expect(linesOf(checked)).toEqual(found)
      expect(checked.faults.every(({ remedy }) => remedy.length > 10)).toBe(true)
    })

    test('is told all of it at once', async () => {
      const checked = await checkBroken(make, 'update entries set notes = null where id = 2', 'delete from formulas')
      expect(linesOf(checked)).toEqual([
        'kpis acme 2: is calculated and has no formula',
        'entries acme 2: has neither actual, target nor notes',
      ])
    })

    test('is told a thousand of a kind, and how many more there are', async () => {
      const many = `with recursive n(i) as (select 3 union all select i + 1 from n where i < 2502)
      insert into entries (account_id, item_id, kpi_id, entry_date, id, created_at, updated_at)
        select 1, 2, 1, i, i, 0, 0 from n; update counters set last = 2502 where name = 'entries'`
      const { faults, more } = await checkBroken(make, many)
      expect([faults.length, more]).toEqual([1000, 1500])
    })
  },
)

test('a store whose file itself is damaged is told so, and nothing that would follow from it', async () => {
  await using store = await openTestStore()
  await fill(store.db, store.account)
  const [row] = await store.db.read((tx) => tx.all("select rootpage from sqlite_schema where name = 'kpis_by_unit'"))
  await store.db.close()
  const bytes = readFileSync(store.path)
  // A page of an index without any row.
  const emptyPage = Buffer.from([10, 0, 0, 0, 0, 0x10, 0, 0])
  emptyPage.copy(bytes, (Number(row?.['rootpage']) - 1) * 4096)
  writeFileSync(store.path, bytes)
  const db = await openStore(store.path)
  const { faults } = await checkStore(db, integrity)
  await db.close()
  expect(faults.length).toBeGreaterThan(0)
  expect(new Set(faults.map(({ table: name, remedy }) => `${name}${remedy}`))).toEqual(
    new Set(['restore a backup from before: kpi service restore']),
  )
})
