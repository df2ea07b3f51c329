import { batchBody } from '../codec/batch.ts'
import { draftToJson, type Json, recordFromJson } from '../codec/json.ts'
import { type Day, formatDay } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import { assignment } from '../domain/resources/assignment.ts'
import { category } from '../domain/resources/category.ts'
import { type BatchResult, batchResult, type Entry, entry, type EntryDraft } from '../domain/resources/entry.ts'
import { frequency } from '../domain/resources/frequency.ts'
import { group } from '../domain/resources/group.ts'
import { groupItem } from '../domain/resources/group-item.ts'
import { icon } from '../domain/resources/icon.ts'
import { categoryKpi, kpi } from '../domain/resources/kpi.ts'
import { type ReportRow, reportRow } from '../domain/resources/report-row.ts'
import { unit } from '../domain/resources/unit.ts'
import { user } from '../domain/resources/user.ts'
import { userGroupItem } from '../domain/resources/user-group-item.ts'
import { asRecord, type Draft, type Patch, type Resource, type Stored } from '../domain/schema.ts'
import type { Received, Transport } from './transport.ts'

/** The operations on a resource. Each is one request; a refusal is thrown as `KpiError`. */
export type Collection<R extends Resource> = {
  readonly list: () => Promise<Stored<R>[]>
  readonly get: (id: number | string) => Promise<Stored<R>>
  readonly add: (draft: Draft<R>) => Promise<Stored<R>>
  readonly update: (id: number, patch: Patch<R>) => Promise<Stored<R>>
  readonly remove: (id: number) => Promise<void>
}

type FixedCollection<R extends Resource> = Pick<Collection<R>, 'list' | 'get'>

/** Which entries to list; both days are included. */
export type EntryQuery = {
  readonly from: Day
  readonly to: Day
  readonly userId?: number | undefined
  readonly kpiId?: number | undefined
  /** From 1; a page has at most `ENTRIES_PAGE` entries. */
  readonly page?: number
}

/** What to report; both days are included. */
export type ReportRequest = {
  readonly from: Day
  readonly to: Day
  readonly kpiIds?: readonly number[] | undefined
  readonly userIds?: readonly number[] | undefined
  /** Reports group items, of the entries of these users, instead of users. */
  readonly groupItemIds?: readonly number[] | undefined
}

/** At most 10,000 rows, and how many there are, where the service says so. */
export type ReportAnswer = { readonly rows: readonly ReportRow[]; readonly total: number | undefined }

/** The service, as its clients see it. */
export type Client = {
  readonly kpis: Collection<typeof kpi>
  readonly users: Collection<typeof user>
  readonly categories: Collection<typeof category>
  /** The KPIs of a category. */
  readonly categoryKpis: (categoryId: number) => Collection<typeof kpi>
  readonly groups: Collection<typeof group>
  readonly groupItems: (groupId: number) => Collection<typeof groupItem>
  readonly units: Collection<typeof unit>
  readonly frequencies: FixedCollection<typeof frequency>
  readonly icons: FixedCollection<typeof icon>
  /** The KPIs of a user; ids are those of the KPIs. */
  readonly assignments: (userId: number) => Collection<typeof assignment>
  /** The group items of a user; ids are those of the group items. */
  readonly userGroupItems: (userId: number) => Omit<Collection<typeof userGroupItem>, 'update'>
  readonly entries: Omit<Collection<typeof entry>, 'list'> & {
    readonly list: (query: EntryQuery) => Promise<Entry[]>
    /** Adds or updates up to 5,000 entries, all or nothing. */
    readonly addMany: (list: readonly EntryDraft[]) => Promise<BatchResult>
  }
  readonly report: (request: ReportRequest) => Promise<ReportAnswer>
  /** How many requests have been sent. */
  readonly requests: () => number
  readonly close: () => Promise<void>
}

const readOne = <R extends Resource>(of: R, { content }: Received): Stored<R> => {
  if ('json' in content) return recordFromJson(of, content.json)
  if ('record' in content) return asRecord(of, content.record)
  throw new KpiError('internal', `the service answered a list where one ${of.title} was expected`)
}

const readMany = <R extends Resource>(of: R, { content }: Received): Stored<R>[] => {
  if ('records' in content) return content.records.map((record) => asRecord(of, record))
  const list: Json = 'json' in content ? content.json : undefined
  if (!Array.isArray(list)) throw new KpiError('internal', `the service did not answer a list of ${of.plural}`)
  return list.map((one) => recordFromJson(of, one))
}

const collection = <R extends Resource>(of: R, path: string, send: Transport['send']): Collection<R> => ({
  list: async () => readMany(of, await send({ method: 'GET', path })),
  get: async (id) => readOne(of, await send({ method: 'GET', path: `${path}/${id}` })),
  add: async (draft) => readOne(of, await send({ method: 'POST', path, body: draftToJson(of, draft) })),
  update: async (id, patch) =>
    readOne(of, await send({ method: 'PUT', path: `${path}/${id}`, body: draftToJson(of, patch) })),
  remove: async (id) => {
    await send({ method: 'DELETE', path: `${path}/${id}` })
  },
})

/** The path of what lies below the resource of an id. */
const below = ({ path }: Resource, parent: number): string => path.replace(/\{.*?\}/, String(parent))

const daysToQuery = ({ from, to }: { readonly from: Day; readonly to: Day }): Record<string, string> => ({
  dateFrom: formatDay(from),
  dateTo: formatDay(to),
})

const entryQuery = (query: EntryQuery): Record<string, string> => ({
  ...daysToQuery(query),
  ...(query.userId !== undefined && { userid: String(query.userId) }),
  ...(query.kpiId !== undefined && { kpiid: String(query.kpiId) }),
  ...(query.page !== undefined && { page: String(query.page) }),
})

const reportQuery = (request: ReportRequest): Record<string, string> => ({
  ...daysToQuery(request),
  ...(request.kpiIds && { kpiIds: request.kpiIds.join(',') }),
  ...(request.userIds && { userIds: request.userIds.join(',') }),
  ...(request.groupItemIds && { groupItemIds: request.groupItemIds.join(',') }),
})

/** A client of the service over any transport. */
export const createClient = ({ send: sendOne, close }: Transport): Client => {
  let requests = 0
  const send: Transport['send'] = (sending) => {
    requests += 1
    return sendOne(sending)
  }
  return {
    kpis: collection(kpi, kpi.path, send),
    users: collection(user, user.path, send),
    categories: collection(category, category.path, send),
    categoryKpis: (categoryId) => collection(kpi, below(categoryKpi, categoryId), send),
    groups: collection(group, group.path, send),
    groupItems: (groupId) => collection(groupItem, below(groupItem, groupId), send),
    units: collection(unit, unit.path, send),
    frequencies: collection(frequency, frequency.path, send),
    icons: collection(icon, icon.path, send),
    assignments: (userId) => collection(assignment, below(assignment, userId), send),
    userGroupItems: (userId) => collection(userGroupItem, below(userGroupItem, userId), send),
    entries: {
      ...collection(entry, entry.path, send),
      list: async (query) => readMany(entry, await send({ method: 'GET', path: entry.path, query: entryQuery(query) })),
      addMany: async (list) =>
        readOne(batchResult, await send({ method: 'POST', path: `${entry.path}/list`, body: batchBody(list) })),
    },
    report: async (request) => {
      const received = await send({ method: 'GET', path: reportRow.path, query: reportQuery(request) })
      return { rows: readMany(reportRow, received), total: received.total }
    },
    requests: () => requests,
    close,
  }
}
