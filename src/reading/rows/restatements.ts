import { createHash } from 'node:crypto'
import { type BlockRow, notesAt } from '../../blocks/block.ts'
import { isBad, lineOf } from '../../blocks/packed-row.ts'
import { createSorter, type Sorter } from '../../blocks/sorter.ts'
import { ACTUAL, decimalAt, type EntryBlock, NOTES, numberAt, TARGET } from '../../domain/entry-block.ts'

/** Holds values of an entry, and bits that say which of them are given or cleared. */
export type GivenValues = Pick<BlockRow, 'flags' | 'actual' | 'target' | 'notes'>

/** Returns the values of a row of a block. */
export const valuesAt = (block: EntryBlock, at: number): GivenValues => ({
  flags: numberAt(block.flags, at),
  actual: decimalAt(block, 'actual', at),
  target: decimalAt(block, 'target', at),
  notes: notesAt(block, at),
})

/** Returns values with those that they lack of values that came before. */
export const withEarlierValues = <T extends GivenValues>(values: T, earlier: GivenValues): T => {
  const lacks = ({ given, cleared }: typeof ACTUAL): boolean => (values.flags & (given | cleared)) === 0
  const lacking = [ACTUAL, TARGET, NOTES].filter(lacks).reduce((bits, { given, cleared }) => bits | given | cleared, 0)
  return {
    ...values,
    flags: values.flags | (earlier.flags & lacking),
    ...(lacks(ACTUAL) && { actual: earlier.actual }),
    ...(lacks(TARGET) && { target: earlier.target }),
    ...(lacks(NOTES) && { notes: earlier.notes }),
  }
}

/** Marks a row that is not sent. */
const NOT_SENT: GivenValues = { flags: 0, actual: 0n, target: 0n, notes: '' }

/** Bounds the marks of a file that are kept in memory. */
const MARKS = 1 << 14

/** Sets how many marks are read at a time. */
const BLOCK_MARKS = 1 << 10

/**
 * Marks the rows of a file whose entries later files of the same run give again: they are not sent. The last file to give an
 * entry takes the values that it lacks itself from earlier files. Rows are known by their places, in constant memory.
 */
export class Restatements {
  readonly #marks: Sorter
  /** Names the files that give the rows again. */
  readonly #by = new Set<string>()
  #digest: string | undefined

  constructor(folder: string) {
    this.#marks = createSorter(folder, MARKS)
  }

  #add(place: number, values: GivenValues): void {
    this.#marks.add({ owner: 0, kpi: 0, day: 0, line: place, beyond: '', ...values })
  }

  /** Marks the row at a place as not sent, and notes which file gives its entry again. */
  leaveOut(place: number, by: string): void {
    this.#by.add(by)
    this.#add(place, NOT_SENT)
  }

  /** Says why rows are not sent. */
  reason(): string {
    return `given again by ${[...this.#by].join(' or ')}`
  }

  /** Gives the row at a place the values that it lacks. */
  complete(place: number, values: GivenValues): void {
    this.#add(place, values)
  }

  /** Identifies the marks, as they are a part of what the rows mean. */
  digest(): string {
    if (this.#digest === undefined) {
      const digest = createHash('sha256')
      for (const { line, flags, actual, target, notes } of this.#rows())
        digest.update(`${line} ${flags} ${actual} ${target} ${JSON.stringify(notes)}\n`)
      this.#digest = digest.digest('hex')
    }
    return this.#digest
  }

  /** Yields the lines with rows that are not sent, each once. */
  *lines(): Generator<number> {
    let last = 0
    for (const { line: place, flags } of this.#rows()) {
      const line = lineOf(place)
      if (flags === 0 && line !== last) yield (last = line)
    }
  }

  /**
   * Begins with the rows of the file, which must come in the order of their lines. The function that is returned gives each row as
   * it is sent; undefined if it is not.
   */
  begin(): (row: BlockRow) => BlockRow | undefined {
    const marks = this.#rows()
    let next = marks.next()
    let line = 0
    const ofLine = new Map<number, GivenValues>()
    const readTo = (wanted: number): void => {
      line = wanted
      ofLine.clear()
      for (; next.done !== true && lineOf(next.value.line) <= wanted; next = marks.next())
        if (lineOf(next.value.line) === wanted) ofLine.set(next.value.line, next.value)
    }
    return (row) => {
      if (lineOf(row.line) !== line) readTo(lineOf(row.line))
      const mark = ofLine.get(row.line)
      if (!mark || isBad(row)) return row
      return mark.flags === 0 ? undefined : withEarlierValues(row, mark)
    }
  }

  close(): void {
    this.#marks.close()
  }

  *#rows(): Generator<GivenValues & Pick<BlockRow, 'line'>> {
    for (const block of this.#marks.blocks(BLOCK_MARKS))
      for (let at = 0; at < block.count; at += 1) yield { line: numberAt(block.line, at), ...valuesAt(block, at) }
  }
}
