import { entryPages } from '../../client/operations/entry-pages.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { Aborted, mayBeDone } from '../../client/transport.ts'
import { asUnknown } from '../../client/unknown-outcome.ts'
import { KpiError, isRefused } from '../../domain/errors.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import type { ThirdPartyRun } from './open-interval.ts'
import { withRetries } from '../delivery/retry.ts'
import type { ExistingEntry } from '../existing/existing-entries.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import { hasKeyOf, mayComeFrom } from './matching.ts'

/** Thrown if there is a second entry for a key that this run made, or may have made, and that was not removed. */
export class DuplicateLeft extends KpiError {}

/**
 * Tells whether a second entry has to stay: the service lets nobody remove it, or it may be somebody else's. If the
 * removal is forbidden it may be allowed later, as some services answer 403 for a rate limit.
 */
export const isDuplicateKept = (error: unknown): error is DuplicateLeft =>
  error instanceof DuplicateLeft && (error.class === 'unsupported' || isRefused(error))

/** Removes an entry; it may already be gone. */
const remove = async ({ client, touch }: ThirdPartyRun, id: number): Promise<void> => {
  try {
    await client.entries.remove(id)
    touch()
  } catch (error) {
    if (mayBeDone(error)) touch()
    if (error instanceof Aborted) throw asUnknown(error)
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
 * Removes an entry that this run created beside another one for the same user, KPI and date, and checks that it is
 * gone; retries after temporary errors.
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

/**
 * Reads all entries that are stored under a draft's key, the oldest first; undefined if the API key may not read them.
 */
export const readKey = async ({ client }: ThirdPartyRun, draft: EntryDraft): Promise<Entry[] | undefined> => {
  const owner = ownerOf(draft)
  const { kpi_id: kpiId, entry_date: day } = draft
  const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
  const pages = Array.fromAsync(entryPages(client, { ...whose, kpiId, from: day, to: day }))
  const listed = await readIfAllowed(client, pages)
  // A service may ignore the filters, or return an entry twice if its pages shift.
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
 * Removes the entries that this run created beside another one of the key, and returns the one that is left. A new
 * entry counts as this run's if it holds what was sent, as far as services round; any other may be someone else's, and
 * is reported, not removed.
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
  // If no entry of the list has notes, the list may leave them out, so they are not compared.
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
