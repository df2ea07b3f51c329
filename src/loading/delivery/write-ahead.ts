import { digestOf } from '../../runs/entries/digest.ts'
import { compareKeys, type EntryKey, keyAt } from '../../domain/entry-key.ts'
import type { DeliveryWay, Intent, Interval, Journal } from '../../runs/entries/journal.ts'
import { sampleKeys } from '../../runs/entries/key-samples.ts'
import { addTally, emptyTally, refuseLines, type Tally } from '../../runs/entries/tally.ts'
import { type Counting, tallied } from './tallied.ts'
import { Batch } from '../../reading/rows/batches.ts'
import { OUTCOME_UNKNOWN, type Run } from './delivery.ts'
import { replan } from './replan.ts'

/** Describes consecutive entries, and the interval in which an earlier part of the run sent them, if any. */
export type Piece = { readonly batch: Batch; readonly earlier: Interval | undefined }

const PAGE_INTERVALS = 500

/** Yields the intervals of earlier parts of a run, in the order of their keys. */
function* intervalsOf(journal: Pick<Journal, 'earlier'>): Generator<Interval, undefined> {
  let after: EntryKey | undefined
  for (;;) {
    const page = journal.earlier(after, PAGE_INTERVALS)
    yield* page
    if (page.length < PAGE_INTERVALS) return undefined
    after = page.at(-1)?.first
  }
}

/**
 * Cuts batches along the intervals of earlier parts of the run. Reference data may have changed since, so there may be
 * entries between the intervals, and an interval may hold more or fewer entries than before.
 */
export function* cutAlongIntervals(batches: Iterable<Batch>, journal: Journal): Generator<Piece> {
  const intervals = intervalsOf(journal)
  const nextInterval = (): Interval | undefined => {
    const { value, done } = intervals.next()
    return done ? undefined : value
  }
  let interval = nextInterval()
  let open = new Batch(0)
  let earlier: Interval | undefined
  const take = (): Piece[] => {
    const piece = { batch: open, earlier }
    open = new Batch(0)
    return piece.batch.size > 0 ? [piece] : []
  }
  for (const batch of batches) {
    if (!interval && open.size === 0) {
      if (batch.size > 0) yield { batch, earlier: undefined }
      continue
    }
    for (const [at, lines] of batch.lines.entries()) {
      const key = keyAt(batch.block, at)
      while (interval && compareKeys(key, interval.last) > 0) {
        if (earlier === interval) yield* take()
        interval = nextInterval()
      }
      const within = interval && compareKeys(key, interval.first) >= 0 ? interval : undefined
      if (within !== earlier) yield* take()
      earlier = within
      open.add(batch.block, at, lines)
    }
    if (!earlier) yield* take()
  }
  yield* take()
}

/** Settles some entries of a batch before it is sent, counts them, and returns the batch that is left to send. */
export type Stage = (batch: Batch, counting: Counting) => Promise<Batch>

/** Settles some entries that may have been sent, as a stage does; returns what is left to send, and what the run has stored. */
export type Resume = (batch: Batch, counting: Counting) => Promise<{ readonly left: Batch; readonly own: Batch }>

/** Describes entries that are journaled and about to be sent. */
export type JournaledInterval = {
  readonly id: number
  readonly batch: Batch
  readonly intent: Intent
  /** Tells whether an earlier part of the run may have sent them. */
  readonly isUnknown: boolean
  /** Counts the lines that the entries came from, with those of entries that had an outcome before. */
  readonly lines: number
  /** Holds what an earlier part of the run journaled in its place. */
  readonly earlier: Interval | undefined
}

/** Describes the outcome of entries of an interval that are not sent again, and the number of their lines. */
type Settled = { readonly tally: Tally; readonly lines: number }

/** Describes entries to journal and send. */
type Planned = Omit<JournaledInterval, 'id'>

export const countLines = ({ lines }: Batch): number =>
  lines.reduce<number>((total, one) => total + (typeof one === 'number' ? 1 : one.length), 0)

const NO_KEY: EntryKey = [0, 0, 0]

const boundsOf = ({ block, size }: Batch): Pick<Intent, 'first' | 'last'> =>
  size > 0 ? { first: keyAt(block, 0), last: keyAt(block, size - 1) } : { first: NO_KEY, last: NO_KEY }

/** Returns the places of the entries that are left after a stage; undefined if all are. */
const placesOf = (batch: Batch, left: Batch): readonly number[] | undefined => {
  if (left.size === batch.size) return undefined
  const kept = new Set(left.drafts)
  return batch.drafts.flatMap((draft, at) => (kept.has(draft) ? at : []))
}

/** Returns the tally of entries that must not be added twice and whose outcome nobody can tell. */
const lost = ({ lines }: Batch): Tally => {
  const tally = emptyTally()
  for (const line of lines) refuseLines(tally, line, [OUTCOME_UNKNOWN])
  return tally
}

/** Holds what planning an interval needs. */
type Planning = {
  readonly run: Run
  /** Names how the entries of new intervals are sent. */
  readonly way: DeliveryWay
  readonly stage: Stage
  /**
   * Settles what an earlier part of the run may have sent, where what others have stored since must stay; undefined where
   * it is just sent again.
   */
  readonly resume: Resume | undefined
  /** Notes what becomes of entries, also where an earlier part of the run has: others may have changed them since. */
  readonly note: (batch: Batch) => Promise<void>
}

