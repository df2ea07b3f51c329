import { batchBody } from '../codec/batch.ts'
import { draftToJson, type Json, recordFromJson, isObject } from '../codec/json.ts'
import { KpiError } from '../domain/errors.ts'
import { assignment } from '../domain/resources/assignment.ts'
import { type BreakdownItem, breakdownItem } from '../domain/resources/breakdown-item.ts'
import { category } from '../domain/resources/category.ts'
import {
  type BatchResult,
  batchResult,
  type Entry,
  entry,
  type EntryDraft,
  newerEntry,
} from '../domain/resources/entry.ts'
import { frequency } from '../domain/resources/frequency.ts'
import { group } from '../domain/resources/group.ts'
import { groupItem } from '../domain/resources/group-item.ts'
import { icon } from '../domain/resources/icon.ts'
import { categoryKpi, kpi } from '../domain/resources/kpi.ts'
import { type ReportRow, reportRow } from '../domain/resources/report-row.ts'
import { unit } from '../domain/resources/unit.ts'
import { user } from '../domain/resources/user.ts'
import { userGroupItem } from '../domain/resources/user-group-item.ts'
import type { Variant } from '../domain/variants.ts'
import { mustHave } from './capabilities.ts'
import type { Working } from './caller.ts'
import type { KeySaid } from './key-said.ts'
import { asRecord, type Draft, type Patch, type Resource, type Stored, type Verb } from '../domain/schema.ts'
import {
  type BreakdownItemQuery,
  type EntryQuery,
  entryQuery,
  itemQuery,
  type ReportRequest,
  reportQuery,
} from './queries.ts'
import { type Said, saidIn } from './said.ts'
import { Stopped } from './stopped.ts'
import type { Received, Sending, Traffic, Transport, Usage, Waiting } from './transport.ts'
import { hasMore, wholeList } from './whole-list.ts'

/** The operations on a resource. Each is one request; a refusal is thrown as `KpiError`. */
export type Collection<R extends Resource> = {
  readonly list: () => Promise<Stored<R>[]>
  readonly get: (id: number | string) => Promise<Stored<R>>
  readonly add: (draft: Draft<R>) => Promise<Stored<R>>
  readonly update: (id: number, patch: Patch<R>) => Promise<Stored<R>>
  readonly remove: (id: number) => Promise<void>
}

type FixedCollection<R extends Resource> = Pick<Collection<R>, 'list' | 'get'>

/** At most 10,000 rows, and how many there are, where the service says so. */
export type ReportAnswer = { readonly rows: readonly ReportRow[]; readonly total: number | undefined }

/** A page of entries. */
export type EntryPage = {
  readonly entries: Entry[]
  /** Whether the service says that there are more, so many having come; undefined where it says nothing. */
  readonly hasMore: (come: number) => boolean | undefined
}

/** An entry that was sent, and whether it was made or changed, where the service tells the two apart. */
export type Put = {
  readonly entry: Entry
  readonly isCreated: boolean | undefined
  /** What the answer says in all: that of a service of somebody else need not be the entry. */
  readonly said: Said
}

/** What a service counts of a batch, and what its answer says in all. */
export type PutMany = { readonly counts: BatchResult; readonly said: Said }

