import { Worker } from 'node:worker_threads'
import type { Reader, SqlList, SqlNumbers, SqlRow, Visit, Writer } from '../db.ts'
import { KEYS_PER_QUERY } from './sqlite-connection.ts'
import { errorWithCode } from './sqlite-errors.ts'
import type { ThreadAnswer, ThreadCall, ThreadData } from './sqlite-thread.ts'

/** Describes a connection in a thread of its own, so that a slow statement does not block this one. */
type ThreadConnection = Writer & {
  readonly begin: () => Promise<void>
  readonly beginWriting: () => Promise<void>
  readonly commit: () => Promise<void>
  readonly end: () => Promise<void>
  /** Tells whether the thread has ended. */
  readonly isOver: () => boolean
  readonly close: () => Promise<void>
}

type PendingCall = {
  readonly visit: Visit | undefined
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Names the file that the thread runs: beside this one, or in the bundle. */
const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './sqlite-thread.ts' : './sqlite-thread.js', import.meta.url)

/** Visits the rows of an answer, then asks for the next ones, so that unprocessed rows do not pile up. */
const visitRows = async ({ visit }: PendingCall, rows: readonly SqlList[], more: () => void): Promise<void> => {
  for (const row of rows) {
    const visiting = visit?.(row)
    if (visiting) await visiting
  }
  more()
}

/** Passes an answer to the call that waits for it. */
const deliver = (waiting: Map<number, PendingCall>, answer: ThreadAnswer, more: () => void): void => {
  const one = waiting.get(answer.id)
  if (!one) return
  if ('rows' in answer) {
    visitRows(one, answer.rows, more).catch((error: unknown) => {
      waiting.delete(answer.id)
      one.reject(error)
    })
    return
  }
  waiting.delete(answer.id)
  if ('message' in answer) one.reject(errorWithCode(answer.message, answer.code))
  else one.resolve(answer.result)
}

/** Starts a thread, which opens a SQLite file at the first call. An idle thread does not keep the process alive. */
const connectInThread = (path: string, settings: string): ThreadConnection => {
  const workerData: ThreadData = { path, settings }
  const worker = new Worker(SCRIPT, { workerData })
  const waiting = new Map<number, PendingCall>()
  let [last, isOver] = [0, false]
  worker.on('message', (answer: ThreadAnswer) => {
    deliver(waiting, answer, () =>
      worker.postMessage({ id: answer.id, method: 'more', values: [] } satisfies ThreadCall),
    )
    if (waiting.size === 0) worker.unref()
  })
  const failAll = (error: unknown): void => {
    isOver = true
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('error', failAll)
  worker.on('exit', () => failAll(new Error('the thread of the database ended')))
  worker.unref()
  const ask = <T>(method: ThreadCall['method'], values: readonly unknown[] = [], visit?: Visit): Promise<T> =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(new Error('the thread of the database ended'))
      last += 1
      waiting.set(last, { visit, resolve: (result) => resolve(result as T), reject })
      worker.ref()
      worker.postMessage({ id: last, method, values } satisfies ThreadCall)
    })
  return {
    keysPerQuery: KEYS_PER_QUERY,
    all: (sql, values = []) => ask<SqlRow[]>('all', [sql, values]),
    each: (sql, values, visit) => ask('each', [sql, values], visit),
    allOfEach: (...given) => ask<SqlNumbers[]>('allOfEach', given),
    run: (sql, values = []) => ask<number>('run', [sql, values]),
    insertMany: (...given) => ask('insertMany', given),
    updateMany: (...given) => ask('updateMany', given),
    begin: () => ask('begin'),
    beginWriting: () => ask('beginWriting'),
    commit: () => ask('commit'),
    end: () => ask('end'),
    isOver: () => isOver,
    close: async () => {
      if (!isOver) await ask('close')
      await worker.terminate()
    },
  }
}

/** Bounds the threads for reading. */
const READERS = 2

/** Manages connections to a file, each in a thread of its own and for one transaction at a time. */
export type ThreadPool = {
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** Returns the connection for writing; the caller must run its transactions one after the other. */
  readonly writer: () => ThreadConnection
  readonly close: () => Promise<void>
}

/** Pools a few connections for reading, each opened when first needed. */
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
    // The next `take` replaces a connection whose thread has ended.
    if (connection.isOver()) all.delete(connection)
    else idle.push(connection)
    waiting.shift()?.()
  }
  return { all, take, give }
}

/** Creates a pool for slow statements. It starts a thread only when it needs one. */
export const createThreadPool = (path: string, readerSettings: string, writerSettings: string): ThreadPool => {
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
