import { type Decimal, divideRounded } from './decimal.ts'

/** An exact fraction; `under` is above 0. It need not be reduced. */
export type Fraction = { readonly over: bigint; readonly under: bigint }

const SCALE = 10_000n
/** No value that means anything comes near this many bits; what goes beyond is given up, see `isBounded`. */
const LIMIT = 1n << 1_048_576n
// Negating it anew for each comparison would cost more than all else that is computed.
const LEAST = -LIMIT
/** Denominators below this are brought to the least common one; finding it for larger ones costs more than it saves. */
const SMALL = 1n << 128n

/** A sum of decimals divided by a count, exactly. */
export const fractionOf = (sum: Decimal, count = 1): Fraction => ({ over: sum, under: SCALE * BigInt(count) })

/** Whether computing on with this one is still affordable. */
export const isBounded = ({ over, under }: Fraction): boolean => over < LIMIT && over > LEAST && under < LIMIT

const commonDivisor = (left: bigint, right: bigint): bigint => {
  let [large, small] = [left, right]
  while (small !== 0n) [large, small] = [small, large % small]
  return large
}

export const negate = ({ over, under }: Fraction): Fraction => ({ over: -over, under })

export const add = (left: Fraction, right: Fraction): Fraction => {
  if (left.under === right.under) return { over: left.over + right.over, under: left.under }
  const isSmall = left.under < SMALL && right.under < SMALL
  const divisor = isSmall ? commonDivisor(left.under, right.under) : 1n
  const factor = right.under / divisor
  return { over: left.over * factor + right.over * (left.under / divisor), under: left.under * factor }
}

export const subtract = (left: Fraction, right: Fraction): Fraction => add(left, negate(right))

export const multiply = (left: Fraction, right: Fraction): Fraction => ({
  over: left.over * right.over,
  under: left.under * right.under,
})

/** `undefined` where the divisor is 0. */
export const divide = (left: Fraction, right: Fraction): Fraction | undefined => {
  if (right.over === 0n) return undefined
  const sign = right.over < 0n ? -1n : 1n
  return { over: sign * left.over * right.under, under: sign * left.under * right.over }
}

/** Whether `left` is less than `right`. */
export const isLess = (left: Fraction, right: Fraction): boolean => left.over * right.under < right.over * left.under

/** Rounded to a decimal, half away from zero: the one rounding that a value goes through. */
export const roundFraction = ({ over, under }: Fraction): Decimal => divideRounded(over * SCALE, under)

/**
 * A sum of any number of fractions, added up in pairs of like size: a long sum of fractions with denominators of their
 * own would otherwise take time that grows with the square of their number.
 */
export type Sum = { count: number; readonly parts: (Fraction | undefined)[] }

export const emptySum = (): Sum => ({ count: 0, parts: [] })

/** Adds one; a part at `n` is the sum of 2 to the power of `n` fractions. */
export const addToSum = (sum: Sum, fraction: Fraction): void => {
  let [carried, at] = [fraction, 0]
  for (let part = sum.parts[at]; part !== undefined; part = sum.parts[at]) {
    sum.parts[at] = undefined
    carried = add(part, carried)
    at += 1
  }
  sum.parts[at] = carried
  sum.count += 1
}

/** What the fractions come to; 0 where there are none. */
export const totalOf = ({ parts }: Sum): Fraction => {
  let total: Fraction = { over: 0n, under: 1n }
  for (const part of parts) if (part !== undefined) total = add(total, part)
  return total
}

/** The average of the fractions, of which there is at least one. */
export const averageOf = (sum: Sum): Fraction => {
  const { over, under } = totalOf(sum)
  return { over, under: under * BigInt(sum.count) }
}
