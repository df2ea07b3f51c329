import { KpiError } from '../../domain/errors.ts'
import { isText } from '../../domain/field-value.ts'
import type { Account } from '../../domain/resources/account.ts'
import type { Db, Reader } from '../../store/db.ts'
import { accounts } from '../../store/tables/accounts.ts'
import { users } from '../../store/tables/users.ts'
import { hashSecret, isWellFormed } from './secrets.ts'

/** Describes a caller's credentials: a user's login name and the account token. */
export type LoginCredentials = { readonly login: string; readonly token: string }

/** Returns the error for wrong credentials; it does not tell which part was wrong. */
const wrongCredentials = (): KpiError => new KpiError('unauthorized', 'the login name or the token is wrong')

/** Refuses an account whose API is off, for either of two reasons. */
export const requireAccess = (account: Account): void => {
  if (account.plan === 'individual') {
    throw new KpiError('forbidden', `account ${account.name} is on the plan individual, which has no API`)
  }
  if (!account.api_enabled) throw new KpiError('forbidden', `the API of account ${account.name} is not enabled`)
}

/** Tells whether a host label names another account. One that names no account at all is ignored. */
const isOfAnother = async (tx: Reader, account: Account, hostLabel: string | undefined): Promise<boolean> => {
  const named = hostLabel === undefined ? undefined : await accounts.findByName(tx, hostLabel.toLowerCase())
  return named !== undefined && named.id !== account.id
}

const findAccount = async (
  tx: Reader,
  { login, token }: LoginCredentials,
  hostLabel: string | undefined,
): Promise<Account | undefined> => {
  const named = await accounts.findByToken(tx, hashSecret(token))
  if (!named || (await isOfAnother(tx, named, hostLabel))) return undefined
  const user = await users.findByEmail(tx, named.id, login.trim())
  return user?.user_status_id === 'A' ? named : undefined
}

/**
 * Finds the account of a token, or throws `unauthorized`. The login must be an active user of it, and the host label
 * must not name another account. It does not check whether the API is on: see `requireAccess`. It looks the token up by
 * its hash, so that the time taken reveals nothing about it.
 */
export const authenticateAccount = async (
  db: Db,
  credentials: LoginCredentials,
  hostLabel: string | undefined,
): Promise<Account> => {
  if (!isWellFormed(credentials.token) || !isText(credentials.login)) throw wrongCredentials()
  const account = await db.read((tx) => findAccount(tx, credentials, hostLabel))
  if (!account) throw wrongCredentials()
  return account
}
