import type { Client } from '../../../client/client.ts'
import { readCalendar } from '../../../client/operations/calendar.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { entryWithTarget } from '../../../client/operations/entry-with-target.ts'
import { Aborted } from '../../../client/transport.ts'
import { type Day, FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type Frequency, periodStart } from '../../../domain/period.ts'
import { BATCH_LIMIT, type Entry } from '../../../domain/resources/entry.ts'
import {
  type DatedTarget,
  datedTargetsIn,
  hasAnyTarget,
  targetOn,
  type TargetTimeline,
  timelineOf,
} from '../../../domain/targets/dated-targets.ts'

/** Describes the target that reports show of an entry before a change and after it. */
export type ShownChange = { readonly from: Decimal | null; readonly to: Decimal | null }

/**
 * Describes a target that is about to change: that of a user, or the default of a KPI, which counts for all users
 * without one of their own on the day of an entry. No base and no dated targets stand for no target.
 */
export type TargetChange = {
  readonly kpi: number
  readonly frequency: Frequency
  /** Holds the user whose target it is; undefined for the default. */
  readonly user?: number | undefined
  readonly from: TargetTimeline
  readonly to: TargetTimeline
  /** Holds the default of the KPI, which counts where a user has no target; undefined for the default itself. */
  readonly usual?: TargetTimeline | undefined
  /** Holds the last day of which a report is of the past; undefined where all are meant. */
  readonly last?: Day | undefined
}

/** Describes an entry of which reports show another target once a change is made. */
type FollowingEntry = ShownChange & { readonly entry: Entry }

const NO_TARGET: TargetTimeline = { base: null }

const isDated = ({ targets }: TargetTimeline): boolean => (targets ?? null) !== null

const isAnyTarget = ({ base, targets }: TargetTimeline): boolean => hasAnyTarget({ target_default: base, targets })

/** Returns what a change without dated targets does on all days; undefined where days differ. */
export const undatedChange = ({ from, to, usual = NO_TARGET }: TargetChange): ShownChange | undefined =>
  [from, to, usual].some(isDated) ? undefined : { from: from.base ?? usual.base, to: to.base ?? usual.base }

/** Tells whether a change changes no target of any day. */
export const isNoChange = (change: TargetChange): boolean => {
  const { from, to } = undatedChange(change) ?? {}
  return from === undefined ? isSameTimeline(change.from, change.to) : from === to
}

/** Tells whether two targets are the same on all days. */
export const isSameTimeline = (one: TargetTimeline, other: TargetTimeline): boolean =>
  one.base === other.base && (one.targets ?? null) === (other.targets ?? null)

/** Returns the first day whose target a change may change. */
const firstDayOf = ({ from, to }: TargetChange): Day => {
  if (from.base !== to.base) return FIRST_ENTRY_DAY
  const textOf = (one: DatedTarget): string => `${one.target} ${one.from}`
  const [before, after] = [from, to].map(({ targets }) => datedTargetsIn(targets))
  const without = (some: readonly DatedTarget[] = [], others: readonly DatedTarget[] = []): DatedTarget[] => {
    const known = new Set(others.map(textOf))
    return some.filter((one) => !known.has(textOf(one)))
  }
  return Math.min(...[...without(before, after), ...without(after, before)].map((one) => one.from))
}

/** Creates what returns the targets that users have of their own for a KPI; the assignments of each user are read once. */
const createOwnTargets = (client: Client, kpi: number): ((user: number) => Promise<TargetTimeline>) => {
  const known = new Map<number, Promise<TargetTimeline>>()
  const readOwn = async (user: number): Promise<TargetTimeline> => {
    const own = (await client.assignments(user).list()).find(({ id }) => id === kpi)
    return own ? timelineOf(own, own.user_target) : NO_TARGET
  }
  return (user) => {
    const own = known.get(user) ?? readOwn(user)
    known.set(user, own)
    return own
  }
}

/** Tells whether a change takes the default of a KPI away, without which no entry of it shows any target. */
export const isClearing = ({ user, from, to }: TargetChange): boolean =>
  user === undefined && isAnyTarget(from) && !isAnyTarget(to)

/** Tells whether a change gives a KPI its first target, which shows what was hidden. */
export const isRevealing = ({ user, from, to }: TargetChange): boolean =>
  user === undefined && !isAnyTarget(from) && isAnyTarget(to)

