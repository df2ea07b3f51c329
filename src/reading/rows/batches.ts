import { addExact, type Decimal, exactDecimal, type ExactDecimal, isLarger, roundExact } from '../../domain/decimal.ts'
import {
  ACTUAL,
  blockOf,
  createEntryBlock,
  draftAt,
  type EntryBlock,
  numberAt,
  putDecimal,
} from '../../domain/entry-block.ts'
import { BATCH_LIMIT, type EntryDraft } from '../../domain/resources/entry.ts'
import type { OnDuplicate } from '../options/options.ts'
import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { BODY_LIMIT } from '../../domain/limits.ts'
import { beyondAt, type Block, copyEntry, notesAt } from '../../blocks/block.ts'
import { isBadAt, lineOf } from '../../blocks/packed-row.ts'

/** Names how the rows of one key become one entry. */
type Combining = Exclude<OnDuplicate, 'error'>

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
const countOne = (block: EntryBlock, at: number): void => {
  if (numberAt(block.flags, at) & ACTUAL.given) putDecimal(block, 'actual', at, ONE)
}

/** Tells whether an entry is one of the rows as it is. */
const isChoice = (by: Combining): boolean => by === 'first' || by === 'last'

/**
 * Makes one entry of the rows of a key, in constant memory. The first or last row is taken as it is; the other functions make one actual of all that are
 * given, and take the last target and the last notes that any row gives.
 */
const createCombination = (by: Combining, first: EntryDraft, beyond: string) => {
  const actuals: Actuals = { count: 0, sum: ZERO, most: undefined, least: undefined }
  let chosen = first
  let given: Pick<EntryDraft, 'target' | 'notes'> = {}
  /** Adds a row, with the digits of its actual that were rounded away. */
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
    result: (): EntryDraft => {
      if (isChoice(by)) return chosen
      return { ...chosen, ...given, ...(actuals.count > 0 && { actual: actualOf(actuals, by) }) }
    },
  }
}

/** Holds the place of the row of an entry in the file, or several places. */
type Places = number | readonly number[]

/** Holds entries that are sent together as columns, each with the place of its row in the file, or several places. */
export class Batch {
  #block: EntryBlock
  readonly lines: Places[] = []
  #drafts: readonly EntryDraft[] | undefined
  readonly #whole: { readonly batch: Batch; readonly places: readonly number[] } | undefined

  constructor(capacity: number, whole?: { readonly batch: Batch; readonly places: readonly number[] }) {
    this.#block = createEntryBlock(capacity)
    this.#whole = whole
  }

  get block(): EntryBlock {
    return this.#block
  }

  get size(): number {
    return this.#block.count
  }

