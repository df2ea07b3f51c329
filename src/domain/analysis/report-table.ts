import type { AnyRecord, FieldValue, NamedField } from '../schema.ts'

/**
 * Describes a column of a report. For people it has texts (`textOf`); a workbook shows the same ones by a value and its
 * number format.
 */
export type ReportColumn = NamedField & {
  /** Holds the number pattern of its values, where that is not the one of each row's KPI. */
  readonly labelFormat?: string
  /** Holds the text for people that stands where there is no value. */
  readonly blank?: string
  /** Returns the value of a workbook's cell, where that is not the plain one. */
  readonly sheetValue?: (record: AnyRecord) => FieldValue
  /** Returns the number format in which a workbook shows the value as people read it. */
  readonly sheetFormat?: (record: AnyRecord) => string | undefined
}

/** Names the field, shown in no column, by which a row is known that holds the totals of those above it. */
export const IS_TOTAL = 'isTotal'

/** Describes a table of a report: its columns, and its rows in parts, in the order in which they are shown. */
export type ReportTable = {
  readonly columns: readonly ReportColumn[]
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
