import type { Client } from '../../../client/client.ts'
import {
  type ChangedKind,
  type KindOperations,
  type ListedKind,
  listKind,
  operationsOn,
} from '../../../client/operations/kind-operations.ts'
import { KpiError } from '../../../domain/errors.ts'
import { parentOf } from '../../../domain/kinds.ts'
import { calculatedKpi } from '../../../domain/resources/calculated-kpi.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import { type AnyRecord, asDraft, asPatch } from '../../../domain/schema.ts'
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

/** Returns the changes of records of a kind, each below what it lies in. */
const changing = (client: Client, kind: ChangedKind): Omit<Access, 'list'> => {
  const at = (record: AnyRecord): KindOperations =>
    operationsOn(client, kind, Number(record[parentOf(kind) ?? ''] ?? 0))
  return {
    add: (fields) => at(fields).add(fields),
    update: (before, patch) => at(before).update(idIn(before), patch, before),
    remove: (record) => at(record).remove(idIn(record)),
  }
}

/** Returns the operations on records of a kind that can be listed at once. */
const whole = (client: Client, kind: ChangedKind & ListedKind): Access => ({
  list: () => listKind(client, kind),
  ...changing(client, kind),
})

const refuse = (): Promise<never> => Promise.reject(new KpiError('unsupported', 'this cannot be changed here'))
const fixed: Omit<Access, 'list'> = { add: refuse, update: refuse, remove: refuse }

/** Returns group items as the newer variant has them: with their archived state, and without people. */
const newerItems = (client: Client): Access => {
  const { list, add, update, remove } = whole(client, 'breakdown_item')
  const toNewer = ({ group_id, ...fields }: AnyRecord): AnyRecord => ({
    ...fields,
    ...(group_id !== undefined && { breakdown_id: group_id }),
  })
  const fromNewer = ({ breakdown_id, ...fields }: AnyRecord): AnyRecord => ({
    ...fields,
    group_id: breakdown_id ?? null,
  })
  return {
    list: async (users) => (await list(users)).filter(({ user_id }) => user_id === null).map(fromNewer),
    add: async (fields) => fromNewer(await add(toNewer(fields))),
    update: async (before, patch) => fromNewer(await update(toNewer(before), toNewer(patch))),
    remove,
  }
}

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
  const ofEach =
    (list: (user: number) => Promise<readonly AnyRecord[]>): Access['list'] =>
    (users) =>
      ofUsers(users, async (id) => (await list(id)).map((record) => ({ ...record, user_id: id })))
  return {
    icon: { ...fixed, list: client.icons.list },
    category: whole(client, 'category'),
    unit: whole(client, 'unit'),
    group: isNewer ? { ...fixed, list: () => groupIds(client) } : whole(client, 'group'),
    group_item: newer ? newerItems(newer) : whole(client, 'group_item'),
    kpi: {
      list: async () => (await client.kpis.list()).filter((one) => !one.is_calculated),
      ...changing(client, 'kpi'),
    },
    calculated_kpi: accessToCalculated(target),
    user: whole(client, 'user'),
    assignment: { list: ofEach((id) => client.assignments(id).list()), ...changing(client, 'assignment') },
    user_group_item: {
      list: ofEach((id) => client.userGroupItems(id).list()),
      add: (fields) => client.userGroupItems(idIn(fields, 'user_id')).add(asDraft(userGroupItem, fields)),
      update: refuse,
      remove: (record) => client.userGroupItems(idIn(record, 'user_id')).remove(idIn(record)),
    },
  }
}
