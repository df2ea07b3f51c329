/** Bounds the columns of a table: no spreadsheet has more. */
export const MOST_COLUMNS = 16_384

/** Bounds the rows of a sheet: no spreadsheet has more. */
export const MOST_ROWS = 1_048_576

/** Bounds the characters of a row, so that an endless row does not fill the memory. */
export const LONGEST_ROW = 1 << 24

/** Bounds the characters of a cell, as those of workbooks are. */
export const LONGEST_CELL = 1 << 20

/** Sets up to how many times its packed size a file may unpack to, if it unpacks to more than so many bytes. */
const RATIOS = [
  { size: 64 * 1024 ** 2, most: 200 },
  { size: 320 * 1024 ** 2, most: 64 },
]

/**
 * Says why so many bytes are far too many to be a table of so many packed ones, and what to do about it; undefined if
 * they are not. No table is so repetitive.
 */
export const implausibleSize = (size: number, packed: number): string | undefined => {
  const over = RATIOS.find((one) => size > one.size && size > packed * one.most)
  return (
    over &&
    `more than ${over.most} times its packed size, more than a table plausibly has; unpack it first and look at it, or save the sheet of a workbook as CSV`
  )
}
