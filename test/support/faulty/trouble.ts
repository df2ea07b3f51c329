import type { Random } from '../random.ts'

/** How an answer gets lost. */
export const LOSSES = [
  'reset',
  'timeout',
  'cut body',
  'page with 200',
  'page with 502',
  'broken JSON',
  'a list with 200',
  'an object with 200',
  'status 500',
  'status 502',
  'status 503',
] as const

export type Loss = (typeof LOSSES)[number]

/** What goes wrong with a request. */
export type Trouble =
  /** The answer is lost, before the request was done or after it. */
  | { readonly what: 'lost'; readonly isDone: boolean; readonly how: Loss }
  /** Nothing listens for a while. */
  | { readonly what: 'down'; readonly forMs: number }
  /** The credentials are refused, once or from then on. */
  | { readonly what: 'unauthorized'; readonly isForEver: boolean }
  /** It is put off, without a reason, until a time that may make no sense. */
  | { readonly what: 'put off'; readonly retryAfter: string }
  /** Something on the way does it twice, and passes on the second answer. */
  | { readonly what: 'twice' }
  | { readonly what: 'slow'; readonly ms: number }

/** Says what goes wrong with the next request, if anything does. */
export type Troubles = (isWrite: boolean) => Trouble | undefined

/** How much goes wrong. */
export type TroublePlan = {
  /** The share of requests that something is wrong with. */
  readonly share: number
  /** After so many things everything goes well. */
  readonly most: number
  /** Whether credentials may be refused for good. */
  readonly mayLockOut: boolean
  /** Whether something on the way may do a request twice: only where that leaves what doing it once would. */
  readonly mayDouble: boolean
}

const RETRY_AFTER = [
  '0',
  '1',
  '7',
  '61',
  '-5',
  'soon',
  '',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  '3600',
  '99999999999999999999',
]

const draw = ({ whole, chance, pick }: Random, plan: TroublePlan): Trouble => {
  const die = whole(1, 100)
  if (die <= 62) return { what: 'lost', isDone: chance(0.5), how: pick(LOSSES) }
  if (die <= 70) return { what: 'down', forMs: pick([500, 5000, 60_000, 600_000]) }
  if (die <= 74) return { what: 'unauthorized', isForEver: plan.mayLockOut && chance(0.5) }
  if (die <= 80) return { what: 'put off', retryAfter: pick(RETRY_AFTER) }
  if (die <= 90 && plan.mayDouble) return { what: 'twice' }
  return { what: 'slow', ms: whole(100, 25_000) }
}

/** What is written is what may be lost, or done twice. */
const MORE_FOR_WRITES = 3

/** Draws what goes wrong, until enough has. */
export const createTroubles = (random: Random, plan: TroublePlan): Troubles => {
  let count = 0
  return (isWrite) => {
    if (count >= plan.most || !random.chance(isWrite ? plan.share * MORE_FOR_WRITES : plan.share)) return undefined
    count += 1
    return draw(random, plan)
  }
}
