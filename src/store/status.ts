import type { Status } from '../domain/resources/status.ts'
import type { Reader } from './db.ts'

const COUNTS = `select (select count(*) from accounts) as accounts,
  (select count(*) from accounts where api_enabled = 1 and plan <> 'individual') as accounts_with_api,
  (select count(*) from users) as users, (select count(*) from kpis) as kpis, (select count(*) from entries) as entries`

/** How much a store holds, of all accounts together. */
export type Counts = Readonly<Record<'accounts' | 'accounts_with_api' | 'users' | 'kpis' | 'entries', number>>

export const countAll = async (tx: Reader): Promise<Counts> => {
  const [row = {}] = await tx.all(COUNTS)
  const count = (name: keyof Counts): number => Number(row[name])
  return {
    accounts: count('accounts'),
    accounts_with_api: count('accounts_with_api'),
    users: count('users'),
    kpis: count('kpis'),
    entries: count('entries'),
  }
}

/** Whether a store holds nothing but what a new one does. */
export const isFresh = ({ accounts, users, kpis, entries }: Counts): boolean =>
  accounts <= 1 && users <= 1 && kpis + entries === 0

/** What a database tells of a store besides what it holds. */
export type StoreFacts = Pick<Status, 'in_use' | 'last_write_at' | 'bytes' | 'free_bytes'>

const POSTGRES_FACTS = `select pg_database_size(current_database()) as bytes, exists (
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'kpi' and pid <> pg_backend_pid()
  ) as in_use`

/** The facts of a store in PostgreSQL, which knows nothing of the disk, and not when it was written to. */
export const postgresFacts = async (tx: Reader): Promise<StoreFacts> => {
  const [row] = await tx.all(POSTGRES_FACTS)
  return { in_use: row?.['in_use'] === 1n, last_write_at: null, bytes: Number(row?.['bytes']), free_bytes: null }
}
