import type { Instant } from './day.ts'
import type { Key } from './resources/key.ts'

/** Sets how long before its expiry a key counts as expiring. */
export const EXPIRING_SECONDS = 14 * 86_400

/** Lists the states of a key, as lists show them. */
export const KEY_STATES = ['active', 'expiring', 'replaced', 'expired', 'revoked', 'owner locked'] as const
type KeyState = (typeof KEY_STATES)[number]

type Ends = Pick<Key, 'expires_at' | 'revoked_at'>

/** Tells whether a key is neither revoked nor expired. */
export const isLive = ({ expires_at, revoked_at }: Ends, now: Instant): boolean =>
  revoked_at === null && (expires_at === null || expires_at > now)

/** Returns the live key that replaced another one: a later key with the same name. */
export const successorOf = (key: Key, all: readonly Key[], now: Instant): Key | undefined =>
  all.find((one) => one.name === key.name && one.id > key.id && isLive(one, now))

/** Returns the status of a key: why it is invalid, else `replaced`, else how near its expiry is. */
export const stateOf = (
  key: Key,
  owner: { readonly isLocked: boolean },
  all: readonly Key[],
  now: Instant,
): KeyState => {
  if (key.revoked_at !== null) return 'revoked'
  if (!isLive(key, now)) return 'expired'
  if (owner.isLocked) return 'owner locked'
  if (successorOf(key, all, now)) return 'replaced'
  return key.expires_at !== null && key.expires_at - now <= EXPIRING_SECONDS ? 'expiring' : 'active'
}
