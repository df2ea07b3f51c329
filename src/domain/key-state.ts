import type { Instant } from './day.ts'
import type { Key } from './resources/key.ts'

/** So long before its end a key is said to be expiring. */
export const EXPIRING_SECONDS = 14 * 86_400

/** How a key stands, as lists say it. */
export const KEY_STATES = ['active', 'expiring', 'expired', 'revoked', 'owner locked'] as const
export type KeyState = (typeof KEY_STATES)[number]

type Ends = Pick<Key, 'expires_at' | 'revoked_at'>

/** Whether a key has neither been revoked nor come to its end. */
export const isLive = ({ expires_at, revoked_at }: Ends, now: Instant): boolean =>
  revoked_at === null && (expires_at === null || expires_at > now)

/** How a key stands at a moment: the first of what keeps it from opening anything, or how near its end is. */
export const stateOf = (key: Ends, isOwnerLocked: boolean, now: Instant): KeyState => {
  if (key.revoked_at !== null) return 'revoked'
  if (!isLive(key, now)) return 'expired'
  if (isOwnerLocked) return 'owner locked'
  return key.expires_at !== null && key.expires_at - now <= EXPIRING_SECONDS ? 'expiring' : 'active'
}
