/**
 * Creates a runner of queued work: one item per turn of the event loop, or as many as run until `isOver` returns true.
 * `next` removes and returns the next item, if there is one. Returns a function to call after items were queued.
 */
export const createSliceRunner = (
  next: () => (() => void) | undefined,
  isOver: () => boolean = () => true,
): (() => void) => {
  let isPlanned = false
  const doNext = (): void => {
    isPlanned = false
    for (let work = next(); work; work = next()) {
      work()
      if (isOver()) {
        plan()
        return
      }
    }
  }
  const plan = (): void => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(doNext)
  }
  return plan
}

/**
 * Creates a timer for one kind of work. It returns a function that tells whether more than some milliseconds have
 * passed since its first call in this turn of the event loop.
 */
export const createTurnTimer = (clock: () => number): ((maxMs: number) => boolean) => {
  let startedAt: number | undefined
  return (maxMs) => {
    const now = clock()
    if (startedAt === undefined) {
      startedAt = now
      setImmediate(() => (startedAt = undefined))
    }
    return now - startedAt > maxMs
  }
}
