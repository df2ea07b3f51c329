import { readDraft, readPatch } from '../../../codec/json.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import { DATED_TARGETS } from '../../../domain/resources/dated-target.ts'
import type { Resource, Stored } from '../../../domain/schema.ts'
import type { Collection } from '../../../service/collection.ts'
import type { Context, Ids } from '../../../service/context.ts'
import { breakdownItems, listBreakdownItems } from '../../../service/definitions/breakdowns.ts'
import type { Answer, Content, Route } from '../call.ts'
import { queryBoolean, queryInteger } from '../query.ts'

const content = <R extends Resource>(of: R, record: Stored<R>): Content => ({ of, record })

const locationOf = (of: Resource, { parent }: Ids, record: object): string =>
  `${of.path.replace(/\{\w+\}/, String(parent))}/${'id' in record ? String(record.id) : ''}`

/**
 * Returns the routes of a resource, for each operation that it has. `asked` is the resource with the fields that answers
 * show to clients that ask for them, and that bodies may always hold.
 */
export const collectionRoutes = <R extends Resource>(of: R, service: Collection<R>, asked?: R): Route[] => {
  const taken = asked ?? of
  const isAsked = ({ showsDatedTargets }: Context): boolean => asked !== undefined && showsDatedTargets === true
  const shownTo = (ctx: Context): R => (isAsked(ctx) ? taken : of)
  const applied = (ctx: Context): Pick<Answer, 'applied'> => (isAsked(ctx) ? { applied: DATED_TARGETS } : {})
  const one = `${of.path}/${of.fields['id']?.kind === 'choice' ? '{key}' : '{id}'}`
  const { list, get, add, update, remove } = service
  const routes: (Route | undefined)[] = [
    list && {
      method: 'GET',
      path: of.path,
      gives: of,
      handle: async ({ ctx, ids }) => ({
        status: 200,
        ...applied(ctx),
        content: { of: shownTo(ctx), records: await list(ctx, ids) },
      }),
    },
    get && {
      method: 'GET',
      path: one,
      gives: of,
      handle: async ({ ctx, ids }) => ({
        status: 200,
        ...applied(ctx),
        content: content(shownTo(ctx), await get(ctx, ids)),
      }),
    },
    add && {
      method: 'POST',
      path: of.path,
      takes: of,
      gives: of,
      handle: async ({ ctx, ids, body, lenient }) => {
        const record = await add(ctx, ids, readDraft(taken, body, lenient))
        const location = locationOf(of, ids, record)
        return { status: 201, location, ...applied(ctx), content: content(shownTo(ctx), record) }
      },
    },
    update && {
      method: 'PUT',
      path: one,
      takes: of,
      gives: of,
      handle: async ({ ctx, ids, body, lenient }) => ({
        status: 200,
        ...applied(ctx),
        content: content(shownTo(ctx), await update(ctx, ids, readPatch(taken, body, lenient))),
      }),
    },
    remove && {
      method: 'DELETE',
      path: one,
      handle: async ({ ctx, ids }) => {
        await remove(ctx, ids)
        return { status: 200 }
      },
    },
  ]
  return routes.filter((route) => route !== undefined)
}

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

/** Lists the routes of breakdown items, which only the newer variant has. */
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
