import { resolve } from 'node:path'
import type { Change } from '../../../changes/records/change.ts'
import type { Snapshot } from '../../../changes/records/snapshot.ts'
import { readEarlier } from '../../../changes/send/continue-run.ts'
import { settleLeftDoubles } from '../../../changes/send/doubles.ts'
import type { Client } from '../../../client/client.ts'
import { meaningOf } from '../../../import/journal/journal.ts'
import { continuingText } from '../../../import/journal/unfinished.ts'
import { pollUntil } from '../../../import/third-party/reconcile.ts'
import { requireFewBad } from '../../../import/max-errors.ts'
import { countReasons } from '../../../import/rejects/reason-counts.ts'
import type { RejectsFile } from '../../../import/rejects/rejects-file.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { IncompleteRun } from '../../exit.ts'
import { printSummary } from '../../output/summary.ts'
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
import { openTargetHistory } from '../targets/keep-history.ts'
import { printDryRun } from './dry-run-rows.ts'
import {
  type ReadingRows,
  type ReadRows,
  type RowsImport,
  type RowsPart,
  type OpenImport,
  planRows,
  withRead,
  tellReasons,
  summaryOf,
} from './rows-import.ts'
import { keepRun } from './recorded-run.ts'
import { countEarlier, countSettled, createTally, type PlannedRows, type RowTally, sendRows } from './send-rows.ts'

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
  reading: ReadingRows,
  record: RunRecord,
): Promise<Resumed<R>> => {
  const { cli, client, account, progress, words } = run
  const { rejects, signal, onWarning } = reading
  const { desired, look } = first
  const isToReadAgain = await settleLeftDoubles({ account, run: record, desired, signal, onWarning }, first.snapshot)
  const earlier = readEarlier(record)
  const { doneBefore, isContinued } = earlier
  if (doneBefore > 0) progress.note(continuingText(record.head.beganAt, doneBefore, words))
  const tally = createTally(rejects, first.lineOf)
  countEarlier(tally, desired.map(({ line }) => line), earlier) // prettier-ignore
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
      return { read, plan: await planRows(run, read, part.desired, earlier.isOurs) }
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
      for (const one of plan.planned) {
        const done = earlier.settle(one)?.action
        countSettled(tally, one, done === 'delete' ? undefined : done)
      }
      await run.tellPlan(reading, read, plan, isContinued)
    },
  }
}

/** Plans what is left of a file to do, and sends it. */
const carryOut = async <R extends ReadRows>(
  run: OpenImport<R>,
  read: R,
  reading: ReadingRows,
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
      const { tally, left, failure } = await carryOut(run, read, reading, record, file)
      const isWhole = left === 0
      if (isWhole) end()
      progress.stop()
      await run.history.tell()
      const reasons = await countReasons(reading.rejects)
      await tellReasons(run, reasons)
      const rejected = reading.rejects.count()
      const summary = summaryOf(run, read, tally, rejected)
      const done = `${isWhole ? 'imported' : 'stopped importing'} ${job.file === '-' ? 'standard input' : job.file}`
      await printSummary(
        cli,
        printed.summary,
        { ...summary, left, ...measure(), receipt: record.receipt },
        done,
        printed.words,
      )
      const advice = printed.adviceOnRejects?.(read) ?? []
      const concluded = { summary: { rejected }, left, failure, hasOwnFlags, advice }
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
): Promise<number | void> => {
  const { parsed, needs, flags } = given
  cli.printing()
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
      const measure = startMeter(cli.io, client)
      const history = await openTargetHistory(cli, client, flags, stops.signal())
      return await given.withAccount(client, async (account) => {
        const run = job && { ...given, cli, client, account, stops, progress, job, history, measure }
        return run && (parsed.isDryRun ? printDryRun(run) : importAll(run))
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
