import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers'
import { pathToFileURL } from 'node:url'
import { KpiError } from '../../domain/errors.ts'
import type { Reader } from '../db.ts'
import { connect, type Connection } from './sqlite-connection.ts'
import { isOutOfSpace } from './sqlite-errors.ts'

/** Describes a connection that reads. */
type ReadingConnection = Reader & {
  readonly begin: () => void
  /** Ends a transaction, whatever became of it. */
  readonly end: () => void
  /** Returns another number when others have written. */
  readonly version: () => number
  /** Returns whether others have written what this connection does not see; not there where it sees all. */
  readonly isOutdated?: () => boolean
  readonly close: () => void
}

/** Sets how far apart the versions of one connection and the next are. */
const VERSIONS = 2 ** 32

/** Reads within transactions. */
export type SnapshotReader = {
  /** Tells whether a read is going on over more than a turn. */
  readonly isBusy: () => boolean
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** Returns the version of what is read; undefined while it is about to change. */
  readonly stamp: () => number | undefined
  /** Ends the current snapshot, as this process has written. */
  readonly renew: () => void
  readonly close: () => void
}

/**
 * Creates a snapshot reader, in which the reads of one turn of the event loop share a transaction: beginning and ending
 * one takes locks of the system, which take longer than reading a row does. What is read in a turn was asked before it
 * began, so all of it may see the same state; what this process writes itself is seen at once.
 */
export const createSnapshotReader = (connect: () => ReadingConnection): SnapshotReader => {
  const waiting: (() => void)[] = []
  let connection: ReadingConnection | undefined
  let connections = 0
  let [isOpen, isPast, isReading] = [false, false, false]
  let version: number | undefined

  const end = (): void => {
    isPast = true
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
    if (isOpen && isPast) end()
    const reader = connected()
    if (!isOpen) {
      reader.begin()
      version = undefined
      setImmediate(end)
    }
    ;[isOpen, isPast] = [true, false]
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
        if (reader.isOutdated?.()) throw new KpiError('unavailable', 'it was written while it was read; try again')
        return result
      } catch (error) {
        // What failed may have ended the transaction.
        isPast = true
        throw error
      } finally {
        isReading = false
        if (isPast) end()
        waiting.shift()?.()
      }
    },
    stamp: () => {
      if (isReading && isPast) return undefined
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

/** Returns what changes when a file is written to; an empty text where nothing is in it. */
const traceOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined || found.size === 0n ? '' : `${found.size} ${found.mtimeNs}`
}

const logOf = (path: string): string => traceOf(`${path}-wal`)

/** Opens a complete file that nobody writes: SQLite creates nothing beside it then. */
const connectUnwritten = (path: string, settings: string): Connection & ReadingConnection => {
  const trace = traceOf(path)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return { ...connect(url, settings), isOutdated: () => logOf(path) !== '' || traceOf(path) !== trace }
}

/**
 * Opens a connection that reads. Before anything can be read SQLite creates files beside the store that nobody has
 * open, for which a full disk has no room: there the store is read as it lies, until somebody writes to it.
 */
export const connectReader = (path: string, settings: string): Connection & ReadingConnection => {
  const connection = connect(path, settings)
  try {
    connection.version()
    return connection
  } catch (error) {
    connection.close()
    if (!isOutOfSpace(error) || logOf(path) !== '') throw error
    return connectUnwritten(path, settings)
  }
}
