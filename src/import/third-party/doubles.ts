import { entryPages } from '../../client/operations/entry-pages.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import type { ThirdPartyRun } from './open-interval.ts'
import { isRefused, mayBeDone, AbortedHalfway } from '../delivery/refusal.ts'
import { withRetries } from '../delivery/retry.ts'
import type { ExistingEntry } from '../existing/existing-entries.ts'
import { ownerOf } from '../entry-key.ts'
import { hasKeyOf, mayComeFrom } from './matching.ts'

/** Thrown where a second entry for a key is there that this run made, or may have made, and was not removed. */
export class DuplicateLeft extends KpiError {}

/**
 * Tells whether a second entry stays: the service does not let anybody remove it, or it may be somebody else's. 403
 * does not count: it may come from a rate limit.
 */
export const isDuplicateKept = (error: unknown): error is DuplicateLeft =>
  error instanceof DuplicateLeft && (['method_not_allowed', 'unsupported'].includes(error.code) || isRefused(error))

/** Removes an entry, whose removal may have been done already. */
const remove = async ({ client, touch }: ThirdPartyRun, id: number): Promise<void> => {
  try {
    await client.entries.remove(id)
    touch()
  } catch (error) {
    if (mayBeDone(error)) touch()
    if (error instanceof Aborted) throw new AbortedHalfway(error.message, { cause: error })
    if (!(error instanceof KpiError)) throw error
    if (error.code === 'not_found') return
    const { code, retryAfter } = error
    const message = `entry ${id} is a duplicate for the same user, KPI and date, and could not be deleted: ${error.message}`
    throw new DuplicateLeft(code, message, {
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
export const removeDuplicate = (run: ThirdPartyRun, draft: EntryDraft, id: number): Promise<void> =>
  withRetries(run, async () => {
    await remove(run, id)
    const left = await readKey(run, draft)
    if (left?.some((one) => one.id === id))
      throw new DuplicateLeft(
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
  const ofKey = listed?.flat().filter((one) => hasKeyOf(one, draft))
  return ofKey && [...new Map(ofKey.map((one) => [one.id, one])).values()].toSorted((left, right) => left.id - right.id)
}

const storedAs = ({ id, actual, target, notes }: Entry): ExistingEntry => ({
  actual,
  target,
  notes,
  ids: [id],
  isTargetOpen: false,
})

/**
 * Removes what this run has created beside another entry of the key, and returns the one that is left. What came since
 * is of this run where it holds what was sent, as far as services round; anything else cannot be told apart, and is reported,
 * not removed.
 */
export const removeDuplicates = async (
  run: ThirdPartyRun,
  draft: EntryDraft,
  before: readonly number[],
): Promise<ExistingEntry | undefined> => {
  const listed = (await withRetries(run, () => readKey(run, draft))) ?? []
  const fresh = listed.filter(({ id }) => !before.includes(id))
  const kept = listed.findLast(({ id }) => before.includes(id)) ?? fresh[0]
  const others = fresh.filter((one) => one !== kept)
  // A list without notes shows none of any entry.
  const asListed = listed.every(({ notes }) => !notes) ? { ...draft, notes: null } : draft
  const isSent = (one: Entry): boolean => mayComeFrom(one, asListed)
  for (const one of others) if (isSent(one)) await removeDuplicate(run, draft, one.id)
  const left = others.filter((one) => !isSent(one)).map(({ id }) => id)
  if (left.length === 0 || !kept) return kept && storedAs(kept)
  throw new DuplicateLeft(
    'conflict',
    `besides entry ${kept.id} there is ${left.join(', ')} for the same user, KPI and date, which someone else added while this row was sent; delete the wrong one, and import the row again`,
  )
}
