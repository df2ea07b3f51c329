import { setImmediate } from 'node:timers/promises'

type Waiting<K, T> = {
  readonly asked: K
  readonly resolve: (answer: T) => void
  readonly reject: (error: unknown) => void
}

/** Does all of it, and gives each answer to whoever waits for it. */
const settle = async <K, T>(
  waiting: readonly Waiting<K, T>[],
  work: (asked: readonly K[]) => Promise<ReadonlyMap<K, T[]>>,
): Promise<void> => {
  try {
    const answers = await work(waiting.map(({ asked }) => asked))
    for (const { asked, resolve, reject } of waiting) {
      const answer = answers.get(asked)?.shift()
      if (answer === undefined) reject(new Error('a question was left without an answer'))
      else resolve(answer)
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

/**
 * Does together what is asked for at about the same time: what comes in one turn of the event loop, or while earlier
 * work is under way. Each that asks for the same gets the next of its answers.
 */
export const gather = <K, T>(
  work: (asked: readonly K[]) => Promise<ReadonlyMap<K, T[]>>,
): ((asked: K) => Promise<T>) => {
  let waiting: Waiting<K, T>[] = []
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await setImmediate()
      const taken = waiting
      waiting = []
      await settle(taken, work)
    }
    isRunning = false
  }
  let isRunning = false
  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}