/** The service, as its clients see it. */
export type Client = {
  /** The variant of the interface that it speaks. What that does not have is refused as `unsupported`, unsent. */
  readonly variant: Variant
  readonly kpis: Collection<typeof kpi>
  readonly users: Collection<typeof user>
  readonly categories: Collection<typeof category>
  /** The KPIs of a category. */
  readonly categoryKpis: (categoryId: number) => Collection<typeof kpi>
  readonly groups: Collection<typeof group>
  readonly groupItems: (groupId: number) => Collection<typeof groupItem>
  readonly breakdownItems: Omit<Collection<typeof breakdownItem>, 'list'> & {
    readonly list: (query?: BreakdownItemQuery) => Promise<BreakdownItem[]>
  }
  readonly units: Collection<typeof unit>
  readonly frequencies: FixedCollection<typeof frequency>
  readonly icons: FixedCollection<typeof icon>
  /** The KPIs of a user; ids are those of the KPIs. */
  readonly assignments: (userId: number) => Collection<typeof assignment>
  /** The group items of a user; ids are those of the group items. */
  readonly userGroupItems: (userId: number) => Omit<Collection<typeof userGroupItem>, 'update'>
  readonly entries: Omit<Collection<typeof newerEntry>, 'list'> & {
    readonly list: (query: EntryQuery) => Promise<Entry[]>
    readonly page: (query: EntryQuery) => Promise<EntryPage>
    /** Adds or updates one, and says which of the two it was where the service does; `key` names it, to be done once. */
    readonly put: (draft: EntryDraft, key?: string) => Promise<Put>
    /** Updates one, as `update`, and tells what the answer says. */
    readonly change: (id: number, patch: Patch<typeof newerEntry>) => Promise<Put>
    /** Adds or updates up to 5,000 entries, all or nothing; `key` names the batch, to be done once. */
    readonly addMany: (list: readonly EntryDraft[], key?: string) => Promise<BatchResult>
    /** The same, and tells what the answer says. */
    readonly putMany: (list: readonly EntryDraft[], key?: string) => Promise<PutMany>
  }
  readonly report: (request: ReportRequest) => Promise<ReportAnswer>
  /** How many requests have come to an end; what still waits for its turn has not been sent. */
  readonly requests: () => number
  /** What became of requests besides: those that were put off, and how long they waited. */
  readonly traffic: () => Traffic
  /** How much of the service's limit is used; undefined where none is known. */
  readonly usage: () => Usage | undefined
  /** What requests wait for at this moment, where they do. */
  readonly waiting: () => Waiting | undefined
  /** Who asks: different for different credentials, and never one of them. */
  readonly caller: string
  /** Whose entries are worked with, by what the service has answered so far. */
  readonly workingFor: () => Working
  /** Whether the service is ours, by what it has answered so far. */
  readonly isOurs: () => boolean
  /** What the service last said of the key, where there is one. */
  readonly keySaid: () => KeySaid | undefined
  readonly close: () => Promise<void>
}

const readOne = <R extends Resource>(of: R, { content }: Received): Stored<R> => {
  if ('json' in content) return recordFromJson(of, content.json)
  if ('record' in content) return asRecord(of, content.record)
  throw new KpiError('internal', `the service answered a list where one ${of.title} was expected`)
}

/** Reads what was answered to a change, which is done, whether or not that can be read. */
const readDone = <R extends Resource>(of: R, received: Received): Stored<R> => {
  try {
    return readOne(of, received)
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    throw new KpiError('unavailable', error.message, { mayBeDone: true, cause: error })
  }
}

const readMany = <R extends Resource>(of: R, { content }: Received): Stored<R>[] => {
  if ('records' in content) return content.records.map((record) => asRecord(of, record))
  const list: Json = 'json' in content ? content.json : undefined
  if (!Array.isArray(list)) throw new KpiError('internal', `the service did not answer a list of ${of.plural}`)
  return list.map((one) => recordFromJson(of, one))
}

/** Sends what the variant has; `of` and `verb` name what it is. */
type Send = (of: Resource, verb: Verb, sending: Sending) => Promise<Received>

const saidBy = ({ content }: Received): Said =>
  'json' in content ? saidIn(content.json) : { words: undefined, shape: 'record' }

type Query = Readonly<Record<string, string>>

/** All of a list, however many pages it takes. */
const listOf = <R extends Resource>(of: R, path: string, send: Send, query: Query = {}): Promise<Stored<R>[]> => {
  const asked = (page: number): Query => (page === 1 ? query : { ...query, page: String(page) })
  return wholeList(
    (page) => send(of, 'list', { method: 'GET', path, query: asked(page) }),
    (received) => readMany(of, received),
  )
}

const collection = <R extends Resource>(of: R, path: string, send: Send): Collection<R> => ({
  list: () => listOf(of, path, send),
  get: async (id) => readOne(of, await send(of, 'get', { method: 'GET', path: `${path}/${id}` })),
  add: async (draft) => readDone(of, await send(of, 'add', { method: 'POST', path, body: draftToJson(of, draft) })),
  update: async (id, patch) =>
    readDone(of, await send(of, 'update', { method: 'PUT', path: `${path}/${id}`, body: draftToJson(of, patch) })),
  remove: async (id) => {
    await send(of, 'remove', { method: 'DELETE', path: `${path}/${id}` })
  },
})

const NO_TRAFFIC: Traffic = { refused: 0, waitedMs: 0 }

/** The path of what lies below the resource of an id. */
const below = ({ path }: Resource, parent: number): string => path.replace(/\{.*?\}/, String(parent))

