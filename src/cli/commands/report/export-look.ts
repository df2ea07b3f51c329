import { resolve } from 'node:path'
import {
  canGrow,
  FILE_FORMATS,
  type FileFormat,
  formatOfName,
  isText,
  knownEndings,
} from '../../../export/report/formats.ts'
import type { FileLook } from '../../../export/report/report-file.ts'
import { isDevice } from '../../../import/parse/files.ts'
import { sheetForm } from '../../args/sheet-locale.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import type { ReportExportFlags } from './export-command.ts'

/** Returns the format that `-o` names; undefined where it names none. */
const askedFormat = ({ flags, printing }: Cli): FileFormat | undefined => {
  if (flags.output === undefined) return undefined
  const fileFormat = FILE_FORMATS.find((one) => one === flags.output)
  if (fileFormat) return fileFormat
  throw new UsageError(`an export is no ${printing().format}; kpi report --rows shows one`)
}

/** Returns the format of a file: that of its ending, or of `-o` where it has none that is known. */
const formatOf = (cli: Cli, file: string): FileFormat => {
  const asked = askedFormat(cli)
  const { format, ending } = formatOfName(file)
  if (asked && format && asked !== format) {
    throw new UsageError(`the ending of ${file} says ${format}, and -o says ${asked}; leave out -o, or rename the file`)
  }
  const found = format ?? asked
  if (found) return found
  const why = ending === '' ? 'has no ending' : `ends in ${ending}, which is no format of a report`
  throw new UsageError(`${file} ${why}; the endings are ${knownEndings()}`)
}

/** Returns the format of standard output, which has no name with an ending. */
const printedFormat = (cli: Cli): FileFormat => {
  const { format } = cli.printing()
  const printed = askedFormat(cli) ?? (format === 'table' ? 'csv' : format)
  if (isText(printed)) return printed
  throw new UsageError(`${printed} is a format of files; name one with --to-file`)
}

/** Returns how to write a file, or standard output; refuses flags that do not go together before anything is read. */
export const lookOf = (cli: Cli, { toFile, appendSince, excel, manifest }: ReportExportFlags): FileLook => {
  const file = toFile ?? appendSince
  const format = file === undefined ? printedFormat(cli) : formatOf(cli, file)
  const isGzip = file !== undefined && formatOfName(file).isGzip
  const isFile = file !== undefined && !isDevice(resolve(cli.io.cwd, file))
  if (isGzip && !isText(format)) throw new UsageError(`a file of the format ${format} is not compressed; leave out .gz`)
  if (excel !== undefined && format !== 'csv') throw new UsageError(`--excel is for CSV, and this is ${format}`)
  if (manifest && !isFile) throw new UsageError('--manifest stands beside a file; name one with --to-file')
  if (excel !== undefined && appendSince !== undefined) {
    throw new UsageError('--append-since adds to CSV for programs; leave out --excel')
  }
  if (appendSince !== undefined && !(isFile && canGrow(format) && formatOf(cli, appendSince) === format)) {
    throw new UsageError(
      '--append-since takes a file that ends in .csv or .ndjson, also with .gz behind it, and writes one in the same format',
    )
  }
  return { format, isGzip, sheet: excel === undefined ? undefined : sheetForm(excel) }
}