  /** Makes objects of the entries when they are asked for first; parts of a batch share those of the whole. */
  get drafts(): readonly EntryDraft[] {
    const whole = this.#whole
    this.#drafts ??= whole
      ? whole.places.flatMap((at) => whole.batch.drafts[at] ?? [])
      : Array.from({ length: this.size }, (_, at) => draftAt(this.#block, at))
    return this.#drafts
  }

  /** Adds an entry of a block at the end. */
  add(block: EntryBlock, at: number, places: Places): void {
    const end = this.#block.count
    if (end === this.#block.day.length) this.#grow()
    copyEntry(block, at, this.#block, end)
    this.#block.sources = block.sources
    this.#block.count += 1
    this.lines.push(places)
  }

  /** Removes the last entry. */
  removeLast(): void {
    const last = (this.#block.count -= 1)
    this.#block.notes.length = Math.min(this.#block.notes.length, last)
    this.lines.pop()
  }

  /** Returns the entries at some places; all if none are given. */
  part(places?: readonly number[]): Batch {
    if (!places) return this
    const part = new Batch(places.length, { batch: this, places })
    for (const at of places) part.add(this.#block, at, this.lines[at] ?? 0)
    return part
  }

  /** Returns the entries at the places for which a test holds. */
  where(test: (at: number) => boolean): Batch {
    return this.part([...this.lines.keys()].filter(test))
  }

  #grow(): void {
    const larger = createEntryBlock(Math.max(1, this.size * 2))
    for (let at = 0; at < this.size; at += 1) copyEntry(this.#block, at, larger, at)
    larger.count = this.size
    this.#block = larger
  }
}

/** Sets up to how many bytes a batch is filled; one more entry then still fits into the request. */
const BATCH_BYTES = BODY_LIMIT - 10_000
/** Bounds the bytes of an entry without its notes: names, ids, a date and two numbers. */
const ENTRY_BYTES = 200
/** Bounds the bytes that a UTF-16 code unit of a text takes, escaped or in UTF-8. */
const BYTES_A_UNIT = 3

const weightAt = (block: EntryBlock, at: number): number => ENTRY_BYTES + BYTES_A_UNIT * notesAt(block, at).length

/** Bounds the rows of one key, whose places are kept in memory. */
const MOST_ROWS_OF_KEY = 4_000_000

const tooManyOfKey = ([first = 0]: readonly number[]): KpiError =>
  new KpiError(
    'malformed',
    `more than ${countText(MOST_ROWS_OF_KEY)} rows have the user or source, the KPI and the date of line ${lineOf(first)}; make fewer rows of them before, such as one for each day`,
  )

/** Receives the places of a key that is rejected because the file has it more than once, and those of its bad rows. */
export type DuplicateSink = (places: readonly number[], bad: readonly number[]) => void

/** Holds what becomes of the rows of a key that came again, their lines, and those of bad ones. */
type Again = {
  readonly rows: ReturnType<typeof createCombination> | undefined
  readonly lines: number[]
  readonly bad: number[]
}

/**
 * Cuts sorted rows into batches of at most `limit` entries, small enough for a request. Repeated keys are settled here:
 * sorting has brought their rows together. If one of the rows is bad none is chosen, because its corrected values are
 * not known. Long stretches of rows that make no batch yield empty ones, so that other work can go on between. Rows of several
 * files are settled within each: `fileOf` tells of which one a place is.
 */
export function* cutBatches(
  blocks: Iterable<Block>,
  onDuplicate: OnDuplicate,
  refuse: DuplicateSink,
  limit = BATCH_LIMIT,
  fileOf: (place: number) => number = () => 0,
): Generator<Batch> {
  let batch = new Batch(limit)
  let weight = 0
  // Keep the last row at the end of the batch until the next key comes; collect rows of the same key in `again`.
  let isOpen = false
  let [lastLine, lastBeyond] = [0, '']
  let isLastBad = false
  let again: Again | undefined

  const pushCombined = (draft: EntryDraft, lines: readonly number[]): void => batch.add(blockOf([draft]), 0, lines)
  const finishKey = (): void => {
    if (!isOpen) return
    isOpen = false
    if (again) {
      const { rows, lines: places, bad } = again
      again = undefined
      batch.removeLast()
      const chosen = bad.length > 0 ? undefined : rows?.result()
      if (chosen) pushCombined(chosen, places)
      else {
        if (onDuplicate === 'error' || bad.length < places.length) refuse(places, bad)
        return
      }
    } else if (isLastBad) return batch.removeLast()
    else if (onDuplicate === 'count') countOne(batch.block, batch.size - 1)
    weight += weightAt(batch.block, batch.size - 1)
  }
  const isLastKey = (block: Block, at: number): boolean => {
    const last = batch.size - 1
    const { owner, kpi, day } = batch.block
    return isOpen && day[last] === block.day[at] && kpi[last] === block.kpi[at] && owner[last] === block.owner[at]
  }
  for (const block of blocks) {
    let isIdle = true
    for (let at = 0; at < block.count; at += 1) {
      const line = numberAt(block.line, at)
      const isOneBad = isBadAt(block, at)
      if (isLastKey(block, at) && fileOf(lastLine) === fileOf(line)) {
        again ??= {
          rows:
            onDuplicate === 'error'
              ? undefined
              : createCombination(onDuplicate, draftAt(batch.block, batch.size - 1), lastBeyond),
          lines: [lastLine],
          bad: isLastBad ? [lastLine] : [],
        }
        if (again.lines.length === MOST_ROWS_OF_KEY) throw tooManyOfKey(again.lines)
        again.rows?.add(draftAt(block, at), beyondAt(block, at))
        again.lines.push(line)
        if (isOneBad) again.bad.push(line)
        continue
      }
      finishKey()
      if (batch.size === limit || weight >= BATCH_BYTES) {
        yield batch
        batch = new Batch(limit)
        weight = 0
        isIdle = false
      }
      batch.add(block, at, line)
      isOpen = true
      lastLine = line
      lastBeyond = beyondAt(block, at)
      isLastBad = isOneBad
    }
    if (isIdle) yield new Batch(0)
  }
  finishKey()
  if (batch.size > 0) yield batch
}
