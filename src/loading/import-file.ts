import { Aborted } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import type { EntryBlock } from '../domain/entry-block.ts'
import type { ImportRun } from './prepare/import-types.ts'
import type { Summary } from '../reading/entries/summary.ts'
import type { RealIds } from '../reading/directory/missing.ts'
import { beginJournal } from './begin-journal.ts'
import { type Journal, journalPath } from '../runs/entries/journal.ts'
import { settledDay } from '../runs/entries/unfinished.ts'
import { type Prepared, withPrepared } from './prepare/prepare.ts'
import { tellUnchecked } from '../reading/directory/reference.ts'
import { type CountedReasons, countReasons } from '../reading/rejects/reason-counts.ts'
import { type Rejects, withWrittenNumbers } from '../reading/rejects/rejects.ts'
import { countedBatches, sendAll, type SendResult } from './send.ts'
import type { Verification } from './verify/verified.ts'
import { verifyRun } from './verify/verify.ts'

/**
 * Describes how an import ended; entries are left if it was stopped, or the service failed or refused during the run.
 */
export type Ending = {
  readonly summary: Summary
  readonly left: number
  readonly failure: KpiError | undefined
  /** Says what was tried in vain until it was stopped. */
  readonly tried?: string | undefined
  /** Holds the reasons for which rows were rejected; undefined if none was. */
  readonly reasons: CountedReasons | undefined
  /** Tells whether any row was rejected because its KPI is not assigned to its user. */
  readonly needsAssignments: boolean
  /** Holds why rejects could not be written, if something had been sent by then. */
  readonly unwritten?: KpiError | undefined
  /** Holds the result of `--verify`, if everything had been sent. */
  readonly verified?: Verification | undefined
}

/** Writes the rejects so far, and counts them in the summary, unless a signal asks to stop. */
const writeRejects = async (
  { table, rejectsFile }: ImportRun,
  prepared: Pick<Prepared, 'summary' | 'rejects' | 'plan' | 'options' | 'formats'>,
  signal?: AbortSignal,
): Promise<void> => {
  const { summary, rejects, plan, options, formats } = prepared
  summary.rejected = rejects.count()
  // If empty cells clear, rejected rows are written unchanged: importing them again adds nothing.
  const values = options.clearEmpty ? [] : (plan.wide?.columns ?? []).map(({ at }) => at)
  await rejectsFile.write(withWrittenNumbers(table, formats), rejects, values, signal)
}

/** Yields the entries of all batches. */
function* blocksOf({ batches }: Pick<Prepared, 'batches'>): Generator<EntryBlock> {
  for (const { block } of batches()) yield block
}

/** Returns the error to report if something has been done by then; else throws it. */
const toldOf = (error: unknown, isBegun: boolean): KpiError | undefined => {
  if (!isBegun || !(error instanceof KpiError || error instanceof Aborted)) throw error
  return error instanceof KpiError ? error : undefined
}

/** Creates the assignments that are needed, where any is missing. */
const assign = async (work: ImportRun, prepared: Prepared): Promise<void> => {
  if (prepared.reference.missing().length === 0) return
  work.assignments?.clear()
  const { createAssignments } = await import('./create-assignments.ts')
  await createAssignments(work, prepared)
}

/** Creates the assignments that are needed, then sends all entries. */
const send = async (work: ImportRun, prepared: Prepared, journal: Journal): Promise<SendResult> => {
  try {
    await assign(work, prepared)
  } catch (error) {
    const isTold = error instanceof Aborted || (error instanceof KpiError && error.mayBeDone)
    const failure = toldOf(error, isTold || prepared.summary.assigned > 0)
    return { left: countedBatches(prepared.batches()).entries(), failure, isWhole: false }
  }
  return sendAll(work, prepared, journal)
}

/** Removes the journal of a run that has ended, or leaves that to the caller. */
const finish = ({ onFinished }: ImportRun, journal: Journal): void => {
  if (onFinished) onFinished(journal.leave())
  else journal.finish()
}

/** Returns why rows were rejected; undefined if none was, or nobody waits for it any more. */
const reasonsOf = async (rejects: Rejects, signal: AbortSignal): Promise<CountedReasons | undefined> => {
  try {
    return rejects.size() > 0 ? await countReasons(rejects, signal) : undefined
  } catch (error) {
    if (error instanceof Aborted) return undefined
    throw error
  }
}

