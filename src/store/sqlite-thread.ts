import { parentPort, workerData } from 'node:worker_threads'
import type { SqlInput, SqlList } from './db.ts'
import { type Connection, connect } from './sqlite-connection.ts'
import { resultCodeOf } from './sqlite-errors.ts'

/** What a thread is started with: the file that it opens, and how. */
export type ThreadData = { readonly path: string; readonly settings: string }

/** What a thread is asked for: a method of its connection. */
export type ThreadCall = {
  readonly id: number
  readonly method: Exclude<keyof Connection, 'version'>
  readonly values: readonly unknown[]
}

/** What a thread answers: rows on the way to the end, then the result or what failed. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly rows: readonly SqlList[] }
  | { readonly result: unknown }
  | { readonly message: string; readonly code: number | undefined }
)

/** So many rows go in one message: taking one in holds up the other side for about a millisecond. */
const ROWS_A_MESSAGE = 500

const { path, settings } = workerData as ThreadData
let opened: Connection | undefined

const tell = (answer: ThreadAnswer): void => parentPort?.postMessage(answer)

/** Visits rows by sending them, many at a time. */
const sendEach = async (id: number, connection: Connection, sql: string, bound: readonly SqlInput[]): Promise<void> => {
  let rows: SqlList[] = []
  const send = (): void => {
    tell({ id, rows })
    rows = []
  }
  await connection.each(sql, bound, (row) => {
    rows.push(row)
    if (rows.length >= ROWS_A_MESSAGE) send()
  })
  if (rows.length > 0) send()
}

const perform = async ({ id, method, values }: ThreadCall): Promise<unknown> => {
  const connection = (opened ??= connect(path, settings))
  if (method === 'each') return sendEach(id, connection, String(values[0]), values[1] as readonly SqlInput[])
  const act = connection[method] as (...given: readonly unknown[]) => unknown
  return act(...values)
}

parentPort?.on('message', (call: ThreadCall) => {
  perform(call).then(
    (result) => tell({ id: call.id, result }),
    (error: unknown) => tell({ id: call.id, message: String(error), code: resultCodeOf(error) }),
  )
})
