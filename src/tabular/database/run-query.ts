import { type ChildProcess, fork } from 'node:child_process'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { QueryCall, QueryResult } from './query-child.ts'

/** Names the file that the process runs: beside this one, or in the bundle. */
const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './query-child.ts' : './query-child.js', import.meta.url),
)

/** Lists the variables that the process gets: what Node.js needs to start, and what SQLite reads. */
const PASSED_ON = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP', 'TZ']

/** Describes a query whose result is imported. */
export type DatabaseQuery = {
  /** Holds the path of the database, and its name for messages. */
  readonly path: string
  readonly name: string
  readonly sql: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Describes where a query may write, how much, and what ends it. */
type QueryBounds = {
  readonly folder: string
  /** Bounds what it gives, and what SQLite writes for it in the folder. */
  readonly bytes: number
  readonly signal: AbortSignal | undefined
}

const MIB = 1024 ** 2

const unreadable = ({ name }: DatabaseQuery, why: string): KpiError =>
  new KpiError('malformed', `cannot read ${name}: ${why}`)

/**
 * Starts the process. It is no part of the group of this one, so that Ctrl-C at a terminal is for this one, which ends
 * it.
 */
const start = ({ env, path, sql }: DatabaseQuery, { folder, bytes }: QueryBounds): ChildProcess => {
  const passedOn = PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
  const child = fork(SCRIPT, [], {
    execArgv: [],
    env: { ...Object.fromEntries(passedOn), SQLITE_TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    detached: true,
    windowsHide: true,
  })
  child.on('error', () => undefined)
  child.send({ path, sql, temporaryBytes: bytes } satisfies QueryCall, () => undefined)
  return child
}

const isResult = (message: unknown): message is QueryResult => typeof message === 'object' && message !== null

/** Resolves with what the process says at its end; undefined if it ends without a word. */
const resultOf = (child: ChildProcess): Promise<QueryResult | undefined> =>
  new Promise((resolve) => {
    child.once('message', (message) => resolve(isResult(message) ? message : undefined))
    child.once('disconnect', () => resolve(undefined))
    child.once('error', (error) => resolve({ fault: `the process for its query does not start: ${error.message}` }))
  })

/**
 * Runs a query in a process of its own, and yields the bytes of its rows as a file of rows has them. SQLite cannot be
 * interrupted here and may work for ever, so the process is killed when `signal` asks to stop.
 */
export async function* runQuery(query: DatabaseQuery, bounds: QueryBounds): AsyncGenerator<Uint8Array> {
  const { signal, bytes } = bounds
  const stopped = (): Aborted => new Aborted('stopped before anything was sent; run the same command again')
  if (signal?.aborted) throw stopped()
  const child = start(query, bounds)
  const end = (): void => {
    child.kill('SIGKILL')
    child.stdout?.destroy()
  }
  signal?.addEventListener('abort', end)
  try {
    const ended = resultOf(child)
    let left = bytes
    const printed: AsyncIterable<Buffer> = child.stdout ?? Readable.from([])
    for await (const chunk of printed) {
      left -= chunk.length
      if (left < 0)
        throw unreadable(query, `its result is larger than ${Math.round(bytes / MIB)} MiB; import it in parts (--sql)`)
      yield chunk
    }
    const result = await ended
    if (!result) throw unreadable(query, 'the process for its query was killed; is there enough memory?')
    if (result.fault !== undefined) throw unreadable(query, result.fault)
  } catch (error) {
    throw signal?.aborted ? stopped() : error
  } finally {
    signal?.removeEventListener('abort', end)
    end()
    child.unref()
  }
}
