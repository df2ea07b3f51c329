import { readBatch } from '../../../codec/batch.ts'
import { readDraft } from '../../../codec/json.ts'
import { dayOfInstant } from '../../../domain/day.ts'
import { KpiError, refuseFaults } from '../../../domain/errors.ts'
import type { DayRange } from '../../../domain/period.ts'
import {
  batchFlags,
  batchResult,
  ENTRIES_PAGE,
  ENTRIES_PAGE_IN_PROCESS,
  entry,
  entryNames,
  type EntryResource,
  newerBatchFlags,
  newerEntry,
} from '../../../domain/resources/entry.ts'
import {
  againOf,
  CREATED_AGAIN,
  type CreatedAgain,
  newerRunEntry,
  runEntry,
  runUndo,
  undoneBatch,
} from '../../../domain/resources/entry-run.ts'
import type { Resource } from '../../../domain/schema.ts'
import type { Context } from '../../../service/context.ts'
import { entriesNamedBy } from '../../../service/entries/entries.ts'
import type { Query, QueryParameter, Route } from '../call.ts'
import { queryDay, queryIds, queryInteger } from '../query.ts'
import { collectionRoutes } from './collection.ts'

const USER = {
  kind: 'integer',
  name: 'userid',
  about: 'Id of the user whose entries are asked for',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  example: 2,
} as const
const SOURCE = {
  kind: 'integer',
  name: 'sourceid',
  about: 'Id of the breakdown item whose entries are asked for',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  example: 2,
} as const
const KPI = {
  kind: 'integer',
  name: 'kpiid',
  about: 'Id of the KPI whose entries are asked for',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  example: 1,
} as const
const FROM = {
  kind: 'day',
  name: 'dateFrom',
  about: 'First day; when not given today, or the last day where that is earlier',
  example: '2026-03-01',
} as const
const TO = {
  kind: 'day',
  name: 'dateTo',
  about: 'Last day; when not given today, or the first day where that is later',
  example: '2026-03-31',
} as const
const ROWS = {
  kind: 'integer',
  name: 'rows',
  about: `Entries on a page; ${ENTRIES_PAGE} when not given`,
  least: 1,
  most: ENTRIES_PAGE,
  example: 100,
} as const
/** Accepts longer pages where there are no other requests. */
const ROWS_IN_PROCESS = { ...ROWS, most: ENTRIES_PAGE_IN_PROCESS } as const
const AFTER = {
  kind: 'integer',
  name: 'after',
  about: 'Leaves out the entries of dateFrom up to this id: with the day and id of the last entry, the next ones',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  example: 1000,
} as const
const PAGE = {
  kind: 'integer',
  name: 'page',
  about: 'Which page; the first when not given',
  least: 1,
  most: 1_000_000_000,
  example: 1,
} as const

const BEFORE = {
  kind: 'integer',
  name: 'before',
  about: 'Asks for the last batch before this revision; for the last of the run when not given',
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
  example: 7,
} as const

const KPIS_AGAIN = { kind: 'ids', ...CREATED_AGAIN.kpis, example: [3, 9] } as const
const ITEMS_AGAIN = { kind: 'ids', ...CREATED_AGAIN.items, example: [2, 12] } as const

/**
 * Returns the range of days. If only one date is given, the other is today, or the given date if today would reverse
 * the range.
 */
const daysOf = (query: Query, { now }: Context): DayRange => {
  const today = dayOfInstant(now)
  const [from, to] = [queryDay(query, FROM), queryDay(query, TO)]
  if (from !== undefined && to !== undefined && from > to) {
    throw new KpiError('malformed', 'dateFrom is after dateTo')
  }
  return { from: from ?? Math.min(today, to ?? today), to: to ?? Math.max(today, from ?? today) }
}

/** Reads the filter from the query parameters of a variant. */
const filterOf = (query: Query, ctx: Context, known: readonly QueryParameter[]) => {
  const limit = queryInteger(query, ctx.beginLong ? ROWS : ROWS_IN_PROCESS) ?? ENTRIES_PAGE
  const page = queryInteger(query, PAGE) ?? 1
  return {
    userId: queryInteger(query, USER),
    sourceId: known.includes(SOURCE) ? queryInteger(query, SOURCE) : undefined,
    kpiId: queryInteger(query, KPI),
    days: daysOf(query, ctx),
    after: queryInteger(query, AFTER),
    limit,
    offset: (page - 1) * limit,
  }
}

