import { resolve } from 'node:path'
import { type Plan, planChanges } from '../../../changes/plan/plan.ts'
import type { Policy } from '../../../changes/plan/match.ts'
import { planWholeRows } from '../../../changes/plan/whole-rows.ts'
import type { Change } from '../../../changes/records/change.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import type { Snapshot } from '../../../changes/records/snapshot.ts'
import { readEarlier } from '../../../changes/send/continue-run.ts'
import { withoutWritten } from '../../../changes/send/dated-outside.ts'
import { settleLeftDoubles } from '../../../changes/send/doubles.ts'
import type { Client } from '../../../client/client.ts'
import { nextTurn, pauseEvery } from '../../../client/next-turn.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { ReadingFile } from '../../../reading/entries/desired-rows.ts'
import { meaningOf } from '../../../runs/entries/journal.ts'
import { continuingText } from '../../../runs/entries/unfinished.ts'
import { requireFewBad } from '../../../reading/rejects/max-errors.ts'
import {
  type CountedReasons,
  countReasons,
  reasonLines,
  reasonsWithLines,
} from '../../../reading/rejects/reason-counts.ts'
import { createRejects, type RejectsFile } from '../../../reading/rejects/rejects.ts'
import { pollUntil } from '../../../loading/third-party/reconcile.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, type ExitCode } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { dryRunText, printDryRunCounts } from '../../output/plan.ts'
import { printSummary, toDoText } from '../../output/summary.ts'
import type { OnWait } from '../../output/wait-notices.ts'
import { warnOfExpiry } from '../../target/api-key.ts'
import { beginRun } from '../../target/runs.ts'
import { serviceOf } from '../../target/service-of.ts'
import { startMeter } from '../entries/import/import-job.ts'
import { closeJobs, openJobs, rejectsFileOf } from '../entries/import/jobs.ts'
import { createProgress } from '../entries/import/progress.ts'
import { concludeFile } from '../entries/import/result.ts'
import { tellStopping, watchStopSignals } from '../entries/import/signals.ts'
import { importSources } from '../entries/import/sources.ts'
import { openTargetHistory } from '../targets/target-flags.ts'
import { keepRun } from './recorded-run.ts'
import {
  type OpenImport,
  type PlannedRows,
  type ReadRows,
  type RowsImport,
  type RowsPart,
  RowTally,
  sendRows,
} from './send-rows.ts'

/** Sets how many rows are planned before signals and timers run. */
const ROWS_OF_TURN = 500

/** Plans rows of a file. */
const planOf = async (
  { cli, client, stops, progress }: Pick<OpenImport<ReadRows>, 'cli' | 'client' | 'stops' | 'progress'>,
  { snapshot, policy, parts, lineOf = (place) => place }: ReadRows,
  desired: readonly Desired[],
  isOurs?: Policy['isOurs'],
): Promise<Plan> => {
  const pause = pauseEvery(ROWS_OF_TURN, stops.signal())
  const whole = { ...policy, today: cli.today().day, ...(isOurs && { isOurs }) }
  const planned = await planChanges(snapshot, desired, whole, pause)
  const plan = await withoutWritten(client, planned, progress.warn)
  return parts ? planWholeRows(plan, { parts, lineOf }) : plan
}

/** Reads and checks the whole file, then runs the given work on it. */
const withRead = async <R extends ReadRows, T>(
  run: OpenImport<R>,
  work: (read: R, reading: ReadingFile) => Promise<T>,
): Promise<T> => {
  const { cli, account, stops, progress, job } = run
  const rejects = createRejects(cli.io.tempDir)
  const onProgress = (): Promise<void> => {
    cli.io.limitMemory()
    return nextTurn(stops.signal())
  }
  const [signal, table] = [stops.signal(), job.table]
  const reading = { account, table, rejects, signal, onProgress, onNote: progress.note, onWarning: progress.warn }
  try {
    return await work(await run.read(reading), reading)
  } finally {
    rejects.close()
  }
}

