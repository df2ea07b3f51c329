import type { CreatedKind } from '../../domain/kinds.ts'
import { looseName } from '../../client/directory.ts'
import { KpiError } from '../../domain/errors.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import { nameForm } from '../../domain/name-form.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'
import type { KpiDraft } from '../../domain/resources/kpi.ts'
import { ensure, type Known, type Making } from './ensure.ts'
import { askedId, findGroup } from './groups.ts'
import type { RealIds } from './missing.ts'
import type { MissingKpi, MissingPlan, MissingUser, UnitChoice } from './plan.ts'

const USER = { user_type: 'User', user_status_id: 'A' } as const

/** Yields the ids of what was created, step by step. */
async function* idsOf(made: AsyncGenerator<readonly { readonly id: number }[]>): AsyncGenerator<readonly number[]> {
  for await (const some of made) yield some.map(({ id }) => id)
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
        yield* idsOf(categories.addEach(wanted.map((one) => ({ name: one.name }))))
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
        const drafts = open.map(({ name, display_format, is_percentage }) => ({
          name,
          entry_format: '#.00',
          display_format,
          is_percentage,
        }))
        yield* idsOf(units.addEach(drafts))
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
        yield* idsOf(
          client.kpis.addEach(open.map((one, at) => draftOfKpi(one, categoryId, units, placeAfter(last, at)))),
        )
      },
    },
    kpis,
  )
}

/** Returns the id of the group that new items go into; it is created if there is none of that name. */
const ensureGroup = async (making: Making, name: string): Promise<number> => {
  const { classic } = making
  if (!classic) return requireGiven(askedId(name))
  const found = findGroup(await classic.groups.list(), name)
  if (found) return found.id
  const ids = await ensure(
    making,
    {
      kind: 'group',
      list: async () => (await classic.groups.list()).map(knownByName),
      keyOf: keyOfName,
      create: async function* (wanted) {
        yield* idsOf(classic.groups.addEach(wanted.map((one) => ({ name: one.name }))))
      },
    },
    [{ name }],
  )
  return requireId(ids, looseName(name))
}

/** Returns what the plan has settled for the interface that is used. */
const requireGiven = <T>(given: T | undefined): T => {
  if (given === undefined) throw new KpiError('internal', 'the plan of what to create needs another interface')
  return given
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
      create: async function* (open, last) {
        const drafts = open.map(({ name }, at) => ({ breakdown_id, name, sort_order: placeAfter(last, at) }))
        yield* idsOf(breakdownItems.addEach(drafts))
      },
    },
    items,
  )
}

const foldEmail = ({ email }: { readonly email: string }): string => nameForm(email)

/** Creates the users. */
const ensureUsers = async (making: Making, users: readonly MissingUser[]): Promise<Map<string, number>> => {
  if (users.length === 0) return new Map()
  const classic = requireGiven(making.classic)
  return ensure(
    making,
    {
      kind: 'user',
      list: async () => (await classic.users.list()).map((one) => ({ id: one.id, key: foldEmail(one), place: 0 })),
      keyOf: foldEmail,
      create: async function* (open) {
        const drafts = open.map(({ first_name, last_name, email }) => ({ ...USER, first_name, last_name, email }))
        yield* idsOf(classic.users.addEach(drafts))
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

/** Returns what notes what was created, and the function that tells whether this run has created something, and keeps it. */
const noteOwn = ({
  log,
}: Making): readonly [Making['log'], isOwn: (kind: CreatedKind, ids: Iterable<number>) => boolean] => {
  const own = new Set<string>()
  const add: Making['log']['add'] = (thing) => {
    own.add(`${thing.kind} ${thing.id}`)
    log.add(thing)
  }
  return [{ ...log, add }, (kind, ids) => [...ids].every((id) => own.has(`${kind} ${id}`))]
}

/**
 * Creates what is missing: users, then groups and their items, then units, the category and the KPIs. What the service
 * does not create is refused before anything is. Running it again creates only what is not there yet.
 */
export const createMissingThings = async (given: Making, plan: MissingPlan): Promise<RealIds> => {
  const [log, isOwn] = noteOwn(given)
  const making = { ...given, log }
  const users = byProvisional(plan.users, await ensureUsers(making, plan.users), foldEmail)
  const items = byProvisional(plan.items, await ensureItems(making, plan), keyOfName)
  const kpis = byProvisional(plan.kpis, await ensureKpis(making, plan), keyOfName)
  const areOwn = isOwn('user', users.values()) && isOwn('item', items.values()) && isOwn('kpi', kpis.values())
  given.log.settle()
  return { users, items, kpis, areOwn }
}
