import { breakdownItem } from '../../domain/resources/breakdown-item.ts'
import { breakdownItems, listBreakdownItems } from '../../service/breakdown-items.ts'
import type { Route } from '../call.ts'
import { queryBoolean, queryInteger } from '../query.ts'
import { collectionRoutes } from './collection.ts'

const BREAKDOWN = {
  kind: 'integer',
  name: 'breakdown_id',
  about: 'Id of the breakdown whose items are asked for',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  example: 2,
} as const
const ARCHIVED = {
  kind: 'boolean',
  name: 'archived',
  about: 'true for those that are archived, false for the others; both when not given',
  example: false,
} as const

/** Breakdown items: only the newer variant has them. */
export const breakdownItemRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: breakdownItem.path,
    gives: breakdownItem,
    query: [BREAKDOWN, ARCHIVED],
    handle: async ({ ctx, query }) => {
      const filter = { breakdownId: queryInteger(query, BREAKDOWN), isArchived: queryBoolean(query, ARCHIVED) }
      return { status: 200, content: { of: breakdownItem, records: await listBreakdownItems(ctx, filter) } }
    },
  },
  ...collectionRoutes(breakdownItem, breakdownItems),
]
