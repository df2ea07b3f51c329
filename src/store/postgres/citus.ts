import { KpiError } from '../../domain/errors.ts'
import type { Reader, Writer } from '../db.ts'
import { postgresDialect } from '../dialect.ts'
import { LIMITS_OF_ACCOUNTS, LIMITS_OF_LOGINS } from '../schema/limit-tables.ts'
import { accountTables } from '../schema/migrations.ts'

/** Describes where Citus keeps a table of the store: on all machines by a column, or on the coordinator alone. */
type Placement = {
  readonly table: string
  /** Names the column by which the rows are spread; null for a table that stays on the coordinator. */
  readonly column: 'id' | 'account_id' | null
  readonly state: 'local' | 'planned' | 'distributed' | 'unchanged'
  readonly statement: string | null
}

/** Lists the tables that belong to no account: few rows, which are locked one by one. */
const LOCAL = ['kpi_store', ...LIMITS_OF_LOGINS]

/** Returns the tables to distribute, each after the ones that it refers to, as Citus demands. */
const distributedTables = (): readonly string[] => [
  'accounts',
  ...accountTables(postgresDialect).map(({ name }) => name),
  ...LIMITS_OF_ACCOUNTS,
]

const columnOf = (table: string): 'id' | 'account_id' => (table === 'accounts' ? 'id' : 'account_id')

/** Returns the statement that distributes a table; one account's rows of all tables are kept on the same machine. */
const distributing = (table: string): string =>
  table === 'accounts'
    ? "select create_distributed_table('accounts', 'id')"
    : `select create_distributed_table('${table}', 'account_id', colocate_with => 'accounts')`

/** Describes a table as Citus knows it: by which column it is spread, if any, and which tables are kept beside it. */
type KnownTable = { readonly column: string | null; readonly colocation: bigint }

const KNOWN = `select c.relname as name, column_to_column_name(p.logicalrelid, p.partkey) as spread_by, p.colocationid as colocation
  from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where c.relnamespace = quote_ident(current_schema())::regnamespace`

const knownTables = async (tx: Reader): Promise<ReadonlyMap<string, KnownTable>> =>
  new Map(
    (await tx.all(KNOWN)).map(({ name, spread_by, colocation }) => [
      String(name),
      { column: typeof spread_by === 'string' ? spread_by : null, colocation: BigInt(colocation ?? 0) },
    ]),
  )

/** Tells whether the database has Citus. */
export const hasCitus = async (tx: Reader): Promise<boolean> => {
  const [row] = await tx.all("select to_regclass('pg_dist_partition') is not null as there")
  return row?.['there'] === 1n
}

const requireCitus = async (tx: Reader, where: string): Promise<void> => {
  if (await hasCitus(tx)) return
  throw new KpiError(
    'unusable',
    `PostgreSQL at ${where} has no Citus; create the extension there: psql "$KPI_POSTGRES_URL" -c "create extension citus"`,
  )
}

/** Refuses a table that Citus spreads in another way. */
const requireAsPlanned = (known: ReadonlyMap<string, KnownTable>): void => {
  const spread = distributedTables().flatMap((table) => known.get(table)?.colocation ?? [])
  const wrong = [...known].find(([table, { column, colocation }]) => {
    if (LOCAL.includes(table)) return true
    return distributedTables().includes(table) && (column !== columnOf(table) || colocation !== spread[0])
  })
  if (!wrong) return
  const [table, { column }] = wrong
  const found = column === null ? 'copied to all machines' : `distributed by ${column}`
  const wanted = LOCAL.includes(table)
    ? 'local to the coordinator'
    : `distributed by ${columnOf(table)} beside accounts`
  throw new KpiError(
    'conflict',
    `the table ${table} is ${found}, and has to be ${wanted}; undo that, and try again: psql "$KPI_POSTGRES_URL" -c "select undistribute_table('${table}', cascade_via_foreign_keys => true)"`,
  )
}

const placementsOf = (known: ReadonlyMap<string, KnownTable>, missing: Placement['state']): readonly Placement[] => [
  ...distributedTables().map((table) => ({
    table,
    column: columnOf(table),
    state: known.has(table) ? ('unchanged' as const) : missing,
    statement: distributing(table),
  })),
  ...LOCAL.map((table) => ({ table, column: null, state: 'local' as const, statement: null })),
]

/** Returns what there is to distribute. */
export const planDistribution = async (tx: Reader, where: string): Promise<readonly Placement[]> => {
  await requireCitus(tx, where)
  const known = await knownTables(tx)
  requireAsPlanned(known)
  return placementsOf(known, 'planned')
}

const run = async (tx: Writer, statement: string): Promise<void> => {
  await tx.all(statement)
}

/**
 * Distributes the tables by account that are not distributed yet, and removes the copies that Citus leaves on the
 * coordinator. That is one transaction: if it is interrupted, nothing is distributed.
 */
export const distributeTables = async (tx: Writer, where: string): Promise<readonly Placement[]> => {
  const planned = (await planDistribution(tx, where)).filter(({ state }) => state === 'planned')
  // Rows are moved however long that takes. One statement after the other, so that each sees the tables of the last one.
  await run(tx, 'set local statement_timeout = 0')
  await run(tx, "set local citus.multi_shard_modify_mode = 'sequential'")
  for (const { table } of planned) await run(tx, distributing(table))
  // Tables are emptied together with those that refer to them, which have to be distributed by then.
  for (const { table } of planned) await run(tx, `select truncate_local_data_after_distributing_table('${table}')`)
  const known = await knownTables(tx)
  requireAsPlanned(known)
  const isNew = new Set(planned.map(({ table }) => table))
  return placementsOf(known, 'planned').map((one) => (isNew.has(one.table) ? { ...one, state: 'distributed' } : one))
}
