import { Fault } from '../errors.ts'
import { FORMULA_LENGTH } from '../resources/calculated-kpi.ts'
import { type Expression, type Formula, listFunctions, type Operator } from './formula.ts'

/** Bounds the nesting of brackets, functions and signs. */
const DEPTH_LIMIT = 32
/** Bounds the digits of a number on each side of its point. */
const DIGITS_LIMIT = 14

/** Returns the id of the KPI that a reference names, or its fault. */
export type Resolve = (name: string) => number | Fault

const SPACE = /\s*/y
const NUMBER = /(\d+)(?:\.(\d*))?|\.(\d+)/y
const REFERENCE = /\[([^[\]]*)\]/y
const WORD = /[\p{L}_][\p{L}\d_]*/uy
const OPENING_BRACKET = /\[/y
const OPENING_PARENTHESIS = /\(/y
const DECIMAL_COMMA = /(?<=\d),(?=\d)/y
const MORE_WORDS = /[\p{L}_][\p{L}\d_]*(?:\s+[\p{L}_][\p{L}\d_]*)*/uy
const ID = /^\d{1,15}$/

/** Reports that a formula cannot be parsed. */
class Unreadable extends Error {}

/** Resolves references by id. */
const byId: Resolve = (name) => (ID.test(name) ? Number(name) : new Fault(`"${name}" is no id of a KPI`))

/** Returns the position where parsing stopped, counted from 1 in characters, and the text there. */
const describePosition = (text: string, at: number): string => {
  const characters = Array.from(text.slice(0, at)).length + 1
  const rest = Array.from(text.slice(at))
  if (rest.length === 0) return `at the end, character ${characters}`
  return `at character ${characters}: "${rest.slice(0, 20).join('')}${rest.length > 20 ? '…' : ''}"`
}

/** Creates a scanner, which reads the tokens of a text one after the other. */
const createScanner = (text: string) => {
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at += found[0].length
    return found ?? undefined
  }
  const scanner = {
    at: (): number => at,
    refuse: (why: string, where = at): never => {
      throw new Unreadable(`${why} ${describePosition(text, where)}`)
    },
    /** Refuses the next token. */
    refuseNext: (why: string): never => {
      const comma = match(DECIMAL_COMMA)
      return comma ? scanner.refuse('the decimal sign is a point, not a comma,', at - 1) : scanner.refuse(why)
    },
    take: (pattern: RegExp): RegExpExecArray | undefined => {
      match(SPACE)
      return match(pattern)
    },
    takeOne: <T extends string>(signs: readonly T[]): T | undefined => {
      match(SPACE)
      const sign = signs.find((one) => text.startsWith(one, at))
      at += sign?.length ?? 0
      return sign
    },
    isAtEnd: (): boolean => {
      match(SPACE)
      return at === text.length
    },
  }
  return scanner
}

type Scanner = ReturnType<typeof createScanner>

/** Describes where a reference stands in the text, and its id. */
type Reference = { readonly from: number; readonly to: number; readonly id: number }

const readNumber = (scanner: Scanner, [written, whole = '', behind, alone]: RegExpExecArray): Expression => {
  const fraction = behind ?? alone ?? ''
  if (whole.length > DIGITS_LIMIT || fraction.length > DIGITS_LIMIT) {
    scanner.refuse(
      `a number has at most ${DIGITS_LIMIT} digits on each side of its point`,
      scanner.at() - written.length,
    )
  }
  return { kind: 'number', value: { over: BigInt(whole + fraction), under: 10n ** BigInt(fraction.length) } }
}

/** Refuses an unknown word. If no `(` follows, suggests brackets for a KPI. */
const refuseWord = (scanner: Scanner, word: string): never => {
  const from = scanner.at() - word.length
  if (scanner.take(OPENING_PARENTHESIS))
    scanner.refuse(`there is no function ${word}, only ${listFunctions.join(', ')}`, from)
  const [more = ''] = scanner.take(MORE_WORDS) ?? []
  return scanner.refuse(`a KPI has to stand in brackets, as [${`${word} ${more}`.trim()}],`, from)
}

/** Creates a recursive descent parser: sums of products of signed values, each of which may be a sum in brackets. */
const createParser = (scanner: Scanner, resolve: Resolve) => {
  const references: Reference[] = []
  let depth = 0
  let numbers = 0

  const nested = (read: () => Expression): Expression => {
    depth += 1
    if (depth > DEPTH_LIMIT) scanner.refuse(`brackets, functions and signs are nested more than ${DEPTH_LIMIT} deep`)
    const expression = read()
    depth -= 1
    return expression
  }
  const expect = (sign: string, after: string): void => {
    if (scanner.takeOne([sign]) === undefined) scanner.refuseNext(`expected ${after}`)
  }
  const readReference = ([written, name = '']: RegExpExecArray): Expression => {
    const to = scanner.at()
    const from = to - written.length
    const id = resolve(name.trim())
    if (id instanceof Fault) return scanner.refuse(id.message, from)
    references.push({ from, to, id })
    return { kind: 'kpi', id }
  }
  const readList = ([word]: RegExpExecArray): Expression => {
    const name = listFunctions.find((one) => one === word.toUpperCase())
    if (!name) return refuseWord(scanner, word)
    expect('(', `( after ${name}`)
    const list: Expression[] = []
    do list.push(readSum())
    while (scanner.takeOne([',']) !== undefined)
    expect(')', `an operator, a comma or the ) of ${name}`)
    return { kind: 'list', name, list }
  }
  const readBrackets = (): Expression => {
    const expression = readSum()
    expect(')', 'an operator or )')
    return expression
  }
  const readOperand = (): Expression => {
    const number = scanner.take(NUMBER)
    if (number) {
      numbers += 1
      return readNumber(scanner, number)
    }
    const reference = scanner.take(REFERENCE)
    if (reference) return readReference(reference)
    if (scanner.take(OPENING_BRACKET)) return scanner.refuse('] is missing after the [', scanner.at() - 1)
    const word = scanner.take(WORD)
    if (word) return nested(() => readList(word))
    if (scanner.takeOne(['(']) !== undefined) return nested(readBrackets)
    return scanner.refuse('expected a number, a [KPI], a function or (')
  }
  const readSigned = (): Expression =>
    scanner.takeOne(['-']) === undefined ? readOperand() : nested(() => ({ kind: 'negative', of: readSigned() }))
  const readChain = (signs: readonly Operator[], readPart: () => Expression): Expression => {
    let left = readPart()
    for (let operator = scanner.takeOne(signs); operator !== undefined; operator = scanner.takeOne(signs)) {
      left = { kind: 'operation', operator, left, right: readPart() }
    }
    return left
  }
  const readProduct = (): Expression => readChain(['*', '/'], readSigned)
  const readSum = (): Expression => readChain(['+', '-'], readProduct)

  return (): { expression: Expression; references: readonly Reference[]; numbers: number } => {
    const expression = readSum()
    if (!scanner.isAtEnd()) scanner.refuseNext('expected an operator or the end')
    return { expression, references, numbers }
  }
}

/** Returns the text with every reference replaced by its id. */
const withIds = (text: string, references: readonly Reference[]): string =>
  references.reduceRight((written, { from, to, id }) => `${written.slice(0, from)}[${id}]${written.slice(to)}`, text)

const TOO_LONG = Fault.must(`have at most ${FORMULA_LENGTH} characters`)
const isTooLong = (text: string): boolean => Array.from(text).length > FORMULA_LENGTH

/**
 * Parses a formula: numbers, `+ - * / ( )`, `[id]` for a KPI, and SUM, AVG, MIN and MAX over a list, in upper or lower
 * case. Returns a fault with its position for anything else. `resolve` may also find KPIs by name.
 */
export const parseFormula = (written: string, resolve: Resolve = byId): Formula | Fault => {
  const text = written.trim()
  if (isTooLong(text)) return TOO_LONG
  try {
    const { expression, references, numbers } = createParser(createScanner(text), resolve)()
    const kept = withIds(text, references)
    const mentions = references.map(({ id }) => id)
    return isTooLong(kept) ? TOO_LONG : { text: kept, expression, kpis: [...new Set(mentions)], mentions, numbers }
  } catch (error) {
    if (error instanceof Unreadable) return new Fault(error.message)
    throw error
  }
}
