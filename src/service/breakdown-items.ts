import { KpiError } from '../domain/errors.ts'
import { type BreakdownItem, breakdownItem } from '../domain/resources/breakdown-item.ts'
import { missing } from '../domain/rules.ts'
import { breakdownItems as store, type ItemFilter } from '../store/breakdown-items.ts'
import { groupItems, groups } from '../store/groups.ts'
import { PEOPLE } from '../store/users.ts'
import { collection } from './collection.ts'
import type { Context } from './context.ts'
import { readList } from './long-list.ts'

const { list: _unfiltered, ...operations } = collection(breakdownItem, store, 'items', {
  mustBeOpen: ({ breakdown_id }) => {
    if (breakdown_id !== PEOPLE) return
    throw new KpiError(
      'forbidden',
      `the items of breakdown ${PEOPLE} stand for people, and people are changed in the application, not here`,
    )
  },
  // An item is the last of its breakdown, not of all there are.
  fill: async (tx, account, { breakdown_id }) =>
    breakdown_id === undefined ? {} : { sort_order: await groupItems.nextPlace(tx, account, breakdown_id) },
  faults: async (tx, account, { breakdown_id }) => {
    if (breakdown_id === undefined || (await groups.find(tx, account, breakdown_id))) return []
    return [missing('breakdown_id', 'breakdown', breakdown_id)]
  },
  mayRemove: async (tx, account, { id, name }) => {
    if (!(await store.hasEntries(tx, account, id))) return
    throw new KpiError(
      'conflict',
      `breakdown item ${id} (${name}) has entries and cannot be deleted; archive it instead: is_archived true (kpi breakdown-items update ${id} --archived true)`,
    )
  },
})

/** Breakdown items: what the classic interface calls group items, and people, who follow their users. */
export const breakdownItems = operations

/** The breakdown items that a filter leaves. */
export const listBreakdownItems = (ctx: Context, filter: ItemFilter): Promise<readonly BreakdownItem[]> =>
  readList(ctx, {
    isLong: (tx) => store.hasMany(tx, ctx.account.id),
    read: (tx) => store.listOf(tx, ctx.account.id, filter),
  })
