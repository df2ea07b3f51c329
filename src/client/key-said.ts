import { type Instant, parseInstant } from '../domain/day.ts'
import { type Header, numberIn, textIn } from './header-values.ts'

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
