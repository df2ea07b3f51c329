const MINUTE_MS = 60_000

/** A limit that is set on this side: never more requests than so many in any minute. */
export type Rate = {
  /** Until the next request may go. */
  readonly wait: (now: number) => number
  /** A request goes. */
  readonly enter: () => void
  /** It was answered, and counts from now on; as long as it was not, it counted as sent at any moment. */
  readonly leave: (now: number) => void
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
