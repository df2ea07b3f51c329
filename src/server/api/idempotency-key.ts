import { createHmac } from 'node:crypto'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { runIdempotently } from '../../service/limits/idempotency.ts'
import type { Db } from '../../store/db.ts'
import type { KeptAnswer } from '../../store/tables/idempotency.ts'
import type { Principal } from '../auth/principal.ts'
import type { WireRequest, WireResponse } from '../wire.ts'

const HEADER = 'idempotency-key'
const LONGEST_KEY = 255
/** Matches what no header may hold. Characters beyond ASCII come as bytes, which may look like others of them. */
const CONTROL = /(?![\t\u0080-\u009f])\p{Cc}/u

/** Returns the Idempotency-Key of a request; undefined where it may be done again. */
const keyOf = ({ method, headers }: WireRequest): string | undefined => {
  const key = headers[HEADER]
  if (method !== 'POST' || key === undefined) return undefined
  if (CONTROL.test(key)) throw new KpiError('malformed', 'Idempotency-Key must not have control characters in it')
  if (key !== '' && key.length <= LONGEST_KEY) return key
  throw new KpiError('malformed', `Idempotency-Key must have 1 to ${LONGEST_KEY} characters, it has ${key.length}`)
}

/**
 * Returns a path for comparison: without regard to case, to a slash at its end, and to the query, which a POST ignores.
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

/** Describes how a request is done, on an open transaction or on one of its own, and how faults are answered. */
type Doing = {
  readonly perform: (db?: Db) => Promise<WireResponse>
  readonly refuse: (error: KpiError) => Promise<WireResponse>
}

/**
 * Answers a request, once where it has an Idempotency-Key. Its body is kept as a hash, to recognize it; as it may hold
 * a password, the hash cannot be tried without the credentials' own secret.
 */
export const answerIdempotently = async (
  db: Db,
  { request, principal: { account, pepper }, now }: KeyedRequest,
  { perform, refuse }: Doing,
): Promise<WireResponse> => {
  const key = keyOf(request)
  if (key === undefined) return perform()
  const fingerprint = createHmac('sha256', pepper)
    .update(await request.body())
    .digest('base64url')
  const once = { account: account.id, path: comparedPath(request.target), key, fingerprint, now }
  const { answer, isReplayed } = await runIdempotently(db, once, {
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
