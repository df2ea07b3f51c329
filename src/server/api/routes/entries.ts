import { readBatch } from '../../../codec/batch.ts'
import { readDraft } from '../../../codec/json.ts'
import { dayOfInstant } from '../../../domain/day.ts'
import { invalid, KpiError, refuseFaults } from '../../../domain/errors.ts'
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
  carriedGroupItem,
  CREATED_AGAIN,
  type CreatedAgain,
  deletedEntries,
  entrySum,
  newerRunEntry,
  RUN_ID,
  runDeletion,
  runEntry,
  runGroupItem,
  runUndo,
  undoneBatch,
} from '../../../domain/resources/entry-run.ts'
import type { Resource } from '../../../domain/schema.ts'
import type { Context, Ids } from '../../../service/context.ts'
import { entriesNamedBy } from '../../../service/entries/entries.ts'
import type { EntrySelection } from '../../../service/entries/selected-entries.ts'
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

const USERS = { kind: 'ids', name: 'userIds', about: 'Ids of users to filter by', example: [2, 3] } as const
const SOURCES = { kind: 'ids', name: 'sourceIds', about: 'Ids of breakdown items to filter by', example: [2] } as const
const KPIS = { kind: 'ids', name: 'kpiIds', about: 'Ids of KPIs to filter by', example: [1] } as const
const IDS = {
  kind: 'ids',
  name: 'ids',
  about: 'Ids of entries to delete, in place of what the other parameters select',
  example: [7, 8],
} as const

/** Lists the parameters that select entries, as a variant has them. */
const selectingIn = (known: readonly QueryParameter[]): readonly QueryParameter[] => [
  USERS,
  ...(known.includes(SOURCE) ? [SOURCES] : []),
  KPIS,
  FROM,
  TO,
]

/** Reads which entries a query selects. */
const selectionIn = (query: Query, ctx: Context, known: readonly QueryParameter[]): EntrySelection => {
  const items = known.includes(SOURCE) ? queryIds(query, SOURCES) : undefined
  return { users: queryIds(query, USERS), items, kpis: queryIds(query, KPIS), days: daysOf(query, ctx) }
}

/** Loads what changes many entries at once, which other requests do not need. */
const loadChanges = () => import('../../../service/entries/change-by-run.ts')

/** Returns the routes of many entries at once: their sums, and how they are deleted. */
const selectionRoutes = (known: readonly QueryParameter[]): readonly Route[] => [
  {
    method: 'GET',
    path: entrySum.path,
    gives: entrySum,
    query: selectingIn(known),
    isLong: true,
    handle: async ({ ctx, query }) => {
      const { sumEntries } = await import('../../../service/entries/selected-entries.ts')
      const records = await sumEntries(ctx, selectionIn(query, ctx, known))
      return { status: 200, content: { of: entrySum, records } }
    },
  },
  {
    method: 'POST',
    path: deletedEntries.path,
    takes: runDeletion,
    gives: deletedEntries,
    query: [...selectingIn(known), IDS],
    isLong: true,
    handle: async ({ ctx, ids, query, body, lenient, pause }) => {
      const { values, issues } = readDraft(runDeletion, body, lenient)
      refuseFaults(issues)
      const named = queryIds(query, IDS)
      const selection = named ? undefined : selectionIn(query, ctx, known)
      const { deleteEntries } = await loadChanges()
      const asked = { run: runIn(ids), selection, ids: named, count: values.count ?? 0 }
      return { status: 200, content: { of: deletedEntries, record: await deleteEntries(ctx, asked, pause) } }
    },
  },
]

const ID_LIST = /^ *\d{1,15}(?: *, *\d{1,15})*,? *$/

/** Returns the ids of a text with commas between them; undefined if there is none. */
const readIds = (field: string, text: string | null | undefined): ReadonlySet<number> | undefined => {
  if (text === null || text === undefined) return undefined
  if (!ID_LIST.test(text)) throw invalid([{ field, message: 'must be ids with commas between them' }])
  return new Set(text.split(',').flatMap((id) => (id.trim() === '' ? [] : Number(id))))
}

/** Returns the id of a run in a path, under which something is kept. */
const runIn = ({ text }: Ids): string => {
  if (RUN_ID.test(text)) return text
  throw new KpiError('malformed', 'the id of a run has 1 to 64 letters, digits and hyphens')
}

/** Holds the route that puts a group item onto entries; in the newer variant users have none. */
const groupItemRoute: Route = {
  method: 'POST',
  path: carriedGroupItem.path,
  takes: runGroupItem,
  gives: carriedGroupItem,
  isLong: true,
  handle: async ({ ctx, ids, body, lenient, pause }) => {
    const { values, issues } = readDraft(runGroupItem, body, lenient)
    refuseFaults(issues)
    const { group_item_id: groupItem = 0, date_from: from = 0, date_to: to = null } = values
    const [isOff, isDry] = [values.take_off === true, values.dry_run === true]
    const { changeGroupItem } = await loadChanges()
    const users = readIds('user_ids', values.user_ids)
    const asked = { run: runIn(ids), groupItem, users, from, to, isOff, isDry }
    return { status: 200, content: { of: carriedGroupItem, record: await changeGroupItem(ctx, asked, pause) } }
  },
}

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
  ...selectionRoutes([]),
  groupItemRoute,
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
  ...selectionRoutes([SOURCE]),
  ...runRoutes(newerRunEntry),
]
