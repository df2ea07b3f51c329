import { KpiError } from '../domain/errors.ts'
import { unpackFile } from './packing/unpack.ts'
import type { RereadableFile, StopSignal } from './source/files.ts'
import type { HeaderFinder, SourceOptions, Table } from './source/table.ts'
import { openTextTable, requireNoRecords } from './text/text-table.ts'

const requireNoSheet = (name: string, { sheets = [], isSheetSaved }: SourceOptions): void => {
  if (sheets.length === 0 || isSheetSaved) return
  throw new KpiError('malformed', `cannot read ${name}: it is no workbook, so it has no sheet; leave out --sheet`)
}

/** Says where temporary files go, what ends reading a workbook or an archive, and who is told what is left out of one. */
export type SourcePlace = {
  readonly folder: string
  readonly stop?: StopSignal | undefined
  readonly onNote?: (text: string) => void
}

/**
 * Finds out how to read a file: as text or as a workbook, perhaps compressed or in an archive, as its first bytes show. It is
 * one table, or one for each of several sheets that are meant.
 */
export const openSource = async (
  source: RereadableFile,
  asked: SourceOptions,
  header: HeaderFinder,
  { folder, stop, onNote }: SourcePlace,
): Promise<readonly Table[]> => {
  const { workbook, ...file } = await unpackFile(source, folder, stop)
  if (workbook) {
    requireNoRecords(source.name, asked)
    const { openWorkbook } = await import('./workbook/open-workbook.ts')
    return openWorkbook({ packed: source, file, archive: workbook, folder, signal: stop?.(), onNote }, asked, header)
  }
  requireNoSheet(source.name, asked)
  return [await openTextTable({ packed: source, file, folder, stop }, asked, header)]
}
