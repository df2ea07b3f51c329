import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { hashSecret, isWellFormed } from '../service/secrets.ts'
import { accounts } from '../store/accounts.ts'
import type { Db, Reader } from '../store/db.ts'
import { users } from '../store/users.ts'
import type { WireRequest } from './wire.ts'

type Credentials = { readonly login: string; readonly token: string }

const wrong = (): KpiError => new KpiError('unauthorized', 'the login name or the token is wrong')

const parseBasic = (header: string | undefined): Credentials => {
  const encoded = /^basic +(\S+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) {
    throw new KpiError('unauthorized', 'credentials are missing: send Basic with the login name and the account token')
  }
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) throw wrong()
  return { login: text.slice(0, colon), token: text.slice(colon + 1) }
}

/** Refuses an account whose API is off, and says which of the two reasons it is. */
const mustHaveAccess = (account: Account): void => {
  if (account.plan === 'individual') {
    throw new KpiError('forbidden', `account ${account.name} is on the plan individual, which has no API`)
  }
  if (!account.api_enabled) throw new KpiError('forbidden', `the API of account ${account.name} is not enabled`)
}

/** The first label of a host name that has three or more, such as `acme.example.com`: it may name an account. */
const labelOf = (host: string | undefined): string | undefined => /^([^.:]+)\.[^.:]+\.[^:]/.exec(host ?? '')?.[1]

/** Whether a host is that of another account. Hosts that name no account are nobody's. */
const isOfAnother = async (tx: Reader, account: Account, host: string | undefined): Promise<boolean> => {
  const label = labelOf(host)
  const named = label === undefined ? undefined : await accounts.findByName(tx, label.toLowerCase())
  return named !== undefined && named.id !== account.id
}

const findAccount = async (tx: Reader, { login, token }: Credentials, host?: string): Promise<Account | undefined> => {
  const named = await accounts.findByToken(tx, hashSecret(token))
  if (!named || (await isOfAnother(tx, named, host))) return undefined
  const user = await users.findByEmail(tx, named.id, login.trim())
  return user?.user_status_id === 'A' ? named : undefined
}

/**
 * Finds the account of classic credentials: the token names it, the login must be an active user of it, and the host
 * must not be another account's (decisions, section 1). The token is looked up by its hash, so the time taken tells
 * nothing about it.
 */
export const authenticateBasic = async (db: Db, headers: WireRequest['headers']): Promise<Account> => {
  const credentials = parseBasic(headers['authorization'])
  if (!isWellFormed(credentials.token)) throw wrong()
  const account = await db.read((tx) => findAccount(tx, credentials, headers['host']))
  if (!account) throw wrong()
  mustHaveAccess(account)
  return account
}