/** Says why rows are rejected, and what to do about it. */
const tellReasons = async <R extends ReadRows>(
  { cli, printed }: OpenImport<R>,
  reasons: CountedReasons,
  lines: readonly string[] = reasonLines(reasons),
): Promise<void> => {
  for (const line of [...lines, ...printed.adviceOn(reasons)]) await cli.note(line)
}

/** Returns the counts of an import as its summary has them. */
const summaryOf = <R extends ReadRows>(
  { printed }: OpenImport<R>,
  { read, rounded, empty }: ReadRows,
  { counts }: RowTally,
  rejected: number,
): AnyRecord => ({ read, ...printed.countsOf(counts), rejected, rounded, empty })

/** Tells whether the rows are for people, who have read the reasons for their rejection above them. */
const saysNothing = (cli: Cli): boolean =>
  isForPeople(cli.printing().format) && !cli.flags.quiet && cli.flags.toFile === undefined

/** Describes a row as it is printed, by its line. */
type ShownRow = { readonly line: number; readonly record: AnyRecord }

/** Says what importing the file would do: the counts first, then a line for each row. */
const printFileDryRun = <R extends ReadRows>(run: OpenImport<R>): Promise<ExitCode> =>
  withRead(run, async (read, reading) => {
    const { cli, client, printed, parsed, stops, progress, history, words, measure } = run
    const { rejects } = reading
    const tally = new RowTally(rejects, read)
    const good: ShownRow[] = []
    let planned = 0
    const { partsOf, lineOf = (place: number) => place } = read
    for (const part of partsOf?.(read.desired) ?? [{ desired: read.desired, look: async () => read.snapshot }]) {
      const own = { ...read, snapshot: await part.look() }
      const plan = await planOf(run, own, part.desired)
      await run.tellPlan(reading, own, plan, false)
      await history.read(plan.changes)
      const { main, beside } = read.parts ?? {}
      const others = Map.groupBy(
        plan.planned.filter(({ desired }) => beside !== undefined && desired.kind.name === beside),
        ({ desired }) => lineOf(desired.line),
      )
      for (const one of plan.planned) {
        if (!tally.settle(one) && (one.action === 'create' || one.action === 'update'))
          tally.count(one.action, one.desired)
        if (one.action === 'refuse' || (main !== undefined && one.desired.kind.name !== main)) continue
        planned += 1
        const line = lineOf(one.desired.line)
        // Keep of a plan only what is printed: there may be very many rows.
        if (!parsed.isSummaryOnly) good.push({ line, record: printed.recordOf(own, one, others.get(line)) })
      }
    }
    const lines = (await Array.fromAsync(rejects.lines(stops.signal()))).flat()
    const bad = lines.map(({ line, reasons }): ShownRow => {
      return { line, record: printed.recordOf(read, { action: 'reject', line, reason: reasons.join('; ') }) }
    })
    const rows = [...good, ...bad].toSorted((one, other) => one.line - other.line)
    const rejected = rejects.count()
    const reasons = await countReasons(rejects, stops.signal())
    progress.stop()
    await cli.note(dryRunText(toDoText({ ...printed.countsOf(tally.counts), rejected, rounded: read.rounded }, words)))
    const isAlone = !parsed.isSummaryOnly && planned === 0 && bad.length > 0 && saysNothing(cli)
    await tellReasons(run, reasons, isAlone ? reasonsWithLines(reasons) : undefined)
    for (const line of printed.adviceOnRejects?.(read) ?? []) await cli.note(line)
    await history.foresee()
    if (parsed.isSummaryOnly) {
      const counts = { ...summaryOf(run, read, tally, rejected), left: 0, ...measure(), receipt: null }
      await printDryRunCounts(cli, printed.summary, counts)
    } else if (!isAlone) {
      const records = rows.map(({ record }) => record)
      const named = (await printed.withNames?.(client, records)) ?? { shown: printed.dryRunRow.shown, records }
      await cli.printMany(named.shown, named.records, stops.signal())
    }
    return rejected > 0 ? EXIT.partial : EXIT.done
  })

