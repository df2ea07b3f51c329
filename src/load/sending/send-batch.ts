import { KpiError } from '../../domain/errors.ts'
import type { BatchResult } from '../../domain/resources/entry.ts'
import type { Batch } from '../batch.ts'
import { digestOf } from '../journal/digest.ts'
import { type Doubt, doubtOfMany } from './doubt.ts'
import { patiently } from './patience.ts'
import { isPassing, isRefused, mayBeDone, reasonsOf } from './refusal.ts'
import { ENTERED_MEANWHILE, LOST, type Sending } from './sending.ts'
import { enteredMeanwhile, fatesOf, thereNow } from './settle.ts'
import { settleDoubt } from './settle-doubt.ts'
import { emptyTally, refuseLines, type Tally } from './tally.ts'

/** Thrown where a service turns out to have no way to take batches, at all or for now. */
export class NoBatches extends Error {
  override readonly name = 'NoBatches'
  /** Whether that is known well enough to be remembered. */
  readonly isLasting: boolean
  constructor(message: string, isLasting = true) {
    super(message)
    this.isLasting = isLasting
  }
}

/** Entries to send, and what has become of them so far. */
export type Sent = {
  batch: Batch
  readonly tally: Tally
  readonly sentAt: number
  /** Whether some of it may have been stored. */
  isTouched: boolean
}

/** So many entries refused one by one, and none taken, are not to blame themselves. */
const REFUSED_IN_VAIN = 20

export const pick = ({ drafts, lines }: Batch, places: readonly number[]): Batch => ({
  drafts: places.flatMap((at) => drafts[at] ?? []),
  lines: places.map((at) => lines[at] ?? 0),
})

export const countOf = (count: unknown): number => (Number.isSafeInteger(count) ? Math.max(0, Number(count)) : 0)

/** Counts what the service says of so many entries, as far as that adds up; all else of them was sent. */
export const countResult = (tally: Tally, result: BatchResult, count: number): void => {
  const created = countOf(result.rows_created)
  const updated = countOf(result.rows_updated)
  const unchanged = countOf(result.rows_unchanged)
  const told = created + updated + unchanged
  tally.sent += told > count ? count : count - told
  if (told > count) return
  tally.created += created
  tally.updated += updated
  tally.unchanged += unchanged
}

/** The entries that a refusal names, with the reasons; none where it is not about single entries. */
const namedBy = (error: KpiError, count: number): Map<number, string[]> => {
  const named = new Map<number, string[]>()
  for (const { index, field, message } of error.code === 'invalid' ? error.issues : []) {
    if (index === undefined) return new Map()
    if (index < count) named.set(index, [...(named.get(index) ?? []), `${field}: ${message}`])
  }
  return named
}

/** Counts those entries whose fate is known, and answers the others, which are to be sent. */
const settle = async (sending: Sending, sent: Sent, batch: Batch, isOfEarlier: boolean): Promise<Batch> => {
  const fates = await fatesOf(sending, batch.drafts, sent.sentAt)
  // What an earlier part of the run lost, as it was killed, says nothing of the service now.
  if (fates.includes('lost') && !isOfEarlier) sending.losses.note(true)
  const open = [...batch.drafts.keys()].filter((at) => fates[at] === 'open')
  const others = await enteredMeanwhile(sending, pick(batch, open).drafts)
  for (const [at, fate] of fates.entries()) {
    if (fate === 'there') sent.tally.sent += 1
    if (fate === 'lost') refuseLines(sent.tally, batch.lines[at] ?? 0, [LOST])
    if (others.has(batch.drafts[at])) refuseLines(sent.tally, batch.lines[at] ?? 0, [ENTERED_MEANWHILE])
  }
  return pick(
    batch,
    open.filter((at) => !others.has(batch.drafts[at])),
  )
}

export const isNoPath = (error: unknown): error is KpiError =>
  error instanceof KpiError && (error.code === 'not_found' || error.code === 'method_not_allowed')

/** Thrown for what was refused of a batch: what was not found to be there already. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: KpiError
  readonly batch: Batch
  constructor(refusal: KpiError, batch: Batch) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
    this.batch = batch
  }
}

/** What a request is named by: a service of somebody else may keep under a name what failed, too. */
const nameOf = ({ journal, isOurs }: Sending, { drafts }: Batch, tries: number): string =>
  `${journal.runId}-${digestOf(drafts)}${isOurs || tries === 0 ? '' : `-${tries}`}`

export const noteAnswer = ({ losses, knowledge }: Sending): void => {
  losses.note(false)
  if (knowledge.known().takesBatches !== true) knowledge.learn({ takesBatches: true })
}

/** Sends entries once, and counts them; answers why it is not known what became of them, where that is so. */
const post = async (sending: Sending, sent: Sent, { drafts }: Batch, name: string): Promise<Doubt | undefined> => {
  const answer = await sending.client.entries.putMany(drafts, name)
  sent.isTouched = true
  noteAnswer(sending)
  const doubt = doubtOfMany(sending, answer, drafts)
  if (!doubt) countResult(sent.tally, answer.counts, drafts.length)
  return doubt
}

