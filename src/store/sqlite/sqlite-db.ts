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
 * Names what becomes of an acknowledged commit when the power is lost: `full` keeps it. `off` may lose the file, costs
 * no wait for the disk, and keeps everything when only the process ends.
 */
type Durability = 'full' | 'off'

/**
 * Configures the writer: readers go on beside it, and the log grows to 32 MB before it is copied, as pages that are
 * written again and again are then copied once.
 */
const writerSettings = (durability: Durability): string => `
  ${BLOCKING_WAIT};
  pragma journal_mode = wal;
  pragma wal_autocheckpoint = 8000;
  pragma synchronous = ${durability}`

/** Sets how long a write waits for another process to end its own. */
const WRITE_PATIENCE_MS = 30_000

/** Sets how many connections read: one for short reads, the others for long ones. */
const READERS = 4

/** Tries until no other process is in the way, without blocking this one. */
const patiently = async <T>(attempt: () => T | Promise<T>, patienceMs: number): Promise<T> => {
  for (let waited = 0; ; waited += BLOCKING_WAIT_MS + RETRY_PAUSE_MS) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || waited >= patienceMs) throw error
    }
    await wait(RETRY_PAUSE_MS)
  }
}

/** Describes how a transaction ends, here or in a thread. */
type Ending = { readonly commit: () => void | Promise<void>; readonly end: () => void | Promise<void> }

/** Runs `work` between a begin that has happened and a commit, or a rollback where it throws. */
const finish = async <T>(connection: Ending, work: () => Promise<T>): Promise<T> => {
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
  /** Tells whether long statements run in threads of their own, as others wait for this process. */
  readonly apart?: boolean
}

/**
 * Creates a `Db` on a SQLite file. Readers and the writer have a connection each, opened when first used, so that a
 * write that waits for another process holds up no reader.
 */
export const sqliteDb = (
  path: string,
  { patienceMs = WRITE_PATIENCE_MS, durability = 'full', apart = false }: SqliteOptions = {},
): Db => {
  const createReader = (): SnapshotReader => createSnapshotReader(() => connectReader(path, READER_SETTINGS))
  // The first is for short reads, which thus never wait for somebody's long report.
  const firstReader = createReader()
  const readers = [firstReader]
  /** Returns a reader that is free among those from a place on, or a new one; where all are busy, one to wait for. */
  const freeReader = (from: number): SnapshotReader => {
    let reader = readers.slice(from).find((one) => !one.isBusy())
    if (!reader && readers.length < READERS) readers.push((reader = createReader()))
    reader ??= readers[from] ?? firstReader
    // The stamp is the first one's: what others read must not be of a time before it.
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
    // A new file gets its log only while nobody reads it, and what was read in this turn still holds it.
    renew()
    const opened = await patiently(() => connect(path, writerSettings(durability), checksReferences), patienceMs)
    writers.set(checksReferences, opened)
    return opened
  }
  const writeTransaction = async <T>(work: (tx: Writer) => Promise<T>, checksReferences?: boolean): Promise<T> => {
    const connection = await openWriter(checksReferences)
    await patiently(() => connection.beginWriting(), patienceMs)
    return finish(connection, () => work(connection))
  }
  const writeInPassing = async <T>(work: (tx: Writer) => Promise<T>): Promise<T> => {
    const connection = await openWriter()
    connection.tryWriting()
    return finish(connection, () => work(connection))
  }
  const queued = <T>(task: () => Promise<T>): Promise<T> => writes(() => convertErrors(task).finally(renew))
  let opening: Promise<ThreadPool> | undefined
  const threads = (): Promise<ThreadPool> =>
    (opening ??= import('./thread-pool.ts').then(({ createThreadPool }) =>
      createThreadPool(path, READER_SETTINGS, writerSettings(durability)),
    ))
  const writeApart = async <T>(work: (tx: Writer) => Promise<T>): Promise<T> => {
    const connection = (await threads()).writer()
    await patiently(() => connection.beginWriting(), patienceMs)
    return finish(connection, () => work(connection))
  }
  const db: Db = {
    read: (work) => convertErrors(() => freeReader(0).read(work)),
    readLong: (work) => convertErrors(() => freeReader(1).read(work)),
    write: (work) => queued(() => writeTransaction(work)),
    // The one writer of a file is alone in all accounts.
    ofAccount: () => whole,
    // It changes for the reader with each commit of another connection, and the reader itself writes nothing.
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
