import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fault } from '../../src/domain/errors.ts'
import { evaluate, type Formula, type Outcome } from '../../src/domain/calculated/formula.ts'
import { parseFormula } from '../../src/domain/calculated/formula-parser.ts'
import { anyFormula, worked } from '../support/formula-model.ts'
import { type Rational, rational } from '../support/rational.ts'

const read = (text: string): Formula => {
  const formula = parseFormula(text)
  if (formula instanceof Fault) throw new Error(formula.message)
  return formula
}

const refusal = (text: string): string => {
  const formula = parseFormula(text)
  return formula instanceof Fault ? formula.message : `read as ${formula.text}`
}

const reduced = (outcome: Outcome): unknown =>
  typeof outcome === 'string' ? outcome : rational(outcome.over, outcome.under)

/** What a formula comes to; the inputs are the values of KPI 1, 2 and so on. */
const came = (text: string, ...inputs: (number | undefined)[]): unknown =>
  reduced(
    evaluate(read(text), (kpi) => {
      const value = inputs[kpi - 1]
      return value === undefined ? undefined : { over: BigInt(value), under: 1n }
    }),
  )

test.each([
  ['[1]', [7], rational(7n)],
  ['[1] + [2] * 3', [1, 2], rational(7n)],
  ['([1] + [2]) * 3', [1, 2], rational(9n)],
  ['[1] - [2] - [2]', [10, 3], rational(4n)],
  ['[1] / [2] / [2]', [12, 2], rational(3n)],
  ['[1]/[2]', [1, 3], rational(1n, 3n)],
  ['-[1]', [7], rational(-7n)],
  ['-[1] * -2', [7], rational(14n)],
  ['2--[1]', [7], rational(9n)],
  ['-(-(-[1]))', [7], rational(-7n)],
  ['[1] * 0.25', [1], rational(1n, 4n)],
  ['[1] * .5 + 1.', [1], rational(3n, 2n)],
  ['[1] * 007', [1], rational(7n)],
  [' [ 1 ]\n+\t[2] ', [1, 2], rational(3n)],
  ['SUM([1], [2], 5)', [1, 2], rational(8n)],
  ['avg([1], [2])', [1, 2], rational(3n, 2n)],
  ['Min([1], [2], -3)', [1, 2], rational(-3n)],
  ['MAX([1] / [2], [2] / [1])', [1, 2], rational(2n)],
  ['SUM([1]) / MAX([2])', [1, 2], rational(1n, 2n)],
])('%s of %j', (text, inputs, expected) => {
  expect(came(text, ...inputs)).toEqual(expected)
})

describe('a formula has no value', () => {
  test.each([
    ['where an input is missing', '[1] + [2]', [1], 'missing'],
    ['where an input is missing, whatever it is multiplied with', '0 * [2] + [1]', [1], 'missing'],
    ['where something is divided by zero', '[1] / [2]', [1, 0], 'division by zero'],
    ['where zero is divided by zero', '[2] / [2]', [1, 0], 'division by zero'],
    ['where a member of a list is divided by zero', 'SUM([1], [1] / [2])', [1, 0], 'division by zero'],
    ['where all members of a list are missing', '[1] + SUM([2], [3])', [1], 'missing'],
    ['where none of its KPIs has one', 'SUM([1], [2], 5)', [], 'missing'],
  ])('%s', (_, text, inputs, why) => {
    expect(came(text, ...inputs)).toBe(why)
  })
})

test.each([
  ['SUM([1], [2])', [1], rational(1n)],
  ['AVG([1], [2], [3])', [1, undefined, 4], rational(5n, 2n)],
  ['MIN([1] + [2], [3])', [1, undefined, 4], rational(4n)],
  ['MAX([1], [2] / 0)', [1], rational(1n)],
])('%s skips what is missing', (text, inputs, expected) => {
  expect(came(text, ...inputs)).toEqual(expected)
})