/** Sends entries until there is an answer to all; where one was lost or is in doubt, it is found out what became of them. */
const sendOnce = async (sending: Sending, sent: Sent, all: Batch, isUnknown: boolean): Promise<void> => {
  let [batch, isLost, isOfEarlier, doubts] = [all, isUnknown, isUnknown, 0]
  let doubt: Doubt | undefined
  const settleAll = async (): Promise<void> => {
    if (doubt) batch = await settleDoubt(sending, sent.tally, batch, { doubt, isLast: doubts > 1 })
    else if (isLost) batch = await settle(sending, sent, batch, isOfEarlier)
    doubt = undefined
    isLost = isOfEarlier = false
  }
  await patiently(sending, async (tries) => {
    for (;;) {
      await settleAll()
      if (batch.drafts.length === 0) return
      try {
        doubt = await post(sending, sent, batch, nameOf(sending, batch, tries + doubts))
      } catch (error) {
        isLost = mayBeDone(error)
        sent.isTouched ||= isLost
        throw isRefused(error) || isNoPath(error) ? new Refused(error, batch) : error
      }
      if (!doubt) return
      doubts += 1
    }
  })
}

const halves = ({ drafts }: Batch): readonly [number[], number[]] => {
  const [places, middle] = [[...drafts.keys()], Math.ceil(drafts.length / 2)]
  return [places.slice(0, middle), places.slice(middle)]
}

/**
 * Counts what is there of a batch that was refused: a service of somebody else may have stored all but what it refused,
 * and would make doubles of it.
 */
const withoutStored = async (sending: Sending, sent: Sent, batch: Batch): Promise<Batch> => {
  if (sending.isOurs || batch.drafts.length === 0) return batch
  const there = await patiently(sending, () => thereNow(sending, batch.drafts))
  sent.tally.sent += there.size
  sent.isTouched ||= there.size > 0
  return pick(
    batch,
    batch.drafts.flatMap((draft, at) => (there.has(draft) ? [] : at)),
  )
}

const inVain = ({ code, message }: KpiError): KpiError =>
  new KpiError(code, `the service refuses one entry after the other, and has taken none: ${message}`)

/** Sends what is left of a batch that was refused: without those that were named, or by halves. */
const divide = async (sending: Sending, sent: Sent, { refusal, batch }: Refused): Promise<void> => {
  const named = namedBy(refusal, batch.drafts.length)
  for (const [at, reasons] of named) refuseLines(sent.tally, batch.lines[at] ?? 0, reasons)
  if (named.size > 0) {
    const rest = [...batch.drafts.keys()].filter((at) => !named.has(at))
    return sendPart(sending, sent, await withoutStored(sending, sent, pick(batch, rest)), false)
  }
  if (batch.drafts.length === 1) {
    if (!sent.isTouched && sent.tally.refused.length >= REFUSED_IN_VAIN) throw inVain(refusal)
    refuseLines(sent.tally, batch.lines[0] ?? 0, reasonsOf(refusal))
    return
  }
  // What is too large to be read is not stored.
  const left = refusal.code === 'too_large' ? batch : await withoutStored(sending, sent, batch)
  for (const half of halves(left)) await sendPart(sending, sent, pick(left, half), false)
}

/** Whether a refusal says that there is no way to take batches; where one was taken before, it says something else. */
const saysNoBatches = ({ knowledge }: Sending, { refusal }: Refused): boolean =>
  isNoPath(refusal) && knowledge.known().takesBatches !== true

/** Fewer entries than that are not too many for any service. */
const NEVER_TOO_MANY = 100

/** Whether a batch may be too large for what is between here and a service of somebody else: its answer is always lost. */
const mayBeTooMuch = ({ isOurs, signal }: Sending, { drafts }: Batch, error: unknown): boolean =>
  !isOurs && !signal.aborted && drafts.length > NEVER_TOO_MANY && isPassing(error) && mayBeDone(error)

const sendPart = async (sending: Sending, sent: Sent, batch: Batch, isUnknown: boolean): Promise<void> => {
  const { trial } = sending
  const sendHalves = async (isSent: boolean): Promise<void> => {
    for (const half of halves(batch)) await sendPart(sending, sent, pick(batch, half), isSent)
  }
  if (batch.drafts.length === 0) return
  if (batch.drafts.length > trial.most) return sendHalves(isUnknown)
  try {
    await sendOnce(sending, sent, batch, isUnknown)
  } catch (error) {
    if (mayBeTooMuch(sending, batch, error)) {
      trial.most = Math.ceil(batch.drafts.length / 2)
      return sendHalves(true)
    }
    if (!(error instanceof Refused)) throw error
    const { refusal } = error
    if (saysNoBatches(sending, error)) throw new NoBatches(refusal.message)
    if (!isRefused(refusal)) throw error.refusal
    await divide(sending, sent, error)
  }
}

/**
 * Sends entries together. Those that are refused are dropped and the rest is sent again, until it is taken; a refusal
 * that names nobody is tried by halves. What each request is named by follows from what it holds, so that a run that goes
 * on divides in the same way, and our own service knows each part again.
 */
export const sendBatch = (sending: Sending, sent: Sent, isUnknown: boolean): Promise<void> =>
  sendPart(sending, sent, sent.batch, isUnknown)

/** What is about to be sent, of which nothing has become anything yet. */
export const unsent = (batch: Batch, sentAt: number, isTouched: boolean): Sent => ({
  batch,
  tally: emptyTally(),
  sentAt,
  isTouched,
})
