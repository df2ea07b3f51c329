import type { PutMany } from '../../client/operations/entries.ts'
import { KpiError } from '../../domain/errors.ts'
import type { BatchResult } from '../../domain/resources/entry.ts'
import { digestOf } from '../journal/digest.ts'
import { countResult, emptyTally, refuseLines, type Tally } from '../journal/tally.ts'
import type { Batch } from '../rows/batches.ts'
import { doubtOfBatch } from '../third-party/response-check.ts'
import { LOST, type Sending } from './delivery.ts'
import { isNoPath, isRefused, mayBeDone, reasonsByPlace, reasonsOf, refusedInVain } from './refusal.ts'
import { mustAnswer, patiently } from './retry.ts'

/** Entries to send, and what has become of them so far. */
type Sent = {
  readonly batch: Batch
  readonly tally: Tally
  readonly sentAt: number
  /** Tells that some of it may have been stored. */
  isTouched: boolean
}

/** Bounds how long a request is sent again under its name: the service knows it for a day, an hour of which is left for the way. */
const RELIED_ON_MS = 23 * 3_600_000

const pick = ({ drafts, lines }: Batch, places: readonly number[]): Batch => ({
  drafts: places.flatMap((at) => drafts[at] ?? []),
  lines: places.map((at) => lines[at] ?? 0),
})

/** Thrown for a batch that was refused for what it holds. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: KpiError
  constructor(refusal: KpiError) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
  }
}

/**
 * Tells whether entries whose answer was lost may be sent again: under the same name they are stored once, and an entry
 * that is only set may be set again.
 */
const maySendAgain = ({ isAdding, clock }: Sending, { sentAt }: Sent): boolean =>
  !isAdding || clock.now() - sentAt < RELIED_ON_MS

/** Refuses an answer that something else than the service has given: the same request is asked again for the true one. */
const mustCount = (answer: PutMany, count: number): void => {
  const doubt = doubtOfBatch(answer, count)
  if (!doubt) return
  throw new KpiError('unavailable', `the service answered ${doubt.answered} to a batch`, { mayBeDone: true })
}

/** Sends a batch under its name until there is an answer. */
const post = (sending: Sending, sent: Sent, batch: Batch, isUnknown: boolean): Promise<BatchResult | undefined> => {
  const name = `${sending.journal.runId}-${digestOf(batch.drafts)}`
  let isLost = isUnknown
  return patiently(sending, async () => {
    if (isLost && !maySendAgain(sending, sent)) return undefined
    try {
      const answer = await sending.client.entries.putMany(batch.drafts, name)
      sent.isTouched = true
      mustCount(answer, batch.drafts.length)
      return answer.counts
    } catch (error) {
      isLost = mayBeDone(error)
      sent.isTouched ||= isLost
      // A path that is not there says nothing of what was sent.
      throw isRefused(error) && !isNoPath(error) ? new Refused(error) : error
    }
  })
}

/** Sends what is left of a batch that was refused: without the entries that were named, or by halves. */
const divide = async (sending: Sending, sent: Sent, batch: Batch, refusal: KpiError): Promise<void> => {
  const { tally } = sent
  const places = [...batch.drafts.keys()]
  const named = reasonsByPlace(refusal, places.length)
  for (const [at, reasons] of named) refuseLines(tally, batch.lines[at] ?? 0, reasons)
  if (named.size > 0)
    return sendPart(
      sending,
      sent,
      pick(
        batch,
        places.filter((at) => !named.has(at)),
      ),
      false,
    )
  if (places.length === 1) {
    if (!sent.isTouched) refusedInVain(tally, refusal)
    refuseLines(tally, batch.lines[0] ?? 0, reasonsOf(refusal))
    return
  }
  const middle = Math.ceil(places.length / 2)
  for (const half of [places.slice(0, middle), places.slice(middle)])
    await sendPart(sending, sent, pick(batch, half), false)
}

const sendPart = async (sending: Sending, sent: Sent, batch: Batch, isUnknown: boolean): Promise<void> => {
  if (batch.drafts.length === 0) return
  try {
    const result = await post(sending, sent, batch, isUnknown)
    sending.lostAnswers.note(result === undefined)
    if (result) countResult(sent.tally, result, batch.drafts.length)
    else for (const line of batch.lines) refuseLines(sent.tally, line, [LOST])
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await divide(sending, sent, batch, error.refusal)
  }
}

/**
 * Sends entries to the bundled service, which is believed. Those that are refused are dropped and the rest is sent again,
 * until it is taken; a refusal that names nobody is tried by halves. What each request is named by follows from what it
 * holds, so that a run that goes on divides in the same way, and the service knows each part again.
 */
export const sendToBundled = async (sending: Sending, sent: Sent, isUnknown: boolean): Promise<void> => {
  if (!isUnknown) mustAnswer(sending.lostAnswers, 'batches')
  await sendPart(sending, sent, sent.batch, isUnknown)
}

/** Makes a batch that was written down and not sent yet. */
export const unsent = (batch: Batch, sentAt: number, isTouched: boolean): Sent => ({
  batch,
  tally: emptyTally(),
  sentAt,
  isTouched,
})
