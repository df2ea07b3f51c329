import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import type { ReportTable } from '../../../domain/analysis/report-table.ts'
import { formatDay } from '../../../domain/day.ts'
import type { DayRange } from '../../../domain/period.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import { type FileFormat, formatOfName, isText, knownEndings } from '../../../export/report/formats.ts'
import { manifestPath, manifestText, type Origin } from '../../../export/report/manifest.ts'
import {
  countingRows,
  type FileLook,
  measured,
  reportChunks,
  reportText,
  type Written,
} from '../../../export/report/report-file.ts'
import { untilStopped } from '../../../export/until-stopped.ts'
import { isDevice, writeWhole } from '../../../import/parse/files.ts'
import { readRange } from '../../args/relative-dates.ts'
import { sheetForm } from '../../args/sheet-locale.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { printWhenComplete } from '../../output/whole-output.ts'
import { visible } from '../../output/width.ts'
import { findPlace } from '../../target/settings.ts'
import { rightsOf } from '../../target/store-rights.ts'
import type { ReportExportFlags } from './export-command.ts'
import { requestOf } from './report-flags.ts'
import { readReportTable } from './report-table.ts'

/** Returns the format that `-o` names; undefined where it names none. */
const askedFormat = ({ flags, printing }: Cli): FileFormat | undefined => {
  if (flags.output === undefined) return undefined
  const { format } = printing()
  if (format === 'table') throw new UsageError('an export is no table; kpi report --rows shows one')
  return format
}

/** Returns the format of a file: that of its ending, or of `-o` where it has none that is known. */
const formatOf = (cli: Cli, file: string): FileFormat => {
  const asked = askedFormat(cli)
  const { format, ending } = formatOfName(file)
  if (asked && format && asked !== format) {
    throw new UsageError(`--to-file ${file} ends as ${format}, and -o says ${asked}; leave out -o, or rename the file`)
  }
  const found = format ?? asked
  if (found) return found
  const why = ending === '' ? 'has no ending' : `ends in ${ending}, which is no format of a report`
  throw new UsageError(`--to-file ${file} ${why}; the endings are ${knownEndings()}`)
}

/** Returns the format of standard output, which has no name with an ending. */
const printedFormat = (cli: Cli): FileFormat => {
  const { format } = cli.printing()
  return askedFormat(cli) ?? (format === 'table' ? 'csv' : format)
}

/** Returns how to write the file; refuses flags that do not go together before anything is read. */
const lookOf = (cli: Cli, { toFile, excel, manifest }: ReportExportFlags): FileLook => {
  const format = toFile === undefined ? printedFormat(cli) : formatOf(cli, toFile)
  const isGzip = toFile !== undefined && formatOfName(toFile).isGzip
  if (isGzip && !isText(format)) throw new UsageError(`a file of the format ${format} is not compressed; leave out .gz`)
  if (excel !== undefined && format !== 'csv') throw new UsageError(`--excel is for CSV, and this is ${format}`)
  if (manifest && (toFile === undefined || isDevice(resolve(cli.io.cwd, toFile)))) {
    throw new UsageError('--manifest stands beside a file; name one with --to-file')
  }
  return { format, isGzip, sheet: excel === undefined ? undefined : sheetForm(excel) }
}

/** Returns which service a report is of; never a secret. */
const serviceOf = ({ io, flags }: Cli): Origin['service'] => {
  const place = findPlace(io, flags)
  if (place.kind === 'embedded') return { kind: 'embedded' }
  const { kind, baseUrl } = place
  return { kind, base_url: baseUrl, ...(place.kind === 'classic' ? { login: place.login } : {}) }
}

const originOf = (cli: Cli, flags: ReportExportFlags, range: DayRange, { columns }: ReportTable): Origin => {
  const { kpis, category, users, groupItems } = flags
  const filters = { kpis, category, users, group_items: groupItems }
  return {
    made_at: new Date(cli.io.now()).toISOString(),
    service: serviceOf(cli),
    from: formatDay(range.from),
    to: formatDay(range.to),
    filters: Object.fromEntries(
      Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
    columns: columns.map(({ name }) => name),
  }
}

/** Prints a report once all of it is known. */
const printReport = async ({ io }: Cli, table: ReportTable, look: FileLook): Promise<void> => {
  const shown = io.stdout.isTerminal ? visible : (text: string): string => text
  await printWhenComplete(io, async ({ stdout }) => {
    for await (const text of reportText(table, look)) await stdout.write(shown(text))
  })
}

/** Runs `kpi report export`: writes the rows of a report, all of them or nothing. */
export const runReportExport = async (cli: Cli, flags: ReportExportFlags): Promise<void> => {
  const rangeOf = readRange(flags, cli.today().day)
  const look = lookOf(cli, flags)
  const { toFile, manifest } = flags
  const signal = cli.io.interruption()
  const written: Written = { rows: 0, bytes: 0, sha256: '' }
  const work = async (client: Client): Promise<DayRange> => {
    const range = rangeOf(client)
    const { columns, parts } = readReportTable(client, await requestOf(client, range, flags))
    const table = countingRows({ columns, parts: untilStopped(parts, signal) }, written)
    if (toFile === undefined) {
      await printReport(cli, table, look)
      return range
    }
    const path = resolve(cli.io.cwd, toFile)
    await writeWhole(path, measured(reportChunks(table, look, new Date(cli.io.now())), written), rightsOf(cli))
    // The manifest comes last: until it is there, the one before, or none, does not match the new file.
    if (manifest) {
      const text = manifestText(path, look, written, originOf(cli, flags, range, table))
      await writeWhole(manifestPath(path), [text], rightsOf(cli))
    }
    return range
  }
  const { from, to } = await cli.withClient({ of: reportRow, verb: 'list' }, work, { signal })
  const place = toFile === undefined ? '' : ` to ${toFile}`
  await cli.note(`wrote ${countOf(written.rows, 'row')} of ${formatDay(from)} to ${formatDay(to)}${place}`)
}
