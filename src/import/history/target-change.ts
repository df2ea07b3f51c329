import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { Entry } from '../../domain/resources/entry.ts'

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
}

/** Tells whether a user has a target of their own for a KPI. */
type HasOwnTarget = (user: number, kpi: number) => Promise<boolean>

/** Creates what tells whether users have targets of their own; the assignments of each user are read once. */
const createOwnTargets = (client: Client): HasOwnTarget => {
  const known = new Map<number, Promise<ReadonlySet<number>>>()
  const readOwn = async (user: number): Promise<ReadonlySet<number>> => {
    const held = await client.assignments(user).list()
    return new Set(held.filter(({ user_target }) => user_target !== null).map(({ id }) => id))
  }
  return async (user, kpi) => {
    const own = known.get(user) ?? readOwn(user)
    known.set(user, own)
    return (await own).has(kpi)
  }
}

/** Tells whether an entry is that of a user with a target of their own. */
const isOthers = async ({ user_id }: Entry, kpi: number, hasOwn: HasOwnTarget): Promise<boolean> =>
  user_id !== null && (await hasOwn(user_id, kpi))

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
  const hasOwn = createOwnTargets(client)
  const range = { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY }
  for await (const page of entryPages(client, { ...range, kpiId: kpi, userId: user })) {
    const following: Entry[] = []
    for (const entry of page) {
      if (entry.kpi_id !== kpi) continue
      if (isClearing(change)) {
        following.push(entry)
        continue
      }
      if (entry.target !== null) continue
      if (user !== undefined ? entry.user_id !== user : await isOthers(entry, kpi, hasOwn)) continue
      following.push(entry)
    }
    yield following
  }
}
