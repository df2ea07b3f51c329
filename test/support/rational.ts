/** A rational as at school: reduced, the denominator above 0. */
export type Rational = { readonly n: bigint; readonly d: bigint }

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b))

export const rational = (n: bigint, d = 1n): Rational => {
  const by = gcd(n, d) * (d < 0n ? -1n : 1n)
  return { n: n / by, d: d / by }
}

export const plus = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d)
export const times = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d)
export const minus = (a: Rational, b: Rational): Rational => plus(a, times(rational(-1n), b))
/** `b` is not 0. */
export const over = (a: Rational, b: Rational): Rational => rational(a.n * b.d, a.d * b.n)
export const sumOf = (list: readonly Rational[]): Rational => list.reduce(plus, rational(0n))
/** There is at least one. */
export const averageOf = (list: readonly Rational[]): Rational => over(sumOf(list), rational(BigInt(list.length)))

/** Ten-thousandths of a rational, rounded as on paper: half of one goes away from zero. */
export const tenThousandths = ({ n, d }: Rational): bigint => {
  const magnitude = (n < 0n ? -n : n) * 10_000n
  const rounded = magnitude / d + ((magnitude % d) * 2n >= d ? 1n : 0n)
  return n < 0n ? -rounded : rounded
}
