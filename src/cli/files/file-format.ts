import { type FileFormat, formatOfName, isText, knownEndings } from '../../export/report/formats.ts'
import type { FileLook } from '../../export/report/report-file.ts'
import { sheetForm } from './sheet-locale.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../exit.ts'
import { pathWord } from '../output/text.ts'

/**
 * Returns the format of a file: that of its ending, or else the one that `-o` names. Refuses two that differ, and a
 * format that the command does not write.
 */
export const formatOfFile = <A extends string>(
  file: string,
  asked: A | undefined,
  formats: readonly FileFormat[],
): FileFormat | A => {
  const { format: named, ending } = formatOfName(file)
  const format = formats.find((one) => one === named)
  if (asked !== undefined && named !== undefined && asked !== named) {
    throw new UsageError(`the ending of ${file} says ${named}, and -o says ${asked}; leave out -o, or rename the file`)
  }
  const found = format ?? asked
  if (found !== undefined) return found
  const why = ending === '' ? 'has no ending' : `ends in ${ending}, which is no format of this command`
  // Name the export of a report, which writes all formats of files.
  const elsewhere =
    named === undefined ? '' : `; kpi report export --to-file ${pathWord(file)} writes all rows of a report there`
  throw new UsageError(`${file} ${why}; the endings are ${knownEndings(formats)}${elsewhere}`)
}

/** Returns the format of an export that `-o` names; undefined where it names none. */
export const askedFormat = ({ flags }: Cli, formats: readonly FileFormat[]): FileFormat | undefined => {
  const { output } = flags
  if (output === undefined) return undefined
  const format = formats.find((one) => one === output)
  if (format) return format
  throw new UsageError(`an export is no ${output}; there are ${formats.join(', ')}`)
}

/** Returns the format of an export on standard output, which has no name with an ending. */
const printedFormat = (cli: Cli, formats: readonly FileFormat[]): FileFormat => {
  const { format } = cli.printing()
  const printed = askedFormat(cli, formats) ?? (format === 'table' ? 'csv' : format)
  if (isText(printed)) return printed
  throw new UsageError(`${printed} is a format of files; name one with --to-file`)
}

/** Describes what the flags of an export say of its file. */
type ExportFile = { readonly file: string | undefined; readonly excel: string | undefined }

/** Returns how an export is written, to its file or to standard output; refuses flags that do not go together. */
export const exportLook = (cli: Cli, { file, excel }: ExportFile, formats: readonly FileFormat[]): FileLook => {
  const format =
    file === undefined ? printedFormat(cli, formats) : formatOfFile(file, askedFormat(cli, formats), formats)
  const isGzip = file !== undefined && formatOfName(file).isGzip
  if (isGzip && !isText(format)) throw new UsageError(`a file of the format ${format} is not compressed; leave out .gz`)
  if (excel !== undefined && format !== 'csv') throw new UsageError(`--excel is for CSV, and this is ${format}`)
  return { format, isGzip, sheet: excel === undefined ? undefined : sheetForm(excel) }
}
