import { batchBody } from '../../codec/batch.ts'
import { draftToJson, isObject, type Json } from '../../codec/json.ts'
import type { EntryBlock } from '../../domain/entry-block.ts'
import {
  type BatchResult,
  batchResult,
  type Entry,
  entry,
  type EntryDraft,
  newerEntry,
} from '../../domain/resources/entry.ts'
import {
  type CarriedGroupItem,
  carriedGroupItem,
  CREATED_AGAIN,
  type CreatedAgain,
  type DeletedEntries,
  deletedEntries,
  type EntrySum,
  entrySum,
  newerRunEntry,
  runDeletion,
  type RunEntry,
  runEntry,
  runGroupItem,
  runUndo,
  type UndoneBatch,
  undoneBatch,
} from '../../domain/resources/entry-run.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Draft, Patch } from '../../domain/schema.ts'
import type { Variant } from '../../domain/variants.ts'
import type { TransportRequest, TransportResponse } from '../transport.ts'
import { followUnknown } from '../unknown-outcome.ts'
import { checkBatchAnswer, isEmptyValue, requireCounts } from './batch-answer.ts'
import {
  addingRequest,
  type CollectionOptions,
  hasMore,
  keyed,
  readDone,
  readMany,
  readOne,
  type ResourceClient,
} from './collection.ts'
import { type EntryQuery, entryQuery, type EntrySelection, selectionQuery } from './queries.ts'

/** Holds the body of a good answer, and a fault that it reports all the same. */
export type ResponseBody = {
  /** Quotes the fault in the body, if there is one. */
  readonly words: string | undefined
  /** Holds the whole body. */
  readonly body: Json
}

const LONGEST_WORDS = 200

/** Sets how often a batch is sent whose answers do not count each entry. */
const MOST_TRIES = 3

/** Lists the fields in which services report faults. */
const FAULTS = ['error', 'errors', 'message', 'detail'] as const

/** Returns the body of an answer, and the fault in it. */
const parseBody = (body: Json): ResponseBody => {
  const fault = isObject(body) ? FAULTS.map((name) => body[name]).find((value) => !isEmptyValue(value)) : undefined
  if (fault === undefined) return { words: undefined, body }
  const words = typeof fault === 'string' ? fault.trim() : JSON.stringify(fault)
  return { words: words.slice(0, LONGEST_WORDS), body }
}

/** Describes a page of entries. */
export type EntryPage = {
  readonly entries: Entry[]
  /** Tells whether more entries follow after the first `received` ones; undefined if the service does not say. */
  readonly hasMore: (received: number) => boolean | undefined
}

/** Describes an entry that was sent, and whether it was created or updated, if the service says so. */
export type Put = {
  readonly entry: Entry
  readonly isCreated: boolean | undefined
  /** Holds the body of the answer, in which a third-party service need not send the entry. */
  readonly response: ResponseBody
}

/** Holds the counts in the answer to a batch, its body, and whether the service had done it before. */
export type PutMany = { readonly counts: BatchResult; readonly response: ResponseBody; readonly isReplayed: boolean }

/** Says which batch of a run: the last one before a revision, or of all; and what was created again since. */
type BatchOfRun = { readonly before?: number | undefined; readonly again?: CreatedAgain | undefined }

/** Returns the parameters that say what was created again. */
const againIn = ({ again }: BatchOfRun): Record<string, string> =>
  Object.fromEntries(
    (['kpis', 'items'] as const).flatMap((kind) => {
      const ids = [...(again?.[kind] ?? [])].flat()
      return ids.length > 0 ? [[CREATED_AGAIN[kind].name, ids.join(',')]] : []
    }),
  )

