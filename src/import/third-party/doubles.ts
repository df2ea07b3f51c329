import { entryPages } from '../../client/operations/entry-pages.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { Stopped } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import type { ThirdPartyRun } from './open-interval.ts'
import { isRefused, mayBeDone, StoppedHalfway } from '../delivery/refusal.ts'
import { patiently } from '../delivery/retry.ts'
import type { StoredEntry } from '../existing/existing-entries.ts'
import { ownerOf } from '../owner.ts'
import { isOfKey, mayBeMadeOf } from './matching.ts'

/** Thrown where a second entry for a key is there that this run made, or may have made, and was not removed. */
export class DoubleLeft extends KpiError {}

/**
 * Tells whether a second entry stays: the service does not let anybody remove it, or it may be somebody else's. What is
 * forbidden now may be allowed later: a limit may answer 403, too.
 */
export const isDoubleForGood = (error: unknown): error is DoubleLeft =>
  error instanceof DoubleLeft && (['method_not_allowed', 'unsupported'].includes(error.code) || isRefused(error))

/** Removes an entry, whose removal may have been done already. */
const remove = async ({ client, touch }: ThirdPartyRun, id: number): Promise<void> => {
  try {
    await client.entries.remove(id)
    touch()
  } catch (error) {
    if (mayBeDone(error)) touch()
    if (error instanceof Stopped) throw new StoppedHalfway(error.message, { cause: error })
    if (!(error instanceof KpiError)) throw error
    if (error.code === 'not_found') return
    const { code, retryAfter } = error
    const message = `entry ${id} is a duplicate for the same user, KPI and date, and could not be deleted: ${error.message}`
    throw new DoubleLeft(code, message, {
      mayBeDone: true,
      cause: error,
      ...(retryAfter !== undefined && { retryAfter }),
    })
  }
}

/**
 * Removes an entry that this run has created beside another one for the same user, KPI and date, and verifies that;
 * retries where it fails.
 */
export const removeDouble = (run: ThirdPartyRun, draft: EntryDraft, id: number): Promise<void> =>
  patiently(run, async () => {
    await remove(run, id)
    const left = await readKey(run, draft)
    if (left?.some((one) => one.id === id))
      throw new DoubleLeft(
        'unavailable',
        `entry ${id} is a duplicate for the same user, KPI and date, and is still listed although the service said that it was deleted`,
        { mayBeDone: true },
      )
  })

/** Reads all entries that are stored under a draft's key, the oldest first; undefined where the key may not read them. */
export const readKey = async ({ client }: ThirdPartyRun, draft: EntryDraft): Promise<Entry[] | undefined> => {
  const owner = ownerOf(draft)
  const { kpi_id: kpiId, entry_date: day } = draft
  const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
  const pages = Array.fromAsync(entryPages(client, { ...whose, kpiId, from: day, to: day }))
  const listed = await readIfAllowed(client, pages)
  // A service may not know the filters, or answer an entry twice as its pages move.
  const ofKey = listed?.flat().filter((one) => isOfKey(one, draft))
  return ofKey && [...new Map(ofKey.map((one) => [one.id, one])).values()].toSorted((left, right) => left.id - right.id)
}

const storedAs = ({ id, actual, target, notes }: Entry): StoredEntry => ({
  actual,
  target,
  notes,
  ids: [id],
  isTargetOpen: false,
})

/**
 * Removes what this run has created beside another entry of the key, and returns the one that is left. What came since
 * is ours where it holds what was sent, as far as services round; anything else cannot be told apart, and is reported,
 * not removed.
 */
export const removeDoubles = async (
  run: ThirdPartyRun,
  draft: EntryDraft,
  before: readonly number[],
): Promise<StoredEntry | undefined> => {
  const listed = (await patiently(run, () => readKey(run, draft))) ?? []
  const fresh = listed.filter(({ id }) => !before.includes(id))
  const kept = listed.findLast(({ id }) => before.includes(id)) ?? fresh[0]
  const others = fresh.filter((one) => one !== kept)
  // A list without notes shows none of any entry.
  const asListed = listed.every(({ notes }) => !notes) ? { ...draft, notes: null } : draft
  const isOurs = (one: Entry): boolean => mayBeMadeOf(one, asListed)
  for (const one of others) if (isOurs(one)) await removeDouble(run, draft, one.id)
  const left = others.filter((one) => !isOurs(one)).map(({ id }) => id)
  if (left.length === 0 || !kept) return kept && storedAs(kept)
  throw new DoubleLeft(
    'conflict',
    `besides entry ${kept.id} there is ${left.join(', ')} for the same user, KPI and date, which someone else added while this row was sent; delete the wrong one, and import the row again`,
  )
}
