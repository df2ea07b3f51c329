import { batchBody } from '../../codec/batch.ts'
import { draftToJson, isObject, type Json } from '../../codec/json.ts'
import {
  type BatchResult,
  batchResult,
  type Entry,
  entry,
  type EntryDraft,
  newerEntry,
} from '../../domain/resources/entry.ts'
import type { Patch } from '../../domain/schema.ts'
import type { Variant } from '../../domain/variants.ts'
import type { Received } from '../transport.ts'
import { type Collection, hasMore, readDone, readMany, readOne, type Send } from './collection.ts'
import { type EntryQuery, entryQuery } from './queries.ts'

/** What the body of an answer that is no refusal says. */
export type Said = {
  /** The words of a fault, or of anything else beside what was asked for. */
  readonly words: string | undefined
  /** All of it. */
  readonly body: Json
}

const LONGEST_WORDS = 200

/** What services tell faults in. */
const FAULTS = ['error', 'errors', 'message', 'detail'] as const

/** Whether a value says nothing. */
export const saysNothing = (value: Json): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** What an answer says, by its body. */
const saidIn = (body: Json): Said => {
  const told = isObject(body) ? FAULTS.map((name) => body[name]).find((value) => !saysNothing(value)) : undefined
  if (told === undefined) return { words: undefined, body }
  const words = typeof told === 'string' ? told.trim() : JSON.stringify(told)
  return { words: words.slice(0, LONGEST_WORDS), body }
}

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

/** The operations on entries. */
export type Entries = Omit<Collection<typeof newerEntry>, 'list'> & {
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

const saidBy = ({ content }: Received): Said => saidIn('json' in content ? content.json : undefined)

/** The operations on entries in a variant; `isOurs` says whether the service is. */
export const createEntries = (variant: Variant, send: Send, isOurs: () => boolean): Entries => {
  // What the classic interface does not know it is not sent, and what it does not show reads null.
  const sentEntry = variant === 'classic' ? entry : newerEntry
  const seen = (one: Entry): Entry => (variant === 'classic' ? { ...one, source_id: null } : one)
  // A service of somebody else may answer nothing to what it has done, or a list.
  const tolerant = (received: Received): Received =>
    !isOurs() && 'json' in received.content && !isObject(received.content.json)
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
  const change: Entries['change'] = async (id, patch) => {
    const body = draftToJson(sentEntry, patch)
    return putIn(await send(entry, 'update', { method: 'PUT', path: `${entry.path}/${id}`, body }))
  }
  const putMany: Entries['putMany'] = async (list, idempotencyKey) => {
    const [path, body] = [`${entry.path}/list`, batchBody(list, sentEntry)]
    const sending = { method: 'POST', path, body, ...(idempotencyKey && { idempotencyKey }) } as const
    const received = await send(entry, 'add', sending)
    return { counts: readDone(batchResult, tolerant(received)), said: saidBy(received) }
  }
  const entryPage: Entries['page'] = async (query) => {
    const received = await send(entry, 'list', { method: 'GET', path: entry.path, query: entryQuery(query) })
    return { entries: readMany(newerEntry, received).map(seen), hasMore: (come) => hasMore(received, come) }
  }
  return {
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
  }
}
