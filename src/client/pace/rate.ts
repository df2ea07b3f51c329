import { MINUTE_MS, type Pace, underWay as allUnderWay } from './state.ts'

/** A limit that is set on this side: never more requests than so many in any minute. */
export type Rate = {
  /** Until the next request may go. */
  readonly wait: (now: number) => number
  /** A request goes. */
  readonly enter: () => void
  /** It was answered, and counts from now on; as long as it was not, it counted as sent at any moment. */
  readonly leave: (now: number) => void
}

/** Until so many requests a minute allow one more, by what is known of all that were accepted, also those of other runs. */
export const sharedRateWait = (pace: Pace, rate: number | undefined, now: number): number => {
  if (rate === undefined) return 0
  const sent = pace.log.filter(([at]) => at > now - MINUTE_MS)
  let excess = sent.reduce((sum, [, count]) => sum + count, allUnderWay(pace)) - rate
  if (excess < 0) return 0
  for (const [at, count] of sent) {
    excess -= count
    if (excess < 0) return at + MINUTE_MS - now + 1
  }
  return Infinity
}

const NONE: Rate = { wait: () => 0, enter: () => undefined, leave: () => undefined }

/** Holds requests to so many a minute, or to nothing where no rate is given. */
export const createRate = (rate: number | undefined): Rate => {
  if (rate === undefined) return NONE
  let underWay = 0
  const answered: number[] = []
  const forget = (now: number): void => {
    // Of a clock that was set back, nothing is known but that what is ahead is not so.
    while ((answered[0] ?? Infinity) <= now - MINUTE_MS) answered.shift()
    for (let at = answered.length - 1; (answered[at] ?? 0) > now; at -= 1) answered[at] = now
  }
  return {
    wait: (now) => {
      forget(now)
      const excess = answered.length + underWay - rate
      if (excess < 0) return 0
      const leaving = answered[excess]
      return leaving === undefined ? Infinity : leaving + MINUTE_MS - now + 1
    },
    enter: () => void (underWay += 1),
    leave: (now) => {
      underWay -= 1
      answered.push(now)
    },
  }
}
