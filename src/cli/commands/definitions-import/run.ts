import type { Client } from '../../../client/client.ts'
import { DID_YOU_MEAN, unknownName } from '../../../client/directory.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { group } from '../../../domain/resources/groups.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import type { AnyRecord, FieldValue, Resource } from '../../../domain/schema.ts'
import {
  type DefinitionImport,
  dryRunDefinitions,
  importDefinitions,
  type PlannedDefinition,
} from '../../../import/definitions/import-definitions.ts'
import { nextTurn } from '../../../client/next-turn.ts'
import type { TargetChange } from '../../../import/history/target-change.ts'
import { type CountedReasons, reasonLines, reasonsWithLines } from '../../../import/rejects/reason-counts.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { printCounts, printSummary } from '../../output/summary.ts'
import type { OnWait } from '../../output/wait-notices.ts'
import { warnOfExpiry } from '../../target/api-key.ts'
import { withClassic } from '../../target/service-of.ts'
import { journalPlace, startMeter } from '../entries/import/import-job.ts'
import { closeJobs, type Job, openJobs, rejectsFileOf } from '../entries/import/jobs.ts'
import { createProgress, type ProgressView } from '../entries/import/progress.ts'
import { concludeFile } from '../entries/import/result.ts'
import { type StopSignals, tellStopping, watchStopSignals } from '../entries/import/signals.ts'
import { importSources } from '../entries/import/sources.ts'
import { openTargetHistory } from '../targets/keep-history.ts'
import type { TargetHistory } from '../targets/target-history.ts'
import type { DefinitionFlags } from './command.ts'
import { type DefinitionRun, parseDefinitionFlags } from './options.ts'
import { countWords, definitionDryRunRow, definitionSummary, dryRunRecord, dryRunSentence, wordsOf } from './print.ts'

/** Describes a run with its client, and where it reports. */
type OpenRun = DefinitionRun & {
  readonly cli: Cli
  readonly client: Client
  readonly stops: StopSignals
  readonly progress: ProgressView
  readonly job: Job
  readonly history: TargetHistory
}

const asDecimal = (value: FieldValue): Decimal | null => (typeof value === 'bigint' ? value : null)

/** Returns the change of the default target that an update of a record is; undefined if it is none. */
const targetChangeOf = (of: Resource, held: AnyRecord, values: AnyRecord): TargetChange | undefined => {
  const { target_default: to } = values
  if (of.name !== kpi.name || to === undefined) return undefined
  return { kpi: Number(held['id']), from: asDecimal(held['target_default'] ?? null), to: asDecimal(to) }
}

const workOf = ({ cli, client, kind, options, parsed, stops, progress, job, history }: OpenRun): DefinitionImport => ({
  client,
  kind,
  options,
  table: job.table,
  clock: cli.io,
  folder: cli.io.tempDir,
  random: cli.io.random,
  signal: stops.signal(),
  journal: journalPlace(cli, client, job, parsed.journal),
  breakdowns: () => withClassic(cli, client, async (classic) => classic?.groups.list()),
  onProgress: () => {
    cli.io.limitMemory()
    return nextTurn(stops.signal())
  },
  onSent: (done, total) => progress.show({ phase: 'rows', done, total }),
  onNote: progress.note,
  onWarning: progress.warn,
  beforeSending: (updates) =>
    history.confirm(async () => {
      progress.stop()
      return updates.map(
        ({ held, values }) =>
          async () =>
            targetChangeOf(kind.of, held, values),
      )
    }),
  beforeUpdate: (held, values) => history.before(async () => targetChangeOf(kind.of, held, values)),
})

/** Lists what definitions name that has a command of its own. */
const NAMED = [
  [category, 'categories'],
  [unit, 'units'],
  [group, 'groups'],
] as const

/** Says how to create what rows name and the service does not have. */
const adviceOn = ({ shown }: CountedReasons): string[] =>
  NAMED.filter(([{ title }]) =>
    shown.some(({ reason }) => reason.includes(unknownName(title)) && !reason.includes(DID_YOU_MEAN)),
  ).map(([, noun]) => `kpi ${noun} list shows the ${noun} that are there; kpi ${noun} import FILE creates more`)

const tellReasons = async (
  { cli }: OpenRun,
  reasons: CountedReasons,
  lines: readonly string[] = reasonLines(reasons),
): Promise<void> => {
  for (const line of [...lines, ...adviceOn(reasons)]) await cli.note(line)
}

