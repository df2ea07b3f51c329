import { Stopped } from '../../client/stopped.ts'
import type { PutMany } from '../../client/entries.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { digestOf } from '../journal/digest.ts'
import { keyOf } from '../journal/key.ts'
import { storedKey, type StoredEntry } from '../standing/standing.ts'
import type { Intended } from './intend.ts'
import { patiently } from './patience.ts'
import { isRefused, isUnreadable, mayBeDone } from './refusal.ts'
import { countOf, countResult, isNoPath, NoBatches, noteAnswer, pick, type Sent } from './send-batch.ts'
import type { Sending } from './sending.ts'
import { holds, mayBeMadeOf } from './held.ts'
import { lookAgain } from './look-again.ts'

/** So many entries are tried of a batch, where the first are refused, and each is sent so often, where answers are lost. */
const [MOST_ENTRIES, MOST_POSTS] = [20, 6]
/** So many entries whose answers are all lost end a run. */
const MOST_LOST = 3
const PAUSE = 1000

/** What is there of an entry; undefined where that cannot be read. */
const seenOf = async (
  sending: Sending,
  draft: EntryDraft,
): Promise<(Pick<StoredEntry, 'ids'> & { readonly entry?: StoredEntry | undefined }) | undefined> => {
  try {
    const stored = await patiently(sending, () => sending.now.of([draft]))
    const entry = stored?.get(storedKey(...keyOf(draft)))
    return stored && { ids: entry?.ids ?? [], entry }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
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
type Tried =
  | 'unreadable'
  | 'unseen'
  | 'refused'
  | 'lost'
  | 'doubles'
  | { readonly first: PutMany | undefined; readonly isIn: boolean }

/** Whether what is there may be what was sent, as far as services round. */
const mayBeIn = ({ reference }: Sending, stored: StoredEntry, draft: EntryDraft): boolean =>
  holds(reference, stored, draft) || mayBeMadeOf(stored, draft)

const tryEntry = async (sending: Sending, sent: Sent, { id }: Intended, draft: EntryDraft): Promise<Tried> => {
  const { journal, clock } = sending
  const key = keyOf(draft)
  const kept = journal.ones(id).find((one) => storedKey(...one.key) === storedKey(...key))
  // A refusal that passes must not stand for a key that may not read: batches would go untried.
  const found = kept ? undefined : await lookAgain(sending, () => seenOf(sending, draft), Boolean)
  const before = kept ? (kept.known ?? []) : found?.ids
  if (!before) return 'unreadable'
  const known = before.length > 0 ? before : null
  journal.intendOnes(id, [{ key, digest: digestOf([draft]), known, sentAt: clock.now() }])
  const enough = known ? 1 : 2
  const wasTouched = sent.isTouched
  try {
    const results = await postTwice(sending, sent, draft, enough)
    if (sending.signal.aborted) throw new Stopped('stopped')
    if (results.some((one) => one && saysUpdated(one))) return { first: results[0], isIn: true }
    const seen = await lookAgain(
      sending,
      () => seenOf(sending, draft),
      (now) => !now || now.ids.length >= before.length + enough,
    )
    if (seen && seen.ids.length > Math.max(1, before.length)) return 'doubles'
    // However few answers came, what is there once after all these posts is not doubled.
    const isIn = seen?.entry && mayBeIn(sending, seen.entry, draft)
    if (!seen?.entry || !isIn) return seen && results.filter(Boolean).length >= enough ? 'unseen' : 'lost'
    return { first: results[0], isIn: holds(sending.reference, seen.entry, draft) }
  } catch (error) {
    if (!kept && !wasTouched && !sent.isTouched) journal.withdrawOne(id, key)
    if (isNoPath(error) && sending.knowledge.known().takesBatches !== true) throw new NoBatches(error.message)
    if (isRefused(error)) return 'refused'
    throw error
  }
}

/** The entries of a batch that are tried, one after the other: some that lie far apart. */
const candidatesOf = ({ drafts }: Sent['batch']): number[] => {
  const last = drafts.length - 1
  return [...new Set(Array.from({ length: MOST_ENTRIES }, (_, at) => Math.floor((at * last) / (MOST_ENTRIES - 1))))]
}

const tooManyLost = (): KpiError =>
  new KpiError(
    'unavailable',
    'the answers to one entry after the other were lost, so no batch was sent; see that the service answers, and run the same command',
  )

/**
 * Finds out what a service of somebody else makes of an entry of a batch that is there already, with one entry, before
 * batches go there. One that makes a second entry of it is sent one at a time; the second one is found and removed there,
 * as the entry is written down as one whose fate is not known. Takes out of the batch what is in by then.
 */
export const tryBatches = async (sending: Sending, intended: Intended, sent: Sent): Promise<void> => {
  const { isOurs, isAdding, knowledge, trial } = sending
  if (isOurs || isAdding || trial.isOver || knowledge.known().updatesInBatches) return
  let lost = 0
  for (const at of candidatesOf(sent.batch)) {
    const draft = sent.batch.drafts[at]
    const tried = draft ? await tryEntry(sending, sent, intended, draft) : 'refused'
    if (tried === 'unreadable' || tried === 'unseen') break
    lost += tried === 'lost' ? 1 : 0
    if (lost === MOST_LOST) throw tooManyLost()
    if (tried === 'refused' || tried === 'lost') continue
    if (tried === 'doubles') throw new NoBatches('the service makes a second entry of one that is there')
    knowledge.learn({ updatesInBatches: true })
    // What an earlier part of the run has sent is counted as it is read back.
    if (intended.isUnknown || !tried.isIn) return
    if (tried.first) countResult(sent.tally, tried.first.counts, 1)
    else sent.tally.sent += 1
    sent.batch = pick(
      sent.batch,
      [...sent.batch.drafts.keys()].filter((one) => one !== at),
    )
    return
  }
  if (lost > 0) throw tooManyLost()
  // What nothing was learned of now is not tried with every batch.
  trial.isOver = true
}