/** Sets how many rejects are written although somebody has asked to stop. */
const FEW_REJECTS = 50_000

/** Writes the rejects that sending has found as well; few of them also where a signal asks to stop. */
const writeLateRejects = async (work: ImportRun, prepared: Prepared): Promise<void> => {
  try {
    await writeRejects(work, prepared, prepared.rejects.count() > FEW_REJECTS ? work.signal : undefined)
  } catch (error) {
    if (!(error instanceof Aborted)) throw error
    throw new KpiError('unavailable', 'not all of them are in the rejects file, as the run was stopped')
  }
}

/** Sends what was prepared, and writes the rejects. */
const run = async (work: ImportRun, prepared: Prepared, journal: Journal): Promise<Ending> => {
  const { summary, rejects } = prepared
  await writeRejects(work, prepared, work.signal)
  const needsAssignments = prepared.reference.lacksAssignments()
  const known = rejects.size()
  const { isWhole, ...sent } = await send(work, prepared, journal)
  summary.unchecked = tellUnchecked(prepared.reference)
  try {
    if (rejects.size() > known) await writeLateRejects(work, prepared)
  } catch (error) {
    const reasons = await reasonsOf(rejects, work.signal)
    return { summary, ...sent, needsAssignments, reasons, unwritten: toldOf(error, true) }
  }
  const ending = { summary, ...sent, needsAssignments, reasons: await reasonsOf(rejects, work.signal) }
  if (!isWhole) return ending
  const verified = await verifyRun(work, prepared, journal)
  // If reading back failed, keep the journal: the same command then only reads back.
  if (!verified?.failure) finish(work, journal)
  return { ...ending, verified }
}

/**
 * Creates what is missing; returns the ids if it is not as planned, or the rows are not in the order of their keys any more.
 * Opens the rejects file first, so that nothing is created where its folder cannot be written.
 */
const createMissing = async (work: ImportRun, prepared: Prepared): Promise<RealIds | undefined> => {
  const { missing, reference } = prepared
  if (!missing) return undefined
  await writeRejects(work, prepared, work.signal)
  const ids = await work.createMissing(missing)
  return reference.settle(ids) ? undefined : ids
}

/** Returns the run with the day of its earlier part, if the word for the date of all rows stands for another day by now. */
const withSettledDay = (work: ImportRun, { fingerprint }: Prepared): ImportRun | undefined => {
  const { journal: place, options, clock, onNote, onSettledDay } = work
  const day = place && settledDay(place, fingerprint, options, clock.now())
  if (day === undefined) return undefined
  onNote(
    `--date ${options.dateWord} stays ${day}, as an import of these rows that began then was not finished; to import them for ${options.date}, write --date ${options.date}`,
  )
  onSettledDay?.(day)
  return { ...work, options: { ...options, date: day } }
}

/**
 * Imports a file of entries. All of it is read and checked first; good rows are sent in the order of their keys, bad
 * ones go to the rejects file. That file and the journal are created before anything is sent, so that a folder that
 * cannot be written stops the run in time.
 */
export const importFile = async (work: ImportRun, isAgain = false): Promise<Ending> => {
  let settled: ImportRun | undefined
  let chosen: RealIds | undefined
  const ending = await withPrepared(work, async (prepared) => {
    settled = withSettledDay(work, prepared)
    if (settled) return undefined
    const path = work.journal && journalPath(work.journal, prepared.fingerprint, work.options)
    if (path !== undefined) work.onJournal?.(path)
    chosen = await createMissing(work, prepared)
    if (chosen) {
      work.assignments?.clear()
      return undefined
    }
    const journal = beginJournal(work, prepared.fingerprint, () => blocksOf(prepared))
    work.onJournal?.(path, journal.runId)
    try {
      return await run(work, prepared, journal)
    } finally {
      journal.close()
      work.rejectsFile.warnOfMovedFiles()
    }
  })
  if (ending) return ending
  if (settled) return importFile(settled, isAgain)
  // Now nothing is missing any more, and the rows are sorted by the ids that there are.
  if (isAgain) throw new KpiError('unavailable', 'the service does not list what it has just created; try again later')
  return importFile({ ...work, chosen }, true)
}
