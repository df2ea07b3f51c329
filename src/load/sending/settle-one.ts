import { entryPages } from '../../client/entry-pages.ts'
import { readIfAllowed } from '../../client/read-if-allowed.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { holds, isOfKey, mayBeMadeOf, mayHold } from './held.ts'
import { lookAgain } from './look-again.ts'
import { ownerOf } from '../owner.ts'
import { DoubleLeft, removeDouble } from './remove-double.ts'
import type { Sending } from './sending.ts'

/**
 * What was there of an entry before it was sent: the one that is to be changed, and all ids of the key. Null is nothing,
 * undefined that nobody may know.
 */
export type Before =
  { readonly id: number; readonly ids: readonly number[]; readonly entry?: EntryValues | undefined } | null | undefined

/** The report tells of entries, but not of their ids. */
export const NO_ID = 0

/** What is found out of an entry whose answer was lost: it was done, nobody can tell, or it has to be sent on what is there now. */
export type OneFate = 'done' | 'lost' | { readonly before: Before }

/** All entries that are there under a draft's key now, the oldest first; undefined where the key may not read them. */
const readKey = async ({ client }: Sending, draft: EntryDraft): Promise<Entry[] | undefined> => {
  const owner = ownerOf(draft)
  const { kpi_id: kpiId, entry_date: day } = draft
  const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
  const pages = Array.fromAsync(entryPages(client, { ...whose, kpiId, from: day, to: day }))
  const listed = await readIfAllowed(client, pages)
  // A service may not know the filters, or answer an entry twice as its pages move.
  const ofKey = listed?.flat().filter((one) => isOfKey(one, draft))
  return ofKey && [...new Map(ofKey.map((one) => [one.id, one])).values()].toSorted((left, right) => left.id - right.id)
}

/**
 * Finds out whether an entry was added where nothing was there before; where something was, nobody can tell from what is
 * there now.
 */
export const fateOfAdded = async (
  sending: Sending,
  draft: EntryDraft,
  before: Before,
): Promise<'done' | 'open' | 'lost'> => {
  if (before !== null) return 'lost'
  const listed = await lookAgain(
    sending,
    () => readKey(sending, draft),
    (seen) => !seen || seen.length > 0,
  )
  if (listed?.length === 0) return 'open'
  return listed?.some((one) => mayBeMadeOf(one, draft)) ? 'done' : 'lost'
}

/** What stands under a key: what was there before, and what has come since. */
type Standing = { readonly old: readonly Entry[]; readonly fresh: readonly Entry[] }

const splitBy = (before: Before, listed: readonly Entry[]): Standing => {
  if (before === undefined || before?.id === NO_ID) return { old: listed, fresh: [] }
  const isOld = ({ id }: Entry): boolean => before?.ids.includes(id) === true
  return { old: listed.filter(isOld), fresh: listed.filter((one) => !isOld(one)) }
}

/** Whether what was sent may make a second entry where it is sent again, as nobody knows better. */
const mayDouble = ({ isOurs, knowledge }: Sending, before: Before): boolean => {
  const { changesBy } = knowledge.known()
  return !isOurs && changesBy !== 'post' && !(before && changesBy === 'put')
}

/** Looks at what is there of a key; where what was sent cannot be seen and could be doubled, again after a while. */
const look = async (
  sending: Sending,
  draft: EntryDraft,
  before: Before,
  isIn: (one: EntryValues) => boolean,
): Promise<Standing | undefined> => {
  const wasSo = before?.entry !== undefined && isIn(before.entry)
  const isSeen = ({ old, fresh }: Standing): boolean => fresh.length > 0 || (!wasSo && old.some(isIn))
  return await lookAgain(
    sending,
    async () => {
      const listed = await readKey(sending, draft)
      return listed && splitBy(before, listed)
    },
    (standing) => !standing || isSeen(standing) || !mayDouble(sending, before),
  )
}

/**
 * Removes what this run has made beside another entry of the key. What came while it was under way is ours where it holds
 * what was sent, as far as services round; of anything else nobody can tell, so that it is told, not removed.
 */
const removeOurs = async (
  sending: Sending,
  draft: EntryDraft,
  kept: Entry,
  others: readonly Entry[],
): Promise<void> => {
  for (const one of others) if (mayBeMadeOf(one, draft)) await removeDouble(sending, one.id)
  const left = others.filter((one) => !mayBeMadeOf(one, draft)).map(({ id }) => id)
  if (left.length === 0) return
  throw new DoubleLeft(
    'conflict',
    `besides entry ${kept.id} there is ${left.join(', ')} for the same user, KPI and date, which came while this row was sent; remove the wrong one, and import the row again`,
  )
}

/**
 * Finds out what became of an entry that was sent by itself. A service that only adds has made a second one, or something
 * on the way has sent it twice: what was not there before and holds what was sent is ours, and removed.
 */
export const fateOfOne = async (
  sending: Sending,
  draft: EntryDraft,
  before: Before,
  isAnswered = false,
): Promise<OneFate> => {
  const isIn = (one: EntryValues): boolean =>
    holds(sending.reference, one, draft) || (isAnswered && mayHold(one, draft))
  const standing = sending.isAdding ? undefined : await look(sending, draft, before, isIn)
  if (!standing) return 'lost'
  const { old, fresh } = standing
  const kept = old.find(({ id }) => id === before?.id) ?? old.at(-1) ?? fresh[0]
  if (!kept) return { before: null }
  const others = fresh.filter((one) => one !== kept)
  await removeOurs(sending, draft, kept, others)
  if (before && others.length > 0) sending.knowledge.learn({ changesBy: 'put' })
  if (isIn(kept)) return 'done'
  const ids = [...new Set([...old.map(({ id }) => id), kept.id])]
  return { before: { id: kept.id, ids, entry: kept } }
}
