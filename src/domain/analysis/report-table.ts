import type { AnyRecord, NamedField } from '../schema.ts'

/** Describes a table of a report: its columns, and its rows in parts, in the order in which they are shown. */
export type ReportTable = {
  readonly columns: readonly NamedField[]
  readonly parts: AsyncIterable<readonly AnyRecord[]>
}
