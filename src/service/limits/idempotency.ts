import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { type Db, nestedTransaction, type Writer } from '../../store/db.ts'
import { idempotentRequests, type KeptAnswer, type IdempotencyKey } from '../../store/tables/idempotency.ts'

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)]

/** Sets the length above which a body is stored compressed. */
const MAX_PLAIN_LENGTH = 2048
/** Bounds the length of a stored body, after compression: thousands of faults fit. */
const MAX_STORED_LENGTH = 131_072

/** Bounds the faults to store of an answer that is too long, and the characters of each. */
const [MAX_FAULTS, MAX_FAULT_LENGTH] = [100, 200]

/** Shortens an error to its first faults, and their messages. */
const shortened = (error: unknown): unknown => {
  if (!(error instanceof KpiError)) return error
  const { code, message, issues } = error
  const first = issues.slice(0, MAX_FAULTS).map((one) => ({ ...one, message: one.message.slice(0, MAX_FAULT_LENGTH) }))
  const cut = `${message.slice(0, MAX_FAULT_LENGTH)} (repeated answer: the first ${first.length} of ${issues.length} faults)`
  return new KpiError(code, cut, { issues: first })
}

/** Compresses the body of an answer, if it is long; returns undefined if it is still too long. */
const pack = async (answer: KeptAnswer): Promise<KeptAnswer | undefined> => {
  if (answer.body.length <= MAX_PLAIN_LENGTH) return answer
  const body = (await deflate(answer.body)).toString('base64')
  return body.length > MAX_STORED_LENGTH ? undefined : { ...answer, body, encoding: 'deflate' }
}

/** Returns an answer with its body decompressed. */
const unpack = async ({ encoding, ...answer }: KeptAnswer): Promise<KeptAnswer> =>
  encoding === undefined
    ? answer
    : { ...answer, body: (await inflate(Buffer.from(answer.body, 'base64'))).toString('utf8') }

/** Sets how long the service repeats an answer. */
const KEPT_SECONDS = 86_400
/** Sets how long the claim of a request lasts; after that, it counts as abandoned. */
const LEASE_SECONDS = 30
/** Bounds the expired answers that each request deletes. */
const DELETED_PER_REQUEST = 10

/** Describes a request with an Idempotency-Key: the key, its content, and when it came. */
type FingerprintedKey = IdempotencyKey & { readonly fingerprint: string; readonly now: Instant }

const stillRunningError = (): KpiError =>
  new KpiError('conflict', 'a request with this Idempotency-Key is still running; send it again to get its answer', {
    retryAfter: 1,
  })

const keyReusedError = ({ key }: IdempotencyKey): KpiError =>
  new KpiError(
    'key_reused',
    `Idempotency-Key ${key} was sent before with another body; take a new key for a new request`,
  )

/** Claims the key for this request, or returns the stored answer. */
const claim = async (tx: Writer, request: FingerprintedKey, owner: string): Promise<KeptAnswer | undefined> => {
  const { now, fingerprint, account } = request
  await idempotentRequests.forget(tx, account, now - KEPT_SECONDS, DELETED_PER_REQUEST)
  const record = { fingerprint, owner, leasedUntil: now + LEASE_SECONDS, createdAt: now }
  if (await idempotentRequests.take(tx, request, record)) return undefined
  const known = await idempotentRequests.find(tx, request)
  const isKept = known?.answer !== undefined && known.createdAt >= now - KEPT_SECONDS
  if (isKept && known.fingerprint !== fingerprint) throw keyReusedError(request)
  if (isKept) return known.answer
  if (known && !known.answer && known.leasedUntil > now) throw stillRunningError()
  await idempotentRequests.takeOver(tx, request, record)
  return undefined
}

const keep = async (tx: Writer, request: FingerprintedKey, owner: string, answer: KeptAnswer): Promise<void> => {
  if (!(await idempotentRequests.keep(tx, request, owner, answer))) throw stillRunningError()
}

/** Describes the work of a request with an Idempotency-Key. */
type KeyedWork = {
  /** Does the work in the given transaction, and returns the answer. */
  readonly perform: (db: Db) => Promise<KeptAnswer>
  /**
   * Returns the answer to store for an error, if the error depends only on what was sent; undefined for other errors,
   * after which the request may be tried again.
   */
  readonly faultAnswer: (error: unknown) => KeptAnswer | undefined | Promise<KeptAnswer | undefined>
}

/**
 * Does work once for its account, path and key, and repeats its answer. It claims the key first, so that no other
 * request begins the work. It stores the answer in the transaction of the work, so that a crash leaves both or neither.
 * A claim lasts half a minute. Then another request may take it over, and if the first one was only slow, it notices
 * that and rolls back.
 */
export const runIdempotently = async (
  db: Db,
  request: FingerprintedKey,
  { perform, faultAnswer }: KeyedWork,
): Promise<{ readonly answer: KeptAnswer; readonly isReplayed: boolean }> => {
  const own = db.ofAccount(request.account)
  const owner = randomUUID()
  const before = await own.write((tx) => claim(tx, request, owner))
  if (before) return { answer: await unpack(before), isReplayed: true }
  try {
    const answer = await own.write(async (tx) => {
      const made = await perform(nestedTransaction(tx))
      await keep(tx, request, owner, made)
      return made
    })
    return { answer, isReplayed: false }
  } catch (error) {
    const answer = await faultAnswer(error)
    const kept = answer && ((await pack(answer)) ?? (await faultAnswer(shortened(error))))
    if (kept) await own.write((tx) => keep(tx, request, owner, kept))
    // If even the release fails, the claim expires by itself; the first error is the one to report.
    else await own.write((tx) => idempotentRequests.release(tx, request, owner)).catch(() => undefined)
    if (!answer) throw error
    return { answer, isReplayed: false }
  }
}
