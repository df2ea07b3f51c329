import type { Account } from '../../src/domain/resources/account.ts'
import type { Kpi } from '../../src/domain/resources/kpi.ts'
import type { User } from '../../src/domain/resources/user.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import type { Db, Writer } from '../../src/store/db.ts'
import { entries, type StoredEntry } from '../../src/store/tables/entries.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { temporaryFolder } from './folder.ts'
import { putNewStore } from './new-store.ts'

/** A store of a test's own, on a real file, with an account as every new one is. */
export type TestStore = {
  readonly db: Db
  readonly path: string
  readonly account: number
  /** Makes another account. */
  readonly addAccount: (name: string) => Promise<Account>
} & AsyncDisposable

/** Opens a store in a folder of its own: `await using store = await openTestStore()`. */
export const openTestStore = async (): Promise<TestStore> => {
  const folder = temporaryFolder()
  const path = folder.in('kpi.db')
  await putNewStore(path)
  const db = await openStore(path)
  const addAccount = (name: string): Promise<Account> =>
    accounts.create(db, { name, login: `admin@${name}`, plan: 'team' }, 0)
  const { id } = await addAccount('acme')
  return {
    db,
    path,
    account: id,
    addAccount,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      folder[Symbol.dispose]()
    },
  }
}

/** A KPI as it is kept, in the category and unit that every account has. */
export const kpiRecord = (fields: Partial<Kpi> = {}): Kpi => ({
  id: 1,
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name: 'Sales',
  description: null,
  target_default: null,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 1,
  is_active: true,
  is_calculated: false,
  created_at: 0,
  updated_at: 0,
  ...fields,
})

/** A user as they are kept; the first id belongs to the account's administrator. */
export const userRecord = (fields: Partial<User> = {}): User => ({
  id: 2,
  user_type: 'User',
  user_status_id: 'A',
  first_name: 'Ann',
  last_name: 'Lee',
  email: 'ann@example.com',
  password: null,
  can_manage_users: false,
  can_admin_settings: false,
  last_login_at: null,
  last_password_changed_at: null,
  created_at: 0,
  updated_at: 0,
  ...fields,
})

/** An entry of the administrator as it is kept. */
export const entryRow = (fields: Partial<StoredEntry> = {}): StoredEntry => ({
  id: 1,
  item_id: 1,
  kpi_id: 1,
  entry_date: 0,
  actual: 1n,
  target: null,
  notes: null,
  created_at: 0,
  updated_at: 0,
  item_set: null,
  revision: 0,
  ...fields,
})

/** Adds entries as they are kept, all of one moment. */
export const insertEntries = (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> => {
  const column = <Name extends keyof StoredEntry>(name: Name): StoredEntry[Name][] => rows.map((row) => row[name])
  return entries.insert(tx, account, {
    count: rows.length,
    item_id: column('item_id'),
    kpi_id: column('kpi_id'),
    entry_date: column('entry_date'),
    id: column('id'),
    actual: column('actual'),
    target: column('target'),
    notes: column('notes'),
    at: rows[0]?.created_at ?? 0,
    item_set: column('item_set'),
    revision: 0,
  })
}
