import type { ImportOptions } from '../../../../reading/options/options.ts'
import { delimiterName, DELIMITERS } from '../../../../tabular/source/text-format.ts'
import { areSheetsAsked } from '../../../../tabular/source/table.ts'
import type { RequestedFormat } from '../../../../reading/open-table.ts'
import type { Cli } from '../../../cli.ts'
import { UsageError } from '../../../exit.ts'
import type { ImportFlags } from '../import-command.ts'
import { mappingName, applyMapping } from './mapping.ts'
import { importOptions, listOf, readRate } from './options.ts'
import { namesIn } from '../../../args/names.ts'
import { type Deadline, findDeadline } from '../../../args/deadline.ts'
import type { QueryFlags } from './sources.ts'

/** Describes the parsed options of an import. */
export type ParsedOptions = {
  readonly options: ImportOptions
  readonly reading: RequestedFormat
  /** Holds the query whose result is imported instead of a file, where one is given. */
  readonly query: QueryFlags | undefined
  readonly deadline: Deadline
  /** Sets the most requests in a minute, where `--rate` is given. */
  readonly rate: number | undefined
  /** Tells whether there are several files or sheets, so that messages name the one they are about. */
  readonly isSeveral: boolean
  /** Says which values are right if several files give some of the same entry; asked if undefined. */
  readonly onOverlap: ImportFlags['onOverlap']
  readonly isDryRun: boolean
  /** Tells that a dry run only counts. */
  readonly isSummaryOnly: boolean
  /** Tells whether questions are answered with yes. */
  readonly isConfirmed: boolean
  /** Tells whether it only explains how files are read. */
  readonly explain: boolean
  /** Names the mapping to save, where `--save-mapping` is given. */
  readonly saveMapping: string | undefined
  /** Names the mapping that files are read by. */
  readonly mapping: string | undefined
  /** Holds the date of all rows in the words in which it was given. */
  readonly saidDate: string | undefined
  /** Names the rejects file, where it is given. */
  readonly rejects: string | undefined
  readonly verify: boolean
  readonly receipt: string | undefined
  /** Tells whether a receipt of what becomes of entries is kept, for `kpi entries undo`. */
  readonly keepsReceipt: boolean
  /** Names the folder of the journal, where it is given. */
  readonly journal: string | undefined
}

/** Returns the number of lines before the header, as `--skip-lines` says it. */
const skipLinesOf = (given: string | undefined): number | undefined => {
  const text = given?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new UsageError(`--skip-lines ${text} is not a number of lines; write 3`)
}

/** Returns the query that is imported instead of a file. */
const queryOf = ({ sql, fromDb }: ImportFlags): QueryFlags | undefined => {
  if (sql === undefined && fromDb === undefined) return undefined
  if (sql === undefined) throw new UsageError("--from-db needs --sql 'select …', which says what to import")
  if (fromDb === undefined) throw new UsageError('--sql needs --from-db FILE, the SQLite database')
  return { sql, database: fromDb }
}

const readingOf = (
  { separator: name, encoding, skipLines, ignoreRows, rowNames, sheet, records }: ImportFlags,
  given: ImportFlags,
): RequestedFormat => {
  const separator = DELIMITERS.find((one) => delimiterName(one) === name)
  return {
    ...(separator && { separator }),
    ...(encoding && { encoding }),
    skipLines: skipLinesOf(skipLines),
    ignoreRows: ignoreRows && listOf(ignoreRows),
    rowNames: { name: rowNames?.trim() },
    sheets: sheet === undefined ? [] : namesIn('--sheet', ...sheet),
    isSheetSaved: given.sheet === undefined,
    records: records?.trim(),
    areRecordsSaved: given.records === undefined,
  }
}

const requireCompatibleFlags = (
  { verify, receipt, rejects, saveMapping, isSeveral }: ParsedOptions,
  files: readonly string[],
): void => {
  if (receipt !== undefined && !verify) throw new UsageError('--receipt needs --verify')
  const ofOne = [
    ...(rejects === undefined ? [] : ['--rejects']),
    ...(receipt === undefined ? [] : ['--receipt']),
    ...(saveMapping === undefined ? [] : ['--save-mapping']),
  ]
  if (files.filter((file) => file === '-').length > 1)
    throw new UsageError('- is named twice; standard input is read once')
  if (isSeveral && ofOne.length > 0) {
    const [imports, one] = files.length > 1 ? [`${files.length} imports`, 'file'] : ['several sheets', 'sheet']
    throw new UsageError(`${ofOne.join(' and ')} would name one file for ${imports}; import one ${one} at a time`)
  }
}

/** Reads the flags of an import of files, or of the only sheet of one, once nothing is wrong with them. */
export const parseOptions = (
  cli: Cli,
  files: readonly string[],
  given: ImportFlags,
  sheets: 'one' | 'several' = 'one',
): ParsedOptions => {
  const { io } = cli
  const flags = applyMapping(io, given)
  if (given.summaryOnly && !given.dryRun) throw new UsageError('--summary-only goes with --dry-run')
  const saveMapping = given.saveMapping
  const reading = { ...readingOf(flags, given), mayBeSeveral: sheets === 'several' }
  if (areSheetsAsked(reading) && !reading.mayBeSeveral)
    throw new UsageError(
      `--sheet ${given.sheet?.join(',')} may be several sheets, and one is imported; name that, in double quotes if its name has a comma`,
    )
  const parsed: ParsedOptions = {
    options: importOptions(flags, cli.today().day),
    reading,
    query: queryOf(given),
    deadline: findDeadline(io, cli.flags.deadline),
    rate: readRate(flags.rate),
    isSeveral: files.length > 1 || areSheetsAsked(reading),
    onOverlap: flags.onOverlap,
    isDryRun: flags.dryRun === true,
    isSummaryOnly: flags.summaryOnly === true,
    isConfirmed: flags.yes === true,
    explain: flags.explain === true,
    saveMapping: saveMapping === undefined ? undefined : mappingName(saveMapping),
    mapping: given.mapping,
    saidDate: flags.date,
    rejects: flags.rejects,
    verify: flags.verify === true,
    receipt: flags.receipt,
    keepsReceipt: flags.undo !== false,
    journal: flags.journal,
  }
  requireCompatibleFlags(parsed, files)
  return parsed
}
