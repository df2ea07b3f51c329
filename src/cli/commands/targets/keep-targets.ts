import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { entryWithTarget } from '../../../client/operations/entry-with-target.ts'
import { Aborted } from '../../../client/transport.ts'
import { type Day, FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import { BATCH_LIMIT, type Entry } from '../../../domain/resources/entry.ts'

/**
 * Describes a target that is about to change: that of a user, or the default of a KPI, which counts for all users
 * without one of their own. Null stands for no target.
 */
export type TargetChange = {
  readonly kpi: number
  /** Holds the user whose target it is; undefined for the default. */
  readonly user?: number | undefined
  readonly from: Decimal | null
  readonly to: Decimal | null
  /** Holds the first day with a dated target of the same KPI or user, from which on this one does not count. */
  readonly until?: Day | undefined
}

/** Creates what tells whether users have targets of their own for a KPI; the assignments of each user are read once. */
const createOwnTargets = (client: Client, kpi: number): ((user: number) => Promise<boolean>) => {
  const known = new Map<number, Promise<boolean>>()
  const readOwn = async (user: number): Promise<boolean> =>
    (await client.assignments(user).list()).some(({ id, user_target }) => id === kpi && user_target !== null)
  return (user) => {
    const own = known.get(user) ?? readOwn(user)
    known.set(user, own)
    return own
  }
}

/** Tells whether a change takes the default of a KPI away, without which no entry of it shows any target. */
export const isClearing = ({ user, from, to }: TargetChange): boolean =>
  user === undefined && from !== null && to === null

/**
 * Yields the stored entries for which reports show another target once it changes, a page at a time: those without a
 * target of their own, of the user; of a KPI, all but those of users with their own. Without a default, all of the KPI
 * lose theirs. While there is no default, a service hides what entries and users have: they are known after the change.
 */
export async function* entriesFollowing(client: Client, change: TargetChange): AsyncGenerator<readonly Entry[]> {
  const { kpi, user } = change
  if (change.from === change.to) return
  const hasOwn = createOwnTargets(client, kpi)
  const isFollowing = async (entry: Entry): Promise<boolean> => {
    if (entry.kpi_id !== kpi) return false
    if (isClearing(change)) return true
    if (change.until !== undefined && entry.entry_date >= change.until) return false
    if (entry.target !== null) return false
    if (user !== undefined) return entry.user_id === user
    return entry.user_id === null || !(await hasOwn(entry.user_id))
  }
  const range = { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY }
  for await (const page of entryPages(client, { ...range, kpiId: kpi, userId: user })) {
    const following: Entry[] = []
    for (const entry of page) if (await isFollowing(entry)) following.push(entry)
    yield following
  }
}

/** Writes a target onto entries that are there: together where the service takes that, else one by one. */
const writeTarget = async (
  client: Client,
  entries: readonly Entry[],
  target: Decimal,
  onWritten: (count: number) => void,
): Promise<void> => {
  const people = entries.filter(({ user_id }) => user_id !== null)
  if (client.isBundled() && people.length === entries.length && entries.length > 1) {
    const isWritten = await client.entries
      .addMany(people.map((entry) => entryWithTarget(client, entry, target)))
      .then(() => true)
      .catch((error: unknown) => {
        // One of its entries: its user may be locked, its KPI not assigned.
        if (error instanceof KpiError && error.code === 'invalid') return false
        throw error
      })
    if (isWritten) return onWritten(entries.length)
  }
  for (const entry of entries) {
    // History can be corrected by id, whoever is locked or no longer assigned.
    await client.entries.update(entry.id, client.isBundled() ? { target } : entryWithTarget(client, entry, target))
    onWritten(1)
  }
}

/** Cuts pages into batches that a service takes. */
async function* inBatches(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<readonly Entry[]> {
  const batch: Entry[] = []
  for await (const page of pages) {
    for (const one of page) batch.push(one)
    while (batch.length >= BATCH_LIMIT) yield batch.splice(0, BATCH_LIMIT)
  }
  if (batch.length > 0) yield batch
}

/**
 * Writes the target that counts today onto the stored entries that would follow a change, so that past reports stay as
 * they are; returns how many. Entries that have got it are no longer among them, so that a run that was stopped goes on
 * where it was. A change from no target cannot be kept: an entry cannot say that it has none. `onKeep` receives entries, as
 * they are to be, before they are written.
 */
export const keepTargets = async (
  client: Client,
  change: TargetChange,
  signal: AbortSignal,
  onKeep: (entries: readonly Entry[]) => void,
): Promise<number> => {
  const { from } = change
  if (from === null) return 0
  let count = 0
  for await (const batch of inBatches(entriesFollowing(client, change))) {
    if (signal.aborted) throw new Aborted('it was interrupted before the target was changed')
    onKeep(batch.map((entry) => ({ ...entry, target: from })))
    await writeTarget(client, batch, from, (written) => (count += written))
  }
  return count
}
