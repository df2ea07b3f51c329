import { looseName } from '../../domain/name-form.ts'
import { createDirectory, type Named } from '../../client/directory.ts'
import type { Client } from '../../client/client.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { type Assignment, assignment } from '../../domain/resources/assignment.ts'
import { KINDS } from '../../domain/kinds.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { fullName, type User } from '../../domain/resources/user.ts'
import { faultOfAssignment, faultsOfItem, faultsOfKpi, faultsOfUser } from '../../domain/rules.ts'
import type { Resource } from '../../domain/schema.ts'
import { verbsIn } from '../../domain/variants.ts'
import { ownerOfItem } from '../../domain/entry-key.ts'
import { type Lookups, Missing, type NamedUser, type RealIds, type ReferenceLists } from './missing.ts'
import { exactNoNames, isProvisional, type Lookup, lookupOfIds, withRealId } from './lookup.ts'
import type { ImportOptions } from '../options/options.ts'
import { Percentages } from './percentages.ts'
import { measuresOf } from './measures.ts'
import { NumberWords } from '../formats/number-words.ts'
import { memoize } from '../formats/date-format.ts'

/** Returns the id in a text such as `7` or `#7`. */
export const askedId = (text: string): number | undefined => {
  const [, id] = /^#?([1-9]\d{0,14})$/.exec(text) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Returns the group that a text names, by its name or id. */
export const findGroup = <T extends Named>(groups: readonly T[], text: string): T | undefined =>
  groups.find(({ name }) => looseName(name) === looseName(text)) ?? groups.find(({ id }) => id === askedId(text))

/** Describes a user and a KPI without an assignment, which the import may create. */
export type Pair = { readonly user: User; readonly kpi: Kpi }

/** Says what an import needs of the reference data, and what the user said of it. */
type ReferenceNeeds = {
  readonly createAssignments: boolean
  /** Tells whether entries may belong to breakdown items. */
  readonly sources: boolean
  /** Tells whether a currency that is not that of a KPI makes a cell bad, and no other check compares them. */
  readonly refusesCurrencies?: boolean
} & Pick<Partial<ImportOptions>, 'create' | 'kpi' | 'mapKpi' | 'numbersAs' | 'percent' | 'scale'> &
  ReferenceLists

/** Lists what may be left unchecked, in the order of messages. */
const CHECKED = ['KPIs', 'users', 'breakdown items', 'assignments', 'entries'] as const
type CheckedThing = (typeof CHECKED)[number]

/** Returns a short text that lists what was left unchecked. */
export const tellUnchecked = ({ unchecked }: { readonly unchecked: ReadonlySet<CheckedThing> }): string =>
  CHECKED.filter((one) => unchecked.has(one)).join(', ')

/** Bounds the names that are remembered: those of a header are looked up several times. */
const MOST_NAMES = 1 << 15

const lookUp = async <T extends Named>(
  client: Client,
  of: Resource,
  list: Promise<readonly T[]>,
): Promise<Lookup<T>> => {
  const found = await readIfAllowed(client, list)
  if (!found) return lookupOfIds(`${of.title}s`, of)
  const { byId, find } = createDirectory(of.title, found)
  return { byId, find: memoize(find, MOST_NAMES) }
}

/** Extends a lookup of KPIs by the names that `--map-kpi` gives them. */
const withOtherNames = (
  kpis: Lookup<Kpi>,
  mapKpi: ReadonlyMap<string, string> | undefined,
  unused: Set<string>,
): Lookup<Kpi> => {
  if (!mapKpi) return kpis
  const byText = new Map([...mapKpi].map(([text, name]) => [looseName(text), { text, name }]))
  for (const text of mapKpi.keys()) unused.add(text)
  const nameOf = (asked: string): string => {
    const found = byText.get(looseName(asked))
    if (found) unused.delete(found.text)
    return found?.name ?? asked
  }
  const { create } = kpis
  return {
    ...kpis,
    find: (text) => kpis.find(nameOf(text)),
    ...(create && { create: (text: string) => create(nameOf(text)) }),
  }
}

/**
 * Returns the function that tells which breakdown items a file can name: if `--group` says where new ones go, those of
 * that group and those of persons; the same name in another group is something else.
 */
const itemsInGroup = async ({ create, groups }: ReferenceNeeds): Promise<(item: BreakdownItem) => boolean> => {
  if (create?.group === undefined || !create.kinds.has('items')) return () => true
  const list = await groups?.()
  const id = findGroup(list ?? [], create.group)?.id ?? askedId(create.group)
  if (!list && id === undefined) return () => true
  return ({ breakdown_id, user_id }) => user_id !== null || breakdown_id === id
}

/** Returns a list without the records that share a name with one that was chosen. */
const withoutDoubles = <T extends { readonly id: number }>(
  list: readonly T[],
  chosen: ReadonlyMap<number, number> | undefined,
  keyOf: (one: T) => string,
): readonly T[] => {
  if (!chosen || chosen.size === 0) return list
  const ids = new Set(chosen.values())
  const keys = new Map(list.flatMap((one) => (ids.has(one.id) ? [[keyOf(one), one.id] as const] : [])))
  return list.filter((one) => (keys.get(keyOf(one)) ?? one.id) === one.id)
}

const fetchLookups = async (client: Client, needs: ReferenceNeeds): Promise<Lookups> => {
  const { sources, chosen, numbersAs } = needs
  const users = async (): Promise<NamedUser[]> =>
    withoutDoubles(await client.users.list(), chosen?.users, ({ email }) => looseName(email)).map((one) => ({
      ...one,
      name: fullName(one),
    }))
  const isKnown = await itemsInGroup(needs)
  const items = async (): Promise<(BreakdownItem & Named)[]> =>
    withoutDoubles(
      await client.breakdownItems.list(),
      chosen?.items,
      ({ breakdown_id, name }) => `${breakdown_id}/${looseName(name)}`,
    )
      .filter(isKnown)
      .map((item) => ({ ...item, within: `breakdown ${item.breakdown_id}` }))
  const kpis = async (): Promise<readonly Kpi[]> =>
    withoutDoubles(await client.kpis.list(), chosen?.kpis, ({ name }) => looseName(name))
  const [ofKpis, ofUsers, found] = await Promise.all([
    lookUp(client, KINDS.kpi.of, kpis()),
    lookUp(client, KINDS.user.of, users()),
    sources ? lookUp(client, KINDS.breakdown_item.of, items()) : undefined,
  ])
  return {
    kpis: exactNoNames(ofKpis, 'kpi', numbersAs),
    users: exactNoNames(ofUsers, 'user', numbersAs),
    sources: found && exactNoNames(found, 'source', numbersAs),
  }
}

/**
 * Returns what cannot be checked for an owner's entries. Only users have assignments, and a user's breakdown item is
 * judged like the user.
 */
const uncheckedOf = (
  owner: number,
  { kpis, users, sources }: Lookups,
  persons: ReadonlyMap<number, BreakdownItem>,
  readsAssignments: boolean,
): CheckedThing[] => {
  const isUser = owner > 0
  return [
    ...(kpis.unread === undefined ? [] : (['KPIs'] as const)),
    ...(isUser && users.unread !== undefined && !persons.has(owner) ? (['users'] as const) : []),
    ...(!isUser && sources?.unread !== undefined ? (['breakdown items'] as const) : []),
    ...(isUser && !readsAssignments ? (['assignments'] as const) : []),
  ]
}

/** Returns the items of persons among breakdown items, by user. */
const itemsOfUsers = (sources: Lookups['sources']): Map<number, BreakdownItem> =>
  new Map([...(sources?.byId.values() ?? [])].flatMap((item) => (item.user_id === null ? [] : [[item.user_id, item]])))

/**
 * Fetches all KPIs and users, and breakdown items if they are needed, as far as the key may read them. A missing
 * assignment is a fault, or is noted if the import creates assignments.
 */
export const fetchReference = async (client: Client, needs: ReferenceNeeds) => {
  const known = await fetchLookups(client, needs)
  const created = needs.create && new Missing(known, needs.create)
  const unusedNames = new Set<string>()
  const lookups: Lookups = {
    kpis: withOtherNames(created?.kpis?.lookup ?? known.kpis, needs.mapKpi, unusedNames),
    users: created?.users?.lookup ?? known.users,
    sources: created?.items?.lookup ?? known.sources,
  }
  const { kpis, users, sources } = lookups
  const { percent, create } = needs
  const percentages = new Percentages(client, kpis.byId, create?.unit, percent)
  const words = new NumberWords(needs.scale, needs.refusesCurrencies === true)
  const readsAssignments = verbsIn(client.variant, assignment).includes('list')
  const persons = itemsOfUsers(sources)
  const assigned = new Map<number, ReadonlyMap<number, Assignment>>()
  const missing: Pair[] = []
  let lacksAssignments = false
  const unchecked = new Set<CheckedThing>()

  const faultsOfOwner = (owner: number): readonly { readonly message: string }[] => {
    const [user, item] = [users.byId.get(owner), persons.get(owner) ?? sources?.byId.get(-owner)]
    const faults = user ? faultsOfUser(user) : []
    return item && faults.length === 0 ? faultsOfItem(item) : faults
  }
  const faultsOfPair = (owner: number, kpiId: number): string[] => {
    for (const one of uncheckedOf(owner, lookups, persons, readsAssignments)) unchecked.add(one)
    const [user, kpi] = [users.byId.get(owner), kpis.byId.get(kpiId)]
    const faults = [...faultsOfOwner(owner), ...(kpi ? faultsOfKpi(kpi) : [])]
    // Take a user whose assignments were not fetched as assigned; one that is to be created has none.
    const isAssigned = !readsAssignments || (assigned.get(owner)?.has(kpiId) ?? !isProvisional(owner))
    if (isAssigned || !user || !kpi) return faults.map(({ message }) => message)
    if (!needs.createAssignments) {
      lacksAssignments ||= faults.length === 0
      faults.push(faultOfAssignment(withRealId(kpi), withRealId(user)))
    } else if (faults.length === 0) missing.push({ user, kpi })
    return faults.map(({ message }) => message)
  }
  const judged = new Map<number, Map<number, readonly string[]>>()
  const faultsOf = (owner: number, kpiId: number): readonly string[] => {
    const ofOwner = judged.get(owner) ?? new Map<number, readonly string[]>()
    if (ofOwner.size === 0) judged.set(owner, ofOwner)
    const known = ofOwner.get(kpiId)
    if (known) return known
    const faults = faultsOfPair(owner, kpiId)
    ofOwner.set(kpiId, faults)
    return faults
  }
  const isLocked = (owner: number): boolean => users.byId.get(owner)?.user_status_id === 'L'
  return {
    ...lookups,
    /** Returns a breakdown item with its owner number as the id; for a person's item that is the user's id. */
    ownerOf: ({ id, name }: Named): Named => ({ name, id: sources?.byId.get(id)?.user_id ?? ownerOfItem(id) }),
    /**
     * Fetches the assignments of users, unless they cannot be read or have been fetched already: a
     * request for each user. `onFetched` receives how many users that has been done for; it may throw to stop.
     */
    fetchAssignments: async (userIds: Iterable<number>, onFetched?: (users: number) => void): Promise<void> => {
      if (!readsAssignments) return
      for (const id of new Set(userIds)) {
        if (assigned.has(id) || isProvisional(id)) continue
        const list = needs.assignments?.get(id) ?? (await client.assignments(id).list())
        needs.assignments?.set(id, list)
        assigned.set(id, new Map(list.map((one) => [one.id, one])))
        onFetched?.(assigned.size)
      }
    },
    /** Tells whether rows were refused because their KPI is not assigned to their user, and may be. */
    lacksAssignments: (): boolean => lacksAssignments,
    /** Returns a user's target for a KPI; null if there is none, undefined if it is not known. */
    userTarget: (userId: number, kpiId: number): Decimal | null | undefined => {
      const ofUser = assigned.get(userId)
      const one: Assignment | undefined = ofUser?.get(kpiId)
      // Answer nothing for targets that begin on a day: they are not the same on all days.
      if (!ofUser || (one?.targets ?? null) !== null) return undefined
      return one?.user_target ?? null
    },
    /** Returns the highest `sort_order` of a user's assignments; 0 if there are none. */
    lastPlaceOf: (userId: number): number =>
      [...(assigned.get(userId)?.values() ?? [])].reduce((last, { sort_order }) => Math.max(last, sort_order), 0),
    /** Returns why an owner may not have values of a KPI, in the service's own words; empty when they may. */
    faultsOf,
    /** Tells whether an owner is a locked user, who takes no new values, and keeps those that are stored. */
    isLocked,
    /** Tells whether values are no fault if they are stored already: those of a locked user. */
    mayBeStored: (owner: number, kpiId: number): boolean =>
      isLocked(owner) && kpis.byId.get(kpiId)?.is_calculated === false,
    /** Returns the assignments that rows need and that do not exist. */
    missing: (): readonly Pair[] => missing,
    /**
     * Returns the function that tells whether numbers of a KPI are fractions that mean percentages, because the user says
     * so; `givesPercent` tells whether the file gives it the unit percent.
     */
    fractions: await percentages.fractions(),
    percentages,
    /** Reads the words beside numbers. */
    words,
    /** Finds out what the values of KPIs are, by their units; `unitsOfFile` returns the units that a file gives one. */
    learnMeasures: async (unitsOfFile: (kpi: number) => readonly { readonly text: string }[]): Promise<void> => {
      words.learn(await measuresOf(client, { kpis, constant: needs.kpi, unitOfNew: create?.unit, unitsOfFile }))
    },
    /** Holds the texts that `--map-kpi` gives a KPI and that the file does not have. */
    unusedNames,
    /** Holds what rows name and the service does not have, if it is created. */
    created,
    /**
     * Takes the ids of what was created, for all that is asked from now on; tells whether rows are still in the order of
     * their keys.
     */
    settle: (ids: RealIds): boolean => {
      const isInOrder = created?.settle(ids) ?? true
      const pairs = missing.splice(0)
      for (const { user, kpi } of pairs) {
        const [real, of] = [
          users.byId.get(created?.realOwner(user.id) ?? user.id),
          kpis.byId.get(created?.realKpi(kpi.id) ?? kpi.id),
        ]
        if (real && of) missing.push({ user: real, kpi: of })
      }
      // What was judged of something that did not exist holds for it now.
      for (const [owner, ofOwner] of judged) {
        const own = judged.get(created?.realOwner(owner) ?? owner) ?? new Map<number, readonly string[]>()
        for (const [kpi, faults] of ofOwner) own.set(created?.realKpi(kpi) ?? kpi, faults)
        judged.set(created?.realOwner(owner) ?? owner, own)
      }
      return isInOrder
    },
    /** Lists what rows refer to and could not be read, so that it is not checked before they are sent. */
    unchecked,
  }
}

/** Holds what a file's rows refer to, fetched once. */
export type Reference = Awaited<ReturnType<typeof fetchReference>>
