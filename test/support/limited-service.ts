import type { Handler } from '../../src/server/wire.ts'
import { slidingLimiter } from './limiters.ts'

/** A service that refuses, as the classic interface does, more than so many requests in a window. */
export const limited = (limit: number, windowSeconds: number): ((handler: Handler) => Handler) => {
  const limiter = slidingLimiter(limit, windowSeconds * 1000)
  const begun = performance.now()
  return (handler) => async (request) => {
    const { isAccepted, used, waitMs } = limiter.ask(performance.now() - begun)
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-requests': String(used),
      'x-ratelimit-duration': String(windowSeconds),
    }
    if (!isAccepted) {
      const wait = { ...headers, 'content-type': 'application/json', 'retry-after': String(Math.ceil(waitMs / 1000)) }
      return { status: 403, headers: wait, body: '{"message":"too many requests"}' }
    }
    const answer = await handler(request)
    return { ...answer, headers: { ...answer.headers, ...headers } }
  }
}
