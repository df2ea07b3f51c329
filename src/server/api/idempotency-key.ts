import { createHmac } from 'node:crypto'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { doOnce } from '../../service/limits/idempotency.ts'
import type { Db } from '../../store/db.ts'
import type { KeptAnswer } from '../../store/tables/idempotency.ts'
import type { Admitted } from '../auth/principal.ts'
import type { WireRequest, WireResponse } from '../wire.ts'

const HEADER = 'idempotency-key'
const LONGEST_KEY = 255
/** What no header may hold. What is beyond ASCII comes as bytes, which may look like others of them. */
const CONTROL = /(?![\t\u0080-\u009f])\p{Cc}/u

/** The key of a request that is to be done once; undefined where it may be done again. */
const keyOf = ({ method, headers }: WireRequest): string | undefined => {
  const key = headers[HEADER]
  if (method !== 'POST' || key === undefined) return undefined
  if (CONTROL.test(key)) throw new KpiError('malformed', 'Idempotency-Key must not have control characters in it')
  if (key !== '' && key.length <= LONGEST_KEY) return key
  throw new KpiError('malformed', `Idempotency-Key must have 1 to ${LONGEST_KEY} characters, it has ${key.length}`)
}

/** A path as it is compared: without regard to case, to a slash at its end, and to the query, which a POST ignores. */
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

const told = ({ status, location, contentType, body }: KeptAnswer, isReplayed: boolean): WireResponse => ({
  status,
  headers: {
    ...(contentType !== null && { 'content-type': contentType }),
    ...(location !== null && { location }),
    ...(isReplayed && { 'idempotent-replayed': 'true' }),
  },
  body,
})

/** A request, and who was let in with it. */
type Sent = {
  readonly request: WireRequest
  readonly admitted: Pick<Admitted, 'account' | 'pepper'>
  readonly now: Instant
}

/** How a request is done, on a transaction that is open already or on one of its own, and how faults are told. */
type Doing = {
  readonly perform: (db?: Db) => Promise<WireResponse>
  readonly refuse: (error: KpiError) => Promise<WireResponse>
}

/**
 * Does a request, one with an Idempotency-Key once. What was sent is kept as a hash, by which a body is known again; as
 * there may be a password in it, the hash cannot be tried without what the credentials are.
 */
export const answerOnce = async (
  db: Db,
  { request, admitted: { account, pepper }, now }: Sent,
  { perform, refuse }: Doing,
): Promise<WireResponse> => {
  const key = keyOf(request)
  if (key === undefined) return perform()
  const fingerprint = createHmac('sha256', pepper)
    .update(await request.body())
    .digest('base64url')
  const once = { account: account.id, path: comparedPath(request.target), key, fingerprint, now }
  const { answer, isReplayed } = await doOnce(db, once, {
    perform: async (open) => kept(await perform(open)),
    faultAnswer: async (error) =>
      error instanceof KpiError && error.code === 'invalid' ? kept(await refuse(error)) : undefined,
  })
  return told(answer, isReplayed)
}

/** A request whose body can be asked for again. */
export const withBodyOnce = (request: WireRequest): WireRequest => {
  let body: Promise<Uint8Array> | undefined
  return { ...request, body: () => (body ??= request.body()) }
}
