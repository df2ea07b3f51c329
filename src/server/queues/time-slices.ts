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

/**
 * Creates a way to start the requests of one turn of the event loop in one callback, as reads of one callback share a
 * transaction of SQLite. The returned function resolves when the requests that arrived in this turn may start.
 */
export const createTurnStart = (): (() => Promise<void>) => {
  let turn: Promise<void> | undefined
  return () =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined
        resolve()
      })
    }))
}
