import { Stopped } from './stopped.ts'

/** Counts requests that have come to an end. */
export type RequestCount = {
  /** Sends a request, and counts it once it was answered or has failed. */
  readonly during: <T>(send: () => Promise<T>) => Promise<T>
  readonly total: () => number
}

/** Makes a count of requests; one that still waited for its turn when all was stopped has not been sent, and does not count. */
export const createRequestCount = (): RequestCount => {
  let total = 0
  return {
    during: async (send) => {
      try {
        const answer = await send()
        total += 1
        return answer
      } catch (error) {
        if (!(error instanceof Stopped)) total += 1
        throw error
      }
    },
    total: () => total,
  }
}
