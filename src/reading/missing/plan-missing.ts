import { type NearName, namesakes, nearNames } from '../../changes/names/near-names.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { Frequency } from '../../domain/period.ts'
import type { Named } from '../../client/directory.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'
import { askedId, findGroup, type Reference } from '../directory/reference.ts'
import { NEWER_PROFILE } from '../../client/capabilities.ts'
import type { Client } from '../../client/client.ts'
import { nextTurn, pauseEvery } from '../../client/next-turn.ts'
import { newName } from '../../domain/name-form.ts'
import type { Pause } from '../../domain/pause.ts'
import { group as groupResource } from '../../domain/resources/groups.ts'
import type { CheckedFile } from '../entries/check.ts'
import { listFlag } from '../options/flag-text.ts'
import { roleHeader } from '../columns/roles.ts'
import { numberAt } from '../../domain/entry-block.ts'
import type { Creation, ImportOptions } from '../options/options.ts'
import { isProvisional, type Lookup } from '../directory/lookup.ts'
import type { Batch } from '../rows/batches.ts'
import { requireMeantNames, warningsOnGivenNames } from './meant-names.ts'
import { defineKpi, type KnownOfKpi, type KpiDefaults } from './define-kpi.ts'
import type { ListGroups, Missing, ReferenceLists } from '../directory/missing.ts'
import { type EarlierKpis, requireNoRenames } from './kpi-names.ts'

/** Describes the unit of a new KPI: one that exists, or a new one. */
export type UnitChoice =
  | { readonly kind: 'existing'; readonly id: number; readonly name: string; readonly is_percentage: boolean }
  | {
      readonly kind: 'new'
      readonly name: string
      readonly display_format: string
      readonly is_percentage: boolean
    }

/** Describes a KPI to create. */
export type MissingKpi = {
  readonly id: number
  readonly name: string
  readonly frequency_id: Frequency
  readonly unit: UnitChoice
  readonly aggregate_function: 'SUM' | 'AVG'
  readonly target_default: Decimal | null
  /** Says why each of these was chosen, one sentence each. */
  readonly evidence: readonly string[]
}

/** Describes a user to create. */
export type MissingUser = {
  readonly id: number
  readonly name: string
  readonly first_name: string
  readonly last_name: string | null
  readonly email: string
}

/** Describes a breakdown item to create. */
type MissingItem = { readonly id: number; readonly name: string }

/** Describes all that an import creates before it sends entries; ids are provisional. */
export type MissingPlan = {
  readonly kpis: readonly MissingKpi[]
  readonly users: readonly MissingUser[]
  readonly items: readonly MissingItem[]
  /** Names the group of new breakdown items; undefined if there are none. */
  readonly group: string | undefined
  /** Names the category of new KPIs. */
  readonly category: string
  /** Lists new names that are nearly those of things that exist. */
  readonly near: readonly NearName[]
}

/** Returns the ids of the groups that items are in, without those of persons. */
const groupsOf = (items: readonly BreakdownItem[]): Set<number> =>
  new Set(items.flatMap(({ user_id, breakdown_id }) => (user_id === null ? breakdown_id : [])))

/** Sets how many groups are offered. */
const OFFERED = 5

/**
 * Returns the id of the group of new items where the interface shows none: as given, else that of the other items of the
 * file; or the fault if nothing says which.
 */
const groupWithoutNames = (
  asked: string | undefined,
  found: readonly BreakdownItem[],
  all: readonly BreakdownItem[],
): number | Issue => {
  const id = asked === undefined ? undefined : askedId(asked)
  if (id !== undefined) return id
  const [only, ...others] = groupsOf(found)
  if (asked === undefined && only !== undefined && others.length === 0) return only
  const why = asked === undefined ? 'new breakdown items need a group' : `"${asked}" is no id of a group`
  const known = [...groupsOf(all)].map((one) => {
    const names = all.filter(({ breakdown_id }) => breakdown_id === one).map(({ name }) => `"${name}"`)
    return `--group ${one} puts them beside ${names.slice(0, 2).join(', ')}`
  })
  const ways = known.length > 0 ? known.slice(0, OFFERED).join('; ') : 'give its id with --group ID'
  return { field: 'group', message: `${why}, and the newer interface does not name groups: ${ways}` }
}

/**
 * Returns the fault of a file that names items of one group, and new ones that would go into another; `group` names
 * that one.
 */
const faultOfGroups = (
  groups: readonly Named[],
  found: readonly BreakdownItem[],
  group: string,
  isNew: boolean,
): Issue | undefined => {
  const target = findGroup(groups, group)?.id
  if (!isNew && target === undefined) return undefined
  const others = found.filter(({ user_id, breakdown_id }) => user_id === null && breakdown_id !== target)
  const [first] = others
  if (!first) return undefined
  const known = groups.find(({ id }) => id === first.breakdown_id)?.name ?? String(first.breakdown_id)
  const more = others.length > 1 ? ` (and ${others.length - 1} more)` : ''
  return {
    field: first.name,
    message:
      `${more} is in the group "${known}", and new breakdown items of this file would go into "${group}": --group ${JSON.stringify(known)} takes it, and creates others beside it; --group ${JSON.stringify(group)} creates an item of that name there as well`.trim(),
  }
}

