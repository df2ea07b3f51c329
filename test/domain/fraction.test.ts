import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  add,
  addToSum,
  averageOf,
  divide,
  emptySum,
  type Fraction,
  lesser,
  multiply,
  roundFraction,
  subtract,
} from '../../src/domain/calculated/fraction.ts'

/** A fraction beside what it is exactly, unreduced. */
type Pair = { readonly computed: Fraction; readonly exact: { readonly n: bigint; readonly d: bigint } }

const size = (value: bigint): bigint => (value < 0n ? -value : value)
const isLong = ({ over, under, radius = 0n }: Fraction): boolean =>
  [over, under, radius].some((one) => size(one) >> 66_000n > 0n)

/** Whether what is exact lies where a fraction says that it does. */
const holds = ({ computed: { over, under, radius = 0n }, exact: { n, d } }: Pair): boolean =>
  size(n * under - over * d) <= radius * size(d)

const rounded = ({ n, d }: Pair['exact']): bigint => {
  const positive = n < 0n !== d < 0n ? -1n : 1n
  return positive * ((size(n) * 20_000n + size(d)) / (size(d) * 2n))
}

const OPERATIONS = {
  add: (a: Pair, b: Pair): Pair => ({
    computed: add(a.computed, b.computed),
    exact: { n: a.exact.n * b.exact.d + b.exact.n * a.exact.d, d: a.exact.d * b.exact.d },
  }),
  subtract: (a: Pair, b: Pair): Pair => ({
    computed: subtract(a.computed, b.computed),
    exact: { n: a.exact.n * b.exact.d - b.exact.n * a.exact.d, d: a.exact.d * b.exact.d },
  }),
  multiply: (a: Pair, b: Pair): Pair => ({
    computed: multiply(a.computed, b.computed),
    exact: { n: a.exact.n * b.exact.n, d: a.exact.d * b.exact.d },
  }),
  divide: (a: Pair, b: Pair): Pair => {
    const computed = divide(a.computed, b.computed)
    return typeof computed === 'string'
      ? a
      : { computed, exact: { n: a.exact.n * b.exact.d, d: a.exact.d * b.exact.n } }
  },
  lesser: (a: Pair, b: Pair): Pair => {
    const sign = a.exact.d < 0n !== b.exact.d < 0n ? -1n : 1n
    const isFirst = sign * (a.exact.n * b.exact.d - b.exact.n * a.exact.d) <= 0n
    return { computed: lesser(a.computed, b.computed), exact: (isFirst ? a : b).exact }
  },
} as const

const someValue = (bits: number): fc.Arbitrary<Pair> =>
  fc
    .tuple(
      fc.bigInt({ min: -(1n << BigInt(bits)), max: 1n << BigInt(bits) }),
      fc.bigInt({ min: 1n, max: 1n << BigInt(bits) }),
    )
    .map(([n, d]) => ({ computed: { over: n, under: d }, exact: { n, d } }))

const someValues = fc.array(fc.oneof(someValue(60), someValue(3000), someValue(7000)), { minLength: 3, maxLength: 6 })
const someSteps = fc.array(
  fc.tuple(
    fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])),
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 10 }),
  ),
  { minLength: 1, maxLength: 7 },
)

test('whatever is computed, the exact value lies where a fraction says, it rounds alike, and nothing grows long', () => {
  fc.assert(
    fc.property(someValues, someSteps, (values, steps) => {
      const all = [...values]
      for (const [operation, left, right] of steps) {
        const [a, b] = [all[left % all.length], all[right % all.length]]
        if (a && b) all.push(OPERATIONS[operation](a, b))
      }
      for (const pair of all) {
        expect(holds(pair)).toBe(true)
        expect(isLong(pair.computed)).toBe(false)
        expect([undefined, rounded(pair.exact)]).toContain(roundFraction(pair.computed))
      }
    }),
    { numRuns: 60 },
  )
})

test('a value is exact as long as it is not very long', () => {
  const third = { over: 1n, under: 3n }
  expect(add(third, add(third, third))).toEqual({ over: 3n, under: 3n })
  expect(divide(third, { over: 0n, under: 7n })).toBe('division by zero')
})

test('the average of many values with denominators of their own is rounded as on paper', () => {
  const sum = emptySum()
  let exact = { n: 0n, d: 1n }
  for (let at = 1n; at <= 400n; at += 1n) {
    const value = { over: 10n ** 40n + at, under: 3n ** 60n + at }
    addToSum(sum, value)
    exact = { n: exact.n * value.under + value.over * exact.d, d: exact.d * value.under }
  }
  const average = averageOf(sum)
  expect(average.radius).toBeDefined()
  expect(roundFraction(average)).toBe(rounded({ n: exact.n, d: exact.d * 400n }))
})

test('what is too little known to be rounded, or to be divided by, says so', () => {
  const long = { over: 10n ** 4000n + 1n, under: 10n ** 4000n }
  const next = subtract(multiply(long, long), multiply(long, long))
  expect(roundFraction(next)).toBe(0n)
  expect(divide(long, next)).toBe('not exact')
})