/** Returns the reasons of a file of which all rows are rejected, as people read them instead of a list of these rows. */
const reasonsAlone = (
  cli: Cli,
  rows: readonly PlannedDefinition[],
  reasons: CountedReasons,
): readonly string[] | undefined => {
  const isRead = isForPeople(cli.printing().format) && !cli.flags.quiet && cli.flags.toFile === undefined
  return isRead && rows.length > 0 && rows.every(({ action }) => action === 'reject')
    ? reasonsWithLines(reasons)
    : undefined
}

/** Says what importing the file would do: the counts first, then a line for each row. */
const printDryRun = async (run: OpenRun): Promise<number> => {
  const { cli, client, kind, progress } = run
  const measure = startMeter(cli.io, client)
  const { summary, reasons, rows, checked, left } = await dryRunDefinitions(workOf(run))
  progress.stop()
  await cli.note(dryRunSentence(kind.of, summary))
  const alone = run.parsed.isSummaryOnly ? undefined : reasonsAlone(cli, rows, reasons)
  await tellReasons(run, reasons, alone)
  const updates = rows.flatMap((row) =>
    row.action === 'update' ? [targetChangeOf(kind.of, row.held, row.values)] : [],
  )
  await run.history.foresee(updates.map((change) => async () => change))
  if (run.parsed.isSummaryOnly) await printCounts(cli, definitionSummary, { ...summary, left, ...measure() })
  else if (!alone)
    await cli.printMany(
      definitionDryRunRow.shown,
      rows.map((one) => dryRunRecord(checked, kind.key, one)),
      run.stops.signal(),
    )
  return summary.rejected > 0 ? EXIT.partial : EXIT.done
}

/** Imports the file, and says what that did. */
const importRows = async (run: OpenRun): Promise<void> => {
  const { cli, client, kind, options, job, progress } = run
  const measure = startMeter(cli.io, client)
  const file = rejectsFileOf(cli, job, progress.warn)
  const ending = await importDefinitions(workOf(run), file)
  progress.stop()
  await run.history.tell()
  await tellReasons(run, ending.reasons)
  const { summary, left } = ending
  const done = `${left === 0 ? 'imported' : 'stopped importing'} ${job.file === '-' ? 'standard input' : job.file}`
  await printSummary(cli, definitionSummary, { ...summary, left, ...measure() }, done, countWords(kind.of))
  const hasOwnFlags = options.map.size + options.constants.size > 0 || options.onlyExisting === true
  const { exit, code, lines } = await concludeFile(run, job, { ...ending, hasOwnFlags }, wordsOf(kind.of))
  if (lines.length > 0) throw new IncompleteRun(exit, code, lines)
}

/** Opens the file and the client, and runs the given work with them. */
const withRun = async (
  cli: Cli,
  of: Resource,
  file: string,
  given: DefinitionRun,
  flags: DefinitionFlags,
  work: (run: OpenRun) => Promise<number | void>,
): Promise<number | void> => {
  const { parsed } = given
  const needs = [
    { of, verb: 'add' },
    { of, verb: 'update' },
  ] as const
  cli.requireCapabilities(needs)
  if (!parsed.isDryRun) cli.io.stdout.outlast()
  const stops = watchStopSignals(cli.io, parsed.deadline)
  const jobs = await openJobs(cli, importSources(cli.io, [file], undefined), parsed, stops)
  let note = (text: string): void => void cli.note(text)
  let onWait: OnWait = () => undefined
  const withClient = async (client: Client): Promise<number | void> => {
    const [job] = jobs
    const progress = await createProgress(cli, client)
    note = progress.note
    onWait = progress.waits
    tellStopping(cli.io, stops, note)
    try {
      progress.begin(undefined)
      const history = await openTargetHistory(cli, client, flags, stops.signal())
      return job && (await work({ ...given, cli, client, stops, progress, job, history }))
    } finally {
      progress.stop()
      await warnOfExpiry(cli, client.keyInfo())
    }
  }
  try {
    return await cli.withClient(needs, withClient, {
      signal: stops.signal(),
      late: stops.late,
      rate: parsed.rate,
      note: (text) => note(text),
      onWait: (waiting) => onWait(waiting),
    })
  } catch (error) {
    throw stops.withStopReason(error)
  } finally {
    closeJobs(jobs)
  }
}

/** Runs `import`: reads, checks and sends a file of definitions, or only says what that would do. */
export const runDefinitionImport = async (
  cli: Cli,
  of: Resource,
  file: string,
  flags: DefinitionFlags,
): Promise<number | void> => {
  const given = parseDefinitionFlags(cli, of, file, flags)
  cli.printing()
  return withRun(cli, of, file, given, flags, given.parsed.isDryRun ? printDryRun : importRows)
}
