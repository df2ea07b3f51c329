import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { type Db, nestedTransaction, type Writer } from '../../store/db.ts'
import {
  idempotentRequests,
  type IdempotencyKey,
  type KeptAnswer,
  type PendingRequest,
} from '../../store/tables/idempotency.ts'
import { afterSeconds, type Later, retryWrite } from './retry-write.ts'

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
/** Sets how often to try again to release a claim. */
const RELEASE_PAUSE_SECONDS = 1
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

/** Holds what there is for a key already: the stored answer, or why the request cannot be done now. */
type Known = { readonly answer: KeptAnswer } | { readonly refusal: KpiError }

const pendingRequest = ({ fingerprint, now }: FingerprintedKey, owner: string): PendingRequest => ({
  fingerprint,
  owner,
  leasedUntil: now + LEASE_SECONDS,
  createdAt: now,
})

/** Claims the key for this request, or returns what there is already. A claim of an owner that has ended is void. */
const claim = async (
  tx: Writer,
  request: FingerprintedKey,
  owner: string,
  ended: ReadonlyMap<string, Instant>,
): Promise<Known | undefined> => {
  const { now, fingerprint, account } = request
  await idempotentRequests.forget(tx, account, now - KEPT_SECONDS, DELETED_PER_REQUEST)
  const record = pendingRequest(request, owner)
  if (await idempotentRequests.take(tx, request, record)) return undefined
  const known = await idempotentRequests.find(tx, request)
  const isKept = known?.answer !== undefined && known.createdAt >= now - KEPT_SECONDS
  if (isKept && known.fingerprint !== fingerprint) return { refusal: keyReusedError(request) }
  if (isKept) return { answer: known.answer }
  const isRunning = known && !known.answer && known.leasedUntil > now && !ended.has(known.owner)
  if (isRunning) return { refusal: stillRunningError() }
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

/** Does the work of a request with an Idempotency-Key, or repeats its answer. */
export type RunIdempotently = (
  request: FingerprintedKey,
  work: KeyedWork,
) => Promise<{ readonly answer: KeptAnswer; readonly isReplayed: boolean }>

const isUnavailable = (error: unknown): boolean => error instanceof KpiError && error.code === 'unavailable'

/**
 * Creates a way to do work once for its account, path and key, and to repeat its answer. It claims the key first, so that
 * no other request begins the work. It stores the answer in the transaction of the work, so that a crash leaves both or
 * neither. A claim lasts half a minute. Then another request may take it over, and if the first one was only slow, it
 * notices that and rolls back.
 *
 * A request that ends without an answer to store releases its claim. If the store cannot be told, the release is tried
 * again while the claim lasts, and requests of this process ignore the claim. A connection that breaks leaves it open
 * whether a transaction was committed. If it was that of the work, the store holds the answer, which no release removes; if
 * it was that of the claim, the release waits until it is decided.
 */
export const createIdempotentRunner = (db: Db, later: Later = afterSeconds(RELEASE_PAUSE_SECONDS)): RunIdempotently => {
  /** Holds the owners whose requests have ended in this process, in that order, and when their claims end. */
  const ended = new Map<string, Instant>()
  /** Resolves after the first attempt; it never fails, as the error of the request is the one to report. */
  const release = async (request: FingerprintedKey, owner: string): Promise<void> => {
    for (const [one, until] of ended) {
      if (until >= request.now) break
      ended.delete(one)
    }
    ended.set(owner, request.now + LEASE_SECONDS)
    // Without the account's lock, so that requests of the account do not wait for it while the store is not available.
    const writing = db.selfLocking ?? db.ofAccount(request.account)
    const attempt = (): Promise<void> =>
      writing.write(async (tx) => {
        // Wait for a claim that is still being committed: it cannot be deleted yet, but holds up another one.
        await idempotentRequests.take(tx, request, pendingRequest(request, owner))
        await idempotentRequests.release(tx, request, owner)
      })
    const first = attempt()
    void retryWrite(first, attempt, { times: LEASE_SECONDS / RELEASE_PAUSE_SECONDS, later })
    await first.catch(() => undefined)
  }
  const releaseAfterError = async <T>(request: FingerprintedKey, owner: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const releasing = release(request, owner)
      // A client need not wait until a store that is not available can be told.
      if (!isUnavailable(error)) await releasing
      throw error
    }
  }
  return async (request, { perform, faultAnswer }) => {
    const own = db.ofAccount(request.account)
    const owner = randomUUID()
    const keepFault = async (error: unknown): Promise<KeptAnswer> => {
      const answer = await faultAnswer(error)
      if (!answer) throw error
      const kept = (await pack(answer)) ?? (await faultAnswer(shortened(error)))
      if (kept) await own.write((tx) => keep(tx, request, owner, kept))
      else await release(request, owner)
      return answer
    }
    const known = await releaseAfterError(request, owner, () => own.write((tx) => claim(tx, request, owner, ended)))
    if (known && 'refusal' in known) throw known.refusal
    if (known) return { answer: await unpack(known.answer), isReplayed: true }
    const answer = await releaseAfterError(request, owner, () =>
      own
        .write(async (tx) => {
          const made = await perform(nestedTransaction(tx))
          await keep(tx, request, owner, made)
          return made
        })
        .catch(keepFault),
    )
    return { answer, isReplayed: false }
  }
}
