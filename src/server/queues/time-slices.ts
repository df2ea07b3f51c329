/**
 * Runs waiting work one piece after the other, with everything else that the process has to do in between: after each,
 * or once `isOver` says so. Returns a function to call whenever there is something to do; `next` takes out what is
 * next, undefined where nothing is.
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
 * Measures how long one kind of work has gone on in this turn of the event loop: returns a function that tells whether
 * that is longer than some milliseconds since it was first asked in the turn.
 */
export const createTurnTimer = (clock: () => number): ((mostMs: number) => boolean) => {
  let startedAt: number | undefined
  return (mostMs) => {
    const now = clock()
    if (startedAt === undefined) {
      startedAt = now
      setImmediate(() => (startedAt = undefined))
    }
    return now - startedAt > mostMs
  }
}
