import type { TextRequest } from '../../src/client/http/network-exchange.ts'
import type { RateLimiter } from '../../src/client/transport.ts'
import { behindLimit, type Limited, type LimitedBy, type Limiter } from './limiters.ts'

const REQUEST: TextRequest = { method: 'POST', path: '/api/kpientries', query: {}, headers: {}, body: '{}' }

/** Requests that several senders share. */
export type Work = { left: number }

/** Sends what is left of the work through a gate, so many requests at a time. */
export const sendThrough = async (
  gate: RateLimiter,
  service: Limited,
  work: Work,
  atATime: number,
): Promise<number> => {
  let sent = 0
  const sendOne = async (): Promise<void> => {
    for (;;) {
      const turn = await gate.enter()
      const answer = await service.ask(REQUEST)
      if (!turn.leave(answer)) break
    }
    sent += 1
  }
  const sender = async (): Promise<void> => {
    while (work.left > 0) {
      work.left -= 1
      await sendOne()
    }
  }
  await Promise.all(Array.from({ length: atATime }, sender))
  return sent
}

/** A service that answers well, behind a limit. */
export const wellBehind = (by: LimitedBy): Limited =>
  behindLimit(by, () => ({ status: 200, header: () => undefined, body: '{}' }))

/**
 * When the last of so many requests would be answered at the earliest, if the sender knew all of the limiter: each of so many
 * at a time goes when it will be accepted.
 */
export const leastTime = (limiter: Limiter, requests: number, atATime: number, wayMs: number): number => {
  const free = Array.from({ length: atATime }, () => 0)
  let [arrived, last] = [0, 0]
  for (let sent = 0; sent < requests; sent += 1) {
    const at = free.indexOf(Math.min(...free))
    let arrives = Math.max(arrived, (free[at] ?? 0) + wayMs)
    // What is missing of a millisecond by rounding is not waited for again and again.
    for (let wait = limiter.waitMs(arrives); wait > 0; wait = limiter.waitMs(arrives)) arrives += Math.max(wait, 0.01)
    limiter.ask(arrives)
    arrived = arrives
    last = free[at] = arrives + wayMs
  }
  return last
}
