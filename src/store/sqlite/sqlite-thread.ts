import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { resultCodeOf } from '../../domain/sqlite-result.ts'
import type { SqlInput, SqlList } from '../db.ts'
import { connect, type Connection } from './sqlite-connection.ts'

/** Describes what a thread gets when it starts: the file to open, and how. */
export type ThreadData = { readonly path: string; readonly settings: string }

type Method = Exclude<keyof Connection, 'version' | 'keysPerQuery'>

/** Describes a call to a thread: a method of its connection, or a request for more rows. */
export type ThreadCall = {
  readonly id: number
  readonly method: Method | 'more'
  readonly values: readonly unknown[]
}

/** Describes an answer of a thread: some rows, or at the end the result or the error. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly rows: readonly SqlList[] }
  | { readonly result: unknown }
  | { readonly message: string; readonly code: number | undefined }
)

/** Sets how many rows go in one message; to receive one takes about a millisecond. */
const ROWS_PER_MESSAGE = 500

const post = (answer: ThreadAnswer): void => parentPort?.postMessage(answer)

/** Sends the rows of a query in batches, each after the receiver has processed the one before. */
const sendEach = async (
  connection: Connection,
  [sql, bound]: readonly unknown[],
  send: (rows: readonly SqlList[]) => Promise<void>,
): Promise<void> => {
  let rows: SqlList[] = []
  const sendAll = (): Promise<void> => {
    const sent = rows
    rows = []
    return send(sent)
  }
  await connection.each(String(sql), bound as readonly SqlInput[], (row) => {
    rows.push(row)
    return rows.length >= ROWS_PER_MESSAGE ? sendAll() : undefined
  })
  if (rows.length > 0) await sendAll()
}

/** Answers the calls of the main thread; opens the file at the first one. */
const answerCalls = ({ path, settings }: ThreadData): void => {
  let opened: Connection | undefined
  /** Resumes `each` after its last message was processed. */
  let resume: (() => void) | undefined
  const perform = async (id: number, method: Method, values: readonly unknown[]): Promise<unknown> => {
    const connection = (opened ??= connect(path, settings))
    if (method === 'each') {
      return sendEach(connection, values, (rows) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        resume = resolve
        post({ id, rows })
        return promise
      })
    }
    const act = connection[method] as (...given: readonly unknown[]) => unknown
    return act(...values)
  }
  parentPort?.on('message', ({ id, method, values }: ThreadCall) => {
    if (method === 'more') return resume?.()
    perform(id, method, values).then(
      (result) => post({ id, result }),
      (error: unknown) => post({ id, message: String(error), code: resultCodeOf(error) }),
    )
  })
}

// In the bundle this file also contains code that the main thread imports.
if (!isMainThread) answerCalls(workerData as ThreadData)
