/** Runs tasks one after the other, in the order in which they came. */
export type Queue = <T>(task: () => Promise<T>) => Promise<T>

/** A queue for what must not run at once, such as the transactions of one connection. */
export const createQueue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}
