import type { EntryDraft } from '../../domain/resources/entry.ts'
import { ownerOf } from '../owner.ts'
import { holds } from './held.ts'
import type { Sending } from './sending.ts'
import { storedKey } from '../standing/standing.ts'

/** Our own service gives an answer again for a day; a while of that is left for the request to arrive. */
const RELIED_ON_MS = 23 * 3_600_000

/** Whether the service knows a request again that was sent at a time. */
export const isKnownAgain = ({ isOurs, clock }: Sending, sentAt: number): boolean =>
  isOurs && clock.now() - sentAt < RELIED_ON_MS

/** What is found out of an entry whose answer was lost: it is there, it has to be sent, or nobody can tell. */
export type Fate = 'there' | 'open' | 'lost'

/** Finds out what became of entries that were sent at a time and whose answer was lost, in the order of their keys. */
export const fatesOf = async (sending: Sending, drafts: readonly EntryDraft[], sentAt: number): Promise<Fate[]> => {
  // What is sent again under the same name is done once; and an entry that is only set may be set again.
  if (isKnownAgain(sending, sentAt) || (sending.isOurs && !sending.isAdding)) return drafts.map(() => 'open')
  if (sending.isAdding) return drafts.map(() => 'lost')
  const stored = await sending.now.of(drafts)
  if (!stored) return drafts.map(() => 'lost')
  return drafts.map((draft) => {
    const entry = stored.get(storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date))
    return entry && holds(sending.reference, entry, draft) ? 'there' : 'open'
  })
}
