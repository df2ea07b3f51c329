import { Aborted } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import { createAssignments } from './assignments/needed.ts'
import type { ImportRun, Summary } from './import-types.ts'
import { beginJournal } from './journal/begin-journal.ts'
import type { Journal } from './journal/journal.ts'
import { type Prepared, withPrepared } from './prepare.ts'
import { tellUnchecked } from './reference.ts'
import { countedBatches, sendAll, type SendResult } from './send.ts'
import type { Verification } from './verify/verified.ts'
import { verifyRun } from './verify/verify.ts'

/**
 * Describes how an import ended: with entries left where it was stopped, or where the service failed or refused in
 * mid-run.
 */
export type Ending = {
  readonly summary: Summary
  readonly left: number
  readonly failure: KpiError | undefined
  /** Tells whether any row was rejected as its KPI is not assigned to its user. */
  readonly needsAssignments: boolean
  /** Says why rejects could not be written, where something had been sent by then. */
  readonly unwritten?: KpiError | undefined
  /** Holds the result of `--verify`, where all had been sent. */
  readonly verified?: Verification | undefined
}

/** Writes what has been rejected so far, counted in the summary. */
const writeRejects = async (
  { table, rejectsFile }: ImportRun,
  { summary, rejects, plan, options }: Pick<Prepared, 'summary' | 'rejects' | 'plan' | 'options'>,
): Promise<void> => {
  summary.rejected = 0
  for (const _ of rejects.lines()) summary.rejected += 1
  // If empty cells clear, rows stay as they were: they can be imported again, as nothing is added then.
  const values = options.clearEmpty ? [] : (plan.wide?.columns ?? []).map(({ at }) => at)
  if (summary.rejected > 0) await rejectsFile.write(table, rejects, values)
}

/** Yields the entries of all batches. */
function* draftsOf({ batches }: Pick<Prepared, 'batches'>): Generator<EntryDraft> {
  for (const { drafts } of batches()) yield* drafts
}

/** Returns the error to report where something has been done by then; else throws it. */
const toldOf = (error: unknown, isBegun: boolean): KpiError | undefined => {
  if (!isBegun || !(error instanceof KpiError || error instanceof Aborted)) throw error
  return error instanceof KpiError ? error : undefined
}

/** Makes what assignments are needed, then sends all. */
const send = async (work: ImportRun, prepared: Prepared, journal: Journal): Promise<SendResult> => {
  try {
    await createAssignments(work, prepared)
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

/** Sends what was prepared, and writes the rejects. */
const run = async (work: ImportRun, prepared: Prepared, journal: Journal): Promise<Ending> => {
  const { summary, rejects } = prepared
  await writeRejects(work, prepared)
  const needsAssignments = prepared.reference.lacksAssignments()
  const known = rejects.size()
  const { left, failure, isWhole } = await send(work, prepared, journal)
  summary.unchecked = tellUnchecked(prepared.reference)
  try {
    if (rejects.size() > known) await writeRejects(work, prepared)
  } catch (error) {
    return { summary, left, failure, needsAssignments, unwritten: toldOf(error, true) }
  }
  const ending = { summary, left, failure, needsAssignments }
  if (!isWhole) return ending
  const verified = await verifyRun(work, prepared, journal)
  // If verifying failed, keep the journal: the same command then only verifies.
  if (!verified?.failure) finish(work, journal)
  return { ...ending, verified }
}

/**
 * Imports a file of entries: all of it is read and checked first; good rows are sent in the order of their keys, bad
 * ones go to the rejects file. That file is written before anything is sent, so that a folder that cannot be written
 * stops the run in time; so is the journal.
 */
export const importFile = (work: ImportRun): Promise<Ending> =>
  withPrepared(work, async (prepared) => {
    const journal = beginJournal(work, prepared.fingerprint, () => draftsOf(prepared))
    try {
      return await run(work, prepared, journal)
    } finally {
      journal.close()
      work.rejectsFile.warnOfMovedFiles()
    }
  })
