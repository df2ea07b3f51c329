import { addExact, type Decimal, exactDecimal, type ExactDecimal, isLarger, roundExact } from '../../domain/decimal.ts'
import { ACTUAL, type EntryBlock, numberAt, putDecimal } from '../../domain/entry-block.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { OnDuplicate } from '../options/options.ts'

/** Names how the rows of one key become one entry. */
type Combining = Exclude<OnDuplicate, 'error'>

/** Collects the rows of one key, in constant memory, and makes one entry of them. */
export type Combination = {
  /** Adds a row; `beyond` holds the digits of its actual that were rounded away. */
  readonly add: (draft: EntryDraft, beyond: string) => void
  readonly result: () => EntryDraft
}

const ONE = 10_000n
const ZERO: ExactDecimal = { units: 0n, width: 0 }

/** Keeps what the functions need of the actuals of a key. */
type Actuals = { count: number; sum: ExactDecimal; most: ExactDecimal | undefined; least: ExactDecimal | undefined }

const addActual = (all: Actuals, one: ExactDecimal): void => {
  all.count += 1
  all.sum = addExact(all.sum, one)
  if (all.most === undefined || isLarger(one, all.most)) all.most = one
  if (all.least === undefined || isLarger(all.least, one)) all.least = one
}

/** Returns the actual of an entry that several rows give, rounded last. */
const actualOf = ({ count, sum, most = ZERO, least = ZERO }: Actuals, by: Combining): Decimal => {
  if (by === 'count') return BigInt(count) * ONE
  if (by === 'avg') return roundExact(sum, count)
  return roundExact(by === 'max' ? most : by === 'min' ? least : sum)
}

/** Puts the count of a key with a single row, 1, in the place of its actual, if it gives one. */
export const countOne = (block: EntryBlock, at: number): void => {
  if (numberAt(block.flags, at) & ACTUAL.given) putDecimal(block, 'actual', at, ONE)
}

/** Tells whether an entry is one of the rows as it is. */
const isChoice = (by: Combining): boolean => by === 'first' || by === 'last'

/**
 * Creates a combination. The first or last row is taken as it is; the other functions make one actual of all that are
 * given, and take the last target and the last notes that any row gives.
 */
export const createCombination = (by: Combining, first: EntryDraft, beyond: string): Combination => {
  const actuals: Actuals = { count: 0, sum: ZERO, most: undefined, least: undefined }
  let chosen = first
  let given: Pick<EntryDraft, 'target' | 'notes'> = {}
  const add = (draft: EntryDraft, digits: string): void => {
    if (by !== 'first') chosen = draft
    if (isChoice(by)) return
    const { actual, target, notes } = draft
    if (typeof actual === 'bigint') addActual(actuals, exactDecimal(actual, digits))
    given = { ...given, ...(target !== undefined && { target }), ...(notes !== undefined && { notes }) }
  }
  add(first, beyond)
  return {
    add,
    result: () => {
      if (isChoice(by)) return chosen
      return { ...chosen, ...given, ...(actuals.count > 0 && { actual: actualOf(actuals, by) }) }
    },
  }
}
