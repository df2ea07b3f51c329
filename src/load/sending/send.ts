import { KpiError } from '../../domain/errors.ts'
import { BATCH_LIMIT } from '../../domain/resources/entry.ts'
import { Stopped } from '../../client/stopped.ts'
import { chooseFrom } from '../standing/choose.ts'
import { countedBatches } from './entries-left.ts'
import { inFlight } from './in-flight.ts'
import { countLines, type Intended, intendAll, takeBack } from './intend.ts'
import type { Journal } from '../journal/journal.ts'
import { JournalFault } from '../journal/fault.ts'
import { knowledgeOf } from './learned.ts'
import type { Load } from '../import.ts'
import { createLosses, mustAnswer } from './losses.ts'
import { alongIntervals } from './pieces.ts'
import { tooManyRejected } from '../max-errors.ts'
import type { Prepared } from '../prepare.ts'
import { NoBatches, sendBatch, unsent } from './send-batch.ts'
import { sendOnes } from './send-ones.ts'
import type { Sending } from './sending.ts'
import { createBeliefs } from './beliefs.ts'
import { tryBatches } from './try-batches.ts'
import { standingNow } from '../standing/standing.ts'
import { addTally, countTally, emptyTally, type Tally } from './tally.ts'

/** How far sending came: how many entries are left, and why, where that is not that it was asked to stop. */
export type Sent = {
  readonly left: number
  readonly failure: KpiError | undefined
  /** Whether everything has come to an end; too many rows may have been rejected all the same. */
  readonly isWhole: boolean
}

/** So many batches are under way at a time: while one is stored, others are on their way. */
const UNDER_WAY = 3

const sendingOf = (
  { client, clock, options, learnedPath }: Load,
  prepared: Prepared,
  { journal, signal, touch }: Pick<Sending, 'journal' | 'signal' | 'touch'>,
): Sending => {
  const { reference, standing } = prepared
  return {
    client,
    // By now the service has answered what rows refer to.
    isOurs: client.isOurs(),
    isAdding: options.onConflict === 'add',
    keepsOthers: options.onConflict === 'skip' || options.onConflict === 'error',
    touch,
    clock,
    signal,
    journal,
    knowledge: knowledgeOf(client.isOurs() ? undefined : learnedPath, clock.now),
    losses: createLosses(),
    beliefs: createBeliefs(),
    trial: { isOver: false, isUntrue: false, isLost: false, most: BATCH_LIMIT },
    reference,
    standing,
    now: standingNow(client, reference),
  }
}

/** Takes what became of so many entries, which came from so many lines. */
type Sink = (tally: Tally, lines: number, entries: number) => void

/** Sends an interval by single entries, each counted as it comes to its end. */
const sendByOnes = async (sending: Sending, { id, batch, intent, lines }: Intended, sink: Sink): Promise<void> => {
  const all = emptyTally()
  addTally(all, intent.stage)
  sink(intent.stage, lines - countLines(batch), intent.count - batch.drafts.length)
  let open = batch.drafts.length
  await sendOnes(sending, id, batch, (tally, some) => {
    addTally(all, tally)
    open -= 1
    sink(tally, some, 1)
  })
  if (open > 0) throw new Stopped('stopped')
  sending.journal.acknowledge(id, all)
}

/** Sends an interval as one batch; what surely was not sent is not written down any more. */
const sendTogether = async (sending: Sending, intended: Intended, sink: Sink): Promise<void> => {
  const { id, batch, intent, isUnknown } = intended
  const sent = unsent(batch, intent.sentAt, isUnknown)
  try {
    if (!isUnknown) mustAnswer(sending.losses, 'batches')
    await tryBatches(sending, intended, sent)
    await sendBatch(sending, sent, isUnknown)
  } catch (error) {
    if (sent.isTouched) sending.touch()
    if (!sent.isTouched && !(error instanceof NoBatches)) takeBack(sending.journal, intended)
    throw error
  }
  addTally(sent.tally, intent.stage)
  sending.journal.acknowledge(id, sent.tally)
  sink(sent.tally, intended.lines, intent.count)
}

/** Sends an interval as the service takes entries. */
const sendInterval = async (sending: Sending, intended: Intended, sink: Sink): Promise<void> => {
  const { knowledge, journal, trial } = sending
  const { intent, id } = intended
  if (intent.way === 'one') return sendByOnes(sending, intended, sink)
  try {
    // Of entries that a batch was tried with, only by themselves can a second one be told from what was there.
    const isAlone = !intended.isUnknown || journal.ones(id).length > 0
    if ((knowledge.known().takesBatches === false || trial.isLost) && isAlone) throw new NoBatches('known', false)
    await sendTogether(sending, intended, sink)
  } catch (error) {
    if (!(error instanceof NoBatches)) throw error
    if (error.isLasting) knowledge.learn({ takesBatches: false })
    const byOnes = { ...intent, way: 'one' } as const
    journal.intendAnew(id, byOnes)
    await sendByOnes(sending, { ...intended, intent: byOnes }, sink)
  }
}

/** Whether the run ends with what has been done: whatever is refused or fails then, that is told. */
const failureOf = (error: unknown, isBegun: boolean): KpiError => {
  if (!(error instanceof KpiError) || !isBegun) throw error
  // Without a journal nothing may be sent; once that is mended, the same command goes on.
  return error instanceof JournalFault ? new KpiError('unavailable', error.message, { cause: error }) : error
}

/** Sends all good rows of a file, and counts what became of them. */
export const sendAll = async (work: Load, prepared: Prepared, journal: Journal): Promise<Sent> => {
  const total = prepared.good
  const givingUp = new AbortController()
  const batches = countedBatches(prepared.batches())
  let [done, ended, isStopped, isTouched] = [0, 0, false, false]
  const sending = sendingOf(work, prepared, {
    journal,
    signal: AbortSignal.any([work.signal, givingUp.signal]),
    touch: () => (isTouched = true),
  })
  let tooMany: KpiError | undefined
  const sink: Sink = (tally, lines, entries) => {
    countTally(prepared, tally)
    done += lines
    ended += entries
    tooMany ??= tooManyRejected(prepared.rejects, prepared.summary, work.options.maxErrors)
    if (tooMany) givingUp.abort()
    work.onProgress({ phase: 'send', done, total })
  }
  const intended = intendAll(sending, alongIntervals(batches, journal), {
    stage: async (batch, counting) => (await chooseFrom(batch, { ...prepared, ...counting })).left,
    onSettled: sink,
    onStop: () => (isStopped = true),
  })
  // The first goes alone: it finds out whether batches are taken, and whether anything is.
  const { knowledge, losses } = sending
  // So does one after an answer that was lost, so that no more are than has to be.
  const room = (): number => (knowledge.known().takesBatches === true && losses.inARow() === 0 ? UNDER_WAY : 1)
  try {
    await inFlight(intended, room, (one) => sendInterval(sending, one, sink))
  } catch (error) {
    if (!(error instanceof Stopped)) {
      const isBegun = done > 0 || isTouched || prepared.summary.assigned > 0
      return { failure: failureOf(error, isBegun), left: batches.entries() - ended, isWhole: false }
    }
    isStopped = true
  }
  const left = batches.entries() - ended
  // Rows may be rejected by their place in the file after all else has come to its end.
  tooMany ??= tooManyRejected(prepared.rejects, prepared.summary, work.options.maxErrors)
  return { left, failure: tooMany, isWhole: !isStopped }
}