/** Names what cannot be read again. */
const STREAM = '-'

const RUN_ID_BYTES = 12

/** Opens the record of the run; what cannot be read again is never continued, unless the user names a folder for it. */
const openRecord = <R extends ReadRows>(
  { cli: { io }, cli, client, command, parsed, options, job }: OpenImport<R>,
  { fingerprint }: ReadRows,
): RunRecord => {
  const isOnce = job.origin === undefined && parsed.journal === undefined
  const once = isOnce ? [Buffer.from(io.random(RUN_ID_BYTES)).toString('hex')] : []
  const content = JSON.stringify([fingerprint, meaningOf(options), ...once])
  const [service, account] = [serviceOf(cli), client.identifyAccount().for]
  const folder = parsed.journal === undefined ? undefined : resolve(io.cwd, parsed.journal)
  return beginRun(io, { command, service, account, source: job.origin ?? STREAM, content }, folder)
}

/** Describes what is left of a file to do, and what is counted already. */
type Resumed<R extends ReadRows> = {
  readonly open: number
  readonly tally: RowTally
  /** Plans what is left, part by part, each when it is asked for. */
  readonly plans: () => AsyncGenerator<PlannedRows<R>>
  /** Counts the rows of a plan that need no request, and prints its notes and warnings. */
  readonly settle: (planned: PlannedRows<R>) => Promise<void>
}

/**
 * Plans all rows that no earlier part of the run finished, and counts the others as they were. What an earlier part may
 * have done, the account tells; a service that lists records late is asked again.
 */
const resume = async <R extends ReadRows>(
  run: OpenImport<R>,
  first: R,
  reading: ReadingFile,
  record: RunRecord,
): Promise<Resumed<R>> => {
  const { cli, client, account, progress, words } = run
  const { rejects, signal, onWarning } = reading
  const { desired, look } = first
  const isToReadAgain = await settleLeftDoubles({ account, run: record, desired, signal, onWarning }, first.snapshot)
  const earlier = readEarlier(record)
  const { doneBefore, isContinued } = earlier
  if (doneBefore > 0) progress.note(continuingText(record.head.beganAt, doneBefore, words))
  const tally = new RowTally(rejects, first)
  tally.takeEarlier(desired, earlier)
  const open = desired.filter(({ line }) => earlier.settledAt(line).length === 0)
  let known = isToReadAgain ? undefined : first.snapshot
  const lookAtAll = async (): Promise<Snapshot> => {
    const snapshot = known ?? (await look())
    known = undefined
    return snapshot
  }
  const isSeen = ({ plan }: PlannedRows<R>): boolean => client.isBundled() || !earlier.hasUnseen(plan)
  const planPart = (part: RowsPart): Promise<PlannedRows<R>> => {
    const plan = async (): Promise<PlannedRows<R>> => {
      const read = { ...first, snapshot: await part.look() }
      return { read, plan: await planOf(run, read, part.desired, earlier.isOurs) }
    }
    return pollUntil({ clock: cli.io, signal }, plan, isSeen)
  }
  return {
    open: open.length,
    tally,
    plans: async function* () {
      for (const part of first.partsOf?.(open) ?? [{ desired: open, look: lookAtAll }]) yield await planPart(part)
    },
    settle: async ({ read, plan }) => {
      for (const one of plan.planned) tally.settle(one, earlier.settle(one)?.action)
      await run.tellPlan(reading, read, plan, isContinued)
    },
  }
}

