import type { Client } from '../../../client/client.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import { ASSIGN_ROLES } from '../../../import/assignments/columns.ts'
import {
  type AssignmentImport,
  type AssignSummary,
  importAssignments,
  type PlannedRow,
  dryRunAssignments,
} from '../../../import/assignments/import-assignments.ts'
import type { AssignmentAction } from '../../../import/assignments/planned-action.ts'
import { type CountedReasons, reasonLines } from '../../../import/rejects/reason-counts.ts'
import { nextTurn } from '../../../client/next-turn.ts'
import type { TargetChange } from '../../../import/history/target-change.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, UsageError } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { isForPeople, printRecords } from '../../output/print.ts'
import { printDryRunCounts } from '../../output/dry-run-counts.ts'
import { printBehind } from '../../output/whole-output.ts'
import type { Printed } from '../../output/printed.ts'
import { type CountWords, printSummary } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'
import type { ImportFlags } from '../entries/import-command.ts'
import { closeJobs, type CommandRun, type Job, openJobs, rejectsFileOf } from '../entries/import/jobs.ts'
import { startMeter } from '../entries/import/import-job.ts'
import { type ParsedOptions, parseOptions } from '../entries/import/parsed-options.ts'
import { concludeFile } from '../entries/import/result.ts'
import { type StopSignals, watchStopSignals } from '../entries/import/signals.ts'
import { importSources } from '../entries/import/sources.ts'
import { createChangeOfUser, openTargetHistory } from '../targets/keep-history.ts'
import { isNameColumn, namedFields } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import type { TargetHistory } from '../targets/target-history.ts'

/** Defines the summary of an import of assignments, as it is printed. */
const assignSummary = resource({
  name: 'assign_summary',
  plural: 'assign_summaries',
  title: 'summary of an import of assignments, or of its dry run',
  path: '',
  verbs: [],
  fields: {
    read: { kind: 'integer', about: 'Rows of the file' },
    added: { kind: 'integer', about: 'Assignments that were created' },
    updated: { kind: 'integer', about: 'Assignments that were changed' },
    unchanged: { kind: 'integer', about: 'Assignments that existed already' },
    rejected: { kind: 'integer', about: 'Rows that were not imported' },
    rounded: { kind: 'integer', about: 'Targets that had more than four decimals' },
    empty: { kind: 'integer', about: 'Rows without any cell' },
    left: { kind: 'integer', about: 'Rows that were not sent because the run was stopped' },
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
  },
})

const assignments = (word: string): readonly [string, string] => [`assignment ${word}`, `assignments ${word}`]
/** Holds the words for what an import of assignments did. */
const ASSIGN_WORDS: CountWords = {
  read: ['row read', 'rows read'],
  added: assignments('added'),
  updated: assignments('changed'),
  unchanged: assignments('unchanged'),
  rejected: ['row rejected', 'rows rejected'],
  left: ['row left', 'rows left'],
}

/** Defines a row of a dry run of assignments. */
const assignDryRunRow = resource({
  name: 'assign_dry_run_row',
  plural: 'assign_dry_run_rows',
  title: 'row of a dry run of assignments',
  path: '',
  verbs: [],
  fields: {
    line: { kind: 'integer', about: 'Line of the file' },
    action: { kind: 'text', about: 'add, update, unchanged or reject' },
    user_id: { kind: 'integer', about: 'User', nullable: true, refers: 'user' },
    kpi_id: { kind: 'integer', about: 'KPI', nullable: true, refers: 'kpi' },
    user_target: { kind: 'decimal', about: 'Target to be sent', nullable: true },
    sort_order: { kind: 'int16', about: 'Place to be sent', nullable: true },
    reason: { kind: 'text', about: 'Why it would be rejected', nullable: true, isSentence: true },
    changes: { kind: 'text', about: 'Stored values that would change, old and new', nullable: true, isSentence: true },
  },
})

/** Lists what `kpi assign import` may print. */
export const assignPrints: readonly Printed[] = [
  { of: assignSummary, isList: false },
  { of: assignDryRunRow, isList: true },
]

