import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { type Db, nestedTransaction, type Writer } from '../../store/db.ts'
import { idempotentRequests, type KeptAnswer, type IdempotencyKey } from '../../store/tables/idempotency.ts'

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)]

/** Sets up to which length a body is stored as it is. */
const SMALL = 2048
/** Bounds what is stored of an answer: thousands of faults fit. */
const MOST_KEPT = 131_072

/** Sets how many faults are stored of an answer that is too long, and how many characters of each. */
const [MOST_FAULTS, LONGEST_FAULT] = [100, 200]

/** Cuts an error to its first faults and the beginning of their messages. */
const shortened = (error: unknown): unknown => {
  if (!(error instanceof KpiError)) return error
  const { code, message, issues } = error
  const first = issues.slice(0, MOST_FAULTS).map((one) => ({ ...one, message: one.message.slice(0, LONGEST_FAULT) }))
  const cut = `${message.slice(0, LONGEST_FAULT)} (told again: the first ${first.length} of ${issues.length} faults)`
  return new KpiError(code, cut, { issues: first })
}

/** Packs the body of an answer, if it is long; undefined where it is too long all the same. */
const pack = async (answer: KeptAnswer): Promise<KeptAnswer | undefined> => {
  if (answer.body.length <= SMALL) return answer
  const body = (await deflate(answer.body)).toString('base64')
  return body.length > MOST_KEPT ? undefined : { ...answer, body, encoding: 'deflate' }
}

/** Returns an answer as it was before it was packed. */
const unpack = async ({ encoding, ...answer }: KeptAnswer): Promise<KeptAnswer> =>
  encoding === undefined
    ? answer
    : { ...answer, body: (await inflate(Buffer.from(answer.body, 'base64'))).toString('utf8') }

/** Sets how long an answer is repeated. */
const KEPT_SECONDS = 86_400
/** Sets how long a request in progress is waited for before it is taken for dead. */
const LEASE_SECONDS = 30
const FORGOTTEN_A_REQUEST = 10

/** Describes a request with an Idempotency-Key: the key, its content, and when it came. */
type FingerprintedKey = IdempotencyKey & { readonly fingerprint: string; readonly now: Instant }

const isRunning = (): KpiError =>
  new KpiError('conflict', 'a request with this Idempotency-Key is still running; ask again for its answer', {
    retryAfter: 1,
  })

const hasOtherBody = ({ key }: IdempotencyKey): KpiError =>
  new KpiError(
    'key_reused',
    `Idempotency-Key ${key} was sent before with another body; take a new key for a new request`,
  )

/** Makes the key this request's, or answers what was answered before. */
const claim = async (tx: Writer, request: FingerprintedKey, owner: string): Promise<KeptAnswer | undefined> => {
  const { now, fingerprint, account } = request
  await idempotentRequests.forget(tx, account, now - KEPT_SECONDS, FORGOTTEN_A_REQUEST)
  const record = { fingerprint, owner, leasedUntil: now + LEASE_SECONDS, createdAt: now }
  if (await idempotentRequests.take(tx, request, record)) return undefined
  const known = await idempotentRequests.find(tx, request)
  const isKept = known?.answer !== undefined && known.createdAt >= now - KEPT_SECONDS
  if (isKept && known.fingerprint !== fingerprint) throw hasOtherBody(request)
  if (isKept) return known.answer
  if (known && !known.answer && known.leasedUntil > now) throw isRunning()
  await idempotentRequests.takeOver(tx, request, record)
  return undefined
}

const keep = async (tx: Writer, request: FingerprintedKey, owner: string, answer: KeptAnswer): Promise<void> => {
  if (!(await idempotentRequests.keep(tx, request, owner, answer))) throw isRunning()
}

/** Describes the work of such a request. */
type KeyedWork = {
  /** Does it, in the transaction that it is given, and says what to answer. */
  readonly perform: (db: Db) => Promise<KeptAnswer>
  /**
   * Returns the answer to faults in what was sent, which is repeated for the key too; undefined for other errors, which
   * are not.
   */
  readonly faultAnswer: (error: unknown) => KeptAnswer | undefined | Promise<KeptAnswer | undefined>
}

/**
 * Does work once for its account, path and key, and repeats its answer. The key is claimed first, so that nobody else
 * begins; the answer is stored in the transaction of the work itself, so that after a crash there are both or neither.
 * A claim lasts half a minute: when its owner has died, another takes it over, and an owner who was only slow finds the
 * claim gone and rolls back.
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
    // Where even that fails the claim ends by itself; the first error is the one to tell.
    else await own.write((tx) => idempotentRequests.release(tx, request, owner)).catch(() => undefined)
    if (!answer) throw error
    return { answer, isReplayed: false }
  }
}
