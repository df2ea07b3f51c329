import { type EntryResource, readBatch } from '../../codec/batch.ts'
import { dayOfInstant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { DayRange } from '../../domain/period.ts'
import {
  batchFlags,
  batchResult,
  ENTRIES_PAGE,
  entry,
  newerBatchFlags,
  newerEntry,
} from '../../domain/resources/entry.ts'
import type { Context } from '../../service/context.ts'
import { entries } from '../../service/entries.ts'
import { updateEntry } from '../../service/entry-update.ts'
import type { Answer, Query, Request, Route } from '../call.ts'
import { queryDay, queryInteger } from '../query.ts'
import { collectionRoutes } from './collection.ts'

const USER = {
  kind: 'integer',
  name: 'userid',
  about: 'Id of the user whose entries are asked for',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
} as const
const KPI = {
  kind: 'integer',
  name: 'kpiid',
  about: 'Id of the KPI whose entries are asked for',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
} as const
const FROM = { kind: 'day', name: 'dateFrom', about: 'First day; today when neither day is given' } as const
const TO = { kind: 'day', name: 'dateTo', about: 'Last day; today when neither day is given' } as const
const ROWS = {
  kind: 'integer',
  name: 'rows',
  about: `Entries on a page; ${ENTRIES_PAGE} when not given`,
  least: 1,
  most: ENTRIES_PAGE,
} as const
const PAGE = {
  kind: 'integer',
  name: 'page',
  about: 'Which page; the first when not given',
  least: 1,
  most: 1_000_000_000,
} as const

/** With only one date given the other is today, or the given one where that would turn the range around. */
const daysOf = (query: Query, { now }: Context): DayRange => {
  const today = dayOfInstant(now)
  const [from, to] = [queryDay(query, FROM), queryDay(query, TO)]
  if (from !== undefined && to !== undefined && from > to) {
    throw new KpiError('malformed', 'dateFrom is after dateTo')
  }
  return { from: from ?? Math.min(today, to ?? today), to: to ?? Math.max(today, from ?? today) }
}

const list =
  (of: EntryResource) =>
  async ({ ctx, query }: Request): Promise<Answer> => {
    const limit = queryInteger(query, ROWS) ?? ENTRIES_PAGE
    const page = queryInteger(query, PAGE) ?? 1
    const records = await entries.list(ctx, {
      userId: queryInteger(query, USER),
      kpiId: queryInteger(query, KPI),
      days: daysOf(query, ctx),
      limit,
      offset: (page - 1) * limit,
    })
    return { status: 200, content: { of, records } }
  }

const addMany =
  (of: EntryResource) =>
  async ({ ctx, body, lenient }: Request): Promise<Answer> => {
    const batch = readBatch(body, lenient, of)
    return { status: 200, content: { of: batchResult, record: await entries.addMany(ctx, batch.flags, batch.list) } }
  }

const { get, add, remove } = entries

/** Entries as the classic interface has them: one by one, a page at a time, and in batches. */
export const classicEntryRoutes: readonly Route[] = [
  { method: 'POST', path: `${entry.path}/list`, takes: batchFlags, gives: batchResult, handle: addMany(entry) },
  { method: 'GET', path: entry.path, gives: entry, query: [USER, KPI, FROM, TO, ROWS, PAGE], handle: list(entry) },
  ...collectionRoutes(entry, { get, add, update: updateEntry, remove }),
]

/** The same in the newer variant, of any breakdown item. */
export const v1EntryRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: `${entry.path}/list`,
    takes: newerBatchFlags,
    gives: batchResult,
    handle: addMany(newerEntry),
  },
  {
    method: 'GET',
    path: entry.path,
    gives: newerEntry,
    query: [USER, KPI, FROM, TO, ROWS, PAGE],
    handle: list(newerEntry),
  },
  ...collectionRoutes(newerEntry, { get, add, update: updateEntry, remove }),
]
