import type { AnyRecord, NamedField, Printable } from '../../../../domain/schema.ts'
import { areSheetsAsked } from '../../../../tabular/source/table.ts'
import type { Io } from '../../../io.ts'
import { firstOf, isForPeople, printRecords } from '../../../output/print.ts'
import type { Printed } from '../../../output/printed.ts'
import { printBehind } from '../../../output/whole-output.ts'
import { isPrintedAsData } from '../../../output/short-answer.ts'
import { printDryRunCounts } from '../../../output/plan.ts'
import { noteTotal, printSummary, printSummaryTable } from '../../../output/summary.ts'
import { isNameColumn, namedFields } from '../../verbs/list-options.ts'
import { createNames } from '../../verbs/reference-names.ts'
import { dryRunJob } from './dry-run.ts'
import { explainJob, finding } from './explain.ts'
import type { CommandRun, Job } from './jobs.ts'
import { importJob } from './import-job.ts'
import { dryRunRow, ENTRIES, importSummary, newerDryRunRow } from './output.ts'
import type { ParsedOptions } from './parsed-options.ts'
import type { RunResult } from './result.ts'

type Records = AsyncGenerator<readonly AnyRecord[]>

const FILE: NamedField = { name: 'file', field: { kind: 'text', about: 'File that was named, - for standard input' } }

/** Lists what `kpi entries import` may print. */
export const importPrints: readonly Printed[] = [
  { of: importSummary, isList: false },
  ...[importSummary, dryRunRow, finding].map((of) => ({ of, isList: true, more: [FILE] })),
]

const columnsOf = ({ parsed }: CommandRun, { shown }: Pick<Printable, 'shown'>): readonly NamedField[] =>
  parsed.isSeveral ? [FILE, ...shown] : shown

/** Returns the records to print of each file, with its name. */
async function* withNames(jobs: readonly Job[], ends: RunResult, recordsOf: (job: Job) => Records): Records {
  for (const job of jobs) {
    if (!ends.goesOn()) return
    for await (const records of recordsOf(job)) yield records.map((record) => ({ file: job.file, ...record }))
  }
}

/**
 * Prints records as one list. An error before the first record is thrown before anything is printed, even a header; a
 * later one after the list has been closed.
 */
const printList = async (
  { cli }: CommandRun,
  columns: readonly NamedField[],
  records: Records,
  io: Pick<Io, 'stdout'> = cli.io,
): Promise<void> => {
  let failure: { readonly error: unknown } | undefined
  const first = await firstOf(records)
  async function* untilFailure(): Records {
    yield first
    try {
      yield* records
    } catch (error) {
      failure = { error }
    }
  }
  try {
    await printRecords(io, cli.printing(), columns, untilFailure())
  } finally {
    // End the records, which may have begun: output may end at any moment.
    await records.return(undefined)
  }
  if (failure) throw failure.error
}

/** Returns the rows of a dry run as they are shown: in a table with names instead of ids. */
const readable = (
  run: CommandRun,
  of: Printable,
  rows: Records,
): { readonly columns: readonly NamedField[]; readonly records: Records } => {
  if (!isForPeople(run.cli.printing().format)) return { columns: columnsOf(run, of), records: rows }
  const shown = namedFields(of, {}, true, of.shown)
  const names = createNames(run.client)
  async function* named(): Records {
    for await (const page of rows) yield await names.addTo(shown.filter(isNameColumn), page)
  }
  return { columns: columnsOf(run, { shown }), records: named() }
}

/** Notes after a dry run of several files that add to entries that each was compared with the stored ones, not with the other files. */
const BY_ITSELF =
  'each file is compared with what is stored now; if several files give the same user, KPI and date, each is compared as if it were the only one'

/** Prints the counts of dry runs as data: a list of several files, or one record; people read them in notes. */
const printDryCounts = async (run: CommandRun, counts: readonly AnyRecord[]): Promise<void> => {
  if (!run.parsed.isSeveral) for (const record of counts) await printDryRunCounts(run.cli, importSummary, record)
  else if (isPrintedAsData(run.cli)) await run.cli.printMany(columnsOf(run, importSummary), counts)
}

