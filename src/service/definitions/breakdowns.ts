import { KpiError } from '../../domain/errors.ts'
import { type Breakdown, breakdown, type BreakdownItem, breakdownItem } from '../../domain/resources/breakdowns.ts'
import { missingReference } from '../../domain/rules.ts'
import { breakdownItems as store, type ItemFilter, listBreakdowns } from '../../store/tables/breakdowns.ts'
import { groupItems, groups } from '../../store/tables/groups.ts'
import { PEOPLE } from '../../store/tables/users.ts'
import { collection, readList } from '../collection.ts'
import { type Context, requireFound } from '../context.ts'

const { list: _unfiltered, ...operations } = collection(breakdownItem, store, 'items', {
  requireOpen: ({ breakdown_id }) => {
    if (breakdown_id !== PEOPLE) return
    throw new KpiError(
      'forbidden',
      `the items of breakdown ${PEOPLE} stand for people, and people are changed in the application, not here`,
    )
  },
  // Place a new item last in its own breakdown, not last of all items.
  fill: async (tx, account, { breakdown_id }) =>
    breakdown_id === undefined ? {} : { sort_order: await groupItems.nextPlace(tx, account, breakdown_id) },
  faults: async (tx, account, { breakdown_id }) => {
    if (breakdown_id === undefined || (await groups.find(tx, account, breakdown_id))) return []
    return [missingReference('breakdown_id', 'breakdown', breakdown_id)]
  },
  mayRemove: async (tx, account, { id, name }) => {
    if (!(await store.hasEntries(tx, account, id))) return
    throw new KpiError(
      'conflict',
      `breakdown item ${id} (${name}) has entries and cannot be deleted; archive it instead: is_archived true (kpi breakdown-items update ${id} --archived true)`,
    )
  },
})

/** Manages breakdown items: group items of the classic interface, and people, who follow their users. */
export const breakdownItems = operations

/** Returns the breakdown items that a filter selects. */
export const listBreakdownItems = (ctx: Context, filter: ItemFilter): Promise<readonly BreakdownItem[]> =>
  readList(ctx, {
    isLong: (tx) => store.hasMany(tx, ctx.account.id),
    read: (tx) => store.listOf(tx, ctx.account.id, filter),
  })

const rejectPeople = (id: number): void => {
  if (id !== PEOPLE) return
  throw new KpiError(
    'conflict',
    `breakdown ${PEOPLE} (People) is built in, and is neither renamed nor deleted; its items follow the users`,
  )
}

const list = ({ db, account }: Context): Promise<readonly Breakdown[]> =>
  db.read((tx) => listBreakdowns(tx, account.id))

const show = async (ctx: Context, id: number): Promise<Breakdown> =>
  requireFound(
    (await list(ctx)).find((one) => one.id === id),
    breakdown.title,
    id,
  )

/** Shows breakdowns to the operator: every group, and that of people. */
export const breakdowns = {
  /** Returns all breakdowns, including that of people, with the number of their items. */
  list,
  /** Returns one that may be renamed and deleted: not that of people. */
  getOwn: async (ctx: Context, id: number): Promise<Breakdown> => {
    rejectPeople(id)
    return show(ctx, id)
  },
}
