import { type Decimal, divideRounded, FRACTION_DIGITS } from '../decimal.ts'
import type { ReportRow } from '../resources/report-row.ts'

/** Lists how a value can stand against its target. */
export const STATES = ['met', 'near', 'missed', 'no target'] as const

/** Names how a value stands against its target. */
export type State = (typeof STATES)[number]

/** Describes a value and the target it has to reach, with the direction that is better. */
export type Measured = Pick<ReportRow, 'actual' | 'target' | 'direction'>

/** Sets within how many percent of its target a missed value counts as near. */
const NEAR_PERCENT = 10n

const HUNDRED_PERCENT = 100n * 10n ** BigInt(FRACTION_DIGITS)

/** Returns a part of a whole in percent, rounded to four decimals; null if the whole is zero. */
export const percentOf = (part: Decimal, whole: Decimal): Decimal | null =>
  whole === 0n ? null : divideRounded(part * HUNDRED_PERCENT, whole)

/**
 * Returns how much of a target is reached, in percent: the value's part of the target where up is better, the target's
 * part of the value where down is. Null without a value or target, without a direction, or where these parts say nothing:
 * of a target or value below zero, and where it cannot be divided.
 */
export const progressOf = ({ actual, target, direction }: Measured): Decimal | null => {
  if (actual === null || target === null || direction === 'N') return null
  const [part, whole] = direction === 'U' ? [actual, target] : [target, actual]
  return whole < 0n || target < 0n ? null : percentOf(part, whole)
}

/** Returns how a value stands against its target: within ten percent of the target's size, a missed one is near. */
export const stateOf = ({ actual, target, direction }: Measured): State => {
  if (actual === null || target === null || direction === 'N') return 'no target'
  const short = direction === 'U' ? target - actual : actual - target
  if (short <= 0n) return 'met'
  const size = target < 0n ? -target : target
  return short * 100n <= size * NEAR_PERCENT ? 'near' : 'missed'
}
