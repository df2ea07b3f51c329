import { mayBeDone } from '../../client/transport.ts'
import { isRefused, type KpiError, reasonsOf } from '../../domain/errors.ts'
import { RELIED_ON_MS } from '../../client/retry.ts'
import type { BatchResult } from '../../domain/resources/entry.ts'
import type { ExistingEntries } from '../existing/existing-entries.ts'
import { digestOf } from '../../runs/entries/digest.ts'
import { addTally, countResult, emptyTally, refuseLines, type Tally } from '../../runs/entries/tally.ts'
import type { Batch } from '../../reading/rows/batches.ts'
import { requireCounts } from '../../client/operations/batch-answer.ts'
import { type Delivery, OUTCOME_UNKNOWN, type Run, type Sink } from './delivery.ts'
import { endIfAllRefused, isNoPath, reasonsByPlace } from './refusal.ts'
import { endIfAnswersAreLost, withRetries } from './retry.ts'
import { type JournaledInterval, withdraw } from './write-ahead.ts'

/** Describes entries to send, and their outcome so far. */
type SentBatch = {
  readonly journaled: JournaledInterval
  readonly tally: Tally
  /** Is true once any part may have been stored. */
  isTouched: boolean
  /** Is true once an answer was lost, so that what is refused then may be stored. */
  isLost: boolean
  /** Is true once it was halved, as the service refused it without a word of which entries are bad. */
  isHalved: boolean
  /** Finds what is stored now. */
  readonly now: Pick<ExistingEntries, 'of'>
}

/** Thrown for a batch that the service refused because of its contents. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: KpiError
  constructor(refusal: KpiError) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/**
 * Tells whether entries may be sent again after their answer was lost: under the same Idempotency-Key they are stored
 * only once, and setting an entry twice does no harm.
 */
const maySendAgain = ({ isAdding, clock }: Run, { journaled: { intent } }: SentBatch): boolean =>
  !isAdding || clock.now() - intent.sentAt < RELIED_ON_MS

/**
 * Takes a batch out of the receipt if its repeated answer is that of an earlier part of the run, whose receipt has it. The
 * answer may also be that of a lost request of this part: reading the stored entries tells which.
 */
const settleNotes = async (run: Run, { journaled, now }: SentBatch, replayed: Batch): Promise<void> => {
  if (!run.notes.isWanted()) return
  const stored = await withRetries(run, () => now.of(replayed.drafts))
  if (stored) run.notes.settleReplayed(journaled.batch.drafts, replayed.drafts, stored)
}

/**
 * Sends a batch under its Idempotency-Key until there is an answer; returns undefined if the answer was lost and the
 * batch may not be sent again.
 */
const post = async (run: Run, sent: SentBatch, batch: Batch, isUnknown: boolean): Promise<BatchResult | undefined> => {
  const name = `${run.journal.runId}-${digestOf(batch.block)}`
  let isLost = isUnknown
  const answer = await withRetries(run, async () => {
    if (isLost && !maySendAgain(run, sent)) return undefined
    try {
      const answer = await run.client.entries.putMany(batch.block, name, run.kept)
      sent.isTouched = true
      requireCounts(answer, batch.size)
      return answer
    } catch (error) {
      isLost = mayBeDone(error)
      sent.isTouched ||= isLost
      sent.isLost ||= isLost
      // A missing path says nothing about what was sent.
      throw isRefused(error) && !isNoPath(error) ? new Refused(error) : error
    }
  })
  if (sent.journaled.isUnknown && answer?.isReplayed === true) await settleNotes(run, sent, batch)
  // Take a batch that changed nothing out of the receipt: another client has stored the same values first.
  else if (answer && run.notes.isWanted() && isAllUnchanged(answer.counts, batch))
    run.notes.refuse(sent.journaled.batch.drafts, batch.drafts)
  return answer?.counts
}

const isAllUnchanged = ({ rows_unchanged }: BatchResult, { size }: Batch): boolean => rows_unchanged === size

/**
 * Journals the part of a batch that is left to send after the service has refused the others: a continued run then knows
 * that this part was stored as a whole or not at all.
 */
