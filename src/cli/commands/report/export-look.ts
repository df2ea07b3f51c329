import { resolve } from 'node:path'
import { canGrow, FILE_FORMATS } from '../../../export/report/formats.ts'
import type { FileLook } from '../../../export/report/report-file.ts'
import { isDevice } from '../../../files/place.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { askedFormat, exportLook, formatOfFile } from '../../files/file-format.ts'
import type { ReportExportFlags } from './export-command.ts'

/** Refuses an earlier file that no rows can be added to, or that is not of the format that is written. */
const requireGrowing = (cli: Cli, earlier: string, { format, sheet }: FileLook, isFile: boolean): void => {
  if (sheet) throw new UsageError('--append-since adds to CSV for programs; leave out --excel')
  const earlierFormat = formatOfFile(earlier, askedFormat(cli, FILE_FORMATS), FILE_FORMATS)
  if (isFile && canGrow(format) && earlierFormat === format) return
  throw new UsageError(
    '--append-since takes a file that ends in .csv or .ndjson, also with .gz behind it, and writes one in the same format',
  )
}

/** Returns how to write a file, or standard output; refuses flags that do not go together before anything is read. */
export const lookOf = (cli: Cli, { toFile, appendSince, excel, manifest }: ReportExportFlags): FileLook => {
  const file = toFile ?? appendSince
  const look = exportLook(cli, { file, excel }, FILE_FORMATS)
  const isFile = file !== undefined && !isDevice(resolve(cli.io.cwd, file))
  if (manifest && !isFile) throw new UsageError('--manifest stands beside a file; name one with --to-file')
  if (appendSince !== undefined) requireGrowing(cli, appendSince, look, isFile)
  return look
}
