import type { Client } from '../../../client/client.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import { KpiError } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import { calculatedKpi } from '../../../domain/resources/calculated-kpi.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { group, groupItem, userGroupItem } from '../../../domain/resources/groups.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import { type AnyRecord, asDraft, asPatch, asRecord, type Resource } from '../../../domain/schema.ts'
import type { OperatedAccount } from '../service/operator.ts'
import type { KindName } from './planning/kinds.ts'

/** Describes the service whose configuration is read and changed. */
export type Target = {
  readonly client: Client
  /** Holds what only the bundled service on this machine has. */
  readonly operator?: Pick<OperatedAccount, 'calculated' | 'newer'>
  /** Names the service and the account, to which saved plans and records belong. */
  readonly service: string
  readonly account: () => string
}

/** Describes the operations on things of a kind; a record holds the ids of what it belongs to. */
export type Access = {
  /** Lists all, or those of some users. */
  readonly list: (users: readonly number[]) => Promise<readonly AnyRecord[]>
  readonly add: (fields: AnyRecord) => Promise<AnyRecord>
  readonly update: (before: AnyRecord, patch: AnyRecord) => Promise<AnyRecord>
  readonly remove: (record: AnyRecord) => Promise<void>
}

const idIn = (record: AnyRecord, name = 'id'): number => Number(record[name])

const plain = <R extends Resource>(of: R, at: (record: AnyRecord) => ResourceClient<R>): Omit<Access, 'list'> => ({
  add: (fields) => at(fields).add(asDraft(of, fields)),
  update: (before, patch) => at(before).update(idIn(before), asPatch(of, patch), asRecord(of, before)),
  remove: (record) => at(record).remove(idIn(record)),
})

const refuse = (): Promise<never> => Promise.reject(new KpiError('unsupported', 'this cannot be changed here'))
const fixed: Omit<Access, 'list'> = { add: refuse, update: refuse, remove: refuse }

/** Returns group items as the newer variant has them: with their archived state, and without people. */
const newerItems = (client: Client): Access => {
  const items = client.breakdownItems
  const toNewer = ({ group_id, ...fields }: AnyRecord): AnyRecord => ({
    ...fields,
    ...(group_id !== undefined && { breakdown_id: group_id }),
  })
  const fromNewer = ({ breakdown_id, ...fields }: AnyRecord): AnyRecord => ({
    ...fields,
    group_id: breakdown_id ?? null,
  })
  return {
    list: async () => (await items.list()).filter(({ user_id }) => user_id === null).map(fromNewer),
    add: async (fields) => fromNewer(await items.add(asDraft(breakdownItem, toNewer(fields)))),
    update: async (before, patch) => {
      const known = asRecord(breakdownItem, toNewer(before))
      return fromNewer(await items.update(known.id, asPatch(breakdownItem, toNewer(patch)), known))
    },
    remove: (record) => items.remove(idIn(record)),
  }
}

const classicItems = (client: Client): Access => ({
  list: async () => {
    const groups = await client.groups.list()
    return (await Promise.all(groups.map(({ id }) => client.groupItems(id).list()))).flat()
  },
  ...plain(groupItem, (record) => client.groupItems(idIn(record, 'group_id'))),
})

/** Returns the groups of the newer variant, which shows their ids alone, in its items. */
const groupIds = async (client: Client): Promise<AnyRecord[]> => {
  const ids = (await newerItems(client).list([])).map(({ group_id }) => Number(group_id))
  return [...new Set(ids)].map((id) => ({ id, name: String(id) }))
}

const ofUsers = async <T>(users: readonly number[], list: (user: number) => Promise<readonly T[]>): Promise<T[]> =>
  (await Promise.all(users.map(list))).flat()

const accessToCalculated = ({ client, operator }: Target): Access => {
  if (!operator) return { ...fixed, list: async () => (await client.kpis.list()).filter((one) => one.is_calculated) }
  const { list, add, update, remove } = operator.calculated
  return {
    list,
    add: (fields) => add(asDraft(calculatedKpi, fields)),
    update: (before, patch) => update(idIn(before), asPatch(calculatedKpi, patch)),
    remove: async (record) => void (await remove(idIn(record))),
  }
}

/** Returns the operations on things of each kind. */
export const accessTo = (target: Target): Readonly<Record<KindName, Access>> => {
  const { client, operator } = target
  const isNewer = client.variant === 'v1'
  const newer = operator?.newer ?? (isNewer ? client : undefined)
  return {
    icons: { ...fixed, list: client.icons.list },
    categories: { list: client.categories.list, ...plain(category, () => client.categories) },
    units: { list: client.units.list, ...plain(unit, () => client.units) },
    groups: isNewer
      ? { ...fixed, list: () => groupIds(client) }
      : { list: client.groups.list, ...plain(group, () => client.groups) },
    group_items: newer ? newerItems(newer) : classicItems(client),
    kpis: {
      list: async () => (await client.kpis.list()).filter((one) => !one.is_calculated),
      ...plain(kpi, () => client.kpis),
    },
    calculated: accessToCalculated(target),
    users: { list: client.users.list, ...plain(user, () => client.users) },
    assignments: {
      list: (users) =>
        ofUsers(users, async (id) =>
          (await client.assignments(id).list()).map((record) => ({ ...record, user_id: id })),
        ),
      ...plain(assignment, ({ user_id }) => client.assignments(Number(user_id))),
    },
    user_group_items: {
      list: (users) =>
        ofUsers(users, async (id) =>
          (await client.userGroupItems(id).list()).map((record) => ({ ...record, user_id: id })),
        ),
      add: (fields) => client.userGroupItems(idIn(fields, 'user_id')).add(asDraft(userGroupItem, fields)),
      update: refuse,
      remove: (record) => client.userGroupItems(idIn(record, 'user_id')).remove(idIn(record)),
    },
  }
}
