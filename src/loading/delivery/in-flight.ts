/**
 * Runs `work` on items as they come, at most `room()` at a time. After an error it takes no more items, waits for the
 * running tasks, and throws; the generator cleans up the items that were not taken.
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
