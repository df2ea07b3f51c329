import { numberAt, TARGET } from '../domain/entry-block.ts'
import type { Block, BlockRow } from './block.ts'

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

/** Marks a row that cannot be imported although its key can be read, so that it still counts as a duplicate. */
export const BAD = 64

/** Tells whether a row is marked as bad. */
export const isBad = ({ flags }: Pick<BlockRow, 'flags'>): boolean => (flags & BAD) !== 0

/** Tells whether a row gives a target. */
export const givesTarget = ({ flags }: Pick<BlockRow, 'flags'>): boolean => (flags & TARGET.given) !== 0

/** Tells whether a row of a block is marked as bad. */
export const isBadAt = ({ flags }: Block, at: number): boolean => isBad({ flags: numberAt(flags, at) })