/**
 * Yields the stored entries for which reports show another target once it changes, a page at a time: those without a
 * target of their own, of the user; of a KPI, all but those of users with their own on that day. Without a default, all of
 * the KPI lose theirs. While there is no default, a service hides what entries and users have: they are known after the
 * change. Dated targets count by the first day of an entry's period.
 */
export async function* entriesFollowing(
  client: Client,
  change: TargetChange,
): AsyncGenerator<readonly FollowingEntry[]> {
  const { kpi, user, from, to, usual, frequency, last = LAST_ENTRY_DAY } = change
  const first = isClearing(change) ? FIRST_ENTRY_DAY : firstDayOf(change)
  if (isNoChange(change) || first > last) return
  const ownOf = createOwnTargets(client, kpi)
  const onDay = async (one: TargetTimeline, day: Day): Promise<Decimal | null> =>
    isDated(one) ? targetOn(one, periodStart(frequency, day, await readCalendar(client))) : one.base
  const shown = async (one: TargetTimeline, day: Day): Promise<Decimal | null> =>
    (await onDay(one, day)) ?? (usual ? await onDay(usual, day) : null)
  const following = async (entry: Entry): Promise<FollowingEntry[]> => {
    const { entry_date: day, user_id } = entry
    if (entry.kpi_id !== kpi) return []
    const one = { entry, from: await shown(from, day), to: await shown(to, day) }
    if (isClearing(change)) return [one]
    if (entry.target !== null || one.from === one.to) return []
    if (user !== undefined) return user_id === user ? [one] : []
    return user_id === null || (await onDay(await ownOf(user_id), day)) === null ? [one] : []
  }
  for await (const page of entryPages(client, { from: first, to: last, kpiId: kpi, userId: user })) {
    const some: FollowingEntry[] = []
    for (const entry of page) some.push(...(await following(entry)))
    yield some
  }
}

/** Writes targets onto entries that are there: together where the service takes that, else one by one. */
const writeTargets = async (
  client: Client,
  entries: readonly Entry[],
  onWritten: (count: number) => void,
): Promise<void> => {
  const people = entries.filter(({ user_id }) => user_id !== null)
  if (client.isBundled() && people.length === entries.length && entries.length > 1) {
    const isWritten = await client.entries
      .addMany(people.map((entry) => entryWithTarget(client, entry, entry.target)))
      .then(() => true)
      .catch((error: unknown) => {
        // One of its entries: its user may be locked, its KPI not assigned.
        if (error instanceof KpiError && error.code === 'invalid') return false
        throw error
      })
    if (isWritten) return onWritten(entries.length)
  }
  for (const entry of entries) {
    const { target } = entry
    // History can be corrected by id, whoever is locked or no longer assigned.
    await client.entries.update(entry.id, client.isBundled() ? { target } : entryWithTarget(client, entry, target))
    onWritten(1)
  }
}

/** Cuts pages into batches that a service takes. */
async function* inBatches<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
  const batch: T[] = []
  for await (const page of pages) {
    for (const one of page) batch.push(one)
    while (batch.length >= BATCH_LIMIT) yield batch.splice(0, BATCH_LIMIT)
  }
  if (batch.length > 0) yield batch
}

/**
 * Writes the target that counts on its day onto each stored entry that would follow a change, so that past reports stay as
 * they are; returns how many. Entries that have got it are no longer among them, so that a run that was stopped goes on
 * where it was. A change from no target cannot be kept: an entry cannot say that it has none; `onUnkept` receives what such
 * entries show. `onKeep` receives entries, as they are to be, before they are written.
 */
export const keepTargets = async (
  client: Client,
  change: TargetChange,
  signal: AbortSignal,
  {
    onKeep,
    onUnkept,
  }: {
    readonly onKeep: (entries: readonly Entry[]) => void
    readonly onUnkept: (one: ShownChange) => void
  },
): Promise<number> => {
  let count = 0
  for await (const batch of inBatches(entriesFollowing(client, change))) {
    if (signal.aborted) throw new Aborted('it was interrupted before the target was changed')
    for (const one of batch) if (one.from === null) onUnkept(one)
    const kept = batch.flatMap(({ entry, from }) => (from === null ? [] : [{ ...entry, target: from }]))
    if (kept.length === 0) continue
    onKeep(kept)
    await writeTargets(client, kept, (written) => (count += written))
  }
  return count
}
