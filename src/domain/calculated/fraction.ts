import { type Decimal, divideRounded } from '../decimal.ts'

/**
 * Describes a fraction: `over / under`, exactly, or, where `radius` is above 0, a number within `radius / under` of it.
 * `under` is above 0. It need not be reduced.
 */
export type Fraction = { readonly over: bigint; readonly under: bigint; readonly radius?: bigint }

/** Names why an operation has no result; `not exact` where too little is known of a number to tell whether it is 0. */
export type Failure = 'division by zero' | 'not exact'

const SCALE = 10_000n
/** Sets up to how many bits fractions stay exact; longer ones are narrowed to a guard precision, see `curb`. */
const EXACT = 1n << 8192n
const LEAST_EXACT = -EXACT
/** Sets the bits that are kept of longer ones: far more than the 61 of a decimal, so that roundings are certain. */
const KEPT_BITS = 2048
/**
 * Bounds the bits of a value: none that means anything comes near, and what goes beyond is given up, see `isBounded`.
 */
const LIMIT_BITS = 65_536
const LIMIT = 1n << BigInt(LIMIT_BITS)
// Negating it anew for each comparison would cost more than all else that is computed.
const LEAST = -LIMIT
/** Stands for a number too small for the limit, of which only its nearness to 0 is kept. */
const NEXT_TO_ZERO: Fraction = { over: 0n, under: 1n << BigInt(LIMIT_BITS - KEPT_BITS - 32), radius: 1n }
/**
 * Bounds the denominators that are brought to the least common one; finding it for larger ones costs more than it
 * saves.
 */
const SMALL = 1n << 128n

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)
/** Returns how many bits a number above 0 has, give or take three. */
const bitsOf = (value: bigint): number => value.toString(16).length * 4

/** Divides a sum of decimals by a count, exactly. */
export const fractionOf = (sum: Decimal, count = 1): Fraction => ({ over: sum, under: SCALE * BigInt(count) })

/** Returns whether a value is one that can be computed on with. */
export const isBounded = ({ over, under }: Fraction): boolean => over < LIMIT && over > LEAST && under < LIMIT

/**
 * Keeps a fraction from growing: one that is too long becomes the nearest one of `KEPT_BITS`, and its radius says how
 * far off that may be. Whatever is computed with it widens the radius as needed.
 */
const curb = (value: Fraction): Fraction => {
  const { over, under, radius = 0n } = value
  if (over < EXACT && over > LEAST_EXACT && under < EXACT && radius < EXACT) return value
  const largest = magnitude(over) > radius ? magnitude(over) : radius
  if (largest === 0n) return { over: 0n, under: 1n }
  const shift = KEPT_BITS - (bitsOf(largest) - bitsOf(under))
  if (shift > LIMIT_BITS - 8) return NEXT_TO_ZERO
  const [up, down] = [BigInt(Math.max(shift, 0)), BigInt(Math.max(-shift, 0))]
  const divisor = under << down
  // Two more than the radius comes to: both divisions cut off less than one.
  const near = ((radius << up) / divisor + 2n) << down
  return { over: ((over << up) / divisor) << down, under: 1n << up, radius: near }
}

const commonDivisor = (left: bigint, right: bigint): bigint => {
  let [large, small] = [left, right]
  while (small !== 0n) [large, small] = [small, large % small]
  return large
}

/** Finds a divisor of two denominators: the greatest one where it is found quickly. */
const sharedDivisor = (left: bigint, right: bigint): bigint => {
  if (left === right) return left
  return left < SMALL && right < SMALL ? commonDivisor(left, right) : 1n
}

export const negate = (value: Fraction): Fraction => ({ ...value, over: -value.over })

const withRadius = (over: bigint, under: bigint, radius: bigint): Fraction =>
  curb(radius === 0n ? { over, under } : { over, under, radius })

const areExact = (left: Fraction, right: Fraction): boolean => left.radius === undefined && right.radius === undefined

export const add = (left: Fraction, right: Fraction): Fraction => {
  const divisor = sharedDivisor(left.under, right.under)
  const [factor, other] = [right.under / divisor, left.under / divisor]
  const [over, under] = [left.over * factor + right.over * other, left.under * factor]
  if (areExact(left, right)) return curb({ over, under })
  return withRadius(over, under, (left.radius ?? 0n) * factor + (right.radius ?? 0n) * other)
}

export const subtract = (left: Fraction, right: Fraction): Fraction => add(left, negate(right))

export const multiply = (left: Fraction, right: Fraction): Fraction => {
  if (areExact(left, right)) return curb({ over: left.over * right.over, under: left.under * right.under })
  const [first, second] = [left.radius ?? 0n, right.radius ?? 0n]
  const radius = magnitude(left.over) * second + magnitude(right.over) * first + first * second
  return withRadius(left.over * right.over, left.under * right.under, radius)
}

/** Divides one by a number that is not 0. */
const invert = ({ over, under, radius = 0n }: Fraction): Fraction => {
  const sign = over < 0n ? -1n : 1n
  const size = sign * over
  if (radius === 0n) return { over: sign * under, under: size }
  // |1/x - 1/a| is at most r / (a (a - r)), where x lies within r of a.
  const least = size - radius
  return curb({ over: sign * under * least, under: size * least, radius: under * radius })
}

export const divide = (left: Fraction, right: Fraction): Fraction | Failure => {
  if (magnitude(right.over) > (right.radius ?? 0n)) return multiply(left, invert(right))
  return right.radius === undefined ? 'division by zero' : 'not exact'
}

/** Returns the lesser of two; where their ranges overlap, the result covers both. */
export const lesser = (left: Fraction, right: Fraction): Fraction => {
  const { over, radius = 0n } = subtract(right, left)
  if (magnitude(over) >= radius) return over >= 0n ? left : right
  // The least and the most that either of them may be.
  const [first, second] = [left.over * right.under, right.over * left.under]
  const [around, about] = [(left.radius ?? 0n) * right.under, (right.radius ?? 0n) * left.under]
  const low = first - around < second - about ? first - around : second - about
  const high = first + around < second + about ? first + around : second + about
  return withRadius(low + high, left.under * right.under * 2n, high - low)
}

/**
 * Rounds to a decimal, half away from zero: the one rounding of a value. Undefined where it is not known exactly
 * enough.
 */
export const roundFraction = ({ over, under, radius = 0n }: Fraction): Decimal | undefined => {
  const rounded = divideRounded((over - radius) * SCALE, under)
  return radius === 0n || rounded === divideRounded((over + radius) * SCALE, under) ? rounded : undefined
}

/**
 * Describes a sum of any number of fractions, added in pairs of like size: a long sum of fractions with different
 * denominators would otherwise take quadratic time.
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

/** Returns the sum of the fractions; 0 where there are none. */
export const totalOf = ({ parts }: Sum): Fraction => {
  let total: Fraction = { over: 0n, under: 1n }
  for (const part of parts) if (part !== undefined) total = add(total, part)
  return total
}

/** Returns the average of at least one fraction. */
export const averageOf = (sum: Sum): Fraction => {
  const total = totalOf(sum)
  return { ...total, under: total.under * BigInt(sum.count) }
}
