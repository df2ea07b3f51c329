import type { Instant } from '../domain/day.ts'
import { Fault, KpiError, refuseFaults } from '../domain/errors.ts'
import { checkText } from '../domain/field-value.ts'
import { type Account, account as resource } from '../domain/resources/account.ts'
import { accounts as store } from '../store/accounts.ts'
import type { Db, Reader } from '../store/db.ts'
import { users } from '../store/users.ts'
import { seedAccount } from './account-seed.ts'
import { DEFAULT_ACCOUNT, DEFAULT_LOGIN } from './names.ts'
import { hashSecret, makeSecret, type Random } from './secrets.ts'

const find = async (tx: Reader, name: string): Promise<Account> => {
  const account = await store.findByName(tx, name)
  if (!account) throw new KpiError('not_found', `there is no account ${name}`)
  return account
}

/** A token and the login name that goes with it; one that replaces another makes that one worthless. */
export type MadeToken = { readonly login: string; readonly token: string; readonly replaces: boolean }

/** The operator's work on accounts: never done over the interface. */
export const accounts = {
  list: (db: Db): Promise<Account[]> => db.read((tx) => store.list(tx)),

  /** Makes an account with its first user, who logs in with the e-mail address. Its API is not enabled. */
  create: (db: Db, draft: { name: string; login: string; plan: Account['plan'] }, now: Instant): Promise<Account> =>
    db.write(async (tx) => {
      const name = checkText(resource.fields.name, draft.name)
      if (name instanceof Fault) refuseFaults([{ field: 'name', message: name.message }])
      if (await store.findByName(tx, draft.name)) {
        throw new KpiError('conflict', `there is an account ${draft.name} already`)
      }
      const settings = { week_start: 'monday', fiscal_year_start: 1, api_enabled: false } as const
      const id = await store.insert(tx, { ...settings, name: draft.name, plan: draft.plan, created_at: now })
      await seedAccount(tx, id, draft.login, now)
      return find(tx, draft.name)
    }),

  setApiEnabled: (db: Db, name: string, enabled: boolean): Promise<Account> =>
    db.write(async (tx) => {
      const { id } = await find(tx, name)
      await store.setApiEnabled(tx, id, enabled)
      return find(tx, name)
    }),

  /** Makes the account's token, in place of any before it. It is shown this once; only its hash is kept. */
  createToken: (db: Db, name: string, random: Random): Promise<MadeToken> =>
    db.write(async (tx) => {
      const { id } = await find(tx, name)
      const active = (await users.list(tx, id)).filter(({ user_status_id }) => user_status_id === 'A')
      const [first] = [...active.filter(({ user_type }) => user_type === 'Admin'), ...active]
      if (!first) throw new KpiError('conflict', `account ${name} has no active user to log in`)
      const token = makeSecret('token', random)
      return { login: first.email, token, replaces: await store.setToken(tx, id, hashSecret(token)) }
    }),
}

/** The account of the embedded service, made where there is none yet. */
export const ensureDefaultAccount = async (db: Db, now: Instant): Promise<Account> => {
  try {
    return await accounts.create(db, { name: DEFAULT_ACCOUNT, login: DEFAULT_LOGIN, plan: 'team' }, now)
  } catch (error) {
    if (!(error instanceof KpiError && error.code === 'conflict')) throw error
    return db.read((tx) => find(tx, DEFAULT_ACCOUNT))
  }
}