/** A client of the service over any transport, in a variant of the interface. */
export const createClient = (transport: Transport, variant: Variant = 'classic'): Client => {
  let requests = 0
  const send: Send = async (of, verb, sending) => {
    mustHave(variant, { of, verb })
    try {
      const received = await transport.send(sending)
      requests += 1
      return received
    } catch (error) {
      // What waited for its turn when all was stopped was not sent.
      if (!(error instanceof Stopped)) requests += 1
      throw error
    }
  }
  // What the classic interface does not know it is not sent, and what it does not show reads null.
  const sentEntry = variant === 'classic' ? entry : newerEntry
  const seen = (one: Entry): Entry => (variant === 'classic' ? { ...one, source_id: null } : one)
  // A service of somebody else may answer nothing to what it has done, or a list.
  const tolerant = (received: Received): Received =>
    !transport.isOurs() && 'json' in received.content && !isObject(received.content.json)
      ? { ...received, content: { json: {} } }
      : received
  const putIn = (answered: Received): Put => {
    const received = tolerant(answered)
    return {
      entry: seen(readDone(newerEntry, received)),
      isCreated: received.isCreated,
      said: saidBy(answered),
    }
  }
  const put = async (draft: EntryDraft, idempotencyKey?: string): Promise<Put> => {
    const body = draftToJson(sentEntry, draft)
    const sending = { method: 'POST', path: entry.path, body, ...(idempotencyKey && { idempotencyKey }) } as const
    return putIn(await send(entry, 'add', sending))
  }
  const change: Client['entries']['change'] = async (id, patch) => {
    const body = draftToJson(sentEntry, patch)
    return putIn(await send(entry, 'update', { method: 'PUT', path: `${entry.path}/${id}`, body }))
  }
  const putMany: Client['entries']['putMany'] = async (list, idempotencyKey) => {
    const [path, body] = [`${entry.path}/list`, batchBody(list, sentEntry)]
    const sending = { method: 'POST', path, body, ...(idempotencyKey && { idempotencyKey }) } as const
    const received = await send(entry, 'add', sending)
    return { counts: readDone(batchResult, tolerant(received)), said: saidBy(received) }
  }
  const entryPage: Client['entries']['page'] = async (query) => {
    const received = await send(entry, 'list', { method: 'GET', path: entry.path, query: entryQuery(query) })
    return { entries: readMany(newerEntry, received).map(seen), hasMore: (come) => hasMore(received, come) }
  }
  return {
    variant,
    kpis: collection(kpi, kpi.path, send),
    users: collection(user, user.path, send),
    categories: collection(category, category.path, send),
    categoryKpis: (categoryId) => collection(kpi, below(categoryKpi, categoryId), send),
    groups: collection(group, group.path, send),
    groupItems: (groupId) => collection(groupItem, below(groupItem, groupId), send),
    breakdownItems: {
      ...collection(breakdownItem, breakdownItem.path, send),
      list: (query = {}) => listOf(breakdownItem, breakdownItem.path, send, itemQuery(query)),
    },
    units: collection(unit, unit.path, send),
    frequencies: collection(frequency, frequency.path, send),
    icons: collection(icon, icon.path, send),
    assignments: (userId) => collection(assignment, below(assignment, userId), send),
    userGroupItems: (userId) => collection(userGroupItem, below(userGroupItem, userId), send),
    entries: {
      get: async (id) =>
        seen(readOne(newerEntry, await send(entry, 'get', { method: 'GET', path: `${entry.path}/${id}` }))),
      add: async (draft) => (await put(draft)).entry,
      put,
      change,
      update: async (id, patch) => (await change(id, patch)).entry,
      remove: async (id) => {
        await send(entry, 'remove', { method: 'DELETE', path: `${entry.path}/${id}` })
      },
      list: async (query) => (await entryPage(query)).entries,
      page: entryPage,
      putMany,
      addMany: async (list, idempotencyKey) => (await putMany(list, idempotencyKey)).counts,
    },
    report: async (request) => {
      const { path } = reportRow
      const received = await send(reportRow, 'list', { method: 'GET', path, query: reportQuery(request) })
      return { rows: readMany(reportRow, received), total: received.total }
    },
    requests: () => requests,
    traffic: () => transport.traffic?.() ?? NO_TRAFFIC,
    usage: () => transport.usage?.(),
    waiting: () => transport.waiting?.(),
    caller: transport.caller,
    workingFor: transport.workingFor,
    isOurs: transport.isOurs,
    keySaid: () => transport.keySaid?.(),
    close: transport.close,
  }
}
