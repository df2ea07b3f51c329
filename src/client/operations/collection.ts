import { draftToJson, type Json, recordFromJson, findUnreadable } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'
import {
  type AnyRecord,
  asPatch,
  asRecord,
  type Draft,
  type Patch,
  type Resource,
  type Stored,
  type Verb,
} from '../../domain/schema.ts'
import type { TransportResponse, TransportRequest } from '../transport.ts'
import { requireDatedTargets } from './dated-targets.ts'
import { findCreated } from './find-created.ts'
import type { QueryParameters } from './queries.ts'

/** Tells whether more records follow; undefined if the service does not say. */
export const hasMore = (
  { total, hasNext }: Pick<TransportResponse, 'total' | 'hasNext'>,
  received: number,
): boolean | undefined => (hasNext === true ? true : total === undefined ? undefined : total > received)

/** Tells whether two records are equal. */
const isSame = (one: object, other: object): boolean => {
  const values = new Map<string, unknown>(Object.entries(other))
  return Object.entries(one).every(([name, value]) => values.get(name) === value)
}

/**
 * Returns a whole list, which some services send in pages. The first request names no page; later ones do, as long as
 * the service says that more records follow.
 */
export const wholeList = async <T extends object>(
  ask: (page: number) => Promise<TransportResponse>,
  read: (received: TransportResponse) => readonly T[],
  /** Sets how many records a page has, for services that do not say whether more follow. */
  rows = Infinity,
): Promise<T[]> => {
  const list: T[] = []
  for (let page = 1; ; page += 1) {
    const received = await ask(page)
    const [first, ...others] = read(received)
    if (first === undefined) return list
    if (list.some((one) => isSame(one, first))) {
      throw new KpiError('unavailable', 'the service answers the same page of a list again and again')
    }
    list.push(first, ...others)
    if (!(hasMore(received, list.length) ?? others.length + 1 >= rows)) return list
  }
}

/** Describes the operations on a resource. Each is one request; a refusal is thrown as `KpiError`. */
export type ResourceClient<R extends Resource> = {
  readonly list: () => Promise<Stored<R>[]>
  readonly get: (id: number | string) => Promise<Stored<R>>
  /**
   * Creates one. The bundled service does it once under an Idempotency-Key, even if it is sent again: the caller's, or
   * a new one; if the answer of another service is lost, the list tells whether it was done.
   */
  readonly add: (draft: Draft<R>, idempotencyKey?: string) => Promise<Stored<R>>
  /**
   * Creates many, in order, in as few steps as the service allows; yields those of each step as soon as they exist. If
   * one is refused, those of earlier steps stay.
   */
  readonly addEach: (drafts: readonly Draft<R>[]) => AsyncGenerator<readonly Stored<R>[]>
  /**
   * Changes the fields of a patch. A service other than the bundled one may clear what it does not receive, so it gets
   * the whole record: `before`, which is read if the caller does not have it.
   */
  readonly update: (id: number, patch: Patch<R>, before?: Stored<R>) => Promise<Stored<R>>
  readonly remove: (id: number) => Promise<void>
}

/** Sends a request, if the variant has the operation that `of` and `verb` name. */
export type Send = (of: Resource, verb: Verb, sending: TransportRequest) => Promise<TransportResponse>

/** Reads the one record in an answer. */
export const readOne = <R extends Resource>(of: R, { content }: TransportResponse): Stored<R> => {
  if ('json' in content) return recordFromJson(of, content.json)
  if ('record' in content) return asRecord(of, content.record)
  throw new KpiError('internal', `the service answered a list where one ${of.title} was expected`)
}

/** Reads the answer to a change. If it is unreadable, the error tells that the change may have been done. */
export const readDone = <R extends Resource>(of: R, received: TransportResponse): Stored<R> => {
  try {
    return readOne(of, received)
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    throw new KpiError('unavailable', error.message, { mayBeDone: true, cause: error })
  }
}

