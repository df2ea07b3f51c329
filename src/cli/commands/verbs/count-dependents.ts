import type { HeldByUsers } from '../../../changes/send/dependents.ts'
import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { listNamed } from '../../../client/operations/kind-operations.ts'
import { Fault, KpiError } from '../../../domain/errors.ts'
import { createdKind } from '../../../domain/kinds.ts'
import { breakdown, breakdownItem } from '../../../domain/resources/breakdowns.ts'
import { type CalculatedKpi, calculatedKpi } from '../../../domain/resources/calculated-kpi.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { group, groupItem } from '../../../domain/resources/groups.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import type { Resource } from '../../../domain/schema.ts'
import { countOf } from '../../output/text.ts'

/** Bounds how many entries are read of a service over the network only to count them. */
const MOST_COUNTED = 10_000
/** Bounds the users whose assignments are counted: each takes a request. */
const MOST_USERS = 100

const EVERY_DAY = { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY }

/** Describes a part of what goes with a record: in words, and counted where it could be. */
type Part = { readonly text: string; readonly count?: number }

/** Says what to do where no record is left that new KPIs need, once some are gone; undefined if others are, or none is needed. */
export const noneLeft = async (
  client: Client,
  of: Resource,
  gone: ReadonlySet<number>,
): Promise<string | undefined> => {
  const kind = createdKind(of)
  if (gone.size === 0 || (kind !== 'category' && kind !== 'unit')) return undefined
  const all = await readIfAllowed(client, listNamed(client, kind))
  if (all?.some(({ id }) => !gone.has(id)) !== false) return undefined
  const { usual } = kpi.fields[`${kind}_id`]
  return `and every new KPI needs one: kpi ${of.plural} create --name ${usual} makes the usual one; kpi history shows the receipt with which kpi undo takes the deletion back`
}

/** Describes what goes with a record when it is deleted: in words, and its counts where they are known. */
export type DependentCounts = {
  readonly text: string
  readonly assignments?: number | undefined
  readonly entries?: number | undefined
  readonly links?: number | undefined
}

/** Returns the entries of a KPI: `3 entries of 2026-01-01 to 2026-03-01`. */
const entriesOfKpi = async (client: Client, kpiId: number): Promise<Part> => {
  let [count, first, last] = [0, Infinity, -Infinity]
  for await (const page of entryPages(client, { ...EVERY_DAY, kpiId })) {
    count += page.length
    for (const { entry_date } of page) [first, last] = [Math.min(first, entry_date), Math.max(last, entry_date)]
    if (!client.isBundled() && count >= MOST_COUNTED)
      return { text: `at least ${countOf(count, 'entry', 'entries')} of ${formatDay(first)} and later` }
  }
  if (count === 0) return { text: 'no entries', count }
  return { text: `${countOf(count, 'entry', 'entries')} of ${formatDay(first)} to ${formatDay(last)}`, count }
}

/** Returns the assignments of a KPI; without a number where there are too many users to ask. */
const assignmentsOfKpi = async (held: HeldByUsers, kpiId: number): Promise<Part> => {
  const all = await held.of('assignment', undefined, MOST_USERS)
  if (all instanceof Fault) return { text: 'its assignments' }
  const count = all.records.filter(({ id }) => id === kpiId).length
  return { text: countOf(count, 'assignment'), count }
}

const LINKS = ['link to a group item', 'links to group items'] as const

/** Counts what goes with a record; undefined where nothing is known that could be counted. */
const counted = async (held: HeldByUsers, { name }: Resource, id: number): Promise<DependentCounts | undefined> => {
  if (name === calculatedKpi.name) {
    const assignments = await assignmentsOfKpi(held, id)
    return { text: `with ${assignments.text}`, assignments: assignments.count }
  }
  if (name === kpi.name) {
    const [assignments, entries] = [await assignmentsOfKpi(held, id), await entriesOfKpi(held.client, id)]
    const text = `with ${assignments.text} and ${entries.text}`
    return { text, assignments: assignments.count, entries: entries.count }
  }
  if (name === groupItem.name) {
    const all = await held.of('user_group_item', undefined, MOST_USERS)
    if (all instanceof Fault) return undefined
    const links = all.records.filter((item) => item['id'] === id).length
    return { text: `with ${countOf(links, 'link to a user', 'links to users')}`, links }
  }
  if (name !== user.name) return undefined
  const [own, linked] = [await held.of('assignment', id, MOST_USERS), await held.of('user_group_item', id, MOST_USERS)]
  if (own instanceof Fault || linked instanceof Fault) return undefined
  const [assignments, links] = [own.records.length, linked.records.length]
  const text = `with ${countOf(assignments, 'assignment')}, ${countOf(links, ...LINKS)} and their keys`
  return { text, assignments, links }
}

