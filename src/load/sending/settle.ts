import type { EntryDraft } from '../../domain/resources/entry.ts'
import { ownerOf } from '../owner.ts'
import { holds, mayHold } from './held.ts'
import { lookAgain } from './look-again.ts'
import { isUnreadable } from './refusal.ts'
import type { Sending } from './sending.ts'
import { storedKey, type StoredEntry } from '../standing/standing.ts'

/** Our own service gives an answer again for a day; a while of that is left for the request to arrive. */
const RELIED_ON_MS = 23 * 3_600_000

/** Whether the service knows a request again that was sent at a time. */
export const isKnownAgain = ({ isOurs, clock }: Sending, sentAt: number): boolean =>
  isOurs && clock.now() - sentAt < RELIED_ON_MS

/** What is found out of an entry whose answer was lost: it is there, it has to be sent, or nobody can tell. */
export type Fate = 'there' | 'open' | 'lost'

/** Those of some entries of which what is there is as it has to be; undefined where the key may not read that. */
const thoseWhere = async (
  { now }: Sending,
  drafts: readonly EntryDraft[],
  isSo: (stored: StoredEntry, draft: EntryDraft) => boolean,
): Promise<EntryDraft[] | undefined> => {
  const stored = await now.of(drafts)
  return (
    stored &&
    drafts.filter((draft) => {
      const entry = stored.get(storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date))
      return entry !== undefined && isSo(entry, draft)
    })
  )
}

/** Which of some entries are there as they were sent; undefined where the key may not read that. */
const seenOf = (sending: Sending, drafts: readonly EntryDraft[]): Promise<EntryDraft[] | undefined> =>
  thoseWhere(sending, drafts, (entry, draft) => holds(sending.reference, entry, draft))

/** The same as far as services round, and change notes: of those that were answered well. */
const seenAlike = (sending: Sending, drafts: readonly EntryDraft[]): Promise<EntryDraft[] | undefined> =>
  thoseWhere(sending, drafts, (entry, draft) => holds(sending.reference, entry, draft) || mayHold(entry, draft))

/** Which of some entries, of which none is to be written over, are there by now: somebody else has entered them. */
export const enteredMeanwhile = async (
  sending: Sending,
  drafts: readonly EntryDraft[],
): Promise<ReadonlySet<EntryDraft | undefined>> =>
  new Set(
    sending.keepsOthers && !sending.isOurs && drafts.length > 0 ? await thoseWhere(sending, drafts, () => true) : [],
  )

/** The same, where a refusal to show what is there is no reason to go no further. */
const seenIfReadable = async (
  sending: Sending,
  drafts: readonly EntryDraft[],
  seen = seenOf,
): Promise<EntryDraft[] | undefined> => {
  try {
    return await seen(sending, drafts)
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Which of some entries are there at this moment as they were sent; none where the key may not read that. */
export const thereNow = async (sending: Sending, drafts: readonly EntryDraft[]): Promise<ReadonlySet<EntryDraft>> =>
  new Set(await seenIfReadable(sending, drafts))

/** Reads back what is there; only what is not seen is asked for again after a while. */
const readBack = async (drafts: readonly EntryDraft[], sending: Sending, read: typeof seenOf): Promise<Fate[]> => {
  const seen = new Set<EntryDraft>()
  const unseen = (): EntryDraft[] => drafts.filter((draft) => !seen.has(draft))
  const look = async (): Promise<boolean> => {
    const found = await read(sending, unseen())
    for (const draft of found ?? []) seen.add(draft)
    return found !== undefined
  }
  const isReadable = await lookAgain(sending, look, (isRead) => !isRead || seen.size === drafts.length)
  const otherwise = isReadable ? 'open' : 'lost'
  return drafts.map((draft) => (seen.has(draft) ? 'there' : otherwise))
}

/** Finds out what became of entries that were sent at a time and whose answer was lost, in the order of their keys. */
export const fatesOf = async (sending: Sending, drafts: readonly EntryDraft[], sentAt: number): Promise<Fate[]> => {
  // What is sent again under the same name is done once; and an entry that is only set may be set again.
  if (isKnownAgain(sending, sentAt) || (sending.isOurs && !sending.isAdding)) return drafts.map(() => 'open')
  if (sending.isAdding) return drafts.map(() => 'lost')
  return await readBack(drafts, sending, seenOf)
}

/** Finds out what became of entries whose answer does not account for them. */
export const fatesInDoubt = (sending: Sending, drafts: readonly EntryDraft[]): Promise<Fate[]> =>
  readBack(drafts, sending, (_, some) => seenIfReadable(sending, some, seenAlike))
