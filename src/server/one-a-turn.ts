/**
 * Does what waits one piece after the other, all else that the process has to do having its turn in between. Returns a
 * function to be called whenever there is something to do; `next` takes out what is next, undefined where nothing is.
 */
export const createOneATurn = (next: () => (() => void) | undefined): (() => void) => {
  let isPlanned = false
  const doNext = (): void => {
    isPlanned = false
    const work = next()
    if (!work) return
    work()
    plan()
  }
  const plan = (): void => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(doNext)
  }
  return plan
}