/** Says what importing files would do, as one list. */
const printDryRuns = async (run: CommandRun, jobs: readonly Job[], ends: RunResult): Promise<void> => {
  const row = run.client.variant === 'classic' ? dryRunRow : newerDryRunRow
  const summaries: string[] = []
  const counts: AnyRecord[] = []
  const created = new Set<string>()
  const rows = withNames(jobs, ends, (job) =>
    dryRunJob(run, job, ends, {
      tellBelow: (line) => summaries.push(line),
      onSummary: (record) => counts.push({ file: job.file, ...record }),
      created,
    }),
  )
  const { columns, records } = readable(run, row, rows)
  const tell = async (): Promise<void> => {
    for (const line of summaries) await run.cli.note(line)
    const { isSeveral, options } = run.parsed
    if (isSeveral && options.onConflict === 'add' && summaries.length > 0) await run.cli.note(BY_ITSELF)
  }
  if (run.parsed.isSummaryOnly) {
    for await (const _ of rows);
    await tell()
    return printDryCounts(run, counts)
  }
  await printBehind(run.cli.io, (held) => printList(run, columns, records, held), tell)
}

/** Says how files are read, as one list. */
const printFindings = async (run: CommandRun, jobs: readonly Job[], ends: RunResult): Promise<void> => {
  const records = withNames(jobs, ends, (job) => explainJob(run, job, ends))
  await printList(run, columnsOf(run, finding), records)
}

/** Says what became of a file: one with entries left was stopped. */
const sayDone = ({ file, left }: AnyRecord): string =>
  `${left === 0 ? 'imported' : 'stopped importing'} ${file === '-' ? 'standard input' : String(file)}`

/** Lists the counts that the table of several files always has. */
const USUAL: ReadonlySet<string> = new Set([
  'read',
  'created',
  'updated',
  'unchanged',
  'rejected',
  'requests',
  'seconds',
])

/**
 * Prints the summaries of several files: as data each as its import ends, for people as a table with the total once all
 * have ended. An error before the first is thrown before anything is printed. A note says the total.
 */
const printSeveral = async (run: CommandRun, count: number, imports: Records): Promise<void> => {
  const { cli } = run
  const records: AnyRecord[] = []
  async function* collected(): Records {
    for await (const some of imports) {
      records.push(...some)
      yield some
    }
  }
  const tell = (): Promise<void> => {
    const isAll = records.length === count && records.every(({ left }) => left === 0)
    const what = areSheetsAsked(run.parsed.reading) ? 'sheets' : 'files'
    const done = isAll ? `imported ${count} ${what}` : `stopped after ${records.length} of ${count} ${what}`
    return noteTotal(cli, records, done, ENTRIES)
  }
  if (!isForPeople(cli.printing().format)) {
    await printList(run, columnsOf(run, importSummary), collected())
    return tell()
  }
  const print = async (): Promise<void> => {
    await printSummaryTable(cli, [FILE, ...importSummary.shown], records, USUAL)
    await tell()
  }
  try {
    for await (const _ of collected());
  } catch (error) {
    if (records.length > 0) await print()
    throw error
  }
  await print()
}

/** Imports files and prints a summary of each; the summary of a single file is no list. */
const printImports = async (run: CommandRun, jobs: readonly Job[], ends: RunResult): Promise<void> => {
  async function* importOne(job: Job): Records {
    yield [await importJob(run, job, ends)]
  }
  const imports = withNames(jobs, ends, importOne)
  if (run.parsed.isSeveral) return printSeveral(run, jobs.length, imports)
  for await (const [record] of imports)
    if (record) await printSummary(run.cli, importSummary, record, sayDone(record), ENTRIES)
}

/**
 * Returns the function that prints what was asked for: how files are read, what importing them would do, or what it
 * did.
 */
export const choosePrinter = ({ explain, isDryRun }: ParsedOptions): typeof printImports => {
  if (explain) return printFindings
  return isDryRun ? printDryRuns : printImports
}