/** Describes the operations on entries. */
export type Entries = Omit<ResourceClient<typeof newerEntry>, 'list' | 'addEach'> & {
  readonly list: (query: EntryQuery) => Promise<Entry[]>
  readonly page: (query: EntryQuery) => Promise<EntryPage>
  /** Adds or updates one, and returns which of the two it was, if the service says so; `key` is the Idempotency-Key. */
  readonly put: (draft: EntryDraft, key?: string) => Promise<Put>
  /** Removes several, all or none, where they go in one step; undefined where each takes a request. */
  readonly removeTogether: ((ids: readonly number[]) => Promise<void>) | undefined
  /** Updates one, as `update` does, and also returns the body of the answer. */
  readonly change: (id: number, patch: Patch<typeof newerEntry>) => Promise<Put>
  /**
   * Adds or updates up to 5,000 entries, all or nothing; the bundled service is sent the same again where an answer is lost, or
   * does not count each entry, as that of a proxy.
   */
  readonly addMany: (list: readonly EntryDraft[]) => Promise<BatchResult>
  /**
   * Sends a batch, and returns its counts and the body of the answer; `key` is the Idempotency-Key. The bundled service keeps
   * what a batch of a `run` replaces.
   */
  readonly putMany: (list: readonly EntryDraft[] | EntryBlock, key?: string, run?: string) => Promise<PutMany>
  /** Lists what one batch of a run made of entries. */
  readonly ofRun: (run: string, asked?: BatchOfRun) => Promise<RunEntry[]>
  /** Returns what entries come to, by KPI; only the bundled service does. */
  readonly sums: (selection: EntrySelection) => Promise<EntrySum[]>
  /** Deletes many entries, and keeps for their run what they held; only the bundled service does. */
  readonly removeMany: (
    run: string,
    which: EntrySelection | { readonly ids: readonly number[] },
    count: number,
  ) => Promise<DeletedEntries>
  /** Puts a group item onto entries that do not carry it, or takes it off those that do, or counts these; only the bundled service does. */
  readonly carry: (run: string, order: Draft<typeof runGroupItem>) => Promise<CarriedGroupItem>
  /** Takes back one batch of a run, or counts what that would do. */
  readonly undoRun: (run: string, asked: BatchOfRun & { readonly isDry: boolean }) => Promise<UndoneBatch>
}

const responseOf = ({ content }: TransportResponse): ResponseBody =>
  parseBody('json' in content ? content.json : undefined)

