import { createHash } from 'node:crypto'
import { type Instant, parseInstant } from '../../domain/day.ts'
import { plainUrl } from './base-url.ts'

/** Finds a header of an answer by its name in small letters. */
export type Header = (name: string) => string | undefined

/** The whole number that a header says. */
export const numberIn = (text: string | undefined): number | null =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) : null

/** A text that travelled in a header, where it may have been percent-encoded. */
const textIn = (text: string | undefined): string | null => {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return text ?? null
  }
}

/** What answers of the newer variant say of the key that asked; a service of somebody else may say nothing. */
export type KeySaid = {
  readonly id: number | null
  readonly name: string | null
  readonly user: string | null
  readonly scopes: string | null
  readonly expiresAt: Instant | null
}

/** Reads what the headers of an answer say of the key. */
export const keySaidIn = (header: Header): KeySaid => ({
  id: numberIn(header('x-key-id')),
  name: textIn(header('x-key-name')),
  user: textIn(header('x-key-user')),
  scopes: header('x-key-scopes') ?? null,
  expiresAt: parseInstant(header('x-key-expires') ?? '') ?? null,
})

/** Who asks: the login name that goes with an account's token; none goes with a key of the newer variant. */
export type Credentials = { readonly login?: string | undefined; readonly token: string }

/** What stands in the header `Authorization`. */
export const authorizationOf = ({ login, token }: Credentials): string =>
  login === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`

/** A name for whoever asks: different for different credentials, and never one of them. */
export const callerOf = (credentials: Credentials): string =>
  createHash('sha256').update(authorizationOf(credentials)).digest('base64url')

/**
 * Whose entries somebody works with, as far as that can be told: the account that our own service names, else the login
 * name of the classic interface, whose address is that of an account, else the key, of which nothing more is known.
 */
export type Working = { readonly for: string; readonly isSure: boolean }

export const workingFor = (named: string | undefined, credentials: Credentials): Working => {
  if (named !== undefined) return { for: `account ${named}`, isSure: true }
  if (credentials.login !== undefined) return { for: `login ${credentials.login.toLowerCase()}`, isSure: false }
  return { for: `key ${callerOf(credentials)}`, isSure: false }
}

/** A name for the requests that are counted together: those of a caller to a service. */
export const countedAs = (baseUrl: URL, credentials: Credentials): string =>
  createHash('sha256')
    .update(`${plainUrl(baseUrl)} ${callerOf(credentials)}`)
    .digest('base64url')
