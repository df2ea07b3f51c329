import { KpiError } from '../../domain/errors.ts'
import { cellsFormat, cellsTable } from '../cells/cells-table.ts'
import { createRowSpill, type RowSpill } from '../cells/row-spill.ts'
import type { RereadableFile } from '../source/files.ts'
import { sumOf } from '../packing/byte-sum.ts'
import type { UnpackedFile } from '../packing/unpack.ts'
import type { ZipArchive } from '../packing/zip.ts'
import type { HeaderFinder, Table } from '../source/table.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { chooseSheet } from './choose-sheet.ts'
import { fillHeader, withFilled } from './merged-cells.ts'
import { openOds } from './ods.ts'
import type { OnRow, Workbook } from './workbook.ts'
import { openXlsx } from './xlsx.ts'

/** Describes a workbook that is opened: as it was given, and as it was unpacked. */
type WorkbookFile = {
  readonly packed: RereadableFile
  readonly file: UnpackedFile
  readonly archive: ZipArchive
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

const requireWorkbook = <T extends Workbook>(workbook: T | undefined, name: string): T => {
  if (workbook) return workbook
  throw new KpiError(
    'malformed',
    `cannot read ${name}: it is a document of an office program, but no workbook; save its table as .xlsx or as CSV`,
  )
}

/** Sets after how many cells signals and timers may run. */
const CELLS_PER_TURN = 1 << 16

/** Adds rows to a temporary file, with pauses in which signals and timers run. */
const addInTurns = ({ add }: RowSpill, signal: AbortSignal | undefined): OnRow => {
  let cellCount = 0
  return (line, cells, numbers) => {
    add(line, cells, numbers)
    cellCount += cells.length + 1
    if (cellCount < CELLS_PER_TURN) return undefined
    cellCount = 0
    return nextTurn(signal)
  }
}

/** Reads the rows of the sheet that is meant, and returns them as a table. */
const readSheet = async (
  { packed, file, folder, signal }: WorkbookFile,
  workbook: Workbook,
  asked: string | undefined,
  finder: HeaderFinder,
): Promise<Table> => {
  const { name } = packed
  const { sheet, finding } = await chooseSheet(workbook.sheets, asked, name)
  const spill = createRowSpill(folder, name)
  try {
    const merged = await sheet.read(addInTurns(spill, signal))
    const { first, header } = await finder.rowsOf(spill.rows)
    const { rows, findings } = fillHeader(first, header, merged)
    const found = { topic: 'workbook', found: workbook.kind, evidence: workbook.evidence }
    const reading = cellsFormat('workbook', [...file.findings, found, finding, ...findings])
    const sum = await sumOf(packed)
    const filled = (): ReturnType<typeof spill.rows> => withFilled(spill.rows(), rows)
    return await cellsTable({ name, reading, spill, sum, mode: packed.mode, rows: filled }, finder)
  } catch (error) {
    spill.close()
    throw error
  }
}

/** Opens a workbook as a table, by the sheet that is asked for. The rows of its sheet are copied to a temporary file once, and the rest is closed. */
export const openWorkbook = async (
  opened: WorkbookFile,
  asked: string | undefined,
  header: HeaderFinder,
): Promise<Table> => {
  const { packed, file, archive, folder } = opened
  try {
    const ods = await openOds(archive, packed.name)
    if (ods) return await readSheet(opened, ods, asked, header)
    const { close, ...xlsx } = requireWorkbook(await openXlsx(archive, packed.name, folder, opened.signal), packed.name)
    try {
      return await readSheet(opened, xlsx, asked, header)
    } finally {
      close()
    }
  } finally {
    archive.close()
    file.source.close()
  }
}
