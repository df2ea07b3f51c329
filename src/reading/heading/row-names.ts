import { KpiError } from '../../domain/errors.ts'
import type { Row, Table } from '../../tabular/source/table.ts'
import { shellWord } from '../options/flag-text.ts'

/** Sets how many of the first rows show that rows begin with a cell for which the header has no name, and how many at least. */
const SHOWN_ROWS = 60
const LEAST_ROWS = 2

/** Holds the name that the user gives the first column of such rows. */
export type RowNames = { readonly name: string | undefined }

/** Returns the header of a table and its first rows. */
const firstRows = async ({ rows }: Table): Promise<readonly Row[]> => {
  const first: Row[] = []
  for await (const some of rows()) {
    first.push(...some.slice(0, SHOWN_ROWS))
    if (first.length >= SHOWN_ROWS) break
  }
  return first
}

const nameIn = ({ cells }: Row): string => cells[0]?.trim() ?? ''

/** Tells whether rows have one cell more than the header, and begin with different texts, as R writes the names of rows. */
const haveNames = ({ cells: { length } }: Row, rows: readonly Row[]): boolean =>
  rows.length >= LEAST_ROWS &&
  rows.every((row) => row.cells.length === length + 1 && nameIn(row) !== '') &&
  // Leave out files whose rows just end with a separator: their last cells are empty.
  rows.some(({ cells }) => cells[length]?.trim() !== '') &&
  new Set(rows.map(nameIn)).size === rows.length

/** Yields rows with a name before those of the header. */
async function* withName(chunks: AsyncGenerator<readonly Row[]>, name: string): AsyncGenerator<readonly Row[]> {
  let isBegun = false
  for await (const rows of chunks) {
    const [header, ...others] = rows
    yield isBegun || !header ? rows : [{ ...header, cells: [name, ...header.cells] }, ...others]
    isBegun ||= header !== undefined
  }
}

/**
 * Names the first column of a table whose rows have one cell more than the header, as R writes names of rows: as the user
 * says, or not at all where it numbers the rows; refuses one with other names, as they may say whom values belong to.
 */
export const nameFirstColumn = async (table: Table, named: RowNames | undefined): Promise<Table> => {
  const asked = named?.name
  const [header, ...rows] = await firstRows(table)
  const isNamed = header !== undefined && haveNames(header, rows)
  if (!isNamed && asked === undefined) return table
  if (!isNamed)
    throw new KpiError(
      'malformed',
      `--row-names ${shellWord(asked ?? '')}: the rows of ${table.name} do not have one cell more than the header, each with a name first; leave it out`,
    )
  const areNumbers = rows.every((row, at) => nameIn(row) === String(at + 1))
  if (named === undefined && !areNumbers) return table
  if (asked === undefined && !areNumbers) {
    const { length } = header.cells
    const [first, second] = rows.map((row) => `"${nameIn(row)}"`)
    throw new KpiError(
      'malformed',
      `the rows of ${table.name} have ${length + 1} cells and the header ${length}: if their first cells, such as ${first} and ${second}, are names, as R writes those of rows, --row-names store calls that column store; else a cell holds the separator, as a decimal comma does: put quotes around it, or say how cells are separated with --separator`,
    )
  }
  const { upper } = table
  const name = asked ?? ''
  return { ...table, upper: upper && [name, ...upper], rows: () => withName(table.rows(), name) }
}
