import { Aborted } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import { RunFileFault } from '../runs/file/sealed-file.ts'
import { createBundledDelivery } from './delivery/bundled.ts'
import type { Delivery, Run, Sink } from './delivery/delivery.ts'
import { runConcurrently } from './delivery/in-flight.ts'
import { isUnreadable } from './delivery/refusal.ts'
import { createLostAnswers, withRetries } from './delivery/retry.ts'
import { cutAlongIntervals, journalIntervals, type Resume, type Stage } from './delivery/write-ahead.ts'
import { ownerOf, storedKey } from '../domain/entry-key.ts'
import { existingBefore } from './existing-before.ts'
import {
  type ExistingEntries,
  type ExistingEntry,
  type ExistingEntryMap,
  readExisting,
} from './existing/existing-entries.ts'
import { chooseEntries, planAction, type Planner } from './existing/planned-action.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import type { ImportRun } from './prepare/import-types.ts'
import type { Journal } from '../runs/entries/journal.ts'
import { countTally } from './delivery/tallied.ts'
import { tooManyRejected } from '../reading/rejects/max-errors.ts'
import type { Prepared } from './prepare/prepare.ts'
import type { Batch } from '../reading/rows/batches.ts'
import { holdsDraft } from './third-party/matching.ts'
import { pollUntil } from './third-party/reconcile.ts'
import { createThirdPartyDelivery } from './third-party/third-party.ts'
import { createKeptNotes, createNotes } from './undo/note-changes.ts'

/** Yields batches, and counts all their entries. */
type CountedBatches = Iterable<Batch> & { readonly entries: () => number }

/**
 * Counts the entries of batches. Their number is not that of the rows: a repeated key becomes one entry or none, which
 * is known only when its batch is cut. So `entries` runs through the remaining batches first.
 */
export const countedBatches = (batches: Iterator<Batch>): CountedBatches => {
  let entries = 0
  const next = (): IteratorResult<Batch> => {
    const result = batches.next()
    if (result.done !== true) entries += result.value.size
    return result
  }
  return {
    // The iterator has no `return`, so that leaving a loop early does not end it and the rest can still be counted.
    [Symbol.iterator]: () => ({ next }),
    entries: () => {
      while (next().done !== true);
      return entries
    },
  }
}

/** Describes how far sending came: the number of entries left, and the error if it was not the user who stopped it. */
export type SendResult = {
  readonly left: number
  readonly failure: KpiError | undefined
  /** Tells whether every entry has an outcome; too many rows may have been rejected all the same. */
  readonly isWhole: boolean
  /** Says what was tried in vain until it was stopped. */
  readonly tried?: string | undefined
}

/** Sets how many intervals are sent at a time: while the service stores one, others are on their way. */
const UNDER_WAY = 3

/**
 * Chooses the delivery. Only here it matters whose service it is, which is known because the service has returned the
 * reference data by now.
 */
const deliveryFor = (work: ImportRun, prepared: Prepared, run: Run): Delivery =>
  work.client.isBundled()
    ? createBundledDelivery(run, readExisting(work.client, prepared.reference))
    : createThirdPartyDelivery(work, prepared, run)

/** Reads what is stored of drafts; undefined if the key may not read it, `refused` if the service refuses it for now. */
const readStored = (
  from: Pick<ExistingEntries, 'of'>,
  drafts: readonly EntryDraft[],
): Promise<ExistingEntryMap | undefined | 'refused'> =>
  from.of(drafts).catch((error: unknown) => {
    if (isUnreadable(error)) return 'refused'
    throw error
  })

/**
 * Returns what notes what becomes of drafts on the bundled service; with any other, the delivery knows when what is stored
 * can be read.
 */
const notingOf = (work: ImportRun, prepared: Prepared, run: Run) => {
  const isBundled = work.client.isBundled()
  const before = existingBefore(work, prepared)
  return async (batch: Batch): Promise<void> => {
    if (!isBundled || !run.notes.isWanted()) return
    const { drafts } = batch
    const look = (): ReturnType<typeof readStored> => withRetries(run, () => readStored(before, drafts))
    const stored = await pollUntil(run, look, (seen) => seen !== 'refused')
    run.notes.note(drafts, stored === 'refused' ? undefined : stored)
  }
}

/**
 * Returns what settles entries that an earlier part of the run may have sent to the bundled service, where existing ones
 * stay. It stores all of a batch or nothing: where one of them is not there, the others are of somebody else.
 */
