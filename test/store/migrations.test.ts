import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { breakdownItem } from '../../src/domain/resources/breakdowns.ts'
import { account } from '../../src/domain/resources/account.ts'
import { storedAssignment } from '../../src/domain/resources/assignment.ts'
import { category, unit } from '../../src/domain/resources/catalog.ts'
import { entry } from '../../src/domain/resources/entry.ts'
import { group, userGroupItem } from '../../src/domain/resources/groups.ts'
import { key } from '../../src/domain/resources/key.ts'
import { storedKpi } from '../../src/domain/resources/kpi.ts'
import { user } from '../../src/domain/resources/user.ts'
import { type Resource, TEXT_KINDS } from '../../src/domain/schema.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { checkStore } from '../../src/service/check-store.ts'
import { authenticateKey } from '../../src/service/accounts/keys.ts'
import { type Db, type SqlRow } from '../../src/store/db.ts'
import { sqliteDialect } from '../../src/store/dialect.ts'
import * as integrity from '../../src/store/maintenance/check.ts'
import { openStore, STORE_VERSION } from '../../src/store/schema/open-store.ts'
import { CURRENT_SCHEMA } from '../../src/store/schema/current-schema.ts'
import { migrations } from '../../src/store/schema/migrations.ts'
import { SCHEMA_QUERY } from '../../src/store/schema/require-schema.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeKey } from '../support/service.ts'
import { openTestStore } from '../support/store.ts'

const ask = (db: Db, sql: string, ...values: string[]): Promise<SqlRow[]> => db.read((tx) => tx.all(sql, values))
const namesIn = (rows: readonly SqlRow[], column = 'name'): string[] => rows.map((row) => String(row[column]))

/** The tables that are kept beside the accounts, and their columns beyond the field table. */
const TABLES: readonly [table: string, of: Resource, more: readonly string[], without?: readonly string[]][] = [
  ['assignments', storedAssignment, []],
  ['breakdowns', group, []],
  ['categories', category, []],
  // Of an item, who may be a person: a user's id is the id of their item.
  ['entries', entry, ['item_id integer not null', 'item_set integer', 'revision integer not null'], ['user_id']],
  ['items', breakdownItem, []],
  ['keys', key, ['key_hash text not null']],
  ['kpis', storedKpi, []],
  ['units', unit, []],
  ['user_items', userGroupItem, [], ['group_id', 'group_name', 'name']],
  ['users', user, ['email_key text not null', 'password_hash text'], ['password']],
]
/** Tables without a resource of their own. */
const INTERNAL = ['counters', 'formulas', 'idempotent_requests', 'item_set_members', 'item_sets', 'run_batches', 'runs']
const OWNED = [...INTERNAL, ...TABLES.map(([name]) => name)]

describe('the tables', () => {
  test('are these, all of them strict', async () => {
    await using store = await openTestStore()
    const sql = `select name, strict from pragma_table_list where name not like 'sqlite%' order by name`
    const rows = await ask(store.db, sql)
    expect(namesIn(rows).sort()).toEqual(['accounts', ...OWNED].sort())
    expect(rows.filter(({ strict }) => strict !== 1n)).toEqual([])
  })

  test.each([...TABLES, ['accounts', account, ['token_hash text']] as const])(
    '%s has a column for every field, and no other',
    async (name, of, more, without = []) => {
      await using store = await openTestStore()
      const rows = await ask(store.db, 'select name, type, "notnull" from pragma_table_info(?)', name)
      const columns = rows.map((row) => `${row['name']} ${row['type']}${row['notnull'] === 1n ? ' not null' : ''}`)
      const fields = of.shown.map(({ name: field, field: { kind, nullable } }) => {
        const type = TEXT_KINDS.has(kind) ? 'text' : 'integer'
        return `${field} ${type}${nullable ? '' : ' not null'}`
      })
      const kept = fields.filter((column) => !without.includes(column.split(' ')[0] ?? ''))
      const owner = name === 'accounts' ? [] : ['account_id integer not null']
      // The id of an account is SQLite's own row id, which is never null.
      const found =
        name === 'accounts' ? columns.map((column) => column.replace(/^id integer$/i, '$& not null')) : columns
      expect(found.map((column) => column.toLowerCase()).sort()).toEqual([...owner, ...kept, ...more].sort())
    },
  )
})