/** Names the category and the group that are used if nothing else says which. */
const CATEGORY = 'General'
const GROUP = 'Items'

/** Returns the date format of a file: of its dates, or of its headers that are dates. */
export const dateFormatOf = ({ formats, plan }: Pick<CheckedFile, 'formats' | 'plan'>): string | undefined =>
  plan.wide?.dateFormat ?? formats.date?.column.format.text

/** Returns what is known of each KPI that rows need and the service does not have. */
const knownOf = (checked: CheckedFile, created: Missing): KnownOfKpi[] =>
  (created.kpis?.used() ?? []).map(({ id, name }) => ({
    id,
    name,
    rows: created.evidence.of(id),
    dateFormat: dateFormatOf(checked),
    signs: checked.formats.signsOf(id),
  }))

/** Says of KPIs in doubt which known ones they nearly are, as a mistyped name is no new KPI. */
const withNearNames = async (
  issues: readonly Issue[],
  names: readonly string[],
  others: readonly string[],
  pause: Pause,
): Promise<Issue[]> => {
  const near = await nearNames('KPI', names, others, pause)
  const meant = new Map(near.flatMap((one) => (one.isNew === true ? [] : [[one.name, one.known] as const])))
  return issues.map(({ field, message }) => {
    const other = meant.get(field)
    const way = other === undefined ? '' : listFlag('--map-kpi', [`${field}=${other}`])
    return {
      field,
      message: way === '' ? message : `${message}; it is nearly "${other}", which exists: ${way} takes it as that one`,
    }
  })
}

/** Defines the new KPIs; throws all that is in doubt at once. */
const defineKpis = async (
  known: readonly KnownOfKpi[],
  defaults: KpiDefaults,
  others: readonly string[],
  pause: Pause,
): Promise<MissingKpi[]> => {
  const issues: Issue[] = []
  const defined = known.flatMap((one) => {
    const found = defineKpi(one, defaults)
    if ('id' in found) return found
    issues.push(...found)
    return []
  })
  if (issues.length === 0) return defined
  const names = known.map(({ name }) => name)
  const told = await withNearNames(issues, names, others, pause)
  throw new KpiError('malformed', 'it is not clear how to create some KPIs; nothing was sent', {
    issues: [...Map.groupBy(told, ({ message }) => message).values()].flatMap(([first]) => first ?? []),
  })
}

/** Returns the name of the group of new items: as given, else that of the column that names them. */
const groupName = (plan: CheckedFile['plan'], asked: string | undefined): string => {
  if (asked !== undefined) return asked
  const header = newName(roleHeader(plan, 'source'))
  return header === '' || header.length > groupResource.fields.name.max ? GROUP : header
}

const usersOf = (created: Missing): MissingUser[] =>
  (created.users?.used() ?? []).map(({ id, name, first_name, last_name, email }) => ({
    id,
    name,
    first_name,
    last_name,
    email,
  }))

/** Gives the rows' KPIs what was found, so that they are judged as they will be. */
const applyDefinitions = (created: Missing, defined: readonly MissingKpi[]): void => {
  for (const { id, frequency_id, aggregate_function, target_default } of defined) {
    const one = created.kpis?.lookup.byId.get(id)
    if (one) created.kpis?.replace(id, { ...one, frequency_id, aggregate_function, target_default })
  }
}

const allItems = ({ sources }: Reference): BreakdownItem[] =>
  [...(sources?.byId.values() ?? [])].filter(({ id }) => !isProvisional(id))

/** Describes the group that new items go into by its name or id, and the names of others that it is new beside. */
type GroupOfNew = { readonly name: string; readonly beside: readonly string[] }

/**
 * Returns the group that new items go into. Refuses new items beside items of another group, and items of another group
 * than the one that their column names.
 */
const groupOfNew = async (
  { plan, reference }: CheckedFile,
  created: Missing,
  asked: string | undefined,
  listGroups: ListGroups | undefined,
): Promise<GroupOfNew | undefined> => {
  const isNew = (created.items?.used() ?? []).length > 0
  const found = created.foundItems()
  if (!isNew && found.length === 0) return undefined
  const groups = await listGroups?.()
  const name = groupName(plan, asked)
  const id = isNew && !groups ? groupWithoutNames(asked, found, allItems(reference)) : undefined
  const fault = groups ? faultOfGroups(groups, found, name, isNew) : typeof id === 'number' ? undefined : id
  if (fault)
    throw new KpiError('malformed', 'it is not clear which breakdown items some names mean; nothing was sent', {
      issues: [fault],
    })
  if (typeof id === 'number') return { name: String(id), beside: [] }
  return isNew && groups
    ? { name, beside: findGroup(groups, name) ? [] : groups.map((group) => group.name) }
    : undefined
}

