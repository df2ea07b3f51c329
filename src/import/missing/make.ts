import type { Client } from '../../client/client.ts'
import { looseName } from '../../client/directory.ts'
import { type ChangedKind, type ListedKind, listKind, operationsOn } from '../../client/operations/kind-operations.ts'
import { KpiError } from '../../domain/errors.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import { type CreatedKind, createdKind, keyOf as nameFieldOf, KINDS, parentOf } from '../../domain/kinds.ts'
import { nameForm } from '../../domain/name-form.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { ensure, type Known, type Making } from './ensure.ts'
import { askedId, findGroup } from './groups.ts'
import type { RealIds } from './missing.ts'
import type { MissingKpi, MissingPlan, MissingUser, UnitChoice } from './plan.ts'

const USER = { user_type: 'User', user_status_id: 'A' } as const

const placeAfter = (last: number, at: number): number => Math.min(last + at + 1, INT16_MAX)

const keyOfName = ({ name }: { readonly name: string }): string => looseName(name)
const keyOfEmail = ({ email }: { readonly email: string }): string => nameForm(email)

/** Describes what is wanted of a kind: through which client, as what each is created at its place, and in which parent. */
type Wanted<W> = {
  readonly client: Client
  readonly kind: ChangedKind & ListedKind
  readonly keyOf: (wanted: W) => string
  readonly draftOf: (wanted: W, place: number) => AnyRecord
  readonly parent?: number
}

/** Creates what is not there yet, and returns the ids of all by their keys. */
const ensureAll = async <W extends { readonly name: string }>(
  making: Making,
  { client, kind, keyOf, draftOf, parent }: Wanted<W>,
  wanted: readonly W[],
): Promise<Map<string, number>> => {
  if (wanted.length === 0) return new Map()
  const [field, within] = [nameFieldOf(kind), parentOf(kind)]
  const formOf = kind === 'user' ? nameForm : looseName
  const knownAs = (record: AnyRecord): Known => ({
    id: Number(record['id']),
    key: formOf(String(record[field])),
    place: Number(record['sort_order'] ?? 0),
  })
  return ensure(
    making,
    {
      kind: createdKind(KINDS[kind].of) ?? 'item',
      list: async () => {
        const list = await listKind(client, kind, parent)
        return list.filter((one) => parent === undefined || one[within ?? ''] === parent).map(knownAs)
      },
      keyOf,
      create: async function* (open, last) {
        const drafts = open.map((one, at) => draftOf(one, placeAfter(last, at)))
        for await (const some of operationsOn(client, kind).addEach(drafts)) yield some.map(({ id }) => Number(id))
      },
    },
    wanted,
  )
}

const requireId = (ids: ReadonlyMap<string, number>, key: string): number => {
  const id = ids.get(key)
  if (id === undefined) throw new KpiError('unavailable', `"${key}" was created, and the service does not list it`)
  return id
}

/** Returns the id of what has a name alone, which is created if there is none of that name. */
const ensureNamed = async (
  making: Making,
  client: Client,
  kind: 'category' | 'group',
  name: string,
): Promise<number> => {
  const ids = await ensureAll(making, { client, kind, keyOf: keyOfName, draftOf: () => ({ name }) }, [{ name }])
  return requireId(ids, looseName(name))
}

type NewUnit = Extract<UnitChoice, { kind: 'new' }>

const isNewUnit = (unit: UnitChoice): unit is NewUnit => unit.kind === 'new'

/** Creates the new units, and returns the ids of all by their folded names. */
const ensureUnits = async (making: Making, kpis: readonly MissingKpi[]): Promise<Map<string, number>> => {
  const wanted = new Map(kpis.flatMap(({ unit }) => (isNewUnit(unit) ? [[looseName(unit.name), unit] as const] : [])))
  const draftOf = ({ name, display_format, is_percentage }: NewUnit): AnyRecord => ({
    name,
    entry_format: '#.00',
    display_format,
    is_percentage,
  })
  const { client } = making
  return ensureAll(making, { client, kind: 'unit', keyOf: keyOfName, draftOf }, [...wanted.values()])
}

const FIRST_ICON = 1

/** Creates the KPIs with their units and category. */
const ensureKpis = async (making: Making, { kpis, category }: MissingPlan): Promise<Map<string, number>> => {
  if (kpis.length === 0) return new Map()
  const { client } = making
  const units = await ensureUnits(making, kpis)
  const category_id = await ensureNamed(making, client, 'category', category)
  const draftOf = (one: MissingKpi, sort_order: number): AnyRecord => ({
    name: one.name,
    category_id,
    icon_id: FIRST_ICON,
    unit_id: isNewUnit(one.unit) ? requireId(units, looseName(one.unit.name)) : one.unit.id,
    frequency_id: one.frequency_id,
    aggregate_function: one.aggregate_function,
    target_default: one.target_default,
    value_direction: 'U',
    sort_order,
    is_active: true,
  })
  return ensureAll(making, { client, kind: 'kpi', keyOf: keyOfName, draftOf }, kpis)
}

/** Returns the id of the group that new items go into; it is created if there is none of that name. */
const ensureGroup = async (making: Making, name: string): Promise<number> => {
  const { classic } = making
  if (!classic) return requireGiven(askedId(name))
  const found = findGroup(await classic.groups.list(), name)
  return found ? found.id : ensureNamed(making, classic, 'group', name)
}

/** Returns what the plan has settled for the interface that is used. */
const requireGiven = <T>(given: T | undefined): T => {
  if (given === undefined) throw new KpiError('internal', 'the plan of what to create needs another interface')
  return given
}

/** Creates the breakdown items in their group. */
const ensureItems = async (making: Making, { items, group }: MissingPlan): Promise<Map<string, number>> => {
  if (items.length === 0) return new Map()
  const parent = await ensureGroup(making, group ?? '')
  const draftOf = ({ name }: { readonly name: string }, sort_order: number): AnyRecord => ({
    breakdown_id: parent,
    name,
    sort_order,
  })
  return ensureAll(making, { client: making.client, kind: 'breakdown_item', keyOf: keyOfName, draftOf, parent }, items)
}

/** Creates the users. */
const ensureUsers = async (making: Making, users: readonly MissingUser[]): Promise<Map<string, number>> => {
  if (users.length === 0) return new Map()
  const client = requireGiven(making.classic)
  const draftOf = ({ first_name, last_name, email }: MissingUser): AnyRecord => ({
    ...USER,
    first_name,
    last_name,
    email,
  })
  return ensureAll(making, { client, kind: 'user', keyOf: keyOfEmail, draftOf }, users)
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
  const users = byProvisional(plan.users, await ensureUsers(making, plan.users), keyOfEmail)
  const items = byProvisional(plan.items, await ensureItems(making, plan), keyOfName)
  const kpis = byProvisional(plan.kpis, await ensureKpis(making, plan), keyOfName)
  const areOwn = isOwn('user', users.values()) && isOwn('item', items.values()) && isOwn('kpi', kpis.values())
  given.log.settle()
  return { users, items, kpis, areOwn }
}
