import { KpiError } from '../domain/errors.ts'
import type { ReportRow } from '../domain/resources/report-row.ts'
import type { Client } from './client.ts'

type Ids = readonly number[]

/** Whose a report's rows are. They name items: users in the classic interface, breakdown items in the newer one. */
export type ReportPeople = {
  /** Whether users are items themselves, so that nothing has to be asked to know their rows. */
  readonly areItems: boolean
  /** Which rows are of these users. */
  readonly rowsOf: (users: Ids) => Promise<(row: ReportRow) => boolean>
  /**
   * Users of whom all rows are that are wanted, in the order of their rows; nothing where there are items that are no
   * users and may have rows, so that parts of users would not make the whole.
   */
  readonly split: (wanted: Ids | undefined) => Promise<Ids | undefined>
}

/** What is fetched when it is first needed. */
const once = <T>(fetch: () => Promise<T>): (() => Promise<T>) => {
  let fetched: Promise<T> | undefined
  return () => (fetched ??= fetch())
}

const classicPeople = (client: Client): ReportPeople => {
  const all = once(async () => (await client.users.list()).map(({ id }) => id))
  return {
    areItems: true,
    rowsOf: (users) => {
      const wanted = new Set(users)
      return Promise.resolve(({ itemId }) => wanted.has(itemId))
    },
    split: async (wanted) => (await all()).filter((id) => !wanted || wanted.includes(id)),
  }
}

const newerPeople = (client: Client): ReportPeople => {
  // Asked for one after the other, as a service may leave out what is archived where nothing is said of that.
  const all = once(async () => {
    const items = [
      await client.breakdownItems.list({ archived: false }),
      await client.breakdownItems.list({ archived: true }),
    ]
    return [...new Map(items.flat().map((item) => [item.id, item])).values()]
  })
  const items = once(async () => new Map((await all()).map(({ id, user_id }) => [user_id, id])))
  /** Everybody, where nothing but people is there. */
  const everybody = async (): Promise<Ids | undefined> => {
    const users = (await all()).map(({ user_id }) => user_id)
    return users.every((user) => user !== null) ? users : undefined
  }
  const itemsOf = async (users: Ids): Promise<Ids> => {
    const known = await items()
    return users.map((user) => {
      const item = known.get(user)
      if (item !== undefined) return item
      // Which rows are theirs cannot be known, and none may be lost.
      throw new KpiError('unsupported', `the service lists no breakdown item of user ${user}; ask for fewer users`)
    })
  }
  return {
    areItems: false,
    rowsOf: async (users) => {
      const wanted = new Set(await itemsOf(users))
      return ({ itemId }) => wanted.has(itemId)
    },
    split: async (wanted) => {
      const users = wanted ?? (await everybody())
      if (!users) return undefined
      const own = await itemsOf(users)
      const pairs = users.map((user, at) => ({ user, item: own[at] ?? NaN }))
      return pairs.toSorted((left, right) => left.item - right.item).map(({ user }) => user)
    },
  }
}

/** Whose the rows of a report are, in the variant that is spoken. */
export const reportPeople = (client: Client): ReportPeople =>
  client.variant === 'classic' ? classicPeople(client) : newerPeople(client)
