import { KpiError } from '../../domain/errors.ts'
import { isColumnName, REJECT_COLUMNS } from '../columns/header.ts'
import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import type { HeaderRows, RawTable, Row, Table } from '../../tabular/source/table.ts'
import {
  type Cells,
  countOf,
  coverageOf,
  describeBody,
  fillRight,
  hasWordsForNumbers,
  isBelowHeader,
  isOneWord,
  isUnitRow,
  isUpperRow,
  mergeLabels,
  namesKinds,
  repeatsText,
  rowKind,
  type TableBody,
  textAt,
} from './table-body.ts'

/** Describes where the header of a file is: a row, and perhaps others that belong to it. */
type FoundHeading = {
  /** Holds the place of the header among the rows. */
  readonly at: number
  /** Holds the labels of the row above, one for each column; undefined if the header is one row. */
  readonly upper: readonly string[] | undefined
  /** Holds the place of a row of units below the header; undefined if there is none. */
  readonly units: number | undefined
}

/** Lists the places of several rows that may be the header. */
type Candidates = { readonly candidates: readonly number[] }

/** Sets how many rows show where the header is. */
const HEADING_ROWS = 60
/** Sets of how many of the table's columns a header names at least: some may have no name. */
const LEAST_NAMED = 0.5
/** Sets of how many of the columns a title has cells at most, below which a row names all columns. */
const MOST_OF_TITLE = 2 / 3
/** Sets how far below a row that looks like data the header may still be. */
const NEAR = 8
const SHOWN_CELLS = 4

/** Holds the rows with cells among the first of a file, by their places, and what the table holds. */
type Search = { readonly rows: readonly Row[]; readonly places: readonly number[]; readonly body: TableBody }

const cellsAt = ({ rows }: Search, at: number | undefined): Cells => rows[at ?? -1]?.cells ?? []

const searchIn = (rows: readonly Row[]): Search => {
  const places = [...rows.keys()].filter((at) => countOf(rows[at]?.cells ?? []) > 0)
  return { rows, places, body: describeBody(places.map((at) => rows[at]?.cells ?? [])) }
}

/** Tells whether a row has one cell, in the first column, as titles have. */
const isLoneText = (cells: Cells): boolean => countOf(cells) === 1 && textAt(cells, 0) !== ''

/** Tells whether a row has nothing but marks beside its first cell, as in a matrix of who has what. */
const hasOnlyMarks = ([first = '', ...others]: Cells): boolean => {
  const given = others.filter((cell) => cell.trim() !== '')
  return first.trim() !== '' && given.length > 0 && given.every((cell) => /^\s*[x✓✔]\s*$/i.test(cell))
}

const namesColumns = ({ body }: Search, cells: Cells): boolean =>
  coverageOf(body, cells) >= LEAST_NAMED && (body.columns.length < 2 || !isLoneText(cells))

/** Returns the share of a row's cells that are known names of columns. */
const knownShare = (cells: Cells): number => {
  const given = cells.filter((cell) => cell.trim() !== '')
  return given.length === 0 ? 0 : given.filter(isColumnName).length / given.length
}

/** Matches the heading of a column of a year, or of a quarter. */
const YEAR = /^\s*(?:Q[1-4][ -]?)?(?:19|2[01])\d\d\s*$/i

/** Tells whether a row names several columns by known names, and all others by years. */
const namesYears = (cells: Cells): boolean =>
  cells.filter(isColumnName).length > 1 &&
  cells.every((cell) => cell.trim() === '' || isColumnName(cell) || YEAR.test(cell))

/**
 * Tells whether a row can only be the header: all of its cells are known names, or years beside such, or it is that of a
 * rejects file.
 */
const isSurelyHeader = (cells: Cells): boolean =>
  cells.includes(REJECT_COLUMNS[1]) ||
  namesYears(cells) ||
  (countOf(cells) > 1 && cells.every((cell) => cell.trim() === '' || isColumnName(cell)))

const showRow = ({ line, cells }: Row): string => {
  const names = cells.flatMap((cell) => {
    const text = cell.trim()
    return text === '' ? [] : [text.includes(',') ? JSON.stringify(text) : text]
  })
  return `line ${line} (${names.slice(0, SHOWN_CELLS).join(', ')}${names.length > SHOWN_CELLS ? ', …' : ''})`
}

/** Refuses to choose between rows that may be the header. */
const severalRows = (rows: readonly Row[], places: readonly number[]): KpiError => {
  const shown = places.flatMap((at) => rows[at] ?? [])
  return new KpiError(
    'malformed',
    `${shown.map(showRow).join(' or ')} may be the header: say which with ${shown.map(({ line }) => `--skip-lines ${line - 1}`).join(' or ')}`,
  )
}

