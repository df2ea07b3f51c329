import { ENCODINGS, type ImportOptions, separatorName, SEPARATORS } from '../../../../import/options.ts'
import type { AskedReading } from '../../../../import/parse/table.ts'
import type { FlagValues } from '../../../args/flags.ts'
import type { Cli } from '../../../cli.ts'
import { UsageError } from '../../../exit.ts'
import { mappingName, withMapping } from './mapping.ts'
import { importOptions, readRate } from './options.ts'
import { type Deadline, readDeadline } from './signals.ts'

/** What the flags of an import ask for: what files mean, how they are read, and what is done with them. */
export type Asked = {
  readonly options: ImportOptions
  readonly reading: AskedReading
  readonly deadline: Deadline
  /** The most requests in a minute, where that is said. */
  readonly rate: number | undefined
  /** Whether there are several files, so that it has to be said which one is meant. */
  readonly isSeveral: boolean
  readonly isDryRun: boolean
  /** Whether it is only told how files are read. */
  readonly explain: boolean
  /** The name under which it is kept how a file is read, where it is to be. */
  readonly saveMapping: string | undefined
  /** The name of a mapping that files are read by. */
  readonly mapping: string | undefined
  /** The date of all rows, in the words in which it was said. */
  readonly saidDate: string | undefined
  /** Where the rejects go, where it is said. */
  readonly rejects: string | undefined
  readonly verify: boolean
  readonly receipt: string | undefined
  /** The folder of the journal, where it is said. */
  readonly journal: string | undefined
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const readingOf = (flags: FlagValues): AskedReading => {
  const separator = SEPARATORS.find((one) => separatorName(one) === flags['separator'])
  const encoding = ENCODINGS.find((one) => one === flags['encoding'])
  return { ...(separator && { separator }), ...(encoding && { encoding }) }
}

const mustGoTogether = ({ verify, receipt, rejects, saveMapping }: Asked, files: readonly string[]): void => {
  if (receipt !== undefined && !verify) throw new UsageError('--receipt needs --verify, which finds out what it says')
  const ofOne = [
    ...(rejects === undefined ? [] : ['--rejects']),
    ...(receipt === undefined ? [] : ['--receipt']),
    ...(saveMapping === undefined ? [] : ['--save-mapping']),
  ]
  if (files.filter((file) => file === '-').length > 1)
    throw new UsageError('- is named twice; standard input is read once')
  if (files.length > 1 && ofOne.length > 0) {
    throw new UsageError(
      `${ofOne.join(' and ')} would be one file for ${files.length} imports; import one file at a time`,
    )
  }
}

/** Reads the flags of an import of files, once nothing is wrong with them. */
export const readAsked = (cli: Cli, files: readonly string[], given: FlagValues): Asked => {
  const { io } = cli
  const flags = withMapping(io, given)
  const saveMapping = textOf(given['saveMapping'])
  const asked: Asked = {
    options: importOptions(flags, cli.today().day),
    reading: readingOf(flags),
    deadline: readDeadline(textOf(flags['deadline']), io.now()),
    rate: readRate(flags['rate']),
    isSeveral: files.length > 1,
    isDryRun: flags['dryRun'] === true,
    explain: flags['explain'] === true,
    saveMapping: saveMapping === undefined ? undefined : mappingName(saveMapping),
    mapping: textOf(given['mapping']),
    saidDate: textOf(flags['date']),
    rejects: textOf(flags['rejects']),
    verify: flags['verify'] === true,
    receipt: textOf(flags['receipt']),
    journal: textOf(flags['journal']),
  }
  mustGoTogether(asked, files)
  return asked
}
