import { MOST_COLUMNS } from '../source/limits.ts'
import {
  areSheetsAsked,
  type FormatFinding,
  type HeaderFinder,
  type Row,
  sheetName,
  type SourceOptions,
  type Table,
} from '../source/table.ts'
import { type MergedRange, rangeName, type Workbook } from './workbook.ts'
import { listFirst } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { addInTurns, cellsFormat, cellsTable, createRowSpill } from '../cells/cells-table.ts'
import { type RereadableFile, sumOf } from '../source/files.ts'
import type { UnpackedFile } from '../packing/unpack.ts'
import type { ZipArchive } from '../packing/zip.ts'
import { type ChosenSheet, chooseSheets } from './choose-sheet.ts'
import { openOds } from './ods.ts'
import { openXlsx } from './xlsx.ts'

/** Describes merged cells: the header rows with their values repeated, and what is said of them. */
type FilledHeader = { readonly rows: ReadonlyMap<number, Row>; readonly findings: readonly FormatFinding[] }

const SHOWN_RANGES = 3

const shownRanges = (ranges: readonly MergedRange[]): string => listFirst(ranges, SHOWN_RANGES, rangeName)

/**
 * Returns a header row with the values of merged cells in all of their columns. No row has more of them than a sheet has
 * columns, unless ranges overlap, as no program writes them.
 */
const fillRow = (row: Row, ranges: readonly MergedRange[], valueOf: (range: MergedRange) => string): Row => {
  const cells = [...row.cells]
  let rest = MOST_COLUMNS
  for (const range of ranges) {
    if (row.line < range.firstRow || row.line > range.lastRow) continue
    rest -= range.lastColumn - range.firstColumn + 1
    if (rest < 0) break
    while (cells.length <= range.lastColumn) cells.push('')
    for (let at = range.firstColumn; at <= range.lastColumn; at += 1) cells[at] = valueOf(range)
  }
  return { line: row.line, cells }
}

/** Repeats the values of merged cells in the header rows; below them, only the first cell keeps the value. */
const fillHeader = (first: readonly Row[], header: readonly Row[], merged: readonly MergedRange[]): FilledHeader => {
  const [top, last] = [header[0]?.line ?? 0, header.at(-1)?.line ?? 0]
  const within = merged.filter(({ firstRow, lastRow }) => firstRow <= last && lastRow >= top)
  const below = merged.filter(({ firstRow }) => firstRow > last)
  const valueOf = ({ firstRow, firstColumn }: MergedRange): string =>
    first.find(({ line }) => line === firstRow)?.cells[firstColumn] ?? ''
  const filled = within.filter((range) => valueOf(range) !== '')
  return {
    rows: new Map(filled.length === 0 ? [] : header.map((row) => [row.line, fillRow(row, filled, valueOf)])),
    findings: [
      ...(filled.length > 0
        ? [{ topic: 'merged cells', found: shownRanges(filled), evidence: 'repeated, as they are in the header' }]
        : []),
      ...(below.length > 0
        ? [{ topic: 'merged cells', found: shownRanges(below), evidence: 'only the first cell has the value' }]
        : []),
    ],
  }
}

/** Yields rows with the header rows replaced. */
async function* withFilled(
  chunks: AsyncGenerator<readonly Row[]>,
  rows: FilledHeader['rows'],
): AsyncGenerator<readonly Row[]> {
  for await (const some of chunks) yield rows.size === 0 ? some : some.map((row) => rows.get(row.line) ?? row)
}

/** Describes a workbook that is opened: as it was given, and as it was unpacked. */
type WorkbookFile = {
  readonly packed: RereadableFile
  readonly file: UnpackedFile
  readonly archive: ZipArchive
  readonly folder: string
  readonly signal: AbortSignal | undefined
  readonly onNote: ((text: string) => void) | undefined
}

const requireWorkbook = <T extends Workbook>(workbook: T | undefined, name: string): T => {
  if (workbook) return workbook
  throw new KpiError(
    'malformed',
    `cannot read ${name}: it is a document of an office program, but no workbook; save its table as .xlsx or as CSV`,
  )
}

/** Reads the rows of a sheet, and returns them as a table. */
const readSheet = async (
  { packed, file, folder, signal }: WorkbookFile,
  workbook: Workbook,
  { sheet, finding, name }: ChosenSheet & { readonly name: string },
  finder: HeaderFinder,
): Promise<Table> => {
  const spill = createRowSpill(folder, name)
  try {
    const merged = await sheet.read(addInTurns(spill, signal))
    const { first, header } = await finder.rowsOf(spill.rows)
    const { rows, findings } = fillHeader(first, header, merged)
    const found = { topic: 'workbook', found: workbook.kind, evidence: workbook.evidence }
    const reading = { ...cellsFormat('workbook', [...file.findings, found, finding, ...findings]), sheet: sheet.name }
    const sum = await sumOf(packed)
    const filled = (): ReturnType<typeof spill.rows> => withFilled(spill.rows(), rows)
    return await cellsTable({ name, reading, spill, sum, mode: packed.mode, rows: filled }, finder)
  } catch (error) {
    spill.close()
    throw error
  }
}

/** Reads the rows of the sheets that are meant, each as a table. */
const readSheets = async (
  opened: WorkbookFile,
  workbook: Workbook,
  asked: SourceOptions,
  finder: HeaderFinder,
): Promise<readonly Table[]> => {
  const { name } = opened.packed
  const { chosen, leftOut } = await chooseSheets(workbook.sheets, asked, name)
  if (leftOut !== undefined) opened.onNote?.(`${name}: ${leftOut}`)
  const tables: Table[] = []
  try {
    for (const one of chosen) {
      const called = areSheetsAsked(asked) ? sheetName(name, one.sheet.name) : name
      tables.push(await readSheet(opened, workbook, { ...one, name: called }, finder))
    }
    return tables
  } catch (error) {
    for (const table of tables) table.close()
    throw error
  }
}

/**
 * Opens a workbook as tables, by the sheets that are asked for. Their rows are copied to temporary files once, and the rest is
 * closed.
 */
export const openWorkbook = async (
  opened: WorkbookFile,
  asked: SourceOptions,
  header: HeaderFinder,
): Promise<readonly Table[]> => {
  const { packed, file, archive, folder } = opened
  try {
    const ods = await openOds(archive, packed.name)
    if (ods) return await readSheets(opened, ods, asked, header)
    const { close, ...xlsx } = requireWorkbook(await openXlsx(archive, packed.name, folder, opened.signal), packed.name)
    try {
      return await readSheets(opened, xlsx, asked, header)
    } finally {
      close()
    }
  } finally {
    archive.close()
    file.source.close()
  }
}