test.each([
  ['', 'expected a number, a [KPI], a function or ( at the end, character 1'],
  ['[1] +', 'expected a number, a [KPI], a function or ( at the end, character 6'],
  ['[1] + * 3', 'expected a number, a [KPI], a function or ( at character 7: "* 3"'],
  ['[1] [2]', 'expected an operator or the end at character 5: "[2]"'],
  ['[1] ^ 2', 'expected an operator or the end at character 5: "^ 2"'],
  ['([1] + 2', 'expected an operator or ) at the end, character 9'],
  ['[1] + 2)', 'expected an operator or the end at character 8: ")"'],
  ['SUM [1]', 'expected ( after SUM at character 5: "[1]"'],
  ['SUM()', 'expected a number, a [KPI], a function or ( at character 5: ")"'],
  ['SUM([1],)', 'expected a number, a [KPI], a function or ( at character 9: ")"'],
  ['SUM([1] [2])', 'expected an operator, a comma or the ) of SUM at character 9: "[2])"'],
  ['MEDIAN([1])', 'there is no function MEDIAN, only SUM, AVG, MIN, MAX at character 1: "MEDIAN([1])"'],
  ['[1] + [Sales]', '"Sales" is no id of a KPI at character 7: "[Sales]"'],
  ['[1] + []', '"" is no id of a KPI at character 7: "[]"'],
  ['[1', '] is missing after the [ at character 1: "[1"'],
  ['[1] / [2', '] is missing after the [ at character 7: "[2"'],
  ['Sales * 2', 'a KPI has to stand in brackets, as [Sales], at character 1: "Sales * 2"'],
  ['2 * Net sales / [1]', 'a KPI has to stand in brackets, as [Net sales], at character 5: "Net sales / [1]"'],
  ['1,5 * [1]', 'the decimal sign is a point, not a comma, at character 2: ",5 * [1]"'],
  ['(1,5) * [1]', 'the decimal sign is a point, not a comma, at character 3: ",5) * [1]"'],
  ['[-1]', '"-1" is no id of a KPI at character 1: "[-1]"'],
  ['1e5 * [1]', 'expected an operator or the end at character 2: "e5 * [1]"'],
  ['[1] + 1.2.3', 'expected an operator or the end at character 10: ".3"'],
  [
    '[1] + 123456789012345',
    'a number has at most 14 digits on each side of its point at character 7: "123456789012345"',
  ],
  [
    '[1] + "💥" and more and more of it',
    'expected a number, a [KPI], a function or ( at character 7: ""💥" and more and mor…"',
  ],
  ['"💥" + [1]', 'expected a number, a [KPI], a function or ( at character 1: ""💥" + [1]"'],
  ['1 + 💥 + [1]', 'expected a number, a [KPI], a function or ( at character 5: "💥 + [1]"'],
  ['constructor', 'a KPI has to stand in brackets, as [constructor], at character 1: "constructor"'],
  ['constructor()', 'there is no function constructor, only SUM, AVG, MIN, MAX at character 1: "constructor()"'],
  ['[1]; drop table kpis', 'expected an operator or the end at character 4: "; drop table kpis"'],
])('%j is refused at the character', (text, message) => {
  expect(refusal(text)).toBe(message)
})

test('a formula has at most 1,000 characters, and is nested at most 32 deep', () => {
  const chain = (count: number): string => Array(count).fill('[1]').join('+')
  expect(came(chain(250), 1)).toEqual(rational(250n))
  expect(refusal(chain(251))).toBe('must have at most 1000 characters')
  const nested = (depth: number, open: string, close: string): string =>
    open.repeat(depth) + '[1]' + close.repeat(depth)
  for (const [open, close] of [
    ['(', ')'],
    ['SUM(', ')'],
    ['-', ''],
  ] as const) {
    expect(refusal(nested(32, open, close))).toBe(`read as ${nested(32, open, close)}`)
    expect(refusal(nested(33, open, close))).toContain('brackets, functions and signs are nested more than 32 deep')
  }
})

test('KPIs may be named as somebody knows them; they are kept by id', () => {
  const ids: Record<string, number> = { 'Net sales': 12, Visits: 3 }
  const formula = parseFormula('[Net sales] / [ Visits ] + [Net sales]', (name) => ids[name] ?? new Fault(`no ${name}`))
  expect(formula).toMatchObject({ text: '[12] / [3] + [12]', kpis: [12, 3], mentions: [12, 3, 12], numbers: 0 })
  expect(parseFormula('1 + [Cost]', () => new Fault('there is no KPI named "Cost"'))).toEqual(
    new Fault('there is no KPI named "Cost" at character 5: "[Cost]"'),
  )
})

const someInputs = fc.dictionary(
  fc.constantFrom('1', '2', '3', '4'),
  fc.oneof(fc.constant(0n), fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })),
)

test('a formula comes to what it does on paper', () => {
  fc.assert(
    fc.property(anyFormula([1, 2, 3, 4]), someInputs, (written, inputs) => {
      const formula = parseFormula(written.text)
      fc.pre(!(formula instanceof Fault))
      const onPaper = (kpi: number): Rational | undefined => {
        const value = inputs[String(kpi)]
        return value === undefined ? undefined : rational(value, 10_000n)
      }
      const outcome = evaluate(formula, (kpi) => {
        const value = inputs[String(kpi)]
        return value === undefined ? undefined : { over: value, under: 10_000n }
      })
      expect(reduced(outcome)).toEqual(worked(written, onPaper))
      expect(new Set(formula.kpis)).toEqual(new Set(written.kpis))
    }),
    { numRuns: 500 },
  )
})

test('any text is read, or refused with a reason', () => {
  const pieces = fc.constantFrom(
    '[1]',
    '[2',
    '(',
    ')',
    '+',
    '-',
    '*',
    '/',
    ',',
    'SUM',
    'max(',
    '1.5',
    '.',
    ' ',
    '💥',
    'x',
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const formula = parseFormula(text)
      const holds = formula instanceof Fault ? formula.message.includes('character') : parseFormula(formula.text)
      expect(holds).toEqual(formula instanceof Fault ? true : formula)
    }),
    { numRuns: 2000 },
  )
})

test('values that grow without bound are given up, not waited for', () => {
  const power = (text: string): string => Array(200).fill(text).join('*')
  const huge = { over: 10n ** 4000n, under: 1n }
  expect(evaluate(read(power('[1]')), () => huge)).toBe('too large')
})
