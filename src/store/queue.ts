/** Runs work for a key. A fixed number of tasks run per key at a time; the others wait in order of arrival. */
type KeyedSemaphore<K> = <T>(key: K, work: () => Promise<T>) => Promise<T>

/**
 * Creates a semaphore that runs at most `most` tasks per key at a time, so that no key takes more than its share of
 * something, such as connections.
 */
export const createKeyedSemaphore = <K = number>(most: number): KeyedSemaphore<K> => {
  const running = new Map<K, number>()
  const waiting = new Map<K, (() => void)[]>()

  const acquire = async (key: K): Promise<void> => {
    const now = running.get(key) ?? 0
    if (now < most) running.set(key, now + 1)
    else {
      const queue = waiting.get(key) ?? []
      waiting.set(key, queue)
      await new Promise<void>((resolve) => queue.push(resolve))
    }
  }
  const release = (key: K): void => {
    const queue = waiting.get(key)
    const next = queue?.shift()
    if (queue?.length === 0) waiting.delete(key)
    // The next waiter takes over the slot.
    if (next) return next()
    const left = (running.get(key) ?? 1) - 1
    if (left > 0) running.set(key, left)
    else running.delete(key)
  }
  return async (key, work) => {
    await acquire(key)
    try {
      return await work()
    } finally {
      release(key)
    }
  }
}

/** Runs tasks one after the other, in order of arrival. */
type Queue = <T>(task: () => Promise<T>) => Promise<T>

/** Creates a queue for tasks that must not overlap, such as the transactions of one connection. */
export const createQueue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}
