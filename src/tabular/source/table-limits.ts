/** Bounds the columns of a table: no spreadsheet has more. */
export const MOST_COLUMNS = 16_384

/** Bounds the rows of a sheet: no spreadsheet has more. */
export const MOST_ROWS = 1_048_576

/** Bounds the characters of a row, so that an endless row does not fill the memory. */
export const LONGEST_ROW = 1 << 24

/** Bounds the characters of a cell, as those of workbooks are. */
export const LONGEST_CELL = 1 << 20
