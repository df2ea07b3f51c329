import { type Account, account } from '../../domain/resources/account.ts'
import type { Reader, Writer } from '../db.ts'
import { rowReader } from './table.ts'

const read = rowReader(account)
const SELECT = 'select id, name, plan, api_enabled, week_start, fiscal_year_start, created_at from accounts'

const hasToken = async (tx: Reader, id: number): Promise<boolean> => {
  const [row] = await tx.all('select token_hash is not null as has from accounts where id = ?', [id])
  return Number(row?.['has']) === 1
}

const findBy = async (tx: Reader, column: 'name' | 'token_hash', value: string): Promise<Account | undefined> => {
  const [row] = await tx.all(`${SELECT} where ${column} = ?`, [value])
  return row && read(row)
}

/** Reads and writes the tenants. This is the only table whose key does not begin with an account. */
export const accounts = {
  list: async (tx: Reader): Promise<Account[]> => (await tx.all(`${SELECT} order by id`)).map(read),
  find: async (tx: Reader, id: number): Promise<Account | undefined> => {
    const [row] = await tx.all(`${SELECT} where id = ?`, [id])
    return row && read(row)
  },
  findByName: (tx: Reader, name: string): Promise<Account | undefined> => findBy(tx, 'name', name),
  findByToken: (tx: Reader, hash: string): Promise<Account | undefined> => findBy(tx, 'token_hash', hash),

  /** Adds an account and returns its id. */
  insert: async (tx: Writer, draft: Omit<Account, 'id'>): Promise<number> => {
    const [row] = await tx.all(
      `insert into accounts (name, plan, api_enabled, week_start, fiscal_year_start, created_at)
       values (?, ?, ?, ?, ?, ?) returning id`,
      [draft.name, draft.plan, Number(draft.api_enabled), draft.week_start, draft.fiscal_year_start, draft.created_at],
    )
    return Number(row?.['id'])
  },
  setApiEnabled: async (tx: Writer, id: number, enabled: boolean): Promise<void> => {
    await tx.run('update accounts set api_enabled = ? where id = ?', [Number(enabled), id])
  },
  setSettings: async (tx: Writer, { id, plan, week_start, fiscal_year_start }: Account): Promise<void> => {
    const sql = 'update accounts set plan = ?, week_start = ?, fiscal_year_start = ? where id = ?'
    await tx.run(sql, [plan, week_start, fiscal_year_start, id])
  },
  hasToken,
  /** Sets the token, or none; returns whether the account had one before, which is no longer valid. */
  setToken: async (tx: Writer, id: number, hash: string | null): Promise<boolean> => {
    const had = await hasToken(tx, id)
    await tx.run('update accounts set token_hash = ? where id = ?', [hash, id])
    return had
  },
}
