import { formatInstant } from '../../domain/day.ts'
import { scopesOf } from '../../domain/resources/key.ts'
import { keyPrefix, noteKeyUse, authenticateKey } from '../../service/accounts/keys.ts'
import { type ExpectedCredentials, missingCredentials } from './authenticate.ts'
import type { ReadCredentials } from './credential-lookup.ts'

const EXPECTED: ExpectedCredentials = {
  scheme: 'Bearer',
  what: 'a key',
  hint: 'a login name and the account token, which are sent as Basic, are for /api',
}

const parseBearer = (header: string | undefined): string => {
  const secret = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  if (secret !== undefined) return secret
  throw missingCredentials(header, EXPECTED)
}

/** Authenticates by a key, which names the account and the user, and may do what its scopes allow. */
export const keyAuthentication: ReadCredentials = (db, headers, now) => {
  const secret = parseBearer(headers['authorization'])
  return {
    name: keyPrefix(secret),
    lookUp: async () => {
      const { account, key, owner } = await authenticateKey(db, secret, now)
      return {
        account,
        user: owner.email,
        key: key.id,
        scopes: scopesOf(key),
        until: key.expires_at ?? undefined,
        // Bodies hold no secrets in this variant. An empty pepper recognizes them from any key of the account.
        pepper: '',
        headers: {
          'x-key-id': String(key.id),
          'x-key-name': encodeURIComponent(key.name),
          'x-key-user': encodeURIComponent(owner.email),
          'x-key-scopes': key.scopes,
          ...(key.expires_at !== null && { 'x-key-expires': formatInstant(key.expires_at) }),
        },
        noteKeyUse: (at) => noteKeyUse(db, account.id, key, at),
      }
    },
  }
}
