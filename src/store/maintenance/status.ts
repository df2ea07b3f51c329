import type { Instant } from '../../domain/day.ts'
import type { Status } from '../../domain/resources/service-status.ts'
import type { Reader } from '../db.ts'
import { columnsOf } from '../tables/table.ts'
import { storeTables } from './check.ts'

const COUNTS = `select (select count(*) from accounts) as accounts,
  (select count(*) from accounts where api_enabled = 1 and plan <> 'individual') as accounts_with_api,
  (select count(*) from users) as users, (select count(*) from kpis) as kpis, (select count(*) from entries) as entries`

/** Counts the records of a store, over all accounts. */
export type StoreCounts = Readonly<Record<'accounts' | 'accounts_with_api' | 'users' | 'kpis' | 'entries', number>>

export const countAll = async (tx: Reader): Promise<StoreCounts> => {
  const [row = {}] = await tx.all(COUNTS)
  const count = (name: keyof StoreCounts): number => Number(row[name])
  return {
    accounts: count('accounts'),
    accounts_with_api: count('accounts_with_api'),
    users: count('users'),
    kpis: count('kpis'),
    entries: count('entries'),
  }
}

/** Tells whether a store holds no more than a new one. */
export const isFresh = ({ accounts, users, kpis, entries }: StoreCounts): boolean =>
  accounts <= 1 && users <= 1 && kpis + entries === 0

/** Returns when anything in the store was created or last changed; null if it is empty. Removals do not count. */
export const lastChangeAt = async (tx: Reader): Promise<Instant | null> => {
  const newest = (await storeTables()).flatMap(({ name, of }) =>
    (of ? columnsOf(of) : [])
      .filter(({ column }) => column === 'created_at' || column === 'updated_at')
      .map(({ column }) => `select max(${column}) as at from ${name}`),
  )
  const [row] = await tx.all(`select max(stored.at) as at from (${newest.join(' union all ')}) stored`)
  const at = row?.['at'] ?? null
  return at === null ? null : Number(at)
}

/** Describes what a database knows of a store besides its content. */
export type StoreFacts = Pick<Status, 'in_use' | 'bytes' | 'free_bytes'>

const POSTGRES_FACTS = `select pg_database_size(current_database()) as bytes, exists (
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'kpi' and pid <> pg_backend_pid()
  ) as in_use`

/**
 * Returns the facts of a store in PostgreSQL, which does not tell the free space of its disk. The store is in use if a
 * kpi has a connection to its database: PostgreSQL does not tell to which schema.
 */
export const postgresFacts = async (tx: Reader): Promise<StoreFacts> => {
  const [row] = await tx.all(POSTGRES_FACTS)
  return { in_use: row?.['in_use'] === 1n, bytes: Number(row?.['bytes']), free_bytes: null }
}
