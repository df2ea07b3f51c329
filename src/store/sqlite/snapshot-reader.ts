import { nextTick } from 'node:process'
import { KpiError } from '../../domain/errors.ts'
import { fingerprintOf, openImmutable } from '../../files/sqlite-file.ts'
import type { Reader } from '../db.ts'
import { connect, type Connection } from './sqlite-connection.ts'
import { isOutOfSpace } from './sqlite-errors.ts'

/** Describes a connection for reading. */
type ReadingConnection = Reader & {
  readonly begin: () => void
  /** Ends the transaction, also after a failure. */
  readonly end: () => void
  /** Returns a number that changes when another connection writes. */
  readonly version: () => number
  /** Tells whether the file changed since this connection opened it; undefined if the connection sees all changes. */
  readonly isOutdated?: () => boolean
  readonly close: () => void
}

/** Separates the versions of one connection from those of the next. */
const VERSIONS = 2 ** 32

/** Reads within transactions that reads of one callback share; see `createSnapshotReader`. */
export type SnapshotReader = {
  /** Tells whether a read is in progress. */
  readonly isBusy: () => boolean
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** Returns the version of the snapshot; undefined while a read still uses an outdated one. */
  readonly stamp: () => number | undefined
  /** Ends the current snapshot, because this process has written. */
  readonly renew: () => void
  readonly close: () => void
}

/**
 * Creates a snapshot reader. Reads of one callback of the event loop, with its promises, share a transaction, because to
 * begin and end one takes system locks, which cost more than reading a row. They may share a snapshot because all were
 * requested before it began; a write of this process ends it. A later callback may follow a write that another process
 * has answered, so it never uses the snapshot.
 */
export const createSnapshotReader = (connect: () => ReadingConnection): SnapshotReader => {
  const waiting: (() => void)[] = []
  let connection: ReadingConnection | undefined
  let connections = 0
  let [isOpen, isExpired, isReading] = [false, false, false]
  let version: number | undefined

  const end = (): void => {
    isExpired = true
    if (!isOpen || isReading) return
    isOpen = false
    connection?.end()
  }
  const connected = (): ReadingConnection => {
    if (connection && !isOpen && connection.isOutdated?.()) {
      connection.close()
      connection = undefined
    }
    if (connection) return connection
    connections += 1
    return (connection = connect())
  }
  const begin = (): ReadingConnection => {
    if (isOpen && isExpired) end()
    const reader = connected()
    if (!isOpen) {
      reader.begin()
      version = undefined
      nextTick(end)
    }
    ;[isOpen, isExpired] = [true, false]
    return reader
  }
  return {
    isBusy: () => isReading,
    read: async (work) => {
      while (isReading) await new Promise<void>((resolve) => waiting.push(resolve))
      const reader = begin()
      isReading = true
      try {
        const result = await work(reader)
        if (reader.isOutdated?.()) throw new KpiError('unavailable', 'the store changed while it was read; try again')
        return result
      } catch (error) {
        // The failure may have ended the transaction.
        isExpired = true
        throw error
      } finally {
        isReading = false
        if (isExpired) end()
        waiting.shift()?.()
      }
    },
    stamp: () => {
      if (isReading && isExpired) return undefined
      const reader = begin()
      return (version ??= connections * VERSIONS + reader.version())
    },
    renew: end,
    close: () => {
      end()
      connection?.close()
    },
  }
}

const walFingerprint = (path: string): string => fingerprintOf(`${path}-wal`)

/** Opens a file as immutable, so that SQLite creates no files beside it. Nobody may be writing it. */
const connectImmutable = (path: string, settings: string): Connection & ReadingConnection => {
  const fingerprint = fingerprintOf(path)
  return {
    ...connect(path, settings, true, openImmutable),
    isOutdated: () => walFingerprint(path) !== '' || fingerprintOf(path) !== fingerprint,
  }
}

/**
 * Opens a connection for reading. To open a store that nobody has open, SQLite creates files beside it. If the disk is
 * too full for them, opens the store as immutable until somebody writes to it.
 */
export const connectReader = (path: string, settings: string): Connection & ReadingConnection => {
  const connection = connect(path, settings)
  try {
    connection.version()
    return connection
  } catch (error) {
    connection.close()
    if (!isOutOfSpace(error) || walFingerprint(path) !== '') throw error
    return connectImmutable(path, settings)
  }
}
