import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { addCitus } from '../support/citus.ts'
import { type Database, emptyPostgresDatabase } from '../support/databases.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'

let database: Database
let url: string
beforeEach(async () => {
  database = await emptyPostgresDatabase()
  url = database.env['KPI_POSTGRES_URL'] ?? ''
  await (await openPostgres({ url })).close()
})
afterEach(() => database[Symbol.asyncDispose]())

const distribute = (...flags: string[]): Promise<Ran> =>
  shellIn({ home: database.dataDir, env: database.env })(
    'service',
    'distribute',
    '--citus',
    ...database.flags,
    ...flags,
  )

type Row = {
  readonly table: string
  readonly column: string | null
  readonly state: string
  readonly statement: string
}
const placements = async (...flags: string[]): Promise<readonly Row[]> =>
  jsonOf(await distribute('-o', 'json', ...flags)) as readonly Row[]
const statesOf = (rows: readonly Row[]): ReadonlySet<string> => new Set(rows.map(({ state }) => state))

const run = async (sql: string): Promise<{ readonly name: string }[]> => {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(sql)
  await client.end()
  return rows
}

/** The tables of the store that have an account. */
const tablesOfAccounts = async (): Promise<string[]> => {
  const sql = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attname = 'account_id'`
  return ['accounts', ...(await run(sql)).map(({ name }) => name)].toSorted()
}

describe('kpi service distribute --citus', () => {
  test('distributes every table that has an account, after the tables that it refers to, and leaves the others', async () => {
    await addCitus(url)
    const rows = await placements()
    const spread = rows.filter(({ column }) => column !== null)
    expect(spread.map(({ table }) => table).toSorted()).toEqual(await tablesOfAccounts())
    expect(statesOf(spread)).toEqual(new Set(['distributed']))
    const local = rows.filter(({ state }) => state === 'local').map(({ table }) => table)
    expect(local).toEqual(['kpi_store', 'login_brakes', 'refused_logins'])
  })

  test('shows the statements with --dry-run, and changes nothing', async () => {
    await addCitus(url)
    const planned = await placements('--dry-run')
    expect(statesOf(planned)).toEqual(new Set(['planned', 'local']))
    expect(planned[0]?.statement).toBe(`select create_distributed_table('accounts', 'id')`)
    expect(await placements('--dry-run')).toEqual(planned)
    expect((await distribute('--dry-run')).stderr).toBe('20 tables to distribute by account\n')
  })

  test('leaves what is distributed, and continues', async () => {
    await addCitus(url)
    await run(`select create_distributed_table('accounts', 'id')`)
    const rows = await placements()
    expect(rows.filter(({ state }) => state === 'unchanged').map(({ table }) => table)).toEqual(['accounts'])
    expect(statesOf(await placements())).toEqual(new Set(['unchanged', 'local']))
    expect((await distribute()).stderr).toBe('0 tables distributed by account\n')
  })

  test('leaves nothing half done if the database refuses a table', async () => {
    await addCitus(url)
    await run('create table strangers (account_id bigint references accounts (id))')
    const { code, stderr } = await distribute()
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('refused a statement') as string })
    expect(statesOf(await placements('--dry-run'))).toEqual(new Set(['planned', 'local']))
  })

  test('refuses a table that is distributed in another way, and says how to undo that', async () => {
    await addCitus(url)
    await run(`select create_distributed_table('refused_logins', 'pair')`)
    expect(await distribute()).toEqual({
      code: 1,
      stdout: '',
      stderr: `kpi: the table refused_logins is distributed by pair, and has to be local to the coordinator; undo that, and try again: psql "$KPI_POSTGRES_URL" -c "select undistribute_table('refused_logins', cascade_via_foreign_keys => true)"\n`,
    })
  })

  test('says what to do where there is no Citus, and where the store is a file', async () => {
    const without = await distribute()
    const inFile = await shellIn({ home: database.dataDir })('service', 'distribute', '--citus')
    expect([without.code, inFile.code]).toEqual([1, 7])
    expect(without.stderr).toMatch(
      / has no Citus; create the extension there: psql "\$KPI_POSTGRES_URL" -c "create extension citus"\n$/,
    )
    expect(inFile.stderr).toBe(
      'kpi: a store in a file is on one machine; name one in PostgreSQL with --store postgres\n',
    )
  })
})
