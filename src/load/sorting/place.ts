/** So many columns have room beside a line: both together are exact in a number up to a line of thousands of millions. */
const COLUMN_STEP = 2 ** -20

/** Where something stands in a file: a line, and in a wide file a column of it, as one number that sorts by the line. */
export const placeOf = (line: number, column: number): number => line + (column + 1) * COLUMN_STEP

/** The line of a place. */
export const lineOf = (place: number): number => Math.floor(place)

/** The column of a place, from 0; undefined where it is the whole line. */
export const columnOf = (place: number): number | undefined => {
  const part = place - lineOf(place)
  return part === 0 ? undefined : part / COLUMN_STEP - 1
}
