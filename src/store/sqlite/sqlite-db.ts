import { setTimeout as wait } from 'node:timers/promises'
import { isBusy } from '../../domain/sqlite-result.ts'
import type { Db, Writer } from '../db.ts'
import { createQueue } from '../queue.ts'
import { connectReader, createSnapshotReader, type SnapshotReader } from './snapshot-reader.ts'
import { BLOCKING_WAIT, BLOCKING_WAIT_MS, connect, type Connection } from './sqlite-connection.ts'
import { sqliteError } from './sqlite-errors.ts'
import type { ThreadPool } from './thread-pool.ts'

const RETRY_PAUSE_MS = 5

const READER_SETTINGS = 'pragma busy_timeout = 5000'

/**
 * Names what a commit survives: `full` also a power failure; `off` only the end of the process, and it does not wait
 * for the disk.
 */
type Durability = 'full' | 'off'

/**
 * Configures the writer. With a WAL, readers go on beside it. The WAL grows to 32 MB before it is copied into the file,
 * so that pages that are written often are copied once.
 */
const writerSettings = (durability: Durability): string => `
  ${BLOCKING_WAIT};
  pragma journal_mode = wal;
  pragma wal_autocheckpoint = 8000;
  pragma synchronous = ${durability}`

/** Sets how long a write waits for the write of another process. */
const WRITE_PATIENCE_MS = 30_000

/** Sets how many connections read: one for short reads only, the others for long reads too. */
const READERS = 4

/** Retries while another process holds the lock, without blocking this process. */
const retryWhileBusy = async <T>(attempt: () => T | Promise<T>, patienceMs: number): Promise<T> => {
  for (let waited = 0; ; waited += BLOCKING_WAIT_MS + RETRY_PAUSE_MS) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || waited >= patienceMs) throw error
    }
    await wait(RETRY_PAUSE_MS)
  }
}

/** Ends a transaction, on a connection here or in a thread. */
type Ending = { readonly commit: () => void | Promise<void>; readonly end: () => void | Promise<void> }

/** Runs `work` in a transaction that has begun; commits, or rolls back if it throws. */
const runAndEnd = async <T>(connection: Ending, work: () => Promise<T>): Promise<T> => {
  try {
    const result = await work()
    await connection.commit()
    return result
  } catch (error) {
    await connection.end()
    throw error
  }
}

/** Describes how a SQLite file is used. */
export type SqliteOptions = {
  readonly patienceMs?: number
  readonly durability?: Durability
  /** Tells whether slow statements run in worker threads, because other requests wait for this process. */
  readonly apart?: boolean
}

/**
 * Creates a `Db` on a SQLite file. Readers and the writer have their own connections, opened when first used, so that a
 * write that waits for another process does not block reads.
 */
export const sqliteDb = (
  path: string,
  { patienceMs = WRITE_PATIENCE_MS, durability = 'full', apart = false }: SqliteOptions = {},
): Db => {
  const createReader = (): SnapshotReader => createSnapshotReader(() => connectReader(path, READER_SETTINGS))
  // Long reads never use the first reader, so that short reads need not wait for a long report.
  const firstReader = createReader()
  const readers = [firstReader]
  /** Returns an idle reader from index `from` on, or a new one; if all are busy, one to queue on. */
  const freeReader = (from: number): SnapshotReader => {
    let reader = readers.slice(from).find((one) => !one.isBusy())
    if (!reader && readers.length < READERS) readers.push((reader = createReader()))
    reader ??= readers[from] ?? firstReader
    // Stamps come from the first reader, so the others must not read an older snapshot.
    if (reader !== firstReader) reader.renew()
    return reader
  }
  const renew = (): void => {
    for (const reader of readers) reader.renew()
  }
  const writers = new Map<boolean, Connection>()
  const writes = createQueue()
  const convertErrors = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task()
    } catch (error) {
      throw sqliteError(error, path)
    }
  }
  const openWriter = async (checksReferences = true): Promise<Connection> => {
    const known = writers.get(checksReferences)
    if (known) return known
    // SQLite can switch a new file to WAL only while nobody reads, so end open reads.
    renew()
    const opened = await retryWhileBusy(() => connect(path, writerSettings(durability), checksReferences), patienceMs)
    writers.set(checksReferences, opened)
    return opened
  }
  const writeTransaction = async <T>(work: (tx: Writer) => Promise<T>, checksReferences?: boolean): Promise<T> => {
    const connection = await openWriter(checksReferences)
    await retryWhileBusy(() => connection.beginWriting(), patienceMs)
    return runAndEnd(connection, () => work(connection))
  }
  const writeInPassing = async <T>(work: (tx: Writer) => Promise<T>): Promise<T> => {
    const connection = await openWriter()
    connection.tryWriting()
    return runAndEnd(connection, () => work(connection))
  }
  const queued = <T>(task: () => Promise<T>): Promise<T> => writes(() => convertErrors(task).finally(renew))
  let opening: Promise<ThreadPool> | undefined
  const threads = (): Promise<ThreadPool> =>
    (opening ??= import('./thread-pool.ts').then(({ createThreadPool }) =>
      createThreadPool(path, READER_SETTINGS, writerSettings(durability)),
    ))
  const writeApart = async <T>(work: (tx: Writer) => Promise<T>): Promise<T> => {
    const connection = (await threads()).writer()
    await retryWhileBusy(() => connection.beginWriting(), patienceMs)
    return runAndEnd(connection, () => work(connection))
  }
  const db: Db = {
    read: (work) => convertErrors(() => freeReader(0).read(work)),
    readLong: (work) => convertErrors(() => freeReader(1).read(work)),
    write: (work) => queued(() => writeTransaction(work)),
    // A file has one writer, so accounts need no locks.
    ofAccount: () => whole,
    // The reader's version changes with each commit of another connection, and the reader itself writes nothing.
    stamp: () => {
      try {
        return firstReader.stamp()
      } catch (error) {
        throw sqliteError(error, path)
      }
    },
    close: async () => {
      await (await opening)?.close()
      for (const reader of readers) reader.close()
      for (const writer of writers.values()) writer.close()
    },
  }
  const whole: Db = {
    ...db,
    inPassing: { ...db, write: (work) => queued(() => writeInPassing(work)) },
    trusting: { ...db, write: (work) => queued(() => writeTransaction(work, false)) },
    ...(apart && {
      apart: {
        ...db,
        read: (work) => convertErrors(async () => (await threads()).read(work)),
        readLong: (work) => convertErrors(async () => (await threads()).read(work)),
        write: (work) => queued(() => writeApart(work)),
      },
    }),
  }
  return whole
}