/** Returns what of an assignment would change: `target: none → 90`. */
const changesText = (planned: AssignmentAction): string | null => {
  if (planned.action !== 'update') return null
  const { values, held } = planned
  const shown = (value: number | bigint | null): string =>
    typeof value === 'bigint' ? formatDecimal(value) : String(value ?? 'none')
  return [
    ...(values.user_target === undefined ? [] : [`target: ${shown(held.user_target)} → ${shown(values.user_target)}`]),
    ...(values.sort_order === undefined ? [] : [`sort_order: ${shown(held.sort_order)} → ${shown(values.sort_order)}`]),
  ].join('; ')
}

/** Returns a row of a dry run as a record. */
const dryRunRecord = (judged: PlannedRow): AnyRecord => {
  if (judged.action === 'reject') return { line: judged.line, action: judged.action, reason: judged.reason }
  const { action, row, values } = judged
  return {
    line: row.line,
    action,
    user_id: row.user,
    kpi_id: row.kpi,
    user_target: values.user_target ?? null,
    sort_order: values.sort_order ?? null,
    changes: changesText(judged),
  }
}

const NEEDS = [
  { of: assignment, verb: 'add' },
  { of: assignment, verb: 'update' },
] as const

const requireAssignmentRoles = ({ options: { map } }: ParsedOptions): void => {
  const other = [...map.keys()].find((role) => !ASSIGN_ROLES.includes(role))
  if (other !== undefined)
    throw new UsageError(`--map ${other}: an assignment has ${ASSIGN_ROLES.join(', ')} and sort_order`)
}

async function* asRecords(
  chunks: AsyncIterable<readonly PlannedRow[]>,
  onRow: (row: PlannedRow) => void,
  addNames: (records: readonly AnyRecord[]) => Promise<AnyRecord[]>,
): AsyncGenerator<readonly AnyRecord[]> {
  for await (const rows of chunks) {
    for (const row of rows) onRow(row)
    yield await addNames(rows.map(dryRunRecord))
  }
}

/** Creates what tells how the target that counts for the user of a row changes. */
const createTargetReader = (client: Client): ((plan: AssignmentAction) => Promise<TargetChange | undefined>) => {
  const changeOf = createChangeOfUser(client)
  return async (plan) => {
    const { user_target: to } = plan.values
    const from = plan.action === 'add' ? null : plan.held.user_target
    return to === undefined ? undefined : changeOf(plan.row.user, plan.row.kpi, from, to)
  }
}

type ReadChange = ReturnType<typeof createTargetReader>

/** Returns what reads the changes of targets among planned rows. */
const targetChanges = async (
  plans: AsyncIterable<AssignmentAction>,
  readChange: ReadChange,
): Promise<(() => ReturnType<ReadChange>)[]> => {
  const changes: (() => ReturnType<ReadChange>)[] = []
  for await (const plan of plans) {
    if (plan.values.user_target !== undefined) changes.push(() => readChange(plan))
  }
  return changes
}

/** Says what importing the file would do, a row for each assignment. */
const printDryRun = async (
  cli: Cli,
  work: AssignmentImport,
  history: TargetHistory,
  { isSummaryOnly, hasIds }: { readonly isSummaryOnly: boolean; readonly hasIds: boolean },
): Promise<number> => {
  let [rejected, counts]: [number, AnyRecord] = [0, {}]
  const measure = startMeter(cli.io, work.client)
  const readChange = createTargetReader(work.client)
  const shown = namedFields(assignDryRunRow, hasIds ? { ids: true } : {}, isForPeople(cli.printing().format))
  const names = createNames(work.client)
  const changes: (() => Promise<TargetChange | undefined>)[] = []
  let tell = (): Promise<void> => Promise.resolve()
  const print = async (held: Pick<Io, 'stdout'>): Promise<void> => {
    const { summary, advice, reasons } = await dryRunAssignments(work, async (rows) => {
      const records = asRecords(
        rows,
        (row) => {
          if (row.action !== 'reject' && row.values.user_target !== undefined) changes.push(() => readChange(row))
        },
        (some) => names.addTo(shown.filter(isNameColumn), some),
      )
      if (isSummaryOnly) for await (const _ of records);
      else await printRecords(held, cli.printing(), shown, records)
    })
    rejected = summary.rejected
    counts = { ...summary, left: 0, ...measure() }
    tell = async () => {
      await tellDryRun(cli, summary, advice, reasons)
      await history.foresee(changes)
    }
  }
  await printBehind(cli.io, print, () => tell())
  if (isSummaryOnly) await printDryRunCounts(cli, assignSummary, counts)
  return rejected > 0 ? EXIT.partial : EXIT.done
}

