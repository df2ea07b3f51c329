import type { Client } from '../../client/client.ts'
import {
  type ChangedKind,
  type KindOperations,
  type ListedKind,
  listKind,
  operationsOn,
} from '../../client/operations/kind-operations.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { KpiError } from '../../domain/errors.ts'
import { KINDS, parentOf } from '../../domain/kinds.ts'
import { type CalculatedDraft, calculatedKpi, type CalculatedPatch } from '../../domain/resources/calculated-kpi.ts'
import { userGroupItem } from '../../domain/resources/groups.ts'
import { type AnyRecord, asDraft, asPatch } from '../../domain/schema.ts'
import { withBase, withBaseNamed, withToday } from './base-targets.ts'
import { KIND_NAMES, type KindName, kinds } from './kind-fields.ts'
import { Snapshot } from './snapshot.ts'

/** Describes the ways to an account: the interface that a command uses, and what else the service has. */
export type Account = {
  readonly client: Client
  /** Holds a client of the classic interface of the same service, where `client` is of the newer one. */
  readonly classic?: Client | undefined
  /** Holds a client of the newer interface, where `client` is of the classic one: it shows the owners of all entries. */
  readonly newer?: Client | undefined
  /** Holds what only the bundled service on this machine has. */
  readonly operator?: OperatorAccess | undefined
}

/** Describes what only the operator of the bundled service may do. */
export type OperatorAccess = {
  readonly newer: Client
  readonly calculated: {
    readonly list: () => Promise<readonly AnyRecord[]>
    readonly add: (draft: CalculatedDraft) => Promise<AnyRecord>
    readonly update: (id: number, patch: CalculatedPatch) => Promise<AnyRecord>
    readonly remove: (id: number) => Promise<unknown>
  }
}

/** Describes the operations on records of a kind; a record holds the ids of what it belongs to. */
export type Access = {
  /** Lists all, or those of some users. */
  readonly list: (users: readonly number[]) => Promise<readonly AnyRecord[]>
  /** Creates one; the bundled service does it once under a key, even if another process sends it again. */
  readonly add: (fields: AnyRecord, idempotencyKey?: string) => Promise<AnyRecord>
  /** Creates records below one parent, together where the service does that; undefined where each is a request. */
  readonly addEach?: (fields: readonly AnyRecord[]) => AsyncGenerator<readonly AnyRecord[]>
  readonly update: (before: AnyRecord, patch: AnyRecord) => Promise<AnyRecord>
  readonly remove: (record: AnyRecord) => Promise<void>
}

const idIn = (record: AnyRecord, name = 'id'): number => Number(record[name])

