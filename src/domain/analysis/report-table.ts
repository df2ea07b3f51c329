import type { AnyRecord, NamedField } from '../schema.ts'

/** Describes a table of a report: its columns, and its rows in parts, in the order in which they are shown. */
export type ReportTable = {
  readonly columns: readonly NamedField[]
  readonly parts: AsyncIterable<readonly AnyRecord[]>
}

/** Returns a table that counts its rows as they are read. */
export const countingRows = ({ columns, parts }: ReportTable, counted: { rows: number }): ReportTable => ({
  columns,
  parts: (async function* () {
    for await (const rows of parts) {
      counted.rows += rows.length
      yield rows
    }
  })(),
})
