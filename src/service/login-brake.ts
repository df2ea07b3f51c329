import { createHash } from 'node:crypto'
import { KpiError } from '../domain/errors.ts'
import type { Writer } from '../store/db.ts'
import { type BrakeHead, type LimitStore, type Millis, refusedLogins } from '../store/limits.ts'
import { createRecall } from './recall.ts'
import { steadyTime } from './steady-clock.ts'

const WINDOW_MS = 60_000
const WRONG_A_MINUTE = 10
/** So many pairs are remembered; for a new one the oldest is dropped. */
const MOST_PAIRS = 100_000
const FORGOTTEN_A_LOGIN = 100

/** Whose credentials are looked at: an address, and the name that it logs in with. */
export type Pair = string

/** The pair of an address and a login name, as logins are compared. Kept as a hash: either may be long. */
export const pairOf = (address: string, login: string): Pair =>
  createHash('sha256')
    .update(JSON.stringify([address, login.trim().toLowerCase()]))
    .digest('base64url')

/** Slows down whoever tries credentials. */
export type LoginBrake = {
  /** Throws where a pair has to wait, whatever its credentials are. */
  readonly mustBeFree: (pair: Pair) => Promise<void>
  /** Takes note of wrong credentials; throws where the pair has to wait, as others came in between. */
  readonly noteWrong: (pair: Pair) => Promise<void>
}

const heldFor = (waitMs: Millis): KpiError => {
  const seconds = Math.ceil(waitMs / 1000)
  const limit = `${WRONG_A_MINUTE} wrong credentials a minute`
  return new KpiError('rate_limited', `more than ${limit} with this name or key; try again in ${seconds} s`, {
    retryAfter: seconds,
  })
}

/** Of the times of a pair those that count, and how long it has to wait. */
const judge = (times: readonly Millis[], now: Millis): { lately: readonly Millis[]; waitMs: Millis } => {
  const lately = times.filter((at) => at > now - WINDOW_MS)
  const deciding = lately.at(-WRONG_A_MINUTE)
  return { lately, waitMs: deciding === undefined ? 0 : deciding + WINDOW_MS - now }
}

/** Forgets pairs that need not wait any more, and answers how many are left. */
const forgetOld = async (tx: Writer, { pairs, lastAt }: BrakeHead): Promise<number> =>
  pairs - (await refusedLogins.forget(tx, lastAt - WINDOW_MS, FORGOTTEN_A_LOGIN))

const makeRoom = async (tx: Writer, head: BrakeHead, mostPairs: number): Promise<void> => {
  const pairs = await forgetOld(tx, head)
  const dropped = pairs > mostPairs ? await refusedLogins.forget(tx, head.lastAt, pairs - mostPairs) : 0
  await refusedLogins.save(tx, { ...head, pairs: pairs - dropped })
}

/** A brake on wrong credentials: ten a minute for each pair, by whomever of those who count in the same place. */
export const createLoginBrake = ({ db, now }: LimitStore, mostPairs = MOST_PAIRS): LoginBrake => {
  const noteSetBack = (): Promise<void> =>
    db.write(async (tx) => {
      const head = await refusedLogins.lock(tx)
      await refusedLogins.save(tx, { ...head, ...steadyTime(head, await now(tx)) })
    })
  // Pairs that were free when the store had this stamp: only who is refused changes that.
  const free = createRecall<true>(db)
  return {
    mustBeFree: async (pair) => {
      if (free.find(pair)) return
      const stamp = db.stamp()
      const { waitMs, isSetBack } = await db.read(async (tx) => {
        const times = await refusedLogins.timesOf(tx, pair)
        // Nobody whose credentials are right need wait for the clock to be read.
        if (times.length < WRONG_A_MINUTE) {
          free.keep(pair, true, stamp)
          return { waitMs: 0, isSetBack: false }
        }
        const head = await refusedLogins.head(tx)
        const clock = steadyTime(head, await now(tx))
        return { waitMs: judge(times, clock.lastAt).waitMs, isSetBack: clock.shift !== head.shift }
      })
      if (isSetBack) await noteSetBack()
      if (waitMs > 0) throw heldFor(waitMs)
    },
    noteWrong: async (pair) => {
      const waitMs = await db.write(async (tx) => {
        const before = await refusedLogins.lock(tx)
        const head = { ...before, ...steadyTime(before, await now(tx)) }
        const { lately, waitMs: left } = judge(await refusedLogins.timesOf(tx, pair), head.lastAt)
        if (left > 0) return left
        const isNew = await refusedLogins.keep(tx, pair, [...lately, head.lastAt])
        await makeRoom(tx, { ...head, pairs: head.pairs + Number(isNew) }, mostPairs)
        return 0
      })
      if (waitMs > 0) throw heldFor(waitMs)
    },
  }
}
