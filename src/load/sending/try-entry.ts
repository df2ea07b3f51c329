import { Stopped } from '../../client/stopped.ts'
import type { PutMany } from '../../client/entries.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { digestOf } from '../journal/digest.ts'
import { keyOf } from '../journal/key.ts'
import { storedKey, type StoredEntry } from '../standing/standing.ts'
import { holds, mayHold } from './held.ts'
import type { Intended } from './intend.ts'
import { lookAgain } from './look-again.ts'
import { patiently } from './patience.ts'
import { isRefused, isUnreadable, mayBeDone } from './refusal.ts'
import { countOf, isNoPath, NoBatches, noteAnswer, type Sent } from './send-batch.ts'
import type { Sending } from './sending.ts'

/** An entry is posted so often, where answers are lost. */
const MOST_POSTS = 6
/** So often one that is there is posted again as often, where too few answers came to tell what that does. */
const MORE_ROUNDS = 2
const PAUSE = 1000

/** What is there of an entry. */
type Seen = Pick<StoredEntry, 'ids'> & { readonly entry?: StoredEntry | undefined }

/** The same; undefined where that cannot be read. */
const seenOf = async (sending: Sending, draft: EntryDraft): Promise<Seen | undefined> => {
  try {
    const stored = await patiently(sending, () => sending.now.of([draft]))
    const entry = stored?.get(storedKey(...keyOf(draft)))
    return stored && { ids: entry?.ids ?? [], entry }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Whether an entry is there with other values: only then it shows whether a batch changes what is there. */
export const isThereOtherwise = async (sending: Sending, draft: EntryDraft): Promise<boolean> => {
  const seen = await seenOf(sending, draft)
  return seen?.entry !== undefined && !holds(sending.reference, seen.entry, draft)
}

/** Sends an entry as a batch of its own; undefined where the answer was lost. */
const post = (sending: Sending, sent: Sent, draft: EntryDraft, name: string): Promise<PutMany | undefined> =>
  patiently(sending, async (tries) => {
    try {
      const result = await sending.client.entries.putMany([draft], `${name}-${tries}`)
      sent.isTouched = true
      noteAnswer(sending)
      return result
    } catch (error) {
      if (!mayBeDone(error)) throw error
      sent.isTouched = true
      return undefined
    }
  })

/** Whether the service says that it has changed what was there, or left it as it was. */
const saysUpdated = ({ counts: { rows_created, rows_updated, rows_unchanged } }: PutMany): boolean =>
  countOf(rows_created) === 0 && countOf(rows_updated) + countOf(rows_unchanged) > 0

/** The answers to an entry that was sent until it would be there twice, if the service makes doubles. */
const postTwice = async (
  sending: Sending,
  sent: Sent,
  draft: EntryDraft,
  enough: number,
): Promise<(PutMany | undefined)[]> => {
  const { journal, clock, signal } = sending
  const name = `${journal.runId}-${digestOf([draft])}-${clock.now()}`
  const results: (PutMany | undefined)[] = []
  for (let posts = 0; posts < MOST_POSTS && !signal.aborted; posts += 1) {
    const result = await post(sending, sent, draft, `${name}-${posts}`)
    results.push(result)
    if (results.filter(Boolean).length === enough || (result && saysUpdated(result))) break
    if (!result) await clock.sleep(PAUSE, signal)
  }
  return results
}

/**
 * What came of an entry that was tried; it tells nothing where it is refused, or all answers are lost and it is not there.
 * What was answered well may not be there all the same.
 */
export type Tried =
  | 'unreadable'
  | 'unseen'
  | 'refused'
  | 'lost'
  | 'doubles'
  | { readonly first: PutMany | undefined; readonly isIn: boolean }

/** Whether what is there may be what was sent, as far as services round. */
const mayBeIn = ({ reference }: Sending, stored: StoredEntry, draft: EntryDraft): boolean =>
  holds(reference, stored, draft) || mayHold(stored, draft)

/** What came of an entry that is posted, of which so many were there before, until a second one would be seen. */
const postTellingly = async (sending: Sending, sent: Sent, draft: EntryDraft, before: number): Promise<Tried> => {
  const isDoubled = (now: Seen): boolean => now.ids.length > Math.max(1, before)
  let first: PutMany | undefined
  for (let round = 0, enough = before > 0 ? 1 : 2; ; round += 1, enough = 1) {
    const results = await postTwice(sending, sent, draft, enough)
    if (round === 0) [first] = results
    if (sending.signal.aborted) throw new Stopped('stopped')
    const isTold = results.some((one) => one && saysUpdated(one))
    const isEnough = (now: Seen | undefined): boolean =>
      !now || isDoubled(now) || (isTold && now.entry !== undefined && mayBeIn(sending, now.entry, draft))
    const seen = await lookAgain(sending, () => seenOf(sending, draft), isEnough)
    if (seen && isDoubled(seen)) return 'doubles'
    if (!seen && isTold) return { first, isIn: true }
    const isAnswered = isTold || results.filter(Boolean).length >= enough
    if (!seen?.entry || !mayBeIn(sending, seen.entry, draft)) return seen && isAnswered ? 'unseen' : 'lost'
    // What is there may have come of the last one alone. But a service whose answers nobody can read is one, too.
    if (isAnswered || round === MORE_ROUNDS) return { first, isIn: holds(sending.reference, seen.entry, draft) }
  }
}

/**
 * Posts an entry as a batch of its own, twice where it is new, to see whether it stays one. It is written down as one whose
 * fate is not known, so that a second one of it is found and removed.
 */
export const tryEntry = async (sending: Sending, sent: Sent, { id }: Intended, draft: EntryDraft): Promise<Tried> => {
  const { journal, clock } = sending
  const key = keyOf(draft)
  const kept = journal.ones(id).find((one) => storedKey(...one.key) === storedKey(...key))
  // A refusal that passes must not stand for a key that may not read: batches would go untried.
  const found = await lookAgain(sending, () => seenOf(sending, draft), Boolean)
  if (!found) return 'unreadable'
  const before = kept ? (kept.known ?? []) : found.ids
  journal.intendOnes(id, [
    { key, digest: digestOf([draft]), known: before.length > 0 ? before : null, sentAt: clock.now() },
  ])
  const wasTouched = sent.isTouched
  try {
    return await postTellingly(sending, sent, draft, before.length)
  } catch (error) {
    if (!kept && !wasTouched && !sent.isTouched) journal.withdrawOne(id, key)
    if (isNoPath(error) && sending.knowledge.known().takesBatches !== true) throw new NoBatches(error.message)
    if (isRefused(error)) return 'refused'
    throw error
  }
}
