import { readIfAllowed } from '../client/read-if-allowed.ts'
import type { Entry, EntryDraft } from '../domain/resources/entry.ts'
import type { EntryValues } from '../domain/rules.ts'
import { holds, isMadeOf } from './held.ts'
import { ownerOf } from './owner.ts'
import { removeDouble } from './remove-double.ts'
import type { Sending } from './sending.ts'

/** What was there of an entry before it was sent; null is nothing, undefined that nobody may know. */
export type Before = { readonly id: number; readonly entry?: EntryValues | undefined } | null | undefined

/** The report tells of entries, but not of their ids. */
export const NO_ID = 0

/** What is found out of an entry whose answer was lost: it was done, nobody can tell, or it has to be sent on what is there now. */
export type OneFate = 'done' | 'lost' | { readonly before: Before }

/** All entries that are there under a draft's key now, the oldest first; undefined where the key may not read them. */
const readKey = async ({ client }: Sending, draft: EntryDraft): Promise<Entry[] | undefined> => {
  const owner = ownerOf(draft)
  const { kpi_id: kpiId, entry_date: day } = draft
  const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
  const listed = await readIfAllowed(client, client.entries.list({ ...whose, kpiId, from: day, to: day }))
  return listed
    ?.filter((one) => one.kpi_id === kpiId && one.entry_date === day && (owner > 0 || one.source_id === -owner))
    .toSorted((left, right) => left.id - right.id)
}

/**
 * Finds out what became of an entry that was sent by itself. A service that only adds has made a second one, or something
 * on the way has sent it twice: what was not there before and holds just what was sent is ours, and removed.
 */
export const fateOfOne = async (sending: Sending, draft: EntryDraft, before: Before): Promise<OneFate> => {
  const listed = sending.isAdding ? undefined : await readKey(sending, draft)
  if (!listed) return 'lost'
  const first = listed.find(({ id }) => id === before?.id) ?? listed[0]
  if (!first) return { before: null }
  const others = before === undefined ? [] : listed.filter((one) => one !== first && isMadeOf(one, draft))
  for (const { id } of others) await removeDouble(sending, id)
  if (before && others.length > 0) sending.knowledge.learn({ changesBy: 'put' })
  return holds(sending.reference, first, draft) ? 'done' : { before: { id: first.id, entry: first } }
}