describe('every key', () => {
  test.each(OWNED)('of %s leads with the account', async (name) => {
    await using store = await openTestStore()
    const indexes = await ask(store.db, 'select name, origin from pragma_index_list(?)', name)
    expect(namesIn(indexes, 'origin')).toContain('pk')
    // A key is found before its account is known.
    for (const index of namesIn(indexes).filter((one) => one !== 'keys_by_hash')) {
      const [first] = await ask(store.db, 'select name from pragma_index_info(?) order by seqno', index)
      expect([index, first?.['name']]).toEqual([index, 'account_id'])
    }
    const keys = await ask(store.db, 'select * from pragma_foreign_key_list(?) where seq = 0', name)
    expect(namesIn(keys, 'table')).toContain('accounts')
    for (const key of keys) {
      expect([key['from'], key['to']]).toEqual(['account_id', key['table'] === 'accounts' ? 'id' : 'account_id'])
    }
  })

  test.each([
    ['items', ['breakdowns.breakdown_id']],
    ['users', ['items.id']],
    ['kpis', ['categories.category_id', 'units.unit_id']],
    ['assignments', ['kpis.id', 'users.user_id']],
    ['entries', ['items.item_id', 'kpis.kpi_id']],
    ['user_items', ['items.id', 'users.user_id']],
    ['formulas', ['kpis.kpi_id']],
    ['keys', ['users.user_id']],
  ])('of %s to another table leads to %j of the same account', async (name, expected) => {
    await using store = await openTestStore()
    const keys = await ask(store.db, 'select * from pragma_foreign_key_list(?) where seq = 1', name)
    expect(keys.map((key) => `${key['table']}.${key['from']}`).sort()).toEqual(expected)
    expect(keys.every((key) => key['to'] === 'id')).toBe(true)
  })
})

test('the place after the last item of a breakdown is read from an index, however many there are', async () => {
  await using store = await openTestStore()
  const plan = await ask(
    store.db,
    'explain query plan select max(sort_order) as last from items where account_id = 1 and breakdown_id = 1',
  )
  expect(plan).toMatchObject([{ detail: expect.stringContaining('USING COVERING INDEX items_by_place') }])
})

/** What makes a store of an earlier version, which only statements do. */
const statementsTo = (version: number): string[] =>
  migrations(sqliteDialect)
    .slice(0, version)
    .flat()
    .filter((step) => typeof step === 'string')

test('there is a migration for each version of the store', () => {
  expect(migrations(sqliteDialect)).toHaveLength(STORE_VERSION)
})

test('a new store holds what a store is compared with as it is opened', async () => {
  await using store = await openTestStore()
  expect((await ask(store.db, SCHEMA_QUERY)).map(({ sql }) => sql)).toEqual(CURRENT_SCHEMA)
})

test('a store of the first version is brought to this one, and keeps what it holds', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  const database = new DatabaseSync(path)
  for (const statement of statementsTo(1)) database.exec(statement)
  database.exec(`insert into accounts values (1, 'acme', 'team', 1, 'monday', 1, null, 0);
    insert into categories (account_id, id, name, sort_order, created_at, updated_at) values (1, 1, 'Sales', 1, 0, 0);
    pragma application_id = 0x6b7069; pragma user_version = 1`)
  database.close()
  const db = await openStore(path)
  expect(namesIn(await ask(db, 'select name from categories'))).toEqual(['Sales'])
  expect(await ask(db, 'select * from formulas')).toEqual([])
  expect(await ask(db, 'pragma user_version')).toEqual([{ user_version: BigInt(STORE_VERSION) }])
  await db.close()
})

