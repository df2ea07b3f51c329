import { Stopped } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import { sendToBundled, unsent } from './delivery/bundled.ts'
import type { Sending, Sink } from './delivery/delivery.ts'
import { inFlight } from './delivery/in-flight.ts'
import { createLostAnswers } from './delivery/retry.ts'
import { alongIntervals, countLines, intendAll, type Intended, takeBack } from './delivery/write-ahead.ts'
import type { Standing, StoredEntry } from './existing/existing-entries.ts'
import { chooseFrom, readsFirst } from './existing/planned-action.ts'
import { standingAhead } from './existing/prefetch.ts'
import type { Load } from './import-types.ts'
import type { Journal } from './journal/journal.ts'
import { JournalFault } from './journal/lock.ts'
import { addTally, countTally } from './journal/tally.ts'
import { tooManyRejected } from './max-errors.ts'
import type { Prepared } from './prepare.ts'
import type { Batch } from './rows/batches.ts'
import { addToThirdParty } from './third-party/add-entries.ts'
import { openCapabilities } from './third-party/capabilities.ts'
import { holds } from './third-party/matching.ts'
import { sendToThirdParty } from './third-party/third-party.ts'

/** Batches as they are asked for, and at any time how many entries all of them come to. */
type CountedBatches = Iterable<Batch> & { readonly entries: () => number }

/**
 * Counts the entries of batches, which is not the number of rows: a key that stands in a file more than once comes to
 * one entry or none, and that is found out only as its batch is cut. So the rest is gone through once it is asked.
 */
export const countedBatches = (batches: Iterator<Batch>): CountedBatches => {
  let entries = 0
  const next = (): IteratorResult<Batch> => {
    const result = batches.next()
    if (result.done !== true) entries += result.value.drafts.length
    return result
  }
  return {
    // There is no way to end it, so that the rest is there, however far it was gone through.
    [Symbol.iterator]: () => ({ next }),
    entries: () => {
      while (next().done !== true);
      return entries
    },
  }
}

/** How far sending came: how many entries are left, and why, where that is not that it was asked to stop. */
export type Sent = {
  readonly left: number
  readonly failure: KpiError | undefined
  /** Whether everything has come to an end; too many rows may have been rejected all the same. */
  readonly isWhole: boolean
}

/** So many batches are under way at a time: while one is stored, others are on their way. */
const UNDER_WAY = 3

/** Reads what is stored before anything is sent: all that the file speaks of at once, where it is not updated unseen. */
const standingBefore = ({ client, options }: Load, { standing, readAhead }: Prepared): Standing => {
  if (client.isOurs() || options.onConflict === 'add' || readsFirst(options)) return standing
  let ahead: Standing | undefined
  return {
    of: async (drafts) => {
      try {
        return await (ahead ??= readAhead()).of(drafts)
      } catch (error) {
        // What failed is read anew where it is asked for again.
        ahead = undefined
        throw error
      }
    },
    close: () => ahead?.close(),
  }
}

/** Reads what is stored now in few requests: what a report does not show as it would be sent is looked up in the list. */
const standingAfter = ({ client, folder }: Load, { reference }: Prepared): Standing => ({
  of: async (drafts) => {
    const isUnsure = (draft: EntryDraft, stored: StoredEntry): boolean => !holds(reference, stored, draft)
    const standing = standingAhead({ client, reference, folder, drafts: () => drafts, isUnsure })
    try {
      return await standing.of(drafts)
    } finally {
      standing.close()
    }
  },
  close: () => undefined,
})

/** Tells of each thing once. */
const remarking = (warn: Load['onWarning']): Sending['remark'] => {
  const told = new Set<string>()
  return (about, text) => {
    if (!told.has(about)) warn(text)
    told.add(about)
  }
}

const sendingOf = (
  work: Load,
  prepared: Prepared,
  { journal, signal, touch }: Pick<Sending, 'journal' | 'signal' | 'touch'>,
): Sending => {
  const { client, clock, options, learnedPath } = work
  const { reference } = prepared
  // By now the service has answered what rows refer to.
  const isBundled = client.isOurs()
  return {
    client,
    isBundled,
    isAdding: options.onConflict === 'add',
    keepsOthers: options.onConflict === 'skip' || options.onConflict === 'error',
    touch,
    clock,
    signal,
    journal,
    capabilities: openCapabilities(isBundled ? undefined : learnedPath, clock.now),
    lostAnswers: createLostAnswers(),
    reference,
    remark: remarking(work.onWarning),
    standing: standingBefore(work, prepared),
    now: standingAfter(work, prepared),
  }
}

/** Sends an interval to the bundled service as one batch; what surely was not sent is not written down any more. */
const sendBatch = async (sending: Sending, intended: Intended, sink: Sink): Promise<void> => {
  const { id, batch, intent, isUnknown, lines } = intended
  const sent = unsent(batch, intent.sentAt, isUnknown)
  try {
    await sendToBundled(sending, sent, isUnknown)
  } catch (error) {
    if (sent.isTouched) sending.touch()
    else takeBack(sending.journal, intended)
    throw error
  }
  addTally(sent.tally, intent.stage)
  sending.journal.acknowledge(id, sent.tally)
  sink(sent.tally, lines, intent.count)
}

/** Sends an interval to a third-party service, each part counted as it comes to its end. */
const sendReconciled = async (sending: Sending, intended: Intended, sink: Sink): Promise<void> => {
  const { id, batch, intent, lines, isUnknown } = intended
  let isTouched = isUnknown
  const touching = {
    ...sending,
    touch: () => {
      isTouched = true
      sending.touch()
    },
  }
  try {
    const send = sending.isAdding ? addToThirdParty : sendToThirdParty
    const { all } = await send(touching, intended, sink)
    sink(intent.stage, lines - countLines(batch), intent.count - batch.drafts.length)
    addTally(all, intent.stage)
    sending.journal.acknowledge(id, all)
  } catch (error) {
    if (isTouched) sending.touch()
    else takeBack(sending.journal, intended)
    throw error
  }
}

/** Sends an interval as the service takes entries. */
const sendInterval = (sending: Sending, intended: Intended, sink: Sink): Promise<void> =>
  sending.isBundled ? sendBatch(sending, intended, sink) : sendReconciled(sending, intended, sink)

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
  // The first goes alone: it finds out whether batches are taken, and whether anything is. So does one after an answer that
  // was lost and cannot be read back.
  const { capabilities, lostAnswers, isBundled } = sending
  const mayGoTogether = (): boolean =>
    (isBundled ? isTouched || done > 0 : capabilities.known().takesBatches === true) && lostAnswers.inARow() === 0
  const room = (): number => (mayGoTogether() ? UNDER_WAY : 1)
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