const LONGEST_QUOTE = 60

/** Refuses a listed record with unreadable values, which would be shown as blank. */
const requireReadable = (of: Resource, body: Json): void => {
  const found = findUnreadable(of, body)
  if (!found) return
  const value = found.raw === undefined ? 'not there' : (JSON.stringify(found.raw) ?? '').slice(0, LONGEST_QUOTE)
  throw new KpiError('not_acceptable', `the service lists ${of.plural} that cannot be read: ${found.name} is ${value}`)
}

/** Reads the list of records in an answer. */
export const readMany = <R extends Resource>(of: R, { content }: TransportResponse): Stored<R>[] => {
  if ('records' in content) return content.records.map((record) => asRecord(of, record))
  const list: Json = 'json' in content ? content.json : undefined
  if (!Array.isArray(list)) throw new KpiError('internal', `the service did not answer a list of ${of.plural}`)
  for (const one of list) requireReadable(of, one)
  return list.map((one) => recordFromJson(of, one))
}

/** Returns a whole list, however many pages it takes. */
export const readWholeList = <R extends Resource>(
  of: R,
  path: string,
  send: Send,
  query: QueryParameters = {},
  shownIn: (received: TransportResponse) => R = () => of,
): Promise<Stored<R>[]> => {
  const asked = (page: number): QueryParameters => (page === 1 ? query : { ...query, page: String(page) })
  return wholeList(
    (page) => send(of, 'list', { method: 'GET', path, query: asked(page) }),
    (received) => readMany(shownIn(received), received),
  )
}

/** Returns what a record holds of the fields that an update may change; what is blank stays so by itself. */
const writtenIn = <R extends Resource>(of: R, record: AnyRecord): Patch<R> =>
  asPatch(
    of,
    Object.fromEntries(
      of.writable
        .filter(({ name, field }) => name !== 'id' && !field.secret && (record[name] ?? null) !== null)
        .map(({ name }) => [name, record[name]]),
    ),
  )

/** Sends many requests together, all or none; undefined where the service takes one at a time. */
export type SendTogether = (
  of: Resource,
  verb: Verb,
  sendings: readonly TransportRequest[],
) => Promise<readonly TransportResponse[]>

/** Bounds how many are created in one step, so that nobody waits long for them. */
export const ADD_STEP = 500

/** Describes how a service is spoken to. */
export type CollectionOptions = {
  /** Tells whether the answers so far come from a service that has dated targets. */
  readonly datesTargets?: (() => boolean) | undefined
  readonly send: Send
  readonly together: SendTogether | undefined
  /** Tells whether it is the bundled one, which an answer of it says. */
  readonly isBundled: () => boolean
  /** Gets whole lists of the resource. */
  readonly onList?: (of: Resource, records: readonly AnyRecord[]) => void
  /** Holds the ids of what the service has listed, by path. */
  readonly listed: Map<string, Set<unknown>>
  /** Makes an Idempotency-Key; undefined where no request is sent again. */
  readonly newKey: (() => string) | undefined
}

/** Returns a request that adds something: the bundled service does it once under its key, so it may be sent again. */
export const addingRequest = (
  path: string,
  body: Json,
  isBundled: () => boolean,
  once: Pick<TransportRequest, 'idempotencyKey' | 'findAnswer'>,
): TransportRequest => ({
  method: 'POST',
  path,
  body,
  isRepeatable: () => once.idempotencyKey !== undefined && isBundled(),
  ...once,
})

/** Returns the key of a request; empty where it has none. */
export const keyed = (idempotencyKey: string | undefined): Pick<TransportRequest, 'idempotencyKey'> =>
  idempotencyKey === undefined ? {} : { idempotencyKey }

/** Returns what sends requests that ask for dated targets. */
const askingForTargets =
  (send: Send): Send =>
  (of, verb, sending) =>
    send(of, verb, { ...sending, asksForDatedTargets: true })