/** Says how much importing the file would do. */
const tellDryRun = async (
  cli: Cli,
  { added, updated, unchanged, rejected, rounded }: AssignSummary,
  advice: readonly string[],
  reasons: CountedReasons,
): Promise<void> => {
  await cli.note(
    `dry run, nothing was sent: ${added} to add, ${updated} to update, ${unchanged} unchanged, ${countOf(rejected, 'row')} to reject` +
      (rounded > 0 ? `, ${countOf(rounded, 'value')} to round` : ''),
  )
  for (const line of [...reasonLines(reasons), ...advice]) await cli.note(line)
}

const importRows = async (
  run: Pick<CommandRun, 'cli' | 'stops' | 'parsed'> & { readonly history: TargetHistory },
  work: AssignmentImport,
  job: Job,
): Promise<void> => {
  const { cli } = run
  const measure = startMeter(cli.io, work.client)
  const file = rejectsFileOf(cli, job, work.onWarning)
  const ending = await importAssignments(work, file)
  await run.history.tell()
  for (const line of reasonLines(ending.reasons)) await cli.note(line)
  const { summary, left } = ending
  const done = `${left === 0 ? 'imported' : 'stopped importing'} ${job.file === '-' ? 'standard input' : job.file}`
  await printSummary(cli, assignSummary, { ...summary, left, ...measure() }, done, ASSIGN_WORDS)
  const { exit, code, lines } = await concludeFile(run, job, ending, ['assignment', 'assignments'])
  if (lines.length > 0) throw new IncompleteRun(exit, code, lines)
}

const workOf = (
  cli: Cli,
  client: Client,
  parsed: ParsedOptions,
  stops: StopSignals,
  { table }: Job,
  history: TargetHistory,
  readChange = createTargetReader(client),
): AssignmentImport => ({
  client,
  table,
  options: parsed.options,
  folder: cli.io.tempDir,
  signal: stops.signal(),
  onNote: (text) => void cli.note(text),
  onWarning: (text) => void cli.log.warn(text),
  onProgress: () => {
    cli.io.limitMemory()
    return nextTurn(stops.signal())
  },
  beforeSending: (plans) => history.confirm(() => targetChanges(plans, readChange)),
  beforeChange: (plan) => history.before(() => readChange(plan)),
})

/** Runs `kpi assign import`: reads, checks and sends a file of assignments, or only says what that would do. */
export const runAssignImport = async (
  cli: Cli,
  file: string,
  flags: ImportFlags & { readonly ids?: true | undefined },
): Promise<number | void> => {
  const parsed = parseOptions(cli, [file], flags)
  requireAssignmentRoles(parsed)
  cli.printing()
  cli.requireCapabilities(NEEDS)
  if (!parsed.isDryRun) cli.io.stdout.outlast()
  const stops = watchStopSignals(cli.io, parsed.deadline)
  const jobs = await openJobs(cli, importSources(cli.io, [file], undefined), parsed, stops)
  try {
    const [job] = jobs
    if (!job) return
    const work = async (client: Client): Promise<number | void> => {
      const history = await openTargetHistory(cli, client, flags, stops.signal())
      const one = workOf(cli, client, parsed, stops, job, history)
      return parsed.isDryRun
        ? printDryRun(cli, one, history, { isSummaryOnly: parsed.isSummaryOnly, hasIds: flags.ids === true })
        : importRows({ cli, stops, parsed, history }, one, job)
    }
    return await cli.withClient(NEEDS, work, { signal: stops.signal(), late: stops.late })
  } catch (error) {
    throw stops.withStopReason(error)
  } finally {
    closeJobs(jobs)
  }
}