/** Returns the heading at a place, with the row above it if that names groups of columns. */
const headingAt = (rows: readonly Row[], at: number, units?: number): FoundHeading => {
  const [above, lower] = [rows[at - 1], rows[at]]
  const isUpper = above && lower && isUpperRow(above.cells, lower.cells)
  return { at, upper: isUpper ? fillRight(above.cells, lower.cells.length) : undefined, units }
}

/**
 * Returns the rows of labels that begin at a place: the header, and titles or an upper row before it. They end where
 * data begins.
 */
const labelRows = (search: Search, first: number): number[] => {
  const { places, body } = search
  const from = places.indexOf(first)
  const isData = (at: number): boolean => {
    const cells = cellsAt(search, at)
    return rowKind(body, cells) === 'data' || (at !== first && (repeatsText(body, cells) || hasOnlyMarks(cells)))
  }
  const end = places.findIndex((at, place) => place >= from && isData(at))
  const before = places.slice(from, end < 0 ? from + 1 : end)
  const last = before.findLastIndex((at) => rowKind(body, cellsAt(search, at)) === 'labels')
  return before.slice(0, Math.max(0, last) + 1)
}

/** Leaves out rows that have few of the cells that the last row has: titles. */
const withoutTitles = (search: Search, places: readonly number[]): number[] => {
  const whole = places.findLast((at) => coverageOf(search.body, cellsAt(search, at)) === 1)
  return places.filter((at, place) => {
    const cells = cellsAt(search, at)
    if (place < places.length - 1 && isLoneText(cells)) return false
    return whole === undefined || at >= whole || coverageOf(search.body, cells) > MOST_OF_TITLE
  })
}

/** Sets how many cells the rows of a list of facts have, such as `Source;World Bank`, which may begin with a known name. */
const CELLS_OF_FACT = 2

/** Returns the only row with known names of columns; undefined if there is none, or several, or it may be a fact. */
const rowOfNames = (search: Search, places: readonly number[]): number | undefined => {
  const [one, ...others] = places.filter((at) => knownShare(cellsAt(search, at)) > 0)
  if (one === undefined || others.length > 0) return undefined
  const mayBeFact = one !== places.at(-1) && countOf(cellsAt(search, one)) <= CELLS_OF_FACT
  return mayBeFact ? undefined : one
}

/** Sets how many columns a table has at most above which facts may be as wide as it is. */
const COLUMNS_OF_FACTS = 3

/** Sets how many whole rows of data below a header show that they are data, and no facts above the header. */
const ROWS_OF_DATA = 3

/** Tells whether a row has all of the table's cells, and no words where the table has numbers. */
const isWholeData = ({ body }: Search, cells: Cells): boolean =>
  coverageOf(body, cells) === 1 && rowKind(body, cells) === 'data' && !hasWordsForNumbers(body, cells)

/** Tells whether rows below a row of labels, up to later ones, are surely data. */
const beginsData = (search: Search, at: number, later: readonly number[]): boolean => {
  const below = search.places.filter((place) => place > at && place < (later[0] ?? 0))
  return below.filter((place) => isWholeData(search, cellsAt(search, place))).length >= ROWS_OF_DATA
}

/** Tells whether the rows between a row of labels and later ones may be facts, so that a later one is the header. */
const mayBeFacts = (search: Search, at: number, later: readonly number[]): boolean => {
  const below = search.places.filter((place) => place > at && place < (later.at(-1) ?? 0))
  if (beginsData(search, at, later)) return false
  const isWhole = below.every((place) => isWholeData(search, cellsAt(search, place)))
  return !isWhole || search.body.columns.length <= COLUMNS_OF_FACTS
}

/** Returns the labels of the columns at some places: those of a row, with those of a row above that names groups. */
const labelsAt = (rows: readonly Row[], at: number, places: readonly number[]): string[] => {
  const [lower, { upper }] = [rows[at]?.cells ?? [], headingAt(rows, at)]
  return places.map((place) => (textAt(lower, place) === '' ? '' : `${upper?.[place] ?? ''}\n${textAt(lower, place)}`))
}

/** Tells whether a row holds the units of labels in the row above it, each of which has its own. */
const areUnitsBelow = ({ rows, body }: Search, at: number): boolean => {
  const cells = rows[at]?.cells ?? []
  const places = [...cells.keys()].filter((place) => textAt(cells, place) !== '')
  const labels = labelsAt(rows, at - 1, places)
  return isUnitRow(body, cells) && !labels.includes('') && new Set(labels).size === labels.length
}