/** Refuses new people where no interface creates them. */
const requirePeople = async (users: readonly MissingUser[], listGroups: ListGroups | undefined): Promise<void> => {
  const [first] = users
  if (!first || (await listGroups?.())) return
  throw new KpiError(
    'unsupported',
    `the newer interface creates no people: ${users.length} are missing, such as "${first.name}"; use a profile of the classic interface, or --as items with ${NEWER_PROFILE}; nothing was created`,
  )
}

/** Returns the names and addresses of what the service has. */
const knownNames = (lookup: Lookup | undefined): string[] =>
  [...(lookup?.byId.values() ?? [])].flatMap(({ id, name, email }) =>
    isProvisional(id) ? [] : [name, ...(email === undefined ? [] : [email])],
  )

/** Returns the new names that may be known ones, mistyped. */
const nearOf = async (
  { kpis, users, sources }: Reference,
  created: Pick<MissingPlan, 'kpis' | 'users' | 'items'>,
  group: GroupOfNew | undefined,
  pause: Pause,
): Promise<NearName[]> => {
  const namesOf = (list: readonly { readonly name: string; readonly email?: string }[]): string[] =>
    list.flatMap(({ name, email }) => (email === undefined ? name : [name, email]))
  const near = await Promise.all([
    nearNames('KPI', namesOf(created.kpis), knownNames(kpis), pause),
    nearNames('user', namesOf(created.users), knownNames(users), pause),
    nearNames('breakdown item', namesOf(created.items), knownNames(sources), pause),
    nearNames('group', group ? [group.name] : [], group?.beside ?? [], pause),
  ])
  const found = near.flat()
  const isTold = new Set(found.map(({ name }) => name))
  const people = created.users.map(({ name }) => name).filter((name) => !isTold.has(name))
  const all = [...users.byId.values()].filter(({ id }) => !isProvisional(id)).map(({ name }) => name)
  return [...found, ...(await namesakes(people, all, pause))]
}

/** Describes what planning asks, what ends it, and whom it warns. */
export type PlanningMissing = Pick<ReferenceLists, 'groups'> & {
  readonly signal: AbortSignal
  /** Finds the KPIs of which earlier files of the same kind had entries. */
  readonly earlierKpis?: () => Promise<EarlierKpis | undefined>
  /** Receives warnings, which are shown even with `--quiet`. */
  readonly onWarning: (warning: string) => void
}

/** Sets how many names are compared in one turn. */
const NAMES_PER_TURN = 500

/**
 * Returns all that rows need and the service does not have; undefined if there is nothing. Names that may
 * mean something else are refused, unless the user said what is meant.
 */
export const planMissing = async (
  client: Client,
  checked: CheckedFile,
  { frequency, unit, category, group: asked }: Creation,
  options: ImportOptions,
  { signal, groups: listGroups, earlierKpis, onWarning }: PlanningMissing,
): Promise<MissingPlan | undefined> => {
  const { created } = checked.reference
  if (!created) return undefined
  const pause = pauseEvery(NAMES_PER_TURN, signal)
  const file = { checked, created, options, pause }
  await requireMeantNames(file)
  for (const warning of await warningsOnGivenNames(file)) onWarning(warning)
  const known = knownOf(checked, created)
  const units = known.length > 0 ? await client.units.list() : []
  const kpis = await defineKpis(known, { units, frequency, unit }, knownNames(checked.reference.kpis), pause)
  const earlier = kpis.length > 0 ? await earlierKpis?.() : undefined
  if (earlier) requireNoRenames(checked, created, kpis, options, earlier)
  applyDefinitions(created, kpis)
  const items = (created.items?.used() ?? []).map(({ id, name }) => ({ id, name }))
  const users = usersOf(created)
  const group = await groupOfNew(checked, created, asked, listGroups)
  if (kpis.length + users.length + items.length === 0) return undefined
  if (client.variant === 'v1') await requirePeople(users, listGroups)
  return {
    kpis,
    users,
    items,
    group: group?.name,
    category: category ?? CATEGORY,
    near: await nearOf(checked.reference, { kpis, users, items }, group, pause),
  }
}

/** Returns a plan without what only rows name that are rejected; undefined if nothing is left of it. */
export const neededOf = async (
  plan: MissingPlan,
  batches: Iterable<Batch>,
  signal: AbortSignal,
): Promise<MissingPlan | undefined> => {
  const [owners, kpis] = [new Set<number>(), new Set<number>()]
  for (const { block } of batches) {
    await nextTurn(signal)
    for (let at = 0; at < block.count; at += 1) {
      kpis.add(numberAt(block.kpi, at))
      owners.add(numberAt(block.owner, at))
    }
  }
  const needed = {
    ...plan,
    kpis: plan.kpis.filter(({ id }) => kpis.has(id)),
    users: plan.users.filter(({ id }) => owners.has(id)),
    items: plan.items.filter(({ id }) => owners.has(-id)),
  }
  return needed.kpis.length + needed.users.length + needed.items.length > 0 ? needed : undefined
}
