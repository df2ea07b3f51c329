import * as fc from 'fast-check'
import { averageOf, minus, over, plus, type Rational, rational, sumOf, times } from './rational.ts'

/** What a formula comes to: a number, or why there is none. */
export type Came = Rational | 'missing' | 'division by zero'

/** A formula as people write it, the KPIs in it, and what it comes to, worked out as one would on paper. */
export type Written = {
  readonly text: string
  readonly kpis: readonly number[]
  readonly work: (inputs: (kpi: number) => Rational | undefined) => Came
}

const isNumber = (came: Came): came is Rational => typeof came !== 'string'

/** What two sides without numbers come to: what was divided by zero cannot be helped, what is missing can be skipped. */
const without = (...sides: readonly Came[]): Came | undefined =>
  sides.find((side) => side === 'division by zero') ?? sides.find((side) => side === 'missing')

const OPERATIONS = {
  '+': plus,
  '-': minus,
  '*': times,
  '/': (a: Rational, b: Rational): Came => (b.n === 0n ? 'division by zero' : over(a, b)),
} as const

const inOrder = (list: readonly Rational[]): Rational[] => list.toSorted((a, b) => Number(minus(a, b).n > 0n) * 2 - 1)

const LISTS = {
  SUM: sumOf,
  AVG: averageOf,
  MIN: (list: readonly Rational[]) => inOrder(list)[0] ?? rational(0n),
  MAX: (list: readonly Rational[]) => inOrder(list).at(-1) ?? rational(0n),
} as const

const operation = (left: Written, sign: keyof typeof OPERATIONS, right: Written): Written => ({
  text: `(${left.text}) ${sign} (${right.text})`,
  kpis: [...left.kpis, ...right.kpis],
  work: (inputs) => {
    const [a, b] = [left.work(inputs), right.work(inputs)]
    return isNumber(a) && isNumber(b) ? OPERATIONS[sign](a, b) : (without(a, b) ?? 'missing')
  },
})

const listOf = (name: string, list: readonly Written[]): Written => ({
  text: `${name}(${list.map(({ text }) => text).join(', ')})`,
  kpis: list.flatMap(({ kpis }) => kpis),
  work: (inputs) => {
    const came = list.map((one) => one.work(inputs))
    const there = came.filter(isNumber)
    if (came.includes('division by zero')) return 'division by zero'
    return there.length === 0 ? 'missing' : LISTS[name.toUpperCase() as keyof typeof LISTS](there)
  },
})

const written = (digits: number, places: number): Written => ({
  text: places === 0 ? String(digits) : (digits / 10 ** places).toFixed(places),
  kpis: [],
  work: () => rational(BigInt(digits), 10n ** BigInt(places)),
})

const reference = (kpi: number): Written => ({
  text: `[${kpi}]`,
  kpis: [kpi],
  work: (inputs) => inputs(kpi) ?? 'missing',
})

const negative = ({ text, kpis, work }: Written): Written => ({
  text: `-(${text})`,
  kpis,
  work: (inputs) => {
    const came = work(inputs)
    return isNumber(came) ? minus(rational(0n), came) : came
  },
})

/** Any formula over some KPIs; it may name none of them. */
export const anyFormula = (kpis: readonly number[]): fc.Arbitrary<Written> =>
  fc.letrec<{ one: Written }>((tie) => ({
    one: fc.oneof(
      { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
      { weight: 5, arbitrary: fc.constantFrom(...kpis.map(reference)) },
      fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 })).map((of) => written(...of)),
      fc.tuple(tie('one'), fc.constantFrom('+', '-', '*', '/'), tie('one')).map((of) => operation(...of)),
      tie('one').map(negative),
      fc
        .tuple(
          fc.constantFrom('SUM', 'AVG', 'MIN', 'MAX', 'sum', 'Avg'),
          fc.array(tie('one'), { minLength: 1, maxLength: 3 }),
        )
        .map((of) => listOf(...of)),
    ),
  })).one

/** What a formula comes to for a period: nothing, where none of its KPIs has a value. */
export const worked = ({ kpis, work }: Written, inputs: (kpi: number) => Rational | undefined): Came =>
  kpis.some((kpi) => inputs(kpi) !== undefined) ? work(inputs) : 'missing'