/** Creates the operations on entries in a variant. */
export const createEntries = (variant: Variant, { send, isBundled, newKey, together }: CollectionOptions): Entries => {
  // Send only the fields that the variant knows; the others read null.
  const sentEntry = variant === 'classic' ? entry : newerEntry
  const seen = (one: Entry): Entry => (variant === 'classic' ? { ...one, source_id: null } : one)
  // A third-party service may answer a change with an empty body, or with a list.
  const tolerant = (received: TransportResponse): TransportResponse =>
    !isBundled() && 'json' in received.content && !isObject(received.content.json)
      ? { ...received, content: { json: {} } }
      : received
  const putIn = (answered: TransportResponse): Put => {
    const received = tolerant(answered)
    return {
      entry: seen(readDone(newerEntry, received)),
      isCreated: received.isCreated,
      response: responseOf(answered),
    }
  }
  const put = async (draft: EntryDraft, key?: string): Promise<Put> => {
    const body = draftToJson(sentEntry, draft)
    return putIn(await send(entry, 'add', addingRequest(entry.path, body, isBundled, keyed(key ?? newKey?.()))))
  }
  const change: Entries['change'] = async (id, patch) => {
    const body = draftToJson(sentEntry, patch)
    return putIn(await send(entry, 'update', { method: 'PUT', path: `${entry.path}/${id}`, body }))
  }
  const sendBatch = async (
    list: readonly EntryDraft[] | EntryBlock,
    options: Pick<TransportRequest, 'idempotencyKey' | 'isRepeatable' | 'run'>,
  ): Promise<PutMany> => {
    const [path, body] = [`${entry.path}/list`, batchBody(list, sentEntry)]
    const received = await send(entry, 'add', { method: 'POST', path, body, ...options })
    const response = responseOf(received)
    return { counts: readDone(batchResult, tolerant(received)), response, isReplayed: received.isReplayed === true }
  }
  const entryPage: Entries['page'] = async (query) => {
    const received = await send(entry, 'list', { method: 'GET', path: entry.path, query: entryQuery(query) })
    return { entries: readMany(newerEntry, received).map(seen), hasMore: (count) => hasMore(received, count) }
  }
  const removal = (id: number) => ({ method: 'DELETE', path: `${entry.path}/${id}` }) as const
  return {
    get: async (id) =>
      seen(readOne(newerEntry, await send(entry, 'get', { method: 'GET', path: `${entry.path}/${id}` }))),
    add: async (draft) => (await put(draft)).entry,
    put,
    change,
    update: async (id, patch) => (await change(id, patch)).entry,
    remove: async (id) => {
      await send(entry, 'remove', removal(id))
    },
    removeTogether: together && (async (ids) => void (await together(entry, 'remove', ids.map(removal)))),
    list: async (query) => (await entryPage(query)).entries,
    page: entryPage,
    putMany: (list, key, run) => sendBatch(list, { ...keyed(key), ...(run !== undefined && { run }) }),
    ofRun: async (run, asked = {}) => {
      const path = runEntry.path.replace('{run}', run)
      const { before } = asked
      const query = { ...(before !== undefined && { before: String(before) }), ...againIn(asked) }
      const rows = readMany(newerRunEntry, await send(runEntry, 'list', { method: 'GET', path, query }))
      return variant === 'classic' ? rows.map((row) => ({ ...row, source_id: null })) : rows
    },
    undoRun: async (run, asked) => {
      const path = undoneBatch.path.replace('{run}', run)
      const body = draftToJson(runUndo, { before: asked.before ?? null, dry_run: asked.isDry })
      const sending = { ...addingRequest(path, body, isBundled, keyed(newKey?.())), query: againIn(asked) }
      // Ask again where the answer came from a proxy: under its key it is done once.
      for (let tries = 1; ; tries += 1) {
        const answer = readDone(undoneBatch, await send(undoneBatch, 'add', sending))
        if (Number.isSafeInteger(answer.revision)) return answer
        if (tries === MOST_TRIES)
          throw new KpiError('unavailable', 'the service answered something else than what became of a batch', {
            mayBeDone: true,
          })
      }
    },
    sums: async (selection) => {
      const query = selectionQuery(selection)
      return readMany(entrySum, await send(entrySum, 'list', { method: 'GET', path: entrySum.path, query }))
    },
    // Send these again as often as needed: each counts what its run has done before.
    removeMany: async (run, which, count) => {
      const path = deletedEntries.path.replace('{run}', run)
      const query = 'ids' in which ? { ids: which.ids.join(',') } : selectionQuery(which)
      const body = draftToJson(runDeletion, { count })
      const sending = { method: 'POST', path, query, body, isRepeatable: true } as const
      return readDone(deletedEntries, await send(deletedEntries, 'add', sending))
    },
    carry: async (run, order) => {
      const [path, body] = [carriedGroupItem.path.replace('{run}', run), draftToJson(runGroupItem, order)]
      const sending = { method: 'POST', path, body, isRepeatable: true } as const
      return readDone(carriedGroupItem, await send(carriedGroupItem, 'add', sending))
    },
    addMany: async (list) => {
      // Repeat a batch whose answer counts too few entries: it came from a proxy.
      const isRepeatable = isBundled()
      for (let tries = 1; ; tries += 1) {
        const answer = await followUnknown(tries > 1, () => sendBatch(list, { isRepeatable }))
        if (!isRepeatable || list.length === 0 || !checkBatchAnswer(answer, list.length)) return answer.counts
        if (tries === MOST_TRIES) requireCounts(answer, list.length)
      }
    },
  }
}
