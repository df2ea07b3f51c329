import { readEarlier, settleLeftDoubles } from '../../../changes/send/continue-run.ts'
import type { Client } from '../../../client/client.ts'
import { meaningOf } from '../../../import/journal/journal.ts'
import { continuingText } from '../../../import/journal/unfinished.ts'
import { pollUntil } from '../../../import/third-party/reconcile.ts'
import type { Plan } from '../../../changes/plan/plan.ts'
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
import { createTargetChanges } from '../targets/target-changes.ts'
import { printDryRun } from './dry-run-rows.ts'
import {
  type ReadingRows,
  type ReadRows,
  type RowsImport,
  type OpenImport,
  planRows,
  withRead,
  tellReasons,
  summaryOf,
} from './rows-import.ts'
import { tellReceipt } from './make-changes.ts'
import { countEarlier, countSettled, createTally, type RowTally, sendRows } from './send-rows.ts'
import { resolve } from 'node:path'

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
  readonly read: R
  readonly plan: Plan
  readonly tally: RowTally
  readonly isContinued: boolean
}

/**
 * Plans all rows that no earlier part of the run finished, and counts the others as they were. What an earlier part may
 * have done, the account tells; a service that lists records late is asked again.
 */
const resume = async <R extends ReadRows>(
  run: OpenImport<R>,
  first: R,
  { rejects, signal, onWarning }: ReadingRows,
  record: RunRecord,
): Promise<Resumed<R>> => {
  const { cli, client, account, progress, words } = run
  const { desired, look } = first
  const isToReadAgain = await settleLeftDoubles({ account, run: record, desired, signal, onWarning }, first.snapshot)
  const earlier = readEarlier(record)
  const { doneBefore, isContinued } = earlier
  if (doneBefore > 0) progress.note(continuingText(record.head.beganAt, doneBefore, words))
  const tally = createTally(rejects)
  countEarlier(tally, desired.map(({ line }) => line), earlier) // prettier-ignore
  const open = desired.filter(({ line }) => earlier.settledAt(line).length === 0)
  let known = isToReadAgain ? undefined : first.snapshot
  const planOpen = async (): Promise<Pick<Resumed<R>, 'read' | 'plan'>> => {
    const read = { ...first, snapshot: known ?? (await look()) }
    known = undefined
    return { read, plan: await planRows(run, read, open, earlier.isOurs) }
  }
  const isSeen = ({ plan }: Pick<Resumed<R>, 'plan'>): boolean => client.isBundled() || !earlier.hasUnseen(plan)
  const { read, plan } = await pollUntil({ clock: cli.io, signal }, planOpen, isSeen)
  for (const one of plan.planned) {
    const done = earlier.settle(one)?.action
    countSettled(tally, one, done === 'delete' ? undefined : done)
  }
  return { read, plan, tally, isContinued }
}

/** Plans what is left of a file to do, and sends it. */
const carryOut = async <R extends ReadRows>(
  run: OpenImport<R>,
  first: R,
  reading: ReadingRows,
  record: RunRecord,
  file: RejectsFile,
) => {
  const { cli, client, account, parsed, progress, history, job } = run
  const { rejects, signal, onWarning } = reading
  const { read, plan, tally, isContinued } = await resume(run, first, reading, record)
  await run.tellPlan(reading, read, plan, isContinued)
  const { options } = parsed
  if (options.maxErrors) await requireFewBad({ read: read.read }, { rejects, options, signal }, true)
  const targetChangeOf = createTargetChanges(client)
  const targets = plan.changes.map((change) => () => targetChangeOf(change))
  await history.requireKeepable(targets)
  await history.confirm(() => {
    progress.stop()
    return Promise.resolve(targets)
  })
  await file.write(job.table, rejects, [], signal)
  const sent = await sendRows({
    account,
    snapshot: read.snapshot,
    plan,
    run: record,
    clock: cli.io,
    signal,
    tally,
    rejects,
    options,
    read: read.read,
    before: (change) => history.before(() => targetChangeOf(change)),
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
    let isWhole = false
    try {
      const { tally, left, failure } = await carryOut(run, read, reading, record, file)
      isWhole = left === 0
      progress.stop()
      await run.history.tell()
      const reasons = await countReasons(reading.rejects)
      await tellReasons(run, reasons)
      const rejected = reading.rejects.count()
      const summary = summaryOf(run, read, tally, rejected)
      const done = `${isWhole ? 'imported' : 'stopped importing'} ${job.file === '-' ? 'standard input' : job.file}`
      await printSummary(cli, printed.summary, { ...summary, left, ...measure() }, done, printed.words)
      if (tally.counts.created + tally.counts.updated > 0) await tellReceipt(cli, record)
      const concluded = { summary: { rejected }, left, failure, hasOwnFlags }
      const { exit, code, lines } = await concludeFile(run, job, concluded, words)
      if (lines.length > 0) throw new IncompleteRun(exit, code, lines)
    } finally {
      record.close({ isWhole, now: cli.io.now() })
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
