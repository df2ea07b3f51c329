import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { hashSecret, isWellFormed } from '../service/secrets.ts'
import { accounts } from '../store/accounts.ts'
import type { Db } from '../store/db.ts'
import { users } from '../store/users.ts'

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

/**
 * Finds the account of classic credentials: the token names it, and the login must be an active user of it
 * (decisions, section 1). The token is looked up by its hash, so the time taken tells nothing about it.
 */
export const authenticateBasic = async (db: Db, header: string | undefined): Promise<Account> => {
  const { login, token } = parseBasic(header)
  if (!isWellFormed(token)) throw wrong()
  const account = await db.read(async (tx) => {
    const named = await accounts.findByToken(tx, hashSecret(token))
    const user = named && (await users.findByEmail(tx, named.id, login.trim()))
    return user?.user_status_id === 'A' ? named : undefined
  })
  if (!account) throw wrong()
  mustHaveAccess(account)
  return account
}
