import { looseName } from '../../domain/name-form.ts'
import { type Account, readSnapshot } from '../../changes/records/access.ts'
import type { Desired } from '../../changes/records/desired.ts'
import { type KindName, kinds } from '../../changes/records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../../changes/records/snapshot.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { askedId, findGroup } from '../../reading/directory/reference.ts'
import type { MissingKpi, MissingPlan, MissingUser, UnitChoice } from '../../reading/missing/plan-missing.ts'

const FIRST_ICON = 1

/** Returns the oldest record of a name, if there is one. */
const oldest = (
  snapshot: Snapshot,
  kind: KindName,
  name: string,
  above: AccountRecord['above'] = {},
): AccountRecord | undefined =>
  snapshot
    .alike(kinds[kind], above, name)
    .filter(({ stored }) => stored)
    .toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0))[0]

/** Describes what something new lies in or refers to: what there is, or another new record. */
type Referred = {
  readonly reference: string
  readonly held?: AccountRecord | undefined
  readonly desired: readonly Desired[]
}

const ofId = (id: number): Referred => ({ reference: `#${id}`, desired: [] })

/** Returns what has a name, or what makes it. */
const named = (snapshot: Snapshot, kind: KindName, name: string, values: Desired['values'] = {}): Referred => {
  const held = oldest(snapshot, kind, name)
  if (held) return { reference: `#${held.id}`, held, desired: [] }
  // A name may look like an id.
  const reference = name.replace(/^(?='*#\d+$)/, "'")
  return { reference, desired: [{ kind: kinds[kind], line: 0, values: { name, ...values }, references: {} }] }
}

/** Says which record is meant: one that has the name by now. */
const meant = (held: AccountRecord | undefined): Partial<Desired> => (held ? { id: held.id, isById: true } : {})

/** Returns the places of new records, each after the one before it, and all after those of some records. */
const placesAfter = (records: readonly AccountRecord[]): ((at: number) => number) => {
  const last = records.reduce((most, { stored }) => Math.max(most, Number(stored?.['sort_order'] ?? 0)), 0)
  return (at) => Math.min(last + at + 1, INT16_MAX)
}

const unitOf = (snapshot: Snapshot, unit: UnitChoice): Referred => {
  if (unit.kind === 'existing') return ofId(unit.id)
  const { name, display_format, is_percentage } = unit
  return named(snapshot, 'unit', name, { entry_format: '#.00', display_format, is_percentage })
}

const desiredKpis = (snapshot: Snapshot, { kpis, category }: MissingPlan): Desired[] => {
  if (kpis.length === 0) return []
  const keyOf = ({ unit }: MissingKpi): string => (unit.kind === 'new' ? looseName(unit.name) : `existing ${unit.id}`)
  const units = new Map(kpis.map((one) => [keyOf(one), unitOf(snapshot, one.unit)]))
  const below = named(snapshot, 'category', category)
  const placeOf = placesAfter([...snapshot.ofKind('kpi'), ...snapshot.ofKind('calculated_kpi')])
  const desiredKpi = (one: MissingKpi, at: number): Desired => {
    const { id: line, name, frequency_id: frequency, aggregate_function, target_default } = one
    const own = { name, frequency, aggregate_function, target_default }
    return {
      kind: kinds.kpi,
      line,
      ...meant(oldest(snapshot, 'kpi', name)),
      values: { ...own, value_direction: 'U', sort_order: placeOf(at), is_active: true },
      references: {
        category: below.reference,
        icon: `#${FIRST_ICON}`,
        unit: units.get(keyOf(one))?.reference ?? '',
      },
    }
  }
  return [...below.desired, ...[...units.values()].flatMap(({ desired }) => desired), ...kpis.map(desiredKpi)]
}

/** Returns the group that new items go into, by its name or id; a new one if there is none of that name. */
const groupOf = (snapshot: Snapshot, name: string, isByIdAlone: boolean): Referred => {
  const groups = snapshot.ofKind('group').map((group) => ({ id: group.id ?? 0, name: group.name }))
  const id = findGroup(groups, name)?.id ?? (isByIdAlone ? askedId(name) : undefined)
  return id === undefined ? named(snapshot, 'group', name) : { ...ofId(id), held: snapshot.byId(['group'], id) }
}

const desiredItems = (snapshot: Snapshot, { items, group = '' }: MissingPlan, isByIdAlone: boolean): Desired[] => {
  if (items.length === 0) return []
  const { reference, held, desired } = groupOf(snapshot, group, isByIdAlone)
  const placeOf = placesAfter(snapshot.ofKind('group_item').filter(({ above }) => held && above['group'] === held))
  const desiredItem = ({ id: line, name }: MissingPlan['items'][number], at: number): Desired => ({
    kind: kinds.group_item,
    line,
    ...meant(held && oldest(snapshot, 'group_item', name, { group: held })),
    values: { name, sort_order: placeOf(at) },
    references: { group: reference },
  })
  return [...desired, ...items.map(desiredItem)]
}

/** Returns a user of a plan, with the provisional id as the line. */
export const desiredUser = ({ id: line, first_name, last_name, email }: MissingUser): Desired => ({
  kind: kinds.user,
  line,
  values: { user_type: 'User', user_status: 'A', first_name, last_name, email },
  references: {},
})

/** Reads what there is of the kinds of which a plan creates records; units are known where none of them is new. */
export const readHeld = (account: Account, { kpis, items, users }: MissingPlan): Promise<Snapshot> => {
  const units = kpis.flatMap(({ unit }) => (unit.kind === 'existing' ? { id: unit.id, name: unit.name } : []))
  const known: [KindName, readonly AnyRecord[]][] = [['icon', [{ id: FIRST_ICON, name: '' }]]]
  if (units.length === kpis.length) known.push(['unit', units])
  const lists: readonly [KindName, readonly unknown[]][] = [['kpi', kpis], ['group_item', items], ['user', users]] // prettier-ignore
  const names = lists.flatMap(([name, list]) => (list.length > 0 ? name : []))
  return readSnapshot(account, names, undefined, new Map(known))
}

/**
 * Returns the KPIs and items that a plan creates, with what they refer to; their provisional ids are the lines. Of several
 * records of a name, the oldest is meant; `isByIdAlone` tells that the interface shows the ids of groups alone.
 */
export const desiredOfEntries = (snapshot: Snapshot, plan: MissingPlan, isByIdAlone: boolean): Desired[] => [
  ...desiredKpis(snapshot, plan),
  ...desiredItems(snapshot, plan, isByIdAlone),
]
