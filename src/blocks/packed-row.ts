import type { EntryDraft } from '../domain/resources/entry.ts'
import { bigintAt, type Block, type BlockRow, numberAt, textAt } from './block.ts'

/**
 * Sets the step between columns in a place: a million columns fit beside a line, exactly for thousands of millions of
 * lines.
 */
const COLUMN_STEP = 2 ** -20

/** Returns the place of a line, in a wide file with a column, as one number that sorts by the line. */
export const placeOf = (line: number, column: number): number => line + (column + 1) * COLUMN_STEP

/** Returns the line of a place. */
export const lineOf = (place: number): number => Math.floor(place)

/** Returns the column of a place, from 0; undefined if it is the whole line. */
export const columnOf = (place: number): number | undefined => {
  const part = place - lineOf(place)
  return part === 0 ? undefined : part / COLUMN_STEP - 1
}

/** Holds two bits for each value of a row: given or cleared; if neither is set, the stored value is kept. */
export const ACTUAL = { given: 1, cleared: 2 }
export const TARGET = { given: 4, cleared: 8 }
export const NOTES = { given: 16, cleared: 32 }

/** Marks a row that cannot be imported although its key can be read, so that it still counts as a duplicate. */
export const BAD = 64

/** Tells whether a row is marked as bad. */
export const isBad = ({ flags }: Pick<BlockRow, 'flags'>): boolean => (flags & BAD) !== 0

/** Tells whether a row gives a target. */
export const givesTarget = ({ flags }: Pick<BlockRow, 'flags'>): boolean => (flags & TARGET.given) !== 0

/** Tells whether a row of a block is marked as bad. */
export const isBadAt = ({ flags }: Block, at: number): boolean => isBad({ flags: numberAt(flags, at) })

/** Separates the rounded-away digits of an actual from the notes, which cannot contain it. */
const BEHIND_DIGITS = '\0'

/** Packs the notes of a row into its text, after the rounded-away digits of its actual, if any are kept. */
export const packText = (notes: string, beyond: string): string =>
  beyond === '' ? notes : beyond + BEHIND_DIGITS + notes

/** Returns the rounded-away digits of a row's actual, if they were kept; see `digitsBeyond`. */
export const beyondAt = ({ text }: Block, at: number): string => {
  const packed = textAt(text, at)
  return packed.slice(0, Math.max(0, packed.indexOf(BEHIND_DIGITS)))
}

const notesAt = ({ text }: Block, at: number): string => {
  const packed = textAt(text, at)
  return packed.slice(packed.indexOf(BEHIND_DIGITS) + 1)
}

/** Returns the draft of a row. */
export const draftOf = (block: Block, at: number): EntryDraft => {
  const flags = numberAt(block.flags, at)
  const owner = numberAt(block.first, at)
  const kpi_id = numberAt(block.second, at)
  const entry_date = numberAt(block.third, at)
  const draft: EntryDraft =
    owner < 0 ? { source_id: -owner, kpi_id, entry_date } : { user_id: owner, kpi_id, entry_date }
  if (flags & ACTUAL.given) draft.actual = bigintAt(block.values, at * 2)
  else if (flags & ACTUAL.cleared) draft.actual = null
  if (flags & TARGET.given) draft.target = bigintAt(block.values, at * 2 + 1)
  else if (flags & TARGET.cleared) draft.target = null
  if (flags & NOTES.given) draft.notes = notesAt(block, at)
  else if (flags & NOTES.cleared) draft.notes = null
  return draft
}
