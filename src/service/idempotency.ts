import { randomUUID } from 'node:crypto'
import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { Db, Writer } from '../store/db.ts'
import { idempotentRequests, type KeptAnswer, type OnceKey } from '../store/idempotency.ts'
import { within } from '../store/within.ts'
import { pack, shortened, unpack } from './kept-answer.ts'

/** How long an answer is given again. */
const KEPT_SECONDS = 86_400
/** Whoever has not answered by then is taken for dead. */
const LEASE_SECONDS = 30
const FORGOTTEN_A_REQUEST = 10

/** A request that is to be done once: by which name, what it holds, and when it came. */
export type OnceRequest = OnceKey & { readonly fingerprint: string; readonly now: Instant }

const isRunning = (): KpiError =>
  new KpiError('conflict', 'a request with this Idempotency-Key is still running; ask again for its answer', {
    retryAfter: 1,
  })

const hasOtherBody = ({ key }: OnceKey): KpiError =>
  new KpiError(
    'key_reused',
    `Idempotency-Key ${key} was sent before with another body; take a new key for a new request`,
  )

/** Makes the key this request's, or answers what was answered before. */
const claim = async (tx: Writer, request: OnceRequest, owner: string): Promise<KeptAnswer | undefined> => {
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

const keep = async (tx: Writer, request: OnceRequest, owner: string, answer: KeptAnswer): Promise<void> => {
  if (!(await idempotentRequests.keep(tx, request, owner, answer))) throw isRunning()
}

/** What is to be done once. */
export type OnceWork = {
  /** Does it, in the transaction that it is given, and says what to answer. */
  readonly perform: (db: Db) => Promise<KeptAnswer>
  /** What to answer to faults in what was sent, which bind the key too; undefined for other errors, which do not. */
  readonly faultAnswer: (error: unknown) => KeptAnswer | undefined | Promise<KeptAnswer | undefined>
}

/**
 * Does work once for its account, path and key, and answers what was answered then. The key is claimed first, so that
 * nobody else begins; the answer is kept in the transaction of the work itself, so that after a crash there are both or
 * neither. A claim is for half a minute: when its owner has died, another takes it over, and an owner who was only slow
 * finds the claim gone and undoes its work.
 */
export const doOnce = async (
  db: Db,
  request: OnceRequest,
  { perform, faultAnswer }: OnceWork,
): Promise<{ readonly answer: KeptAnswer; readonly isReplayed: boolean }> => {
  const own = db.ofAccount(request.account)
  const owner = randomUUID()
  const before = await own.write((tx) => claim(tx, request, owner))
  if (before) return { answer: await unpack(before), isReplayed: true }
  try {
    const answer = await own.write(async (tx) => {
      const made = await perform(within(tx))
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