/** Returns the rows of labels close below a row, but for those that name less of the table. */
const laterLabels = (search: Search, first: number): number[] => {
  const { places, body } = search
  const place = places.indexOf(first)
  const least = coverageOf(body, cellsAt(search, first))
  return places.slice(place + 1, place + 1 + NEAR).filter((at) => {
    const cells = cellsAt(search, at)
    const isLabels = namesColumns(search, cells) && rowKind(body, cells) === 'labels'
    const namesAsMuch = coverageOf(body, cells) >= least || namesKinds(body, cells)
    const isRow = repeatsText(body, cells) || isOneWord(body, cells) || hasOnlyMarks(cells)
    return isLabels && namesAsMuch && !isRow
  })
}

/** Returns which of several rows of labels is the header. */
const chooseLabels = (search: Search, all: readonly number[]): FoundHeading | Candidates => {
  const last = all.at(-1) ?? 0
  const lower = areUnitsBelow(search, last) ? last - 1 : last
  const isDouble = headingAt(search.rows, lower).upper !== undefined
  const left = withoutTitles(search, isDouble ? all.filter((at) => at !== lower - 1) : all)
  const units = left.length > 1 && isUnitRow(search.body, cellsAt(search, last)) ? last : undefined
  const labels = left.filter((at) => at !== units)
  const later = laterLabels(search, last)
  const mayGoOn = labels.length > 1 || mayBeFacts(search, last, later)
  const rows = mayGoOn ? [...labels, ...later] : labels
  const [one, ...others] = rows
  const found = others.length === 0 ? one : rowOfNames(search, rows)
  if (found === undefined) return { candidates: rows }
  return headingAt(search.rows, found, units)
}

/**
 * Returns the row above one that looks like data, if that may be the header: a header may be narrower than the rows, and
 * numbers alone name no columns.
 */
const nearHeader = (search: Search, first: number): number => {
  const above = search.places[search.places.indexOf(first) - 1]
  if (above === undefined) return first
  const isNumbers = cellsAt(search, first).every(
    (cell) => cell.trim() === '' || stripAffixes(cell.trim()) !== undefined,
  )
  return isNumbers || countOf(cellsAt(search, above)) > 1 ? above : first
}

/** Returns the heading of a file whose first row as wide as the table looks like data. */
const aboveData = (search: Search, first: number): FoundHeading | Candidates => {
  // A row that names all columns may be the header, below a title such as a year.
  const isPartly = coverageOf(search.body, cellsAt(search, first + 1)) < 1
  const units = isPartly && areUnitsBelow(search, first + 1) ? first + 1 : undefined
  const labels = laterLabels(search, units ?? first)
  const rows = [first, ...(beginsData(search, first, labels) ? [] : labels)]
  const [, later, ...others] = rows
  if (later !== undefined) {
    const isNamed = knownShare(cellsAt(search, later)) > knownShare(cellsAt(search, first))
    return isNamed && others.length === 0 ? headingAt(search.rows, later) : { candidates: rows }
  }
  return headingAt(search.rows, units === undefined ? nearHeader(search, first) : first, units)
}

/**
 * Returns the first row with cells for the header, or where all rows above one that names all columns have few cells,
 * that row: facts above a table may look like data.
 */
const firstNaming = (search: Search): number => {
  const { places, body } = search
  const first = places.find((at) => namesColumns(search, cellsAt(search, at))) ?? places[0] ?? 0
  const wide = places.find((at) => at >= first && coverageOf(body, cellsAt(search, at)) > MOST_OF_TITLE)
  const isWhole = wide !== undefined && coverageOf(body, cellsAt(search, wide)) === 1
  if (!isWhole || rowKind(body, cellsAt(search, wide)) !== 'labels') return first
  const hasFacts = places.some((at) => at >= first && at < wide && rowKind(body, cellsAt(search, at)) === 'data')
  return hasFacts ? wide : first
}

const findIn = (search: Search): FoundHeading | Candidates => {
  const { places, body } = search
  const sure = places.find((at) => isSurelyHeader(cellsAt(search, at)))
  const first = firstNaming(search)
  if (sure !== undefined) {
    const after = labelRows(search, sure).find((at) => at > sure && isBelowHeader(body, cellsAt(search, at)))
    // Rows of rejects may leave most columns blank, which then do not show what they hold.
    const next = isUnitRow(body, cellsAt(search, sure + 1)) ? sure + 1 : undefined
    return headingAt(search.rows, sure, after ?? next)
  }
  if (body.kinds.size === 0) return headingAt(search.rows, first)
  if (rowKind(body, cellsAt(search, first)) === 'data') return aboveData(search, first)
  return chooseLabels(search, labelRows(search, first))
}

