import { readBatch } from '../../codec/batch.ts'
import { dayOfInstant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { DayRange } from '../../domain/period.ts'
import { batchFlags, batchResult, ENTRIES_PAGE, entry } from '../../domain/resources/entry.ts'
import type { Context } from '../../service/context.ts'
import { entries } from '../../service/entries.ts'
import { updateEntry } from '../../service/entry-update.ts'
import type { Answer, Query, Request, Route } from '../call.ts'
import { queryDay, queryInteger } from '../query.ts'
import { collectionRoutes } from './collection.ts'

const LAST_PAGE = 1_000_000_000

/** With only one date given the other is today, or the given one where that would turn the range around. */
const daysOf = (query: Query, { now }: Context): DayRange => {
  const today = dayOfInstant(now)
  const [from, to] = [queryDay(query, 'dateFrom'), queryDay(query, 'dateTo')]
  if (from !== undefined && to !== undefined && from > to) {
    throw new KpiError('malformed', 'dateFrom is after dateTo')
  }
  return { from: from ?? Math.min(today, to ?? today), to: to ?? Math.max(today, from ?? today) }
}

const list = async ({ ctx, query }: Request): Promise<Answer> => {
  const limit = queryInteger(query, 'rows', 1, ENTRIES_PAGE) ?? ENTRIES_PAGE
  const page = queryInteger(query, 'page', 1, LAST_PAGE) ?? 1
  const records = await entries.list(ctx, {
    userId: queryInteger(query, 'userid', 0, Number.MAX_SAFE_INTEGER),
    kpiId: queryInteger(query, 'kpiid', 0, Number.MAX_SAFE_INTEGER),
    days: daysOf(query, ctx),
    limit,
    offset: (page - 1) * limit,
  })
  return { status: 200, content: { of: entry, records } }
}

const addMany = async ({ ctx, body, lenient }: Request): Promise<Answer> => {
  const batch = readBatch(body, lenient)
  return { status: 200, content: { of: batchResult, record: await entries.addMany(ctx, batch.flags, batch.list) } }
}

const { get, add, remove } = entries

/** Entries: one by one, a page at a time, and in batches. */
export const entryRoutes: readonly Route[] = [
  { method: 'POST', path: `${entry.path}/list`, takes: batchFlags, handle: addMany },
  { method: 'GET', path: entry.path, handle: list },
  ...collectionRoutes(entry, { get, add, update: updateEntry, remove }),
]