/** Describes what differs in a variant's routes of entries. */
type Variety = {
  readonly of: EntryResource
  readonly batch: Resource
  readonly query: readonly QueryParameter[]
  /** Holds the status of a POST that updates an entry; one that creates an entry has 201. */
  readonly updated: 200 | 201
}

/** Loads what takes runs back, which a command that is over soon does not need. */
const loadUndo = () => import('../../../service/entries/undo-run.ts')

/** Returns what was created again, as a query says. */
const againIn = (query: Query): CreatedAgain => ({
  kpis: againOf(queryIds(query, KPIS_AGAIN)),
  items: againOf(queryIds(query, ITEMS_AGAIN)),
})

/** Returns the routes of what runs replaced: to see it, and to take it back. */
const runRoutes = (of: typeof runEntry | typeof newerRunEntry): readonly Route[] => [
  {
    method: 'GET',
    path: of.path,
    gives: of,
    query: [BEFORE, KPIS_AGAIN, ITEMS_AGAIN],
    handle: async ({ ctx, ids, query }) => {
      const asked = { run: ids.text, before: queryInteger(query, BEFORE), again: againIn(query) }
      const { listBatch } = await loadUndo()
      return { status: 200, content: { of, records: await listBatch(ctx, asked) } }
    },
  },
  {
    method: 'POST',
    path: undoneBatch.path,
    takes: runUndo,
    gives: undoneBatch,
    query: [KPIS_AGAIN, ITEMS_AGAIN],
    handle: async ({ ctx, ids, query, body, lenient }) => {
      const { values, issues } = readDraft(runUndo, body, lenient)
      refuseFaults(issues)
      const asked = { run: ids.text, before: values.before ?? undefined, again: againIn(query) }
      const { undoBatch } = await loadUndo()
      return {
        status: 200,
        content: { of: undoneBatch, record: await undoBatch(ctx, asked, values.dry_run === true) },
      }
    },
  },
]

const entryRoutes = ({ of, batch, query: known, updated }: Variety): readonly Route[] => {
  const { list, get, upsert, upsertMany, update, remove } = entriesNamedBy(entryNames(of))
  return [
    {
      method: 'POST',
      path: `${of.path}/list`,
      takes: batch,
      gives: batchResult,
      handle: async ({ ctx, body, lenient, pause }) => {
        const { flags, sent } = await readBatch(body, lenient, of, pause)
        return { status: 200, content: { of: batchResult, record: await upsertMany(ctx, flags, sent) } }
      },
    },
    {
      method: 'GET',
      path: of.path,
      gives: of,
      query: known,
      handle: async ({ ctx, query }) => ({
        status: 200,
        content: { of, records: await list(ctx, filterOf(query, ctx, known)) },
      }),
    },
    {
      method: 'POST',
      path: of.path,
      takes: of,
      gives: of,
      ...(updated === 200 && { upserts: true }),
      handle: async ({ ctx, body, lenient }) => {
        const { entry: record, isNew } = await upsert(ctx, readDraft(of, body, lenient))
        const content = { of, record }
        if (!isNew && updated === 200) return { status: 200, content }
        return { status: 201, location: `${of.path}/${record.id}`, content }
      },
    },
    ...collectionRoutes(of, { get, update, remove }),
  ]
}

/** Lists the routes of entries in the classic interface: one by one, in pages, and in batches. */
export const classicEntryRoutes = [
  ...entryRoutes({
    of: entry,
    batch: batchFlags,
    query: [USER, KPI, FROM, TO, AFTER, ROWS, PAGE],
    updated: 201,
  }),
  ...runRoutes(runEntry),
]

/** Lists the routes of entries in the newer variant, for any breakdown item. */
export const v1EntryRoutes = [
  ...entryRoutes({
    of: newerEntry,
    batch: newerBatchFlags,
    query: [USER, SOURCE, KPI, FROM, TO, AFTER, ROWS, PAGE],
    updated: 200,
  }),
  ...runRoutes(newerRunEntry),
]
