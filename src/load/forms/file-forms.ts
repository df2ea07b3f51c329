import type { DateColumn } from './date-column.ts'
import type { NumberColumn } from './number-column.ts'

/** How the numbers and dates of a file are written, column by column. */
export type Forms = {
  readonly numbers: ReadonlyMap<number, NumberColumn>
  /** Not there where one date stands for all rows. */
  readonly date: { readonly at: number; readonly column: DateColumn } | undefined
}
