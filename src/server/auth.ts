import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { type Credentials, openAccount } from '../service/access.ts'
import type { Db } from '../store/db.ts'
import type { WireRequest } from './wire.ts'

/** Reads classic credentials from a header; refuses missing ones. */
export const parseBasic = (header: string | undefined): Credentials => {
  const encoded = /^basic +(\S+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) {
    throw new KpiError('unauthorized', 'credentials are missing: send Basic with the login name and the account token')
  }
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  // Without a colon there is a name only, and an empty token opens nothing.
  const [login = '', ...rest] = text.split(':')
  return { login, token: rest.join(':') }
}

/** The first label of a host name that has three or more, such as `acme.example.com`: it may name an account. */
const labelOf = (host: string | undefined): string | undefined => /^([^.:]+)\.[^.:]+\.[^:]/.exec(host ?? '')?.[1]

/** Finds the account that credentials open, at the host that a request asks for. */
export const authenticate = (db: Db, credentials: Credentials, headers: WireRequest['headers']): Promise<Account> =>
  openAccount(db, credentials, labelOf(headers['host']))