/** Describes a record by its id and name. */
type Known = { readonly id: number; readonly name: string }

const labelled = (of: Resource, { id, name }: Known): string => `${of.title} ${id}${name === '' ? '' : ` (${name})`}`

/** Tells whether entries carry an item or belong to it, as its report does in both interfaces. */
const isInEntries = async (client: Client, item: number): Promise<boolean> =>
  (await client.report({ ...EVERY_DAY, groupItemIds: [item] })).rows.length > 0

const SHOWN_USERS = 3

/** Returns what uses a category or a unit, and what to do about that. */
const usedByKpis = async (
  client: Client,
  field: 'category_id' | 'unit_id',
  id: number,
): Promise<string | undefined> => {
  const kpis = (await client.kpis.list()).filter((one) => one[field] === id)
  const more = kpis.length - SHOWN_USERS
  const listed = kpis.slice(0, SHOWN_USERS).map((one) => `${one.id}, ${one.name}`)
  const flag = field.replace('_id', '')
  if (kpis.length === 0) return undefined
  const all = [...listed, ...(more > 0 ? [`${more} more`] : [])].join('; ')
  return `is in use by ${countOf(kpis.length, 'KPI')} (${all}) and cannot be deleted; give these another first: kpi kpis update ${kpis[0]?.id} --${flag} …`
}

const keptByItems = async (client: Client, id: number): Promise<string | undefined> => {
  const items = await client.groupItems(id).list()
  if (items.length === 0) return undefined
  return `has ${countOf(items.length, 'group item')} and cannot be deleted; delete those first (kpi group-items list --group ${id})`
}

const reasons: Readonly<Record<string, (client: Client, id: number) => Promise<string | undefined>>> = {
  [user.name]: async (client, id) => {
    if ((await client.entries.page({ ...EVERY_DAY, userId: id, page: 1 })).entries.length > 0)
      return `has entries and cannot be deleted; lock the user instead (kpi users update ${id} --user-status locked), or delete the entries first (kpi entries delete --user ${id} --from … --to …)`
    const active = (await client.users.list()).filter(({ user_status_id }) => user_status_id === 'A')
    return active.length === 1 && active[0]?.id === id ? 'is the last active user and cannot be deleted' : undefined
  },
  [group.name]: keptByItems,
  [breakdown.name]: keptByItems,
  [category.name]: (client, id) => usedByKpis(client, 'category_id', id),
  [unit.name]: (client, id) => usedByKpis(client, 'unit_id', id),
  [groupItem.name]: async (client, id) =>
    (await isInEntries(client, id))
      ? `is carried by entries and cannot be deleted; archive it instead, in the newer interface (kpi breakdown-items update ${id} --archived true)`
      : undefined,
  [breakdownItem.name]: async (client, id) =>
    (await isInEntries(client, id))
      ? `has entries and cannot be deleted; archive it instead (kpi breakdown-items update ${id} --archived true)`
      : undefined,
}

/**
 * Says why the bundled service would refuse to delete a record, and what to do instead; undefined where nothing keeps it.
 * What keeps a record at another service is not known.
 */
export const keptBy = async (client: Client, of: Resource, one: Known): Promise<string | undefined> => {
  if (!client.isBundled()) return undefined
  const reason = await readIfAllowed(client, reasons[of.name]?.(client, one.id) ?? Promise.resolve(undefined))
  return reason && `${labelled(of, one)} ${reason}`
}

/** Says which formulas use a KPI, which keep it from being deleted. */
export const keptByFormulas = (
  of: Resource,
  one: Known,
  formulas: readonly CalculatedKpi[] = [],
): string | undefined => {
  const users = formulas.filter(({ formula }) => formula.includes(`[${one.id}]`))
  const [first] = users
  if (!first) return undefined
  const names = users.map((user) => labelled(calculatedKpi, user)).join(', ')
  return `${labelled(of, one)} is used by the formula${users.length === 1 ? '' : 's'} of ${names} and cannot be deleted; change ${users.length === 1 ? 'it' : 'them'} first: kpi service calculated update ${first.id} --formula …`
}

/** Returns what goes with the records of a kind, uncounted. */
export const uncounted = ({ removal = '' }: Resource): DependentCounts => ({ text: removal })

/** Returns what goes with a record when it is deleted, counted where the service lets it be. */
export const countDependents = async (held: HeldByUsers, of: Resource, id: number): Promise<DependentCounts> => {
  try {
    return (await counted(held, of, id)) ?? uncounted(of)
  } catch (error) {
    if (error instanceof KpiError) return uncounted(of)
    throw error
  }
}
