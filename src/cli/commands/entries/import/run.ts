import type { ExitCode } from '../../../exit.ts'
import type { Client } from '../../../../client/client.ts'
import { listFirst } from '../../../../domain/count-text.ts'
import { mapFlag } from '../../../../reading/options/flag-text.ts'
import { tellDay } from '../../../args/entry-date.ts'
import type { Cli } from '../../../cli.ts'
import type { OnWait } from '../../../output/wait-notices.ts'
import { warnOfExpiry } from '../../../target/api-key.ts'
import type { ImportFlags } from '../import-command.ts'
import { closeJobs, type Job, openJobs } from './jobs.ts'
import { endJournals } from './kept-journals.ts'
import { removeEarlierDoubles } from './missing.ts'
import { needsOfFile, needsOfFlags } from './needs.ts'
import { type ParsedOptions, parseOptions } from './parsed-options.ts'
import { orderJobs } from './order-jobs.ts'
import { choosePrinter } from './print.ts'
import { createProgress } from './progress.ts'
import { createRunResult } from './result.ts'
import { tellStopping, watchStopSignals } from './signals.ts'
import { importSources } from './sources.ts'

/** Returns what the files need of the service, each by itself. */
const needsOf = async (jobs: readonly Job[]): Promise<Awaited<ReturnType<typeof needsOfFile>>> =>
  (await Promise.all(jobs.map(({ table, options }) => needsOfFile(table, options)))).flat()

/** Bounds the files that a note names. */
const SHOWN = 5

/** Notes which files are read without a `--map`, as only others have its column. */
const tellUnmapped = async ({ note }: Cli, { options }: ParsedOptions, jobs: readonly Job[]): Promise<void> => {
  for (const [role, name] of options.map) {
    const files = jobs.flatMap(({ file, options: { map } }) => (map.has(role) ? [] : [file]))
    const have = files.length === 1 ? 'has no' : 'have no'
    if (files.length > 0)
      await note(`read without ${mapFlag(role, name)}, as ${listFirst(files, SHOWN)} ${have} column "${name}"`)
  }
}

/** Notes which day a word for the date of all rows stands for. */
const tellSaidDay = async (cli: Cli, { saidDate, options: { date } }: ParsedOptions): Promise<void> => {
  if (date !== undefined && saidDate?.trim() !== date) await tellDay(cli, saidDate, date)
}

/** Reads the flags of an import, what it reads, and what it needs of the service before it knows its files. */
export const readImport = (cli: Cli, files: readonly string[], flags: ImportFlags) => {
  const parsed = parseOptions(cli, files, flags, 'several')
  const sources = importSources(cli.io, files, parsed.query)
  return { parsed, sources, needs: needsOfFlags(parsed.options) }
}

/** Runs `kpi entries import`: reads, checks and sends files, one after another, or only says what that would do. */
export const runImport = async (cli: Cli, files: readonly string[], flags: ImportFlags): Promise<ExitCode> => {
  const { parsed, sources, needs } = readImport(cli, files, flags)
  cli.printing()
  await tellSaidDay(cli, parsed)
  cli.requireCapabilities(needs)
  if (!parsed.isDryRun && !parsed.explain) cli.io.stdout.outlast()
  const stops = watchStopSignals(cli.io, parsed.deadline)
  const finished: (() => void)[] = []
  let note = (text: string): void => void cli.note(text)
  let onWait: OnWait = () => undefined
  let jobs: readonly Job[] = []
  const work = async (client: Client): Promise<void> => {
    const progress = await createProgress(cli, client)
    note = progress.note
    onWait = progress.waits
    tellStopping(cli.io, stops, note)
    try {
      const run = {
        cli,
        client,
        parsed,
        stops,
        progress,
        finished,
        settled: {},
        assignments: new Map(),
        equalFiles: new Map(),
        receipts: [],
      }
      await removeEarlierDoubles(run, jobs)
      jobs = await orderJobs(run, jobs)
      ends.order(jobs.map(({ file }) => file))
      await choosePrinter(parsed)(run, jobs, ends)
    } finally {
      progress.stop()
      await warnOfExpiry(cli, client.keyInfo())
    }
  }
  jobs = await openJobs(cli, sources, parsed, stops)
  const ends = createRunResult(
    jobs.map(({ file }) => file),
    stops,
  )
  try {
    await tellUnmapped(cli, parsed, jobs)
    await cli
      .withClient(await needsOf(jobs), work, {
        signal: stops.signal(),
        late: stops.late,
        rate: parsed.rate,
        note: (text) => note(text),
        onWait: (waiting) => onWait(waiting),
      })
      .catch((error: unknown) => {
        throw ends.errorOf(error)
      })
  } finally {
    closeJobs(jobs)
  }
  const isAdding = parsed.options.onConflict === 'add'
  if (finished.length === jobs.length) endJournals(finished.map((forget) => ({ forget, isAdding })))
  return ends.exit()
}