const resumingOf = (work: ImportRun, prepared: Prepared, run: Run): Resume | undefined => {
  const { client, options } = work
  if (!client.isBundled() || (options.onConflict !== 'skip' && options.onConflict !== 'error')) return undefined
  const { reference } = prepared
  const now = readExisting(client, reference)
  return async (batch, counting) => {
    const stored = (await withRetries(run, () => now.of(batch.drafts))) ?? new Map<string, ExistingEntry>()
    const storedOf = (draft: EntryDraft): ExistingEntry | undefined =>
      stored.get(storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date))
    const isStored = batch.drafts.every((draft) => storedOf(draft) !== undefined)
    const isOwn = batch.drafts.map((draft) => {
      const entry = storedOf(draft)
      return isStored && entry !== undefined && holdsDraft(reference, entry, draft)
    })
    counting.summary.created += isOwn.filter(Boolean).length
    const decide: Planner = {
      isNeeded: () => true,
      plan: (drafts) =>
        Promise.resolve(drafts.map((draft) => planAction(draft, storedOf(draft), reference, options.onConflict))),
    }
    const partOf = (isWanted: boolean): Batch => batch.where((at) => isOwn[at] === isWanted)
    const { left } = await chooseEntries(partOf(false), { ...prepared, ...counting, decide })
    return { left, own: partOf(true) }
  }
}

/** Returns the error to report for a run that has done something; throws it if nothing was done yet. */
const failureOf = (error: unknown, isBegun: boolean): KpiError => {
  if (!(error instanceof KpiError) || !isBegun) throw error
  // Nothing may be sent without a journal; once that is repaired, the same command continues.
  return error instanceof RunFileFault ? new KpiError('unavailable', error.message, { cause: error }) : error
}

/** Sends all good rows of a file, and counts their outcomes. */
export const sendAll = async (work: ImportRun, prepared: Prepared, journal: Journal): Promise<SendResult> => {
  const total = prepared.good
  const givingUp = new AbortController()
  const batches = countedBatches(prepared.batches())
  let [done, ended, isStopped, isTouched] = [0, 0, false, false]
  let tried: string | undefined
  const kept = work.client.keepsRuns() ? work.changes : undefined
  const keptNotes = kept && createKeptNotes(kept)
  const run: Run = {
    client: work.client,
    clock: work.clock,
    journal,
    isAdding: work.options.onConflict === 'add',
    signal: AbortSignal.any([work.signal, givingUp.signal]),
    touch: () => {
      isTouched = true
      kept?.touch()
    },
    hasBegun: () => isTouched || done > 0,
    lostAnswers: createLostAnswers(),
    notes: keptNotes ?? createNotes(work.changes, prepared.reference),
    kept: kept && journal.runId,
  }
  const { deliver, mayOverlap, way, journaledAhead } = deliveryFor(work, prepared, run)
  let tooMany: KpiError | undefined
  const sink: Sink = (tally, lines, entries) => {
    countTally(prepared, tally)
    done += lines
    ended += entries
    tooMany ??= tooManyRejected(prepared.rejects, prepared.summary, work.options.maxErrors)
    if (tooMany) givingUp.abort()
    work.onProgress({ phase: 'send', done, total })
  }
  const onDelivered: Sink = (tally, ...counts) => {
    kept?.count(tally.created, tally.updated)
    sink(tally, ...counts)
  }
  const stage: Stage = async (batch, counting) => (await chooseEntries(batch, { ...prepared, ...counting })).left
  const journaled = journalIntervals(cutAlongIntervals(batches, journal), {
    run,
    way,
    journaledAhead,
    stage,
    resume: resumingOf(work, prepared, run),
    note: keptNotes ? async ({ block }) => keptNotes.see(block) : notingOf(work, prepared, run),
    onSettled: sink,
    onStop: () => (isStopped = true),
  })
  // After a lost answer that cannot be read back, send one interval at a time.
  const room = (): number => (mayOverlap() && run.lostAnswers.inARow() === 0 ? UNDER_WAY : 1)
  try {
    await runConcurrently(journaled, room, (one) => deliver(one, onDelivered))
  } catch (error) {
    if (!(error instanceof Aborted)) {
      const isBegun = run.hasBegun() || prepared.summary.assigned > 0
      return { failure: failureOf(error, isBegun), left: batches.entries() - ended, isWhole: false }
    }
    isStopped = true
    tried = error.tried
  }
  const left = batches.entries() - ended
  // Rejects may have been added after the last outcome was counted, so check once more.
  tooMany ??= tooManyRejected(prepared.rejects, prepared.summary, work.options.maxErrors)
  return { left, failure: tooMany, isWhole: !isStopped, tried }
}
