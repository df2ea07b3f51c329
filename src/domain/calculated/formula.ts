import {
  add,
  addToSum,
  averageOf,
  divide,
  emptySum,
  type Failure,
  type Fraction,
  isBounded,
  lesser,
  multiply,
  negate,
  subtract,
  totalOf,
} from './fraction.ts'

export type Operator = '+' | '-' | '*' | '/'

/** Lists the functions over a list. */
export const listFunctions = ['SUM', 'AVG', 'MIN', 'MAX'] as const
type ListFunction = (typeof listFunctions)[number]

export type Expression =
  | { readonly kind: 'number'; readonly value: Fraction }
  | { readonly kind: 'kpi'; readonly id: number }
  | { readonly kind: 'negative'; readonly of: Expression }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'list'; readonly name: ListFunction; readonly list: readonly Expression[] }

/** Describes a parsed formula: its expression, and the KPIs in it, each once. */
export type Formula = {
  /** Holds the text of the formula, with KPIs by id. */
  readonly text: string
  readonly expression: Expression
  readonly kpis: readonly number[]
  /** Lists the KPIs of the formula, repeated as often as it mentions them. */
  readonly mentions: readonly number[]
  /** Counts the numbers in the formula. */
  readonly numbers: number
}

/** Names why a formula has no value. */
export type Absence = 'missing' | 'too large' | Failure

export type Outcome = Fraction | Absence

const isAbsent = (outcome: Outcome): outcome is Absence => typeof outcome === 'string'

/** Returns the value of an outcome, if it has one. */
export const valueOf = (outcome: Outcome): Fraction | undefined => (isAbsent(outcome) ? undefined : outcome)

const bounded = (outcome: Outcome): Outcome => (isAbsent(outcome) || isBounded(outcome) ? outcome : 'too large')

const operations: Record<Operator, (left: Fraction, right: Fraction) => Outcome> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
}

const smallest = (list: readonly Fraction[]): Outcome => {
  let [least] = list
  for (const one of list) least = least && lesser(least, one)
  return least ?? 'missing'
}

const summed = (list: readonly Fraction[]): ReturnType<typeof emptySum> => {
  const sum = emptySum()
  for (const one of list) addToSum(sum, one)
  return sum
}

const lists: Record<ListFunction, (list: readonly Fraction[]) => Outcome> = {
  SUM: (list) => totalOf(summed(list)),
  AVG: (list) => averageOf(summed(list)),
  MIN: smallest,
  MAX: (list) => {
    const least = smallest(list.map(negate))
    return isAbsent(least) ? least : negate(least)
  },
}

/** Returns the worse of two absences: a list skips a missing value, but not a failure. */
const worse = (left: Outcome, right: Outcome): Absence | undefined => {
  const absences = [left, right].filter(isAbsent)
  return absences.find((absence) => absence !== 'missing') ?? absences[0]
}

/** Evaluates a function over a list. It skips missing members, but not failures; an empty list is missing. */
const evaluateList = (name: ListFunction, outcomes: readonly Outcome[]): Outcome => {
  const failed = outcomes.filter(isAbsent).find((absence) => absence !== 'missing')
  const present = outcomes.map(valueOf).filter((value) => value !== undefined)
  if (failed) return failed
  return present.length === 0 ? 'missing' : bounded(lists[name](present))
}

type InputOf = (kpi: number) => Fraction | undefined

const evaluateExpression = (expression: Expression, inputOf: InputOf): Outcome => {
  const of = (part: Expression): Outcome => evaluateExpression(part, inputOf)
  switch (expression.kind) {
    case 'number':
      return expression.value
    case 'kpi':
      return inputOf(expression.id) ?? 'missing'
    case 'negative': {
      const outcome = of(expression.of)
      return isAbsent(outcome) ? outcome : negate(outcome)
    }
    case 'operation': {
      const [left, right] = [of(expression.left), of(expression.right)]
      if (isAbsent(left) || isAbsent(right)) return worse(left, right) ?? 'missing'
      return bounded(operations[expression.operator](left, right))
    }
    case 'list':
      return evaluateList(expression.name, expression.list.map(of))
  }
}

/**
 * Returns the exact value of a formula. There is none if an input outside of a list is missing, if a divisor is zero,
 * or if no KPI in the formula has a value.
 */
export const evaluate = ({ expression, kpis }: Formula, inputOf: InputOf): Outcome =>
  kpis.some((kpi) => inputOf(kpi) !== undefined) ? evaluateExpression(expression, inputOf) : 'missing'
