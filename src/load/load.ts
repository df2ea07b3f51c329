import type { Client } from '../client/client.ts'
import { KpiError } from '../domain/errors.ts'
import type { Batch } from './batch.ts'
import { type Import, type Prepared, withPrepared } from './prepare.ts'
import type { Reference } from './reference.ts'
import { type Rejects, writeRejects } from './rejects.ts'
import { sendBatch } from './send.ts'
import type { Summary } from './summary.ts'

/** How an import ended: with entries left where it was stopped, or where the service failed in mid-run. */
export type Ending = { readonly summary: Summary; readonly left: number; readonly failure: KpiError | undefined }

/** An import that is meant: with a place for what is rejected. */
export type Load = Import & { readonly rejectsPath: string }

const LAST_PLACE = 32_767

const createAssignments = async (client: Client, reference: Reference, summary: Summary): Promise<void> => {
  const places = new Map<number, number>()
  for (const { user, kpi } of reference.missing()) {
    const assignments = client.assignments(user.id)
    const last = places.get(user.id) ?? Math.max(0, ...(await assignments.list()).map(({ sort_order }) => sort_order))
    const sort_order = Math.min(last + 1, LAST_PLACE)
    await assignments.add({ id: kpi.id, sort_order })
    places.set(user.id, sort_order)
    summary.assigned += 1
  }
}

const noteRefused = (rejects: Rejects, { lines }: Batch, refused: ReadonlyMap<number, readonly string[]>): void => {
  for (const [at, reasons] of refused) {
    for (const line of [lines[at] ?? 0].flat()) for (const reason of reasons) rejects.add(line, reason)
  }
}

/** A failure after which the same command goes on, once something has been sent. */
const leavesWork = (error: unknown, sent: number): error is KpiError =>
  error instanceof KpiError && sent > 0 && ['unavailable', 'internal', 'rate_limited'].includes(error.code)

const sendAll = async (work: Load, prepared: Prepared): Promise<Omit<Ending, 'summary'>> => {
  const { sorter, rejects, summary, batches } = prepared
  const total = sorter.size()
  let done = 0
  for (const batch of batches()) {
    if (work.signal.aborted) return { left: total - done, failure: undefined }
    try {
      const { result, refused } = await sendBatch(work.client, batch)
      summary.created += result.rows_created
      summary.updated += result.rows_updated
      summary.unchanged += result.rows_unchanged
      noteRefused(rejects, batch, refused)
    } catch (error) {
      if (!leavesWork(error, done)) throw error
      return { left: total - done, failure: error }
    }
    done += batch.lines.flat().length
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
const layDownRejects = async ({ source, rejectsPath }: Load, rejects: Rejects): Promise<number> => {
  const count = countLines(rejects)
  if (count > 0) await writeRejects(rejectsPath, source, rejects)
  return count
}

/**
 * Loads a file of entries: all of it is read and checked first, then what is good is sent in batches in the order of
 * its keys, and what is not goes to the rejects file (command line, section 6). That file is there before anything is
 * sent, so that a folder that cannot be written stops the run in time.
 */
export const importFile = (work: Load): Promise<Ending> =>
  withPrepared(work, async (prepared) => {
    const { summary, rejects, reference } = prepared
    const before = await layDownRejects(work, rejects)
    await createAssignments(work.client, reference, summary)
    const ending = await sendAll(work, prepared)
    const later = countLines(rejects)
    summary.rejected = later > before ? await layDownRejects(work, rejects) : before
    return { summary, ...ending }
  })
