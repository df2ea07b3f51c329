/** Describes one row of a file: the line it begins on, from 1, and its cells. */
export type Row = {
  readonly line: number
  readonly cells: readonly string[]
  /**
   * Holds at the places of cells that are stored as numbers, and not as texts, the currency of their format, or ``.
   * Their text has a decimal point. Whole numbers without a currency may be left out, as they mean one thing anyway.
   */
  readonly numbers?: StoredNumbers | undefined
}

/** Holds the currencies of cells that are stored as numbers, at their places. */
export type StoredNumbers = readonly (string | undefined)[]