test('a store of the second version is brought to this one, and takes keys beside what it holds', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  const database = new DatabaseSync(path)
  for (const statement of statementsTo(2)) database.exec(statement)
  database.exec(`insert into accounts values (1, 'acme', 'team', 1, 'monday', 1, null, 0);
    insert into counters (account_id, name, last) values (1, 'breakdowns', 1), (1, 'items', 1), (1, 'kpis', 1),
      (1, 'categories', 1), (1, 'units', 1), (1, 'entries', 1);
    insert into breakdowns (account_id, id, name, sort_order, created_at, updated_at) values (1, 1, 'People', 1, 0, 0);
    insert into items (account_id, id, breakdown_id, name, user_id, is_archived, sort_order, created_at, updated_at)
      values (1, 1, 1, 'Eve', 1, 0, 0, 0, 0);
    insert into users (account_id, id, user_type, user_status_id, first_name, last_name, email, can_manage_users,
      can_admin_settings, last_login_at, last_password_changed_at, created_at, updated_at, email_key, password_hash)
      values (1, 1, 'Admin', 'A', 'Eve', null, 'eve@acme', 1, 1, null, null, 0, 0, 'eve@acme', null);
    insert into categories (account_id, id, name, sort_order, created_at, updated_at) values (1, 1, 'Sales', 1, 0, 0);
    insert into units (account_id, id, name, entry_format, display_format, is_percentage, created_at, updated_at)
      values (1, 1, 'Number', '#', '#', 0, 0, 0);
    insert into kpis (account_id, id, category_id, icon_id, unit_id, frequency_id, name, description, target_default,
      value_direction, aggregate_function, sort_order, is_active, is_calculated, created_at, updated_at)
      values (1, 1, 1, 1, 1, 'D', 'Revenue', null, null, 'U', 'SUM', 1, 1, 0, 0, 0);
    insert into entries (account_id, item_id, kpi_id, entry_date, id, actual, target, notes, created_at, updated_at)
      values (1, 1, 1, 20000, 1, 125000, null, null, 0, 0);
    pragma application_id = 0x6b7069; pragma user_version = 2`)
  database.close()
  const db = await openStore(path)
  const acme = await accounts.get(db, 'acme')
  const secret = await makeKey(db, acme, {}, 100)
  expect(await authenticateKey(db, secret, 200)).toMatchObject({
    account: { name: 'acme' },
    owner: { email: 'eve@acme' },
  })
  expect(await ask(db, 'select actual from entries')).toEqual([{ actual: 125_000n }])
  expect(await checkStore(db, integrity)).toMatchObject({ counts: { entries: 1, users: 1 }, faults: [] })
  await db.close()
})

describe('a store of the fifth version', () => {
  /** Makes one of an account with people who have these addresses, which it compared without regard to case alone. */
  const storeOf = (path: string, ...emails: readonly string[]): void => {
    using database = new DatabaseSync(path)
    for (const statement of statementsTo(5)) database.exec(statement)
    database.exec(`insert into accounts values (1, 'acme', 'team', 1, 'monday', 1, null, 0);
      insert into breakdowns (account_id, id, name, sort_order, created_at, updated_at) values (1, 1, 'People', 1, 0, 0);
      pragma application_id = 0x6b7069; pragma user_version = 5`)
    const item =
      database.prepare(`insert into items (account_id, id, breakdown_id, name, user_id, is_archived, sort_order,
      created_at, updated_at) values (1, ?, 1, 'Eve', ?, 0, 0, 0, 0)`)
    const user = database.prepare(`insert into users (account_id, id, user_type, user_status_id, first_name, last_name,
      email, can_manage_users, can_admin_settings, last_login_at, last_password_changed_at, created_at, updated_at,
      email_key, password_hash) values (1, ?, 'Admin', 'A', 'Eve', null, ?, 1, 1, null, null, 0, 0, ?, null)`)
    for (const [at, email] of emails.entries()) {
      item.run(at + 1, at + 1)
      user.run(at + 1, email, email.toLowerCase())
    }
  }

  test('finds people by their addresses in the form in which these are compared', async () => {
    using folder = temporaryFolder()
    storeOf(folder.in('kpi.db'), 'eve@acme', 'Zoe\u0308@acme')
    const db = await openStore(folder.in('kpi.db'))
    expect(await ask(db, 'select email, email_key from users')).toEqual([
      { email: 'eve@acme', email_key: 'eve@acme' },
      { email: 'Zoe\u0308@acme', email_key: 'zo\u00eb@acme' },
    ])
    await db.close()
  })

  test('is left as it was if addresses of several people are one, and they are listed', async () => {
    using folder = temporaryFolder()
    const path = folder.in('kpi.db')
    storeOf(path, 'eve@acme', 'Zoe\u0308@acme', 'zo\u00eb@acme')
    await expect(openStore(path)).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringContaining('kpi users update ID --email ADDRESS'),
      issues: [{ field: 'acme', message: String.raw`users 2 (Zoe\u{308}@acme), 3 (zo\u{eb}@acme)` }],
    })
    using database = new DatabaseSync(path)
    expect(database.prepare('pragma user_version').get()).toEqual({ user_version: 5 })
  })
})
