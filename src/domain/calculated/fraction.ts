import { type Decimal, divideRounded } from '../decimal.ts'

/**
 * Describes a number as `over / under` or, if `radius` is above 0, as an interval around it of `±radius / under`.
 * `under` is above 0; a fraction need not be reduced. A fraction is exact up to 8,192 bits; a longer one is cut to
 * 2,048 bits, with a `radius` that bounds the error. A value beyond 65,536 bits is too large.
 */
export type Fraction = { readonly over: bigint; readonly under: bigint; readonly radius?: bigint }

/** Names why an operation has no result; `not exact` if the error is too large to tell the result. */
export type Failure = 'division by zero' | 'not exact'

const SCALE = 10_000n
/** Bounds the fractions that stay exact. */
const EXACT_LIMIT = 1n << 8192n
const MINUS_EXACT_LIMIT = -EXACT_LIMIT
/** Sets the bits of a cut fraction: far more than the 61 of a decimal, so that roundings are almost always certain. */
const KEPT_BITS = 2048
/** Bounds the bits of a value; no meaningful one comes near. See `isBounded`. */
const LIMIT_BITS = 65_536
const LIMIT = 1n << BigInt(LIMIT_BITS)
// To negate it for each comparison would cost more than the rest of the calculation.
const MINUS_LIMIT = -LIMIT
/** Stands for a number too small for the limit, known only to be near 0. */
const NEAR_ZERO: Fraction = { over: 0n, under: 1n << BigInt(LIMIT_BITS - KEPT_BITS - 32), radius: 1n }
/**
 * Bounds the denominators whose greatest common divisor is searched; for larger ones the search costs more than it
 * saves.
 */
const SMALL_DENOMINATOR = 1n << 128n

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)
/** Returns the bits of a number above 0, rounded up to a multiple of 4. */
const bitsOf = (value: bigint): number => value.toString(16).length * 4

/** Divides a sum of decimals by a count, exactly. */
export const fractionOf = (sum: Decimal, count = 1): Fraction => ({ over: sum, under: SCALE * BigInt(count) })

/** Tells whether a value is small enough for further calculations. */
export const isBounded = ({ over, under }: Fraction): boolean => over < LIMIT && over > MINUS_LIMIT && under < LIMIT

/**
 * Cuts a fraction that is too long to about `KEPT_BITS`, with a radius that covers the error. Later operations widen
 * the radius as needed.
 */
const cutToBits = (value: Fraction): Fraction => {
  const { over, under, radius = 0n } = value
  if (over < EXACT_LIMIT && over > MINUS_EXACT_LIMIT && under < EXACT_LIMIT && radius < EXACT_LIMIT) return value
  const largest = magnitude(over) > radius ? magnitude(over) : radius
  if (largest === 0n) return { over: 0n, under: 1n }
  const shift = KEPT_BITS - (bitsOf(largest) - bitsOf(under))
  if (shift > LIMIT_BITS - 8) return NEAR_ZERO
  const [up, down] = [BigInt(Math.max(shift, 0)), BigInt(Math.max(-shift, 0))]
  const divisor = under << down
  // Adds 2, because each of the two divisions drops less than 1.
  const near = ((radius << up) / divisor + 2n) << down
  return { over: ((over << up) / divisor) << down, under: 1n << up, radius: near }
}

const commonDivisor = (left: bigint, right: bigint): bigint => {
  let [large, small] = [left, right]
  while (small !== 0n) [large, small] = [small, large % small]
  return large
}

/** Returns a common divisor of two denominators: the greatest one if it is found quickly. */
const sharedDivisor = (left: bigint, right: bigint): bigint => {
  if (left === right) return left
  return left < SMALL_DENOMINATOR && right < SMALL_DENOMINATOR ? commonDivisor(left, right) : 1n
}

export const negate = (value: Fraction): Fraction => ({ ...value, over: -value.over })

const withRadius = (over: bigint, under: bigint, radius: bigint): Fraction =>
  cutToBits(radius === 0n ? { over, under } : { over, under, radius })

const areExact = (left: Fraction, right: Fraction): boolean => left.radius === undefined && right.radius === undefined

export const add = (left: Fraction, right: Fraction): Fraction => {
  const divisor = sharedDivisor(left.under, right.under)
  const [factor, other] = [right.under / divisor, left.under / divisor]
  const [over, under] = [left.over * factor + right.over * other, left.under * factor]
  if (areExact(left, right)) return cutToBits({ over, under })
  return withRadius(over, under, (left.radius ?? 0n) * factor + (right.radius ?? 0n) * other)
}

export const subtract = (left: Fraction, right: Fraction): Fraction => add(left, negate(right))

export const multiply = (left: Fraction, right: Fraction): Fraction => {
  if (areExact(left, right)) return cutToBits({ over: left.over * right.over, under: left.under * right.under })
  const [first, second] = [left.radius ?? 0n, right.radius ?? 0n]
  const radius = magnitude(left.over) * second + magnitude(right.over) * first + first * second
  return withRadius(left.over * right.over, left.under * right.under, radius)
}

/** Divides 1 by a number that is not 0. */
const invert = ({ over, under, radius = 0n }: Fraction): Fraction => {
  const sign = over < 0n ? -1n : 1n
  const size = sign * over
  if (radius === 0n) return { over: sign * under, under: size }
  // |1/x - 1/a| is at most r / (a (a - r)), where x lies within r of a.
  const least = size - radius
  return cutToBits({ over: sign * under * least, under: size * least, radius: under * radius })
}

export const divide = (left: Fraction, right: Fraction): Fraction | Failure => {
  if (magnitude(right.over) > (right.radius ?? 0n)) return multiply(left, invert(right))
  return right.radius === undefined ? 'division by zero' : 'not exact'
}

/** Returns the lesser of two numbers; if their intervals overlap, the result covers both. */
export const lesser = (left: Fraction, right: Fraction): Fraction => {
  const { over, radius = 0n } = subtract(right, left)
  if (magnitude(over) >= radius) return over >= 0n ? left : right
  // The least and the greatest value of either number.
  const [first, second] = [left.over * right.under, right.over * left.under]
  const [around, about] = [(left.radius ?? 0n) * right.under, (right.radius ?? 0n) * left.under]
  const low = first - around < second - about ? first - around : second - about
  const high = first + around < second + about ? first + around : second + about
  return withRadius(low + high, left.under * right.under * 2n, high - low)
}

/**
 * Rounds to a decimal, half away from zero: the only rounding of a value. Undefined if the interval has more than one
 * rounded value.
 */
export const roundFraction = ({ over, under, radius = 0n }: Fraction): Decimal | undefined => {
  const rounded = divideRounded((over - radius) * SCALE, under)
  return radius === 0n || rounded === divideRounded((over + radius) * SCALE, under) ? rounded : undefined
}

/**
 * Describes a sum of any number of fractions, added in pairs of similar size: to add them in a row, with different
 * denominators, would take quadratic time.
 */
export type Sum = { count: number; readonly parts: (Fraction | undefined)[] }

export const emptySum = (): Sum => ({ count: 0, parts: [] })

/** Adds a fraction; `parts[n]` is the sum of 2 to the power of `n` fractions. */
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

/** Returns the sum of the fractions; 0 if there are none. */
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
