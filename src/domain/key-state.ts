import type { Instant } from './day.ts'
import type { Key } from './resources/key.ts'

/** So long before its end a key is said to be expiring. */
export const EXPIRING_SECONDS = 14 * 86_400

/** How a key stands, as lists say it. */
export const KEY_STATES = ['active', 'expiring', 'replaced', 'expired', 'revoked', 'owner locked'] as const
type KeyState = (typeof KEY_STATES)[number]

type Ends = Pick<Key, 'expires_at' | 'revoked_at'>

/** Whether a key has neither been revoked nor come to its end. */
export const isLive = ({ expires_at, revoked_at }: Ends, now: Instant): boolean =>
  revoked_at === null && (expires_at === null || expires_at > now)

/** The key that took over from another one: a later one of its name that lives. */
export const successorOf = (key: Key, all: readonly Key[], now: Instant): Key | undefined =>
  all.find((one) => one.name === key.name && one.id > key.id && isLive(one, now))

/**
 * How a key stands at a moment: the first of what keeps it from opening anything; that it goes on for a while beside the
 * one that replaces it; or how near its end is.
 */
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