/** Plans what an earlier part of the run may have sent, and of which nothing has changed. */
const planResumed = async (
  { run, resume }: Planning,
  { batch }: Piece,
  earlier: Interval,
): Promise<Planned | Settled> => {
  const lines = countLines(batch)
  const part = batch.part(earlier.places)
  const same: Planned = { batch: part, intent: earlier, isUnknown: true, lines, earlier }
  if (!resume) return same
  const [{ left, own }, tally] = await tallied((counting) => resume(part, counting))
  if (left.size === part.size) return same
  addTally(tally, earlier.stage)
  if (left.size === 0) {
    run.journal.intendAnew(earlier.id, { ...earlier, places: placesOf(batch, own) ?? earlier.places, stage: tally })
    run.journal.acknowledge(earlier.id, tally)
    return { tally, lines }
  }
  const intent = { ...earlier, places: placesOf(batch, left), stage: tally }
  return { batch: left, intent, isUnknown: false, lines, earlier }
}

/** Plans a piece that an earlier part of the run sent or was about to send. */
const planEarlier = async (planning: Planning, { batch }: Piece, earlier: Interval): Promise<Planned | Settled> => {
  const { run, way, stage } = planning
  const [digest, lines] = [digestOf(batch.block), countLines(batch)]
  if (earlier.digest === digest) {
    if (earlier.outcome) return { tally: earlier.outcome, lines }
    // Under other credentials the service does not recognize the Idempotency-Key of the earlier request.
    if (earlier.run !== run.journal.runId && run.isAdding && earlier.way === 'batch')
      return { tally: lost(batch), lines }
    return planResumed(planning, { batch, earlier }, earlier)
  }
  const { left, tally, isUnknown, kept } = await replan(run, batch, earlier, (fresh) =>
    tallied((counting) => stage(fresh, counting)),
  )
  if (left.size === 0) return { tally, lines }
  const places = batch.drafts.flatMap((draft, at) => (left.has(draft) ? [at] : []))
  const intent: Intent = {
    ...kept,
    count: batch.size,
    digest,
    way: earlier.outcome ? way : earlier.way,
    places,
    stage: tally,
    sentAt: isUnknown ? earlier.sentAt : run.clock.now(),
  }
  return { batch: batch.part(places), intent, isUnknown, lines, earlier }
}

const planNew = async ({ run, way, stage }: Planning, { batch }: Piece): Promise<Planned | Settled> => {
  const [left, tally] = await tallied((counting) => stage(batch, counting))
  const lines = countLines(batch)
  if (left.size === 0) return { tally, lines }
  const intent: Intent = {
    ...boundsOf(batch),
    count: batch.size,
    digest: digestOf(batch.block),
    samples: sampleKeys(batch.block),
    way,
    places: placesOf(batch, left),
    stage: tally,
    sentAt: run.clock.now(),
  }
  return { batch: left, intent, isUnknown: false, lines, earlier: undefined }
}

/** Journals the planned entries, and gives each interval its id. */
const writeDown = (journal: Journal, planned: readonly Planned[]): JournaledInterval[] => {
  const fresh = planned.filter(({ earlier }) => !earlier)
  const ids = fresh.length > 0 ? journal.intend(fresh.map(({ intent }) => intent)) : []
  return planned.map((one) => {
    const { earlier, intent } = one
    if (earlier && intent !== earlier) journal.intendAnew(earlier.id, intent)
    return { ...one, id: earlier?.id ?? ids.shift() ?? 0 }
  })
}

/**
 * Removes from the journal, and then from the undo receipt, an interval that was not sent after all; what an earlier
 * part of the run journaled is restored.
 */
export const withdraw = ({ journal, notes }: Run, { id, earlier, batch }: JournaledInterval): void => {
  if (!earlier) journal.withdraw([id])
  else journal.restore(earlier)
  if (notes.isWanted()) notes.withdraw(batch.drafts)
}

/** Holds what journaling intervals needs beside planning. */
type JournalAhead = Planning & {
  readonly journaledAhead: number
  /** Receives the outcome of entries that are not sent. */
  readonly onSettled: (tally: Tally, lines: number, entries: number) => void
  /** Tells that more is left, but the run stops. */
  readonly onStop: () => void
}

/**
 * Plans pieces, and journals the entries to send, some intervals ahead. What an earlier part of the run has finished is
 * counted and skipped. If the run is stopped it ends, and removes from the journal the intervals that the caller has
 * not received.
 */
export async function* journalIntervals(
  pieces: Iterable<Piece>,
  { journaledAhead, onSettled, onStop, ...planning }: JournalAhead,
): AsyncGenerator<JournaledInterval> {
  const { journal, signal } = planning.run
  let planned: Planned[] = []
  async function* flush(): AsyncGenerator<JournaledInterval> {
    planning.run.notes.sync()
    const written = writeDown(journal, planned)
    planned = []
    try {
      for (let one = written.shift(); one; one = signal.aborted ? undefined : written.shift()) yield one
      if (written.length > 0) onStop()
    } finally {
      const untaken = written.filter(({ isUnknown }) => !isUnknown)
      for (const one of untaken) withdraw(planning.run, one)
    }
  }
  for (const piece of pieces) {
    if (signal.aborted) {
      onStop()
      return
    }
    const { earlier } = piece
    const one = await (earlier ? planEarlier(planning, piece, earlier) : planNew(planning, piece))
    if (!('intent' in one)) onSettled(one.tally, one.lines, piece.batch.size)
    else {
      await planning.note(one.batch)
      planned.push(one)
    }
    if (planned.length >= journaledAhead) yield* flush()
  }
  if (planned.length > 0) yield* flush()
}
