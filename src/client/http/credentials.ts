import { createHash } from 'node:crypto'
import { type Instant, parseInstant } from '../../domain/day.ts'
import { normalizeUrl } from './base-url.ts'

/** Finds a header of an answer by its lower-case name. */
export type FindHeader = (name: string) => string | undefined

/** Returns the whole number in a header. */
export const integerHeader = (text: string | undefined): number | null =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) : null

/** Returns the text in a header, percent-decoded if possible. */
const textIn = (text: string | undefined): string | null => {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return text ?? null
  }
}

/** Describes the key, as the headers of the newer variant do; a third-party service may omit them. */
export type KeyInfo = {
  readonly id: number | null
  readonly name: string | null
  readonly user: string | null
  readonly scopes: string | null
  readonly expiresAt: Instant | null
}

/** Reads the headers of an answer that describe the key. */
export const readKeyInfo = (header: FindHeader): KeyInfo => ({
  id: integerHeader(header('x-key-id')),
  name: textIn(header('x-key-name')),
  user: textIn(header('x-key-user')),
  scopes: header('x-key-scopes') ?? null,
  expiresAt: parseInstant(header('x-key-expires') ?? '') ?? null,
})

/** Describes the credentials: a login name with an account's token, or a key of the newer variant alone. */
export type Credentials = { readonly login?: string | undefined; readonly token: string }

/** Returns the header `Authorization`. */
export const authorizationOf = ({ login, token }: Credentials): string =>
  login === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`

/** Returns a fingerprint of the credentials, which does not reveal them. */
export const callerId = (credentials: Credentials): string =>
  createHash('sha256').update(authorizationOf(credentials)).digest('base64url')

/**
 * Describes the account, as far as known: the one that the bundled service names; else the classic login name, an
 * e-mail address; else only the fingerprint of the key.
 */
export type AccountIdentity = { readonly for: string; readonly isSure: boolean }

export const identifyAccount = (named: string | undefined, credentials: Credentials): AccountIdentity => {
  if (named !== undefined) return { for: `account ${named}`, isSure: true }
  if (credentials.login !== undefined) return { for: `login ${credentials.login.toLowerCase()}`, isSure: false }
  return { for: `key ${callerId(credentials)}`, isSure: false }
}

/** Returns a name for the rate limit that requests share: same credentials, same service. */
export const rateLimitIdentity = (baseUrl: URL, credentials: Credentials): string =>
  createHash('sha256')
    .update(`${normalizeUrl(baseUrl)} ${callerId(credentials)}`)
    .digest('base64url')
