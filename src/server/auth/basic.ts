import { type LoginCredentials, authenticateAccount } from '../../service/accounts/access.ts'
import { type ExpectedCredentials, missingCredentials } from './authenticate.ts'
import type { ReadCredentials } from './credential-lookup.ts'

const EXPECTED: ExpectedCredentials = {
  scheme: 'Basic',
  what: 'the login name and the account token',
  hint: 'a key, which is sent as Bearer, is for /v1',
}

/** Reads classic credentials from a header; refuses missing ones. */
export const parseBasic = (header: string | undefined): LoginCredentials => {
  const encoded = /^basic +(\S+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) throw missingCredentials(header, EXPECTED)
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  // Without a colon, the token is empty, which no account has.
  const [login = '', ...rest] = text.split(':')
  return { login, token: rest.join(':') }
}

/**
 * Returns the first of three or more labels of a host name, such as `acme` in `acme.example.com`: it may name an
 * account.
 */
const labelOf = (host: string | undefined): string | undefined =>
  /^([a-z\d-]{1,63})\.[^.:]+\.[^:]/i.exec(host ?? '')?.[1]

/** Authenticates by a login name and the account's token, which gives full access. */
export const tokenAuthentication: ReadCredentials = (db, headers) => {
  const credentials = parseBasic(headers['authorization'])
  const { login, token } = credentials
  return {
    name: login,
    lookUp: async () => {
      const account = await authenticateAccount(db, credentials, labelOf(headers['host']))
      return { account, user: login, key: 0, pepper: token, headers: {} }
    },
  }
}
