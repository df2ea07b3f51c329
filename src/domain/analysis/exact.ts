import { type Decimal, divideRounded } from '../decimal.ts'

/** Holds a value before it is rounded, as a fraction. */
export type Exact = { readonly top: bigint; readonly bottom: bigint }

const ZERO: Exact = { top: 0n, bottom: 1n }

const divisorOf = (one: bigint, other: bigint): bigint => (other === 0n ? one : divisorOf(other, one % other))

const plus = (one: Exact, other: Exact): Exact => {
  const bottom = (one.bottom / divisorOf(one.bottom, other.bottom)) * other.bottom
  return { top: one.top * (bottom / one.bottom) + other.top * (bottom / other.bottom), bottom }
}

/** Returns the exact sum or average of the values that are there; null if there are none. */
export const aggregate = (values: readonly (Exact | Decimal | null)[], how: 'SUM' | 'AVG'): Exact | null => {
  let [whole, count, parts] = [0n, 0n, ZERO]
  for (const value of values) {
    if (value === null) continue
    if (typeof value === 'bigint') whole += value
    else parts = plus(parts, value)
    count += 1n
  }
  if (count === 0n) return null
  const { top, bottom } = plus({ top: whole, bottom: 1n }, parts)
  return { top, bottom: how === 'SUM' ? bottom : bottom * count }
}

/** Rounds an exact value to four decimals. */
export const rounded = (value: Exact | null): Decimal | null => value && divideRounded(value.top, value.bottom)
