import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { type Credentials, openAccount, wrongCredentials } from '../service/access.ts'
import type { Db } from '../store/db.ts'
import type { WireRequest } from './wire.ts'

const parseBasic = (header: string | undefined): Credentials => {
  const encoded = /^basic +(\S+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) {
    throw new KpiError('unauthorized', 'credentials are missing: send Basic with the login name and the account token')
  }
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) throw wrongCredentials()
  return { login: text.slice(0, colon), token: text.slice(colon + 1) }
}

/** The first label of a host name that has three or more, such as `acme.example.com`: it may name an account. */
const labelOf = (host: string | undefined): string | undefined => /^([^.:]+)\.[^.:]+\.[^:]/.exec(host ?? '')?.[1]

/** Reads classic credentials from a request's headers, and finds the account that they open. */
export const authenticateBasic = async (db: Db, headers: WireRequest['headers']): Promise<Account> =>
  openAccount(db, parseBasic(headers['authorization']), labelOf(headers['host']))
