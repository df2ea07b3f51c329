import { tmpdir } from 'node:os'
import type { DatabaseQuery } from '../tabular/database/run-query.ts'
import { openSource, type SourcePlace } from '../tabular/open-source.ts'
import type { RereadableFile, StopSignal } from '../tabular/source/files.ts'
import type { HeaderFinder, SourceOptions, Table } from '../tabular/source/table.ts'
import { roleOf } from './columns/header.ts'
import { nameFirstColumn, type RowNames } from './heading/row-names.ts'
import { headerRows, probableHeader, withHeading } from './heading/find-heading.ts'
import { leaveOutRows } from './heading/left-out-rows.ts'

/** Describes what the user said about how to parse a file, and which of its rows are left out. */
export type RequestedFormat = SourceOptions & {
  /** Lists the texts of rows that are left out. */
  readonly ignoreRows?: readonly string[] | undefined
  /**
   * Names the first column of rows that have one cell more than the header, as R writes the names of rows; undefined where no
   * flag can, so that each such row is rejected.
   */
  readonly rowNames?: RowNames | undefined
}

/** Finds the header as files of KPIs have it, and leaves out the rows that the user named. */
const headerFinder = ({ skipLines, ignoreRows, rowNames }: RequestedFormat): HeaderFinder => ({
  probable: probableHeader,
  isName: (text) => roleOf(text) !== undefined,
  rowsOf: (rows) => headerRows(rows, skipLines),
  begin: async (table, isFirst) => {
    if (isFirst) return leaveOutRows({ ...table, above: [], upper: undefined }, ignoreRows)
    return leaveOutRows(await nameFirstColumn(await withHeading(table, skipLines), rowNames), ignoreRows)
  },
})

/** Opens a file as a table, or as one for each of the sheets that are meant. */
export const openTables = (
  source: RereadableFile,
  asked: RequestedFormat,
  place: SourcePlace,
): Promise<readonly Table[]> => openSource(source, asked, headerFinder(asked), place)

/** Opens a file as one table; `folder` is where temporary files go, and `stop` ends reading a workbook or an archive. */
export const openTable = async (
  source: RereadableFile,
  asked: RequestedFormat = {},
  folder: string = tmpdir(),
  stop?: StopSignal,
): Promise<Table> => {
  const [table] = await openTables(source, asked, { folder, stop })
  if (!table) throw new Error('a file is at least one table')
  return table
}

/** Runs a query that only reads, and returns its result as a table: its first row is the header. */
export const openQuery = async (
  query: DatabaseQuery,
  { ignoreRows }: RequestedFormat,
  folder: string,
  signal?: AbortSignal,
): Promise<Table> => {
  const { queryTable } = await import('../tabular/database/query-table.ts')
  return queryTable(query, headerFinder({ skipLines: 0, ignoreRows }), folder, signal)
}
