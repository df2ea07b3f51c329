import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkStore } from '../../src/service/check-store.ts'
import type { Db } from '../../src/store/db.ts'
import { postgresDialect, sqliteDialect } from '../../src/store/dialect.ts'
import { migrations } from '../../src/store/schema/migrations.ts'
import { postgresDb } from '../../src/store/postgres/postgres-db.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { type Database, emptyDatabases } from '../support/databases.ts'

const [ACCOUNTS, ITEMS] = [
  [1, 2],
  [1, 2, 3, 4, 5],
]

/** The group items that each entry carries: a list an entry, of either account by turns. */
type Carried = readonly (readonly number[])[]

const row = (table: string, values: readonly (string | number | null)[]): string =>
  `insert into ${table} values (${values.map((one) => (one === null ? 'null' : `'${one}'`)).join(', ')})`

/** An account as the third version kept it: a KPI, five group items, and an entry of the first day for each list. */
const rowsOf = (account: number, carried: Carried): string[] => [
  row('accounts', [account, `acme${account}`, 'team', 1, 'monday', 1, null, 0]),
  `insert into breakdowns (account_id, id, name, sort_order, created_at, updated_at) values (${account}, 2, 'x', 1, 0, 0)`,
  ...ITEMS.map(
    (
      id,
    ) => `insert into items (account_id, id, breakdown_id, name, user_id, is_archived, sort_order, created_at, updated_at)
      values (${account}, ${id}, 2, 'x', null, 0, 1, 0, 0)`,
  ),
  `insert into categories (account_id, id, name, sort_order, created_at, updated_at) values (${account}, 1, 'x', 1, 0, 0)`,
  `insert into units (account_id, id, name, entry_format, display_format, is_percentage, created_at, updated_at)
    values (${account}, 1, 'x', '#', '#', 0, 0, 0)`,
  `insert into kpis (account_id, id, category_id, icon_id, unit_id, frequency_id, name, value_direction,
    aggregate_function, sort_order, is_active, is_calculated, created_at, updated_at)
    values (${account}, 1, 1, 1, 1, 'D', 'x', 'U', 'SUM', 1, 1, 0, 0, 0)`,
  ...carried.flatMap((items, day) => [
    `insert into entries (account_id, item_id, kpi_id, entry_date, id, actual, created_at, updated_at)
      values (${account}, 1, 1, ${day}, ${day + 1}, 1, 0, 0)`,
    ...items.map(
      (item) => `insert into entry_items (account_id, group_item_id, kpi_id, entry_date, item_id)
        values (${account}, ${item}, 1, ${day}, 1)`,
    ),
  ]),
]

/** Makes a store of the third version. */
const makeOld = async ({ dataDir, env }: Database, carried: Carried): Promise<void> => {
  const url = env['KPI_POSTGRES_URL']
  const db = url === undefined ? sqliteDb(`${dataDir}/kpi.db`) : postgresDb({ url }, 'there').selfLocking
  const steps = migrations(url === undefined ? sqliteDialect : postgresDialect)
    .slice(0, 3)
    .flat()
  const marks =
    url === undefined
      ? ['pragma user_version = 3', 'pragma application_id = 0x6b7069']
      : ['create table kpi_store (version bigint not null)', 'insert into kpi_store values (3)']
  await db.write(async (tx) => {
    const statements = [...steps.filter((step) => typeof step === 'string'), ...marks]
    for (const sql of [...statements, ...ACCOUNTS.flatMap((account) => rowsOf(account, carried))]) await tx.run(sql)
  })
  await db.close()
}

/** What the entries of an account carry now, in the order of their days. */
const carriedIn = (db: Db, account: number): Promise<number[][]> =>
  db.read(async (tx) => {
    const rows = await tx.all(
      `select e.entry_date, m.group_item_id as item from entries e
       left join item_set_members m on m.account_id = e.account_id and m.set_id = e.item_set
       where e.account_id = ? order by e.entry_date, m.group_item_id`,
      [account],
    )
    const days = Map.groupBy(rows, (one) => one['entry_date'])
    return [...days.values()].map((list) => list.flatMap(({ item }) => (item === null ? [] : [Number(item)])))
  })

describe.each(emptyDatabases)('a store of the third version on %s', (_, make) => {
  test('keeps what its entries carry, whatever that is', async () => {
    const someItems = fc.uniqueArray(fc.constantFrom(...ITEMS)).map((list) => list.sort((a, b) => a - b))
    await fc.assert(
      fc.asyncProperty(fc.array(someItems, { maxLength: 12 }), async (carried) => {
        await using database = await make()
        await makeOld(database, carried)
        const db = await database.open()
        try {
          for (const account of ACCOUNTS) expect(await carriedIn(db, account)).toEqual(carried)
          const { faults } = await checkStore(db, undefined)
          expect(faults.filter(({ table, fault }) => table.startsWith('item_set') || /item_set/.test(fault))).toEqual(
            [],
          )
        } finally {
          await db.close()
        }
      }),
      { numRuns: 4, examples: [[[[], [1], [1, 2], [1], [3, 4, 5]]]] },
    )
  })
})