/** Returns the changes of records of a kind, each below what it lies in. */
const changing = (client: Client, kind: ChangedKind): Omit<Access, 'list'> => {
  const at = (record: AnyRecord): KindOperations => {
    const parent = kind === 'breakdown_item' ? undefined : parentOf(kind)
    if (parent === undefined) return operationsOn(client, kind)
    const id = record[parent] ?? null
    // Cannot be sent without the id of the parent.
    if (id === null) throw new KpiError('not_found', `there is no ${KINDS[kind].of.title} ${idIn(record)}`)
    return operationsOn(client, kind, Number(id))
  }
  /** Leaves out dated targets where the service has none: they are written onto entries. */
  const held = ({ targets, ...fields }: AnyRecord): AnyRecord =>
    targets === undefined || !client.datesTargets() ? fields : { ...fields, targets }
  return {
    add: async (fields, key) => withBase(kind, await at(fields).add(held(fields), key)),
    ...(client.addStep > 1 && {
      addEach: async function* (all: readonly AnyRecord[]) {
        for await (const some of at(all[0] ?? {}).addEach(all.map(held))) yield some.map((one) => withBase(kind, one))
      },
    }),
    update: async (before, patch) => {
      const fields = held(withBaseNamed(kind, before, patch))
      if (Object.keys(fields).length === 0) return before
      // A list is made of the one that was read, and must not undo what another process has put into it meanwhile.
      const sent =
        'targets' in fields && 'targets' in before ? { ...fields, targets_before: before['targets'] } : fields
      return withBase(kind, await at(before).update(idIn(before), sent, withToday(kind, before)))
    },
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

/** Returns a group item as the newer variant has it. */
export const toNewerItem = ({ group_id, ...fields }: AnyRecord): AnyRecord => ({
  ...fields,
  ...(group_id !== undefined && { breakdown_id: group_id }),
})

/** Returns a group item of the newer variant as the classic one has it. */
export const fromNewerItem = ({ breakdown_id, ...fields }: AnyRecord): AnyRecord => ({
  ...fields,
  ...(breakdown_id !== undefined && { group_id: breakdown_id }),
})

/** Returns group items as the newer variant has them: with their archived state. */
const newerItems = (client: Client): Access => {
  const { list, add, addEach, update, remove } = whole(client, 'breakdown_item')
  return {
    list: async (users) => (await list(users)).map(fromNewerItem),
    add: async (fields, key) => fromNewerItem(await add(toNewerItem(fields), key)),
    ...(addEach && {
      addEach: async function* (all: readonly AnyRecord[]) {
        for await (const some of addEach(all.map(toNewerItem))) yield some.map(fromNewerItem)
      },
    }),
    update: async (before, patch) => fromNewerItem(await update(toNewerItem(before), toNewerItem(patch))),
    remove,
  }
}

/** Returns the groups of the newer variant, which shows their ids alone, in its items. */
const groupsOf = (items: readonly AnyRecord[]): AnyRecord[] =>
  [...new Set(items.map(({ group_id }) => Number(group_id)))].map((id) => ({ id, name: String(id) }))

const ofUsers = async <T>(users: readonly number[], list: (user: number) => Promise<readonly T[]>): Promise<T[]> =>
  (await Promise.all(users.map(list))).flat()

const accessToCalculated = ({ client, operator }: Account): Access => {
  if (!operator) return { ...fixed, list: async () => (await client.kpis.list()).filter((one) => one.is_calculated) }
  const { list, add, update, remove } = operator.calculated
  return {
    list,
    add: (fields) => add(asDraft(calculatedKpi, fields)),
    update: (before, patch) => update(idIn(before), asPatch(calculatedKpi, patch)),
    remove: async (record) => void (await remove(idIn(record))),
  }
}

/** Returns the operations on records of each kind. */
export const accessTo = (account: Account): Readonly<Record<KindName, Access>> => {
  const { client, operator } = account
  const isNewer = client.variant === 'v1'
  const classic = isNewer ? (account.classic ?? client) : client
  const newer = operator?.newer ?? (isNewer ? client : undefined)
  const ofEach =
    (list: (user: number) => Promise<readonly AnyRecord[]>): Access['list'] =>
    (users) =>
      ofUsers(users, async (id) => (await list(id)).map((record) => ({ ...record, user_id: id })))
  return {
    icon: { ...fixed, list: client.icons.list },
    category: whole(client, 'category'),
    unit: whole(client, 'unit'),
    group:
      classic.variant === 'v1'
        ? { ...fixed, list: async () => groupsOf(await newerItems(client).list([])) }
        : whole(classic, 'group'),
    group_item: newer ? newerItems(newer) : whole(client, 'group_item'),
    kpi: {
      list: async () =>
        (await client.kpis.list()).filter((one) => !one.is_calculated).map((one) => withBase('kpi', one)),
      ...changing(client, 'kpi'),
    },
    calculated_kpi: accessToCalculated(account),
    user: whole(classic, 'user'),
    assignment: {
      list: ofEach(async (id) => (await classic.assignments(id).list()).map((one) => withBase('assignment', one))),
      ...changing(classic, 'assignment'),
    },
    user_group_item: {
      list: ofEach((id) => classic.userGroupItems(id).list()),
      add: (fields) => classic.userGroupItems(idIn(fields, 'user_id')).add(asDraft(userGroupItem, fields)),
      update: refuse,
      remove: (record) => classic.userGroupItems(idIn(record, 'user_id')).remove(idIn(record)),
    },
  }
}

const PER_USER: ReadonlySet<KindName> = new Set(['assignment', 'user_group_item'])

/** Lists the kinds that a service shows. */
export const shownKinds = ({ client }: Account): readonly KindName[] =>
  client.variant === 'classic'
    ? KIND_NAMES
    : ['icon', 'category', 'unit', 'group', 'group_item', 'kpi', 'calculated_kpi']

/** Returns kinds with all that they refer to, and what these lie in. */
const withReferred = (names: Iterable<KindName>): Set<KindName> => {
  const given = [...names]
  const all = new Set(given)
  const take = (name: KindName, isWanted: boolean): void => {
    if (!isWanted && all.has(name)) return
    all.add(name)
    for (const { name: field, refers = [] } of kinds[name].fields)
      if (isWanted || kinds[name].identity.includes(field)) for (const other of refers) take(other, false)
  }
  for (const name of given) take(name, true)
  // A name must not be that of a KPI of the other kind.
  if (all.has('kpi') || all.has('calculated_kpi')) for (const name of ['kpi', 'calculated_kpi'] as const) all.add(name)
  return all
}

/**
 * Reads the records of some kinds and of all kinds that they refer to, in the fewest requests. Assignments and links are
 * read for the users that `isWanted` picks; kinds that are in `known` are not read.
 */
export const readSnapshot = async (
  account: Account,
  names: Iterable<KindName>,
  isWanted: (user: AnyRecord) => boolean = () => true,
  known: ReadonlyMap<KindName, readonly AnyRecord[]> = new Map(),
): Promise<Snapshot> => {
  const access = accessTo(account)
  const wanted = withReferred(names)
  for (const name of known.keys()) wanted.delete(name)
  const records = new Map(known)
  if (!account.operator && wanted.has('kpi')) {
    // One list holds both kinds of KPIs.
    const all = Map.groupBy(await account.client.kpis.list(), ({ is_calculated }) => is_calculated)
    records.set(
      'kpi',
      (all.get(false) ?? []).map((one) => withBase('kpi', one)),
    )
    records.set('calculated_kpi', (await account.client.formulas()) ?? all.get(true) ?? [])
  }
  if (account.client.variant === 'v1' && wanted.has('group')) {
    // Add the groups that only items name: no interface lists that of people.
    const [listed, items] = [account.classic ? await access.group.list([]) : [], await access.group_item.list([])]
    const known = new Set(listed.map(({ id }) => id))
    records.set('group', [...listed, ...groupsOf(items).filter(({ id }) => !known.has(id))])
    records.set('group_item', wanted.has('group_item') ? items : [])
  }
  for (const name of KIND_NAMES) {
    if (!wanted.has(name) || records.has(name)) continue
    const users = PER_USER.has(name) ? (records.get('user') ?? []).filter(isWanted) : []
    records.set(name, await access[name].list(users.map(({ id }) => Number(id))))
  }
  return new Snapshot(records)
}

/**
 * Reads the records of a kind again, of some users where they belong to users, and notes in a snapshot what they are now, as
 * far as they may be read.
 */
export const lookAgain = async (
  account: Account,
  snapshot: Snapshot,
  kind: KindName,
  users: readonly number[] = [],
): Promise<void> =>
  snapshot.take(kind, (await readIfAllowed(account.client, accessTo(account)[kind].list(users))) ?? [])
