import type { Client } from '../../client/client.ts'
import { looseName } from '../../client/directory.ts'
import { NEWER_PROFILE } from '../../client/capabilities.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'
import type { KpiDraft } from '../../domain/resources/kpi.ts'
import type { RealIds } from './missing.ts'
import type { MissingKpi, MissingPlan, MissingUser, UnitChoice } from './plan.ts'

/** Names the kinds of things that are created. */
export type CreatedKind = 'category' | 'unit' | 'kpi' | 'group' | 'item' | 'user'

/** Describes something that was created. */
export type CreatedThing = { readonly kind: CreatedKind; readonly id: number; readonly name: string }

/** Holds what creating needs. */
export type Making = {
  readonly client: Client
  /** Holds a client of the classic interface of the same service; undefined if it has none. */
  readonly classic: Client | undefined
  readonly signal: AbortSignal
  /** Receives what is about to be created, before any request for it is sent. */
  readonly onIntent: (kind: CreatedKind, names: readonly string[]) => void
  /** Receives what was created, as soon as it is. */
  readonly onCreated: (thing: CreatedThing) => void
}

const STOPPED = 'stopped before any entry was sent; run the same command to continue'
/** Sets how often a list is read again after an answer was lost. */
const ATTEMPTS = 3

/** Describes something that the service has: the text by which it is known, and its place in lists. */
type Known = { readonly id: number; readonly key: string; readonly place: number }

/** Describes how things of a kind are found and created. */
type Kind<W> = {
  readonly kind: CreatedKind
  readonly list: () => Promise<readonly Known[]>
  readonly keyOf: (wanted: W) => string
  /** Creates some, in order, and yields their ids as soon as they are known. */
  readonly create: (wanted: readonly W[], lastPlace: number) => AsyncGenerator<readonly number[]>
}

const isLost = (error: unknown): boolean => error instanceof KpiError && error.mayBeDone

/** Creates those that are open, and notes their ids. */
const createOpen = async <W>(
  { signal, onIntent, onCreated }: Making,
  { kind, keyOf, create }: Kind<W>,
  open: readonly W[],
  known: readonly Known[],
  ids: Map<string, number>,
): Promise<void> => {
  if (signal.aborted) throw new Aborted(STOPPED)
  onIntent(kind, open.map(keyOf))
  const last = known.reduce((most, { place }) => Math.max(most, place), 0)
  let at = 0
  for await (const made of create(open, last)) {
    for (const id of made) {
      const one = open[at++]
      if (one === undefined) break
      ids.set(keyOf(one), id)
      onCreated({ kind, id, name: keyOf(one) })
    }
    if (signal.aborted) throw new Aborted(STOPPED)
  }
}

/**
 * Creates the things of a kind that are not there yet, and returns the ids of all by their keys. If an answer is lost,
 * the list tells whether the thing was created, so that nothing is created twice.
 */
const ensure = async <W>(making: Making, kind: Kind<W>, wanted: readonly W[]): Promise<Map<string, number>> => {
  for (let attempt = 1; ; attempt += 1) {
    const known = await kind.list()
    const ids = new Map(known.map(({ key, id }) => [key, id]))
    const open = wanted.filter((one) => !ids.has(kind.keyOf(one)))
    if (open.length === 0) return ids
    try {
      await createOpen(making, kind, open, known, ids)
      return ids
    } catch (error) {
      if (!isLost(error) || attempt === ATTEMPTS) throw error
    }
  }
}

const placeAfter = (last: number, at: number): number => Math.min(last + at + 1, INT16_MAX)

const keyOfName = ({ name }: { readonly name: string }): string => looseName(name)

type Placed = { readonly id: number; readonly name: string; readonly sort_order: number }

const knownByName = ({ id, name, sort_order }: Placed): Known => ({ id, key: looseName(name), place: sort_order })

/** Returns the id of the category, which is created if there is none of that name. */
const ensureCategory = async (making: Making, name: string): Promise<number> => {
  const { categories } = making.client
  const ids = await ensure(
    making,
    {
      kind: 'category',
      list: async () => (await categories.list()).map(knownByName),
      keyOf: keyOfName,
      create: async function* (wanted) {
        for (const one of wanted) yield [(await categories.add({ name: one.name })).id]
      },
    },
    [{ name }],
  )
  return requireId(ids, looseName(name))
}

type NewUnit = Extract<UnitChoice, { kind: 'new' }>

const isNewUnit = (unit: UnitChoice): unit is NewUnit => unit.kind === 'new'

/** Creates the new units, and returns the ids of all by their folded names. */
const ensureUnits = async (making: Making, kpis: readonly MissingKpi[]): Promise<Map<string, number>> => {
  const wanted = new Map(kpis.flatMap(({ unit }) => (isNewUnit(unit) ? [[looseName(unit.name), unit] as const] : [])))
  const { units } = making.client
  if (wanted.size === 0) return new Map()
  return ensure(
    making,
    {
      kind: 'unit',
      list: async () => (await units.list()).map(({ id, name }) => ({ id, key: looseName(name), place: 0 })),
      keyOf: keyOfName,
      create: async function* (open) {
        for (const { name, display_format, is_percentage } of open) {
          const made = await units.add({ name, entry_format: '#.00', display_format, is_percentage })
          yield [made.id]
        }
      },
    },
    [...wanted.values()],
  )
}

const requireId = (ids: ReadonlyMap<string, number>, key: string): number => {
  const id = ids.get(key)
  if (id === undefined) throw new KpiError('unavailable', `"${key}" was created, and the service does not list it`)
  return id
}

const FIRST_ICON = 1

