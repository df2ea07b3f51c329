import { KpiError } from '../../../domain/errors.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Client } from '../../client.ts'
import type { Ids } from './asking.ts'

/** Names a user, and the item that the user's rows of a report have. */
type Owner = { readonly user: number; readonly item: number }

/** Describes how a variant relates users to the rows of a report, which belong to users or to breakdown items. */
export type ReportOwners = {
  /** Tells whether rows name users themselves, so that filtering rows by user needs no request. */
  readonly areItems: boolean
  /** Returns a function that tells whether a row belongs to one of these users. */
  readonly rowFilter: (users: Ids) => Promise<(row: ReportRow) => boolean>
  /**
   * Returns the users that cover the whole report, in the order of their rows; undefined if other items may have rows
   * too, so that reports by user would miss them.
   */
  readonly usersToSplit: (wanted: Ids | undefined) => Promise<readonly Owner[] | undefined>
}

/** Returns a function that fetches once, when first needed. */
export const once = <T>(fetch: () => Promise<T>): (() => Promise<T>) => {
  let fetched: Promise<T> | undefined
  return () => (fetched ??= fetch())
}

const classicOwners = (client: Client): ReportOwners => {
  const all = once(async () => {
    const ids = (await client.users.list()).map(({ id }) => id)
    return ids.toSorted((left, right) => left - right)
  })
  return {
    areItems: true,
    rowFilter: (users) => {
      const wanted = new Set(users)
      return Promise.resolve(({ itemId }) => wanted.has(itemId))
    },
    usersToSplit: async (users) => {
      const wanted = users && new Set(users)
      const ids = (await all()).filter((id) => !wanted || wanted.has(id))
      return ids.map((id) => ({ user: id, item: id }))
    },
  }
}

const newerOwners = (client: Client): ReportOwners => {
  // Two requests, because by default a service may list only items that are not archived.
  const all = once(async () => {
    const items = [
      await client.breakdownItems.list({ archived: false }),
      await client.breakdownItems.list({ archived: true }),
    ]
    return [...new Map(items.flat().map((item) => [item.id, item])).values()]
  })
  const items = once(async () => new Map((await all()).map(({ id, user_id }) => [user_id, id])))
  /** Returns all users; undefined if some items stand for no user. */
  const everybody = async (): Promise<Ids | undefined> => {
    const users = (await all()).map(({ user_id }) => user_id)
    return users.every((user) => user !== null) ? users : undefined
  }
  const itemsOf = async (users: Ids): Promise<Owner[]> => {
    const known = await items()
    return users.map((user) => {
      const item = known.get(user)
      if (item !== undefined) return { user, item }
      // Without the item, the rows of this user are unknown; fail rather than lose them.
      throw new KpiError('unsupported', `the service lists no breakdown item of user ${user}; ask for fewer users`)
    })
  }
  return {
    areItems: false,
    rowFilter: async (users) => {
      const wanted = new Set((await itemsOf(users)).map(({ item }) => item))
      return ({ itemId }) => wanted.has(itemId)
    },
    usersToSplit: async (wanted) => {
      const users = wanted ?? (await everybody())
      return users && (await itemsOf(users)).toSorted((left, right) => left.item - right.item)
    },
  }
}

/** Creates the relation of users and rows in the client's variant. */
export const reportOwners = (client: Client): ReportOwners =>
  client.variant === 'classic' ? classicOwners(client) : newerOwners(client)