/** Plans what is left of a file to do, and sends it. */
const carryOut = async <R extends ReadRows>(
  run: OpenImport<R>,
  read: R,
  reading: ReadingFile,
  record: RunRecord,
  file: RejectsFile,
) => {
  const { cli, account, parsed, progress, history, job } = run
  const { rejects, signal, onWarning } = reading
  const { open, tally, plans, settle } = await resume(run, read, reading, record)
  const settled = async function* (): AsyncGenerator<PlannedRows<R>> {
    for await (const one of plans()) {
      await settle(one)
      yield one
    }
  }
  const ahead = read.partsOf ? undefined : await Array.fromAsync(settled())
  const { options } = parsed
  if (options.maxErrors) await requireFewBad({ read: read.read }, { rejects, options, signal }, true)
  const changesOf = async (all: Iterable<PlannedRows<R>> | AsyncIterable<PlannedRows<R>>): Promise<Change[]> =>
    (await Array.fromAsync(all, ({ plan }) => plan.changes)).flat()
  if (ahead) await history.requireKeepable(await changesOf(ahead))
  await history.confirm(() => {
    progress.stop()
    return changesOf(ahead ?? plans())
  })
  await file.write(job.table, rejects, [], signal)
  const sent = await sendRows({
    account,
    plans: ahead ?? settled(),
    open,
    run: record,
    clock: cli.io,
    signal,
    tally,
    rejects,
    options,
    read: read.read,
    before: (change, noteEntries) => history.before(change, noteEntries),
    onSent: (done, total) => progress.show({ phase: 'rows', done, total }),
    onWarning,
  })
  await file.write(job.table, rejects)
  return { tally, ...sent }
}

/** Imports the file, and says what that did. */
const importAll = <R extends ReadRows>(run: OpenImport<R>): Promise<void> =>
  withRead(run, async (read, reading) => {
    const { cli, printed, job, progress, words, hasOwnFlags, measure } = run
    const file = rejectsFileOf(cli, job, progress.warn)
    const record = openRecord(run, read)
    const work = async (end: () => void): Promise<void> => {
      const { tally, left, failure, tried } = await carryOut(run, read, reading, record, file)
      const isWhole = left === 0
      if (isWhole) end()
      progress.stop()
      await run.history.tell()
      const reasons = await countReasons(reading.rejects)
      await tellReasons(run, reasons)
      const rejected = reading.rejects.count()
      const summary = summaryOf(run, read, tally, rejected)
      const done = `${isWhole ? 'imported' : 'stopped importing'} ${job.file === '-' ? 'standard input' : job.file}`
      const counted = { ...summary, left, ...measure(), receipt: record.receipt }
      await printSummary(cli, printed.summary, counted, done, words)
      const advice = printed.adviceOnRejects?.(read) ?? []
      const concluded = { summary: { rejected }, left, failure, tried, hasOwnFlags, advice }
      const { exit, code, lines } = await concludeFile(run, job, concluded, words)
      if (lines.length > 0) throw new IncompleteRun(exit, code, lines)
    }
    try {
      await keepRun(cli, record, work)
    } finally {
      file.warnOfMovedFiles()
    }
  })

/** Opens the file and the client, and imports the rows, or says what that would do. */
export const runRowsImport = async <R extends ReadRows>(
  cli: Cli,
  file: string,
  given: RowsImport<R>,
): Promise<ExitCode | void> => {
  const { parsed, needs, flags } = given
  cli.printing()
  cli.requireCapabilities(needs)
  if (!parsed.isDryRun) cli.io.stdout.outlast()
  const stops = watchStopSignals(cli.io, parsed.deadline)
  const jobs = await openJobs(cli, importSources(cli.io, [file], undefined), parsed, stops)
  let note = (text: string): void => void cli.note(text)
  let onWait: OnWait = () => undefined
  const withClient = async (client: Client): Promise<ExitCode | void> => {
    const [job] = jobs
    const progress = await createProgress(cli, client)
    note = progress.note
    onWait = progress.waits
    tellStopping(cli.io, stops, note)
    try {
      progress.begin(undefined)
      const measure = startMeter(cli.io, client)
      const history = await openTargetHistory(cli, client, flags, stops.signal())
      return await given.withAccount(client, async (account) => {
        const run = job && { ...given, cli, client, account, stops, progress, job, history, measure }
        return run && (parsed.isDryRun ? printFileDryRun(run) : importAll(run))
      })
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