const draftOfKpi = (
  { name, frequency_id, aggregate_function, target_default, unit }: MissingKpi,
  category_id: number,
  units: ReadonlyMap<string, number>,
  sort_order: number,
): KpiDraft => ({
  name,
  category_id,
  icon_id: FIRST_ICON,
  unit_id: isNewUnit(unit) ? requireId(units, looseName(unit.name)) : unit.id,
  frequency_id,
  aggregate_function,
  target_default,
  value_direction: 'U',
  sort_order,
  is_active: true,
})

/** Creates the KPIs with their units and category. */
const ensureKpis = async (making: Making, { kpis, category }: MissingPlan): Promise<Map<string, number>> => {
  if (kpis.length === 0) return new Map()
  const units = await ensureUnits(making, kpis)
  const categoryId = await ensureCategory(making, category)
  const { client } = making
  return ensure(
    making,
    {
      kind: 'kpi',
      list: async () => (await client.kpis.list()).map(knownByName),
      keyOf: keyOfName,
      create: async function* (open, last) {
        const drafts = open.map((one, at) => draftOfKpi(one, categoryId, units, placeAfter(last, at)))
        for (const draft of drafts) yield [(await client.kpis.add(draft)).id]
      },
    },
    kpis,
  )
}

/** Returns the id in a text such as `7` or `#7`. */
const askedId = (text: string): number | undefined => {
  const [, id] = /^#?([1-9]\d{0,14})$/.exec(text) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Returns the id of the group that new items go into; it is created if there is none of that name. */
const ensureGroup = async (making: Making, name: string): Promise<number> => {
  const { classic } = making
  if (!classic) return breakdownOf(making, name)
  const asked = askedId(name)
  if (asked !== undefined && (await classic.groups.list()).some(({ id }) => id === asked)) return asked
  const ids = await ensure(
    making,
    {
      kind: 'group',
      list: async () => (await classic.groups.list()).map(knownByName),
      keyOf: keyOfName,
      create: async function* (wanted) {
        for (const one of wanted) yield [(await classic.groups.add({ name: one.name })).id]
      },
    },
    [{ name }],
  )
  return requireId(ids, looseName(name))
}

/** Returns the breakdown of new items where the interface makes none: the one that is given, or that all items share. */
const breakdownOf = async ({ client }: Making, name: string): Promise<number> => {
  const items = await client.breakdownItems.list()
  const ids = new Set(items.flatMap(({ breakdown_id, user_id }) => (user_id === null ? breakdown_id : [])))
  const [only, ...others] = ids
  const asked = askedId(name)
  if (asked !== undefined) return asked
  if (only !== undefined && others.length === 0) return only
  const known = ids.size === 0 ? 'there is none with items yet' : `there are ${[...ids].join(', ')}`
  throw new KpiError(
    'unsupported',
    `new breakdown items need a breakdown, which the newer interface does not create: ${known}; give its id with --group ID; nothing was created`,
  )
}

/** Creates the breakdown items in their group. */
const ensureItems = async (making: Making, { items, group }: MissingPlan): Promise<Map<string, number>> => {
  if (items.length === 0) return new Map()
  const breakdown_id = await ensureGroup(making, group ?? '')
  const { breakdownItems } = making.client
  const isOfGroup = (one: BreakdownItem): boolean => one.breakdown_id === breakdown_id
  return ensure(
    making,
    {
      kind: 'item',
      list: async () => (await breakdownItems.list({ breakdownId: breakdown_id })).filter(isOfGroup).map(knownByName),
      keyOf: keyOfName,
      create: async function* (open) {
        for (const { name } of open) yield [(await breakdownItems.add({ breakdown_id, name })).id]
      },
    },
    items,
  )
}

const foldEmail = ({ email }: { readonly email: string }): string => email.toLowerCase()

/** Creates the users. */
const ensureUsers = async (making: Making, users: readonly MissingUser[]): Promise<Map<string, number>> => {
  if (users.length === 0) return new Map()
  const { classic } = making
  if (!classic) {
    throw new KpiError(
      'unsupported',
      `the newer interface creates no people: ${users.length} are missing, such as "${users[0]?.name}"; use a profile of the classic interface, or --as items with ${NEWER_PROFILE}; nothing was created`,
    )
  }
  return ensure(
    making,
    {
      kind: 'user',
      list: async () => (await classic.users.list()).map((one) => ({ id: one.id, key: foldEmail(one), place: 0 })),
      keyOf: foldEmail,
      create: async function* (open) {
        for (const { first_name, last_name, email } of open) {
          const made = await classic.users.add({ user_type: 'User', user_status_id: 'A', first_name, last_name, email })
          yield [made.id]
        }
      },
    },
    users,
  )
}

/** Maps provisional ids to real ones by the keys of things. */
const byProvisional = <W extends { readonly id: number }>(
  wanted: readonly W[],
  ids: ReadonlyMap<string, number>,
  keyOf: (one: W) => string,
): Map<number, number> => new Map(wanted.map((one) => [one.id, requireId(ids, keyOf(one))]))

/**
 * Creates what is missing: users, then groups and their items, then units, the category and the KPIs. What the service
 * does not create is refused before anything is. Running it again creates only what is not there yet.
 */
export const createMissingThings = async (making: Making, plan: MissingPlan): Promise<RealIds> => {
  const users = await ensureUsers(making, plan.users)
  const items = await ensureItems(making, plan)
  const kpis = await ensureKpis(making, plan)
  return {
    users: byProvisional(plan.users, users, foldEmail),
    items: byProvisional(plan.items, items, keyOfName),
    kpis: byProvisional(plan.kpis, kpis, keyOfName),
  }
}
