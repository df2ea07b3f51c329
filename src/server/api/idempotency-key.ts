import { createHmac } from 'node:crypto'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { RunIdempotently } from '../../service/limits/idempotency.ts'
import type { Db } from '../../store/db.ts'
import type { KeptAnswer } from '../../store/tables/idempotency.ts'
import type { Principal } from '../auth/principal.ts'
import type { WireRequest, WireResponse } from '../wire.ts'

const HEADER = 'idempotency-key'
const MAX_KEY_LENGTH = 255
/** Matches control characters. Bytes 80-9F may be parts of UTF-8, as Node.js decodes headers as Latin-1. */
const CONTROL = /(?![\t\u0080-\u009f])\p{Cc}/u

/** Returns the Idempotency-Key of a POST; undefined without one. */
const keyOf = ({ method, headers }: WireRequest): string | undefined => {
  const key = headers[HEADER]
  if (method !== 'POST' || key === undefined) return undefined
  if (CONTROL.test(key)) throw new KpiError('malformed', 'Idempotency-Key must not have control characters in it')
  if (key !== '' && key.length <= MAX_KEY_LENGTH) return key
  throw new KpiError('malformed', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters, it has ${key.length}`)
}

/**
 * Returns a path for comparison: in lower case, without a final slash and without the query, which a POST ignores.
 */
const comparedPath = (target: string): string => {
  const [path = ''] = target.toLowerCase().split('?')
  return path.replace(/\/$/, '')
}

const kept = ({ status, headers, body }: WireResponse): KeptAnswer => ({
  status,
  location: headers['location'] ?? null,
  contentType: headers['content-type'] ?? null,
  body: typeof body === 'string' ? body : Buffer.concat(body).toString(),
})

const replay = ({ status, location, contentType, body }: KeptAnswer, isReplayed: boolean): WireResponse => ({
  status,
  headers: {
    ...(contentType !== null && { 'content-type': contentType }),
    ...(location !== null && { location }),
    ...(isReplayed && { 'idempotent-replayed': 'true' }),
  },
  body,
})

/** Describes a request and its principal. */
type KeyedRequest = {
  readonly request: WireRequest
  readonly principal: Pick<Principal, 'account' | 'pepper'>
  readonly now: Instant
}

/** Describes how to perform a request, in an open transaction or in its own, and how to answer its faults. */
type RequestWork = {
  readonly perform: (db?: Db) => Promise<WireResponse>
  readonly refuse: (error: KpiError) => Promise<WireResponse>
}

/**
 * Answers a request, and performs it only once if it has an Idempotency-Key. Stores a hash of its body, to recognize
 * it; the hash is keyed, as bodies may hold passwords.
 */
export const answerIdempotently = async (
  runIdempotently: RunIdempotently,
  { request, principal: { account, pepper }, now }: KeyedRequest,
  { perform, refuse }: RequestWork,
): Promise<WireResponse> => {
  const key = keyOf(request)
  if (key === undefined) return perform()
  const fingerprint = createHmac('sha256', pepper)
    .update(await request.body())
    .digest('base64url')
  const once = { account: account.id, path: comparedPath(request.target), key, fingerprint, now }
  const { answer, isReplayed } = await runIdempotently(once, {
    perform: async (open) => kept(await perform(open)),
    faultAnswer: async (error) =>
      error instanceof KpiError && error.code === 'invalid' ? kept(await refuse(error)) : undefined,
  })
  return replay(answer, isReplayed)
}

/** Returns a request whose body can be read again. */
export const withRereadableBody = (request: WireRequest): WireRequest => {
  let body: Promise<Uint8Array> | undefined
  return { ...request, body: () => (body ??= request.body()) }
}