/** Creates the operations on a resource at a path; `asked` is the resource with its dated targets. */
export const resourceClient = <R extends Resource>(
  of: R,
  path: string,
  { send: sendPlain, together, isBundled, onList, listed, newKey, datesTargets }: CollectionOptions,
  asked = of,
): ResourceClient<R> => {
  const isDated = asked !== of
  const send = isDated ? askingForTargets(sendPlain) : sendPlain
  const shownIn = ({ hasDatedTargets }: TransportResponse): R => (hasDatedTargets ? asked : of)
  /** Returns the resource as which fields are sent; refuses dated targets where the service has none. */
  const sentAs = async (fields: object): Promise<R> => {
    const values = new Map<string, unknown>(Object.entries(fields))
    const given = isDated ? ['targets', 'target_base'].filter((name) => values.has(name)) : []
    if (given.length === 0) return of
    const isNone = given.every((name) => (values.get(name) ?? null) === null)
    // Only an answer that shows such records tells.
    if (!isNone && !datesTargets?.()) await list()
    if (datesTargets?.()) return asked
    if (isNone) return of
    requireDatedTargets(false, 'targets')
    return of
  }
  const get = async (id: number | string): Promise<Stored<R>> => {
    const received = await send(of, 'get', { method: 'GET', path: `${path}/${id}` })
    return readOne(shownIn(received), received)
  }
  /** Returns what to send with a patch; nothing more to the bundled service, whose answer to the look says what it is. */
  const unchanged = async (id: number, before: Stored<R> | undefined): Promise<Patch<R>> => {
    if (isBundled()) return asPatch(of, {})
    try {
      const known = before ?? (await get(id))
      return isBundled() ? asPatch(of, {}) : writtenIn(of, known)
    } catch (error) {
      // A key of the bundled service that may only write needs nothing more.
      if (isBundled()) return asPatch(of, {})
      throw error
    }
  }
  const list = async (): Promise<Stored<R>[]> => {
    const records = await readWholeList(of, path, send, undefined, shownIn)
    if (!together) listed.set(path, new Set(records.map(({ id }) => id)))
    onList?.(of, records)
    return records
  }
  const add = async (draft: Draft<R>, idempotencyKey?: string): Promise<Stored<R>> => {
    const before = listed.get(path)
    const findAnswer = async (): Promise<TransportResponse | undefined> => {
      const found = findCreated(of, draft, await list(), before)
      return found && { content: { of, record: found } }
    }
    const once = { ...keyed(idempotencyKey ?? newKey?.()), findAnswer }
    const sending = addingRequest(path, draftToJson(await sentAs(draft), draft), isBundled, once)
    const received = await send(of, 'add', sending)
    const created = readDone(shownIn(received), received)
    listed.get(path)?.add(created['id'])
    return created
  }
  return {
    addEach: async function* (drafts) {
      if (!together) {
        for (const draft of drafts) yield [await add(draft)]
        return
      }
      // Ask each request for the dated targets that the bundled service has.
      const asks = isDated ? ({ asksForDatedTargets: true } as const) : {}
      const sendings = drafts.map(
        (draft) => ({ method: 'POST', path, body: draftToJson(asked, draft), ...asks }) as const,
      )
      for (let at = 0; at < sendings.length; at += ADD_STEP) {
        const answers = await together(of, 'add', sendings.slice(at, at + ADD_STEP))
        yield answers.map((received) => readDone(shownIn(received), received))
      }
    },
    list,
    get,
    add,
    update: async (id, patch, before) => {
      const sent = await sentAs(patch)
      const body = draftToJson(sent, { ...(await unchanged(id, before)), ...patch })
      const received = await send(of, 'update', { method: 'PUT', path: `${path}/${id}`, body })
      return readDone(shownIn(received), received)
    },
    remove: async (id) => {
      await send(of, 'remove', { method: 'DELETE', path: `${path}/${id}` })
    },
  }
}
