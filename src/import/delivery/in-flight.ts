/**
 * Works on items as they come, up to so many at a time. An error ends it once all that is under way has ended; the
 * generator of the items cleans up those that were not taken.
 */
export const runConcurrently = async <T>(
  items: AsyncGenerator<T>,
  room: () => number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  try {
    for (;;) {
      while (running.size >= room()) await Promise.race(running)
      if (failures.length > 0) break
      const next = await items.next()
      if (next.done) break
      const task = work(next.value)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(task))
      running.add(task)
    }
  } finally {
    await Promise.all(running)
    await items.return(undefined)
  }
  if (failures.length > 0) throw failures[0]
}