const journalRest = ({ journal }: Run, { journaled, tally }: SentBatch, rest: Batch): void => {
  const { id, intent, batch } = journaled
  const left = new Set(rest.drafts)
  const places = batch.drafts.flatMap((draft, at) => (left.has(draft) ? (intent.places?.[at] ?? at) : []))
  const stage = emptyTally()
  for (const part of [intent.stage, tally]) addTally(stage, part)
  journal.intendAnew(id, { ...intent, places, stage })
}

/** Sends the rest of a refused batch: without the entries that the refusal names, or in halves if it names none. */
const divide = async (run: Run, sent: SentBatch, batch: Batch, refusal: KpiError): Promise<void> => {
  const { tally } = sent
  const places = [...batch.lines.keys()]
  const named = reasonsByPlace(refusal, places.length)
  for (const [at, reasons] of named) refuseLines(tally, batch.lines[at] ?? 0, reasons)
  const isAlone = named.size === 0 && places.length === 1
  const refused = batch.drafts.filter((_, at) => isAlone || named.has(at))
  if (!sent.isLost && run.notes.isWanted()) run.notes.refuse(sent.journaled.batch.drafts, refused)
  if (named.size > 0) {
    const rest = batch.where((at) => !named.has(at))
    if (!sent.isHalved) journalRest(run, sent, rest)
    return sendPart(run, sent, rest, false)
  }
  if (isAlone) {
    if (!sent.isTouched) endIfAllRefused(tally, refusal)
    refuseLines(tally, batch.lines[0] ?? 0, reasonsOf(refusal))
    return
  }
  sent.isHalved = true
  const middle = Math.ceil(places.length / 2)
  for (const half of [places.slice(0, middle), places.slice(middle)]) await sendPart(run, sent, batch.part(half), false)
}

const sendPart = async (run: Run, sent: SentBatch, batch: Batch, isUnknown: boolean): Promise<void> => {
  if (batch.size === 0) return
  try {
    const result = await post(run, sent, batch, isUnknown)
    run.lostAnswers.note(result === undefined)
    if (result) countResult(sent.tally, result, batch.size)
    else run.touch()
    if (!result) for (const line of batch.lines) refuseLines(sent.tally, line, [OUTCOME_UNKNOWN])
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await divide(run, sent, batch, error.refusal)
  }
}

/**
 * Sends an interval as one batch. If it fails and nothing of it can have been stored, the interval is removed from the
 * journal.
 */
const deliver = async (run: Run, now: SentBatch['now'], journaled: JournaledInterval, sink: Sink): Promise<void> => {
  const { id, batch, intent, isUnknown, lines } = journaled
  const sent: SentBatch = {
    journaled,
    tally: emptyTally(),
    isTouched: isUnknown,
    isLost: isUnknown,
    isHalved: false,
    now,
  }
  try {
    if (!isUnknown) endIfAnswersAreLost(run.lostAnswers, 'batches')
    await sendPart(run, sent, batch, isUnknown)
  } catch (error) {
    if (sent.isTouched) run.touch()
    else withdraw(run, journaled)
    throw error
  }
  addTally(sent.tally, intent.stage)
  run.journal.acknowledge(id, sent.tally)
  sink(sent.tally, lines, intent.count)
}

/**
 * Bounds the intervals journaled at a time: objects that wait long cost time, because the garbage collector moves each
 * of them.
 */
const JOURNALED_AHEAD = 4

/**
 * Creates the delivery to the bundled service, whose answers are believed. If it refuses entries, they are dropped and
 * the rest is sent again; if it names none, the batch is halved. Each Idempotency-Key derives from the content of its
 * request, so a continued run divides batches in the same way and repeats the same keys, and nothing is stored twice.
 */
export const createBundledDelivery = (run: Run, now: Pick<ExistingEntries, 'of'>): Delivery => ({
  way: 'batch',
  journaledAhead: JOURNALED_AHEAD,
  // The first interval goes alone, to find out whether the service accepts anything.
  mayOverlap: run.hasBegun,
  deliver: (journaled, sink) => deliver(run, now, journaled, sink),
})
