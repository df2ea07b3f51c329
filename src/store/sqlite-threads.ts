import type { Reader } from './db.ts'
import { connectInThread, type ThreadConnection } from './thread-connection.ts'

/** So many threads read at most. */
const READERS = 2

/** Connections of a file in threads of their own, each for one transaction at a time. */
export type Threads = {
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** The one that writes, which its caller uses for one transaction after the other. */
  readonly writer: () => ThreadConnection
  readonly close: () => Promise<void>
}

/** Takes turns on a few connections that read, opened when they are first needed. */
const createReaders = (connect: () => ThreadConnection) => {
  const all = new Set<ThreadConnection>()
  const idle: ThreadConnection[] = []
  const waiting: (() => void)[] = []
  const take = async (): Promise<ThreadConnection> => {
    while (idle.length === 0 && all.size >= READERS) await new Promise<void>((resolve) => waiting.push(resolve))
    const free = idle.pop() ?? connect()
    all.add(free)
    return free
  }
  const give = (connection: ThreadConnection): void => {
    // One whose thread has ended is replaced by the next that is needed.
    if (connection.isOver()) all.delete(connection)
    else idle.push(connection)
    waiting.shift()?.()
  }
  return { all, take, give }
}

/** Reads and writes a file in threads, where a statement may take long; none is started before it is needed. */
export const createThreads = (path: string, readerSettings: string, writerSettings: string): Threads => {
  const readers = createReaders(() => connectInThread(path, readerSettings))
  let writer: ThreadConnection | undefined
  return {
    read: async (work) => {
      const connection = await readers.take()
      try {
        await connection.begin()
        return await work(connection)
      } finally {
        await connection.end().catch(() => undefined)
        readers.give(connection)
      }
    },
    writer: () => {
      if (!writer || writer.isOver()) writer = connectInThread(path, writerSettings)
      return writer
    },
    close: async () => {
      for (const connection of [...readers.all, ...(writer ? [writer] : [])]) await connection.close()
    },
  }
}
