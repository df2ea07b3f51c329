import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Connection, connect } from './sqlite-connection.ts'
import { isOutOfSpace } from './sqlite-errors.ts'
import type { ReadingConnection } from './turn-reader.ts'

/** Returns what changes when a file is written to; an empty text where nothing is in it. */
const traceOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined || found.size === 0n ? '' : `${found.size} ${found.mtimeNs}`
}

const logOf = (path: string): string => traceOf(`${path}-wal`)

/** Opens a file of which all is in the file itself, and which nobody writes: SQLite keeps nothing beside it then. */
const connectUnwritten = (path: string, settings: string): Connection & ReadingConnection => {
  const trace = traceOf(path)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return { ...connect(url, settings), isOutdated: () => logOf(path) !== '' || traceOf(path) !== trace }
}

/**
 * Opens a connection that reads. Before anything can be read SQLite makes files beside the store that nobody has open, for
 * which a full disk has no room: there the store is read as it lies, until somebody writes to it.
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