/**
 * Returns the heading that begins after so many lines; throws if there is none. Of two header rows the lines may be those
 * above either.
 */
const afterLines = (rows: readonly Row[], lines: number): FoundHeading => {
  const at = rows.findIndex(({ line }) => line > lines)
  if (at < 0 && rows.length > 0) throw new KpiError('malformed', `--skip-lines ${lines} skips all of the file`)
  const [first, next] = [Math.max(0, at), Math.max(0, at) + 1]
  const search = searchIn(rows.slice(first))
  if (areUnitsBelow(search, 1)) return headingAt(rows, first, next)
  const [upper, lower] = [cellsAt(search, 0), cellsAt(search, 1)]
  const isDouble = rowKind(search.body, lower) === 'labels' && isUpperRow(upper, lower)
  if (!isDouble) return headingAt(rows, first)
  return headingAt(rows, next, areUnitsBelow(search, 2) ? next + 1 : undefined)
}

/**
 * Finds the header among the first rows of a file: after `skipLines` lines if that is given, else the row that names
 * the columns of the table. Throws if several rows may be it.
 */
export const findHeading = (rows: readonly Row[], skipLines: number | undefined): FoundHeading => {
  if (skipLines !== undefined) return afterLines(rows, skipLines)
  const found = findIn(searchIn(rows))
  if ('candidates' in found) throw severalRows(rows, found.candidates)
  return found
}

/** Returns the place of the header, for judging how cells are separated; of several rows that may be it, the last. */
export const probableHeader = (rows: readonly Row[]): number => {
  const found = findIn(searchIn(rows.slice(0, HEADING_ROWS)))
  return 'candidates' in found ? (found.candidates.at(-1) ?? 0) : found.at
}

/** Bounds the characters of the rows that show where the header is, of which there are two at least. */
const HEADING_CHARACTERS = 1 << 22

/** Returns the first rows of a file: all within the lines that are skipped, and those that show where the header is. */
const firstRows = async (rows: AsyncGenerator<readonly Row[]>, skipLines: number): Promise<Row[]> => {
  const first: Row[] = []
  let [skipped, characters] = [0, 0]
  for await (const some of rows) {
    for (const row of some) {
      const shown = first.length - skipped
      if (shown >= HEADING_ROWS || (shown > 1 && characters > HEADING_CHARACTERS)) return first
      first.push(row)
      if (row.line <= skipLines) skipped += 1
      else characters += row.cells.reduce((sum, { length }) => sum + length, 0)
    }
  }
  return first
}

/** Yields the header, and the rows after it without that of units. */
async function* fromHeader(
  chunks: AsyncGenerator<readonly Row[]>,
  header: Row,
  units: Row | undefined,
): AsyncGenerator<readonly Row[]> {
  let isBegun = false
  for await (const rows of chunks) {
    const from = isBegun ? 0 : rows.findIndex(({ line }) => line === header.line)
    if (from < 0) continue
    const data = (isBegun ? rows : rows.slice(from + 1)).filter(({ line }) => line !== units?.line)
    yield isBegun ? data : [header, ...data]
    isBegun = true
  }
}

/** Returns the first rows of a table, and which of them are its header. */
export const headerRows = async (
  rows: () => AsyncGenerator<readonly Row[]>,
  skipLines: number | undefined,
): Promise<HeaderRows> => {
  const first = await firstRows(rows(), skipLines ?? 0)
  const { at, upper } = findHeading(first, skipLines)
  return { first, header: first.slice(upper ? at - 1 : at, at + 1) }
}

/** Finds the header of a table, after so many lines if they are given, and returns the table from there on. */
export const withHeading = async (table: RawTable, skipLines: number | undefined): Promise<Table> => {
  const first = await firstRows(table.rows(), skipLines ?? 0)
  const { at, upper, units: unitsAt } = findHeading(first, skipLines)
  const row = first[at]
  if (!row) return { ...table, above: [], upper }
  const header = { line: row.line, cells: mergeLabels(row.cells, upper) }
  const units = unitsAt === undefined ? undefined : first[unitsAt]
  const rows = at === 0 && !units ? table.rows : () => fromHeader(table.rows(), header, units)
  // Where only blank lines are skipped, the header has to be on its line again in a file of rejects.
  const above = at === 0 && skipLines !== undefined && row.line > 1 ? [{ line: 1, cells: [] }] : first.slice(0, at)
  return { ...table, rows, above, upper, ...(units && { units }) }
}
