import { KpiError } from '../domain/errors.ts'
import { createAssignments } from './assign.ts'
import type { Batch } from './batch.ts'
import type { JournalPlace } from './journal-place.ts'
import { chooseFrom } from './choose.ts'
import { tooManyRejected } from './max-errors.ts'
import { type Import, type Prepared, withPrepared } from './prepare.ts'
import { type Rejects, writeRejects } from './rejects.ts'
import { tellUnchecked } from './reference.ts'
import { sendBatch } from './send.ts'
import type { Summary } from './summary.ts'

/** How an import ended: with entries left where it was stopped, or where the service failed or refused in mid-run. */
export type Ending = { readonly summary: Summary; readonly left: number; readonly failure: KpiError | undefined }

/** An import that is meant: with a place for what is rejected. */
export type Load = Import & {
  readonly rejectsPath: string
  /** Where it is kept how far a run is; nowhere where there is no continuing. */
  readonly journal: JournalPlace | undefined
  /** Whether everything is read back in the end, and where what came of that is written. */
  readonly verify: { readonly receiptPath: string | undefined } | undefined
}

const noteRefused = (rejects: Rejects, { lines }: Batch, refused: ReadonlyMap<number, readonly string[]>): void => {
  for (const [at, reasons] of refused) {
    for (const line of [lines[at] ?? 0].flat()) for (const reason of reasons) rejects.add(line, reason)
  }
}

/** Whether the run ends with what has been sent: whatever the service refuses then, that is told. */
const endsRun = (error: unknown, sent: number): error is KpiError => error instanceof KpiError && sent > 0

/** Sends what a batch comes to, and counts what became of it. */
const sendOne = async ({ client }: Load, prepared: Prepared, cut: Batch): Promise<void> => {
  const { rejects, summary } = prepared
  const { left: batch } = await chooseFrom(cut, prepared)
  if (batch.drafts.length === 0) return
  const { result, refused } = await sendBatch(client, batch)
  summary.created += result.rows_created
  summary.updated += result.rows_updated
  summary.unchanged += result.rows_unchanged
  noteRefused(rejects, batch, refused)
}

const sendAll = async (work: Load, prepared: Prepared): Promise<Omit<Ending, 'summary'>> => {
  const total = prepared.sorter.size()
  let done = 0
  for (const batch of prepared.batches()) {
    if (work.signal.aborted) return { left: total - done, failure: undefined }
    try {
      await sendOne(work, prepared, batch)
    } catch (error) {
      if (!endsRun(error, done)) throw error
      return { left: total - done, failure: error }
    }
    done += batch.lines.flat().length
    const failure = tooManyRejected(prepared.rejects, prepared.summary, work.options.maxErrors)
    if (failure && done < total) return { left: total - done, failure }
    work.onProgress({ phase: 'send', done, total })
  }
  return { left: 0, failure: undefined }
}

const countLines = (rejects: Rejects): number => {
  let count = 0
  for (const _ of rejects.lines()) count += 1
  return count
}

/** Writes what has been rejected so far, and answers how many rows that is. */
const layDownRejects = async ({ table, rejectsPath }: Load, rejects: Rejects): Promise<number> => {
  const count = countLines(rejects)
  if (count > 0) await writeRejects(rejectsPath, table, rejects)
  return count
}

/**
 * Loads a file of entries: all of it is read and checked first, then what is good is sent in batches in the order of
 * its keys, and what is not goes to the rejects file (command line, section 6). That file is there before anything is
 * sent, so that a folder that cannot be written stops the run in time.
 */
export const importFile = (work: Load): Promise<Ending> =>
  withPrepared(work, async (prepared) => {
    const { summary, rejects } = prepared
    summary.rejected = await layDownRejects(work, rejects)
    const known = rejects.size()
    await createAssignments(work, prepared)
    const ending = await sendAll(work, prepared)
    if (rejects.size() > known) summary.rejected = await layDownRejects(work, rejects)
    summary.unchecked = tellUnchecked(prepared.reference)
    return { summary, ...ending }
  })
