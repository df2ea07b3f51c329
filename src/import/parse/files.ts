import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { KpiError } from '../../domain/errors.ts'
import type { FileBytes } from './inspect.ts'

/** Sets how many bytes of a file are read at a time. */
export const CHUNK_BYTES = 1 << 16
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'part of its path is not a directory',
}

/** Returns an error of the file system as one line that names the file and says why. Any other error passes through. */
export const fileError = (error: unknown, act: 'read' | 'write', path: string): unknown => {
  if (error instanceof KpiError || !(error instanceof Error) || !('code' in error)) return error
  const isLost = act === 'write' && error.code === 'ENOENT'
  const reason = isLost ? 'there is no such folder; make it first' : (REASONS[String(error.code)] ?? error.message)
  return new KpiError('malformed', `cannot ${act} ${path}: ${reason}`, { cause: error })
}

/** Matches the paths under which the system shows open files; files in `/dev/shm` are like any others. */
const OPEN_FILE = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/)|proc\/)/

/**
 * Tells whether a path is not a regular file, such as a pipe or `/dev/null`: it can be read only once, and is written
 * to rather than replaced. The same goes for open files under the paths that the system gives them.
 */
export const isDevice = (path: string): boolean => {
  if (OPEN_FILE.test(path)) return true
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Describes a file whose bytes can be read at any place. */
export type RandomAccess = {
  readonly size: () => number
  /** Fills a buffer from a place in the file, and returns how many bytes it has read. */
  readonly read: (buffer: Uint8Array, place: number) => number
  readonly close: () => void
}

/** Describes a file that can be read more than once. */
export type RereadableFile = {
  readonly name: string
  readonly open: () => FileBytes
  /** Opens it for reading at any place; undefined if it can only be read from its beginning. */
  readonly random?: () => RandomAccess
  /** Returns a value that changes when the file does. */
  readonly stamp: () => string
  /** Holds the file's permissions; files made from its content get no wider ones. */
  readonly mode: number
  readonly close: () => void
}

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string>

/** Yields the bytes of a stream; errors use the name that the user gave. */
export async function* bytesOf(stream: Readable, name: string): FileBytes {
  try {
    yield* stream as AsyncIterable<Buffer>
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}

/** Returns a text that changes if the file is replaced or written: its inode, size and time. */
const stampOf = (path: string, name: string): string => {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs].join(' ')
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}

/** Opens a file on disk for reading at any place. */
const randomAccess = (path: string, name: string): RandomAccess => {
  const orFail = <T>(act: () => T): T => {
    try {
      return act()
    } catch (error) {
      throw fileError(error, 'read', name)
    }
  }
  const file = orFail(() => openSync(path, 'r'))
  let isOpen = true
  return {
    size: () => orFail(() => fstatSync(file).size),
    read: (buffer, place) => orFail(() => readSync(file, buffer, 0, buffer.length, place)),
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** Returns a source for a file on disk, under the name that the user gave. Throws at once if it cannot be read. */
export const fileSource = (path: string, name: string): RereadableFile => {
  let mode: number
  try {
    const found = statSync(path)
    mode = found.mode
    if (found.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    closeSync(openSync(path, 'r'))
  } catch (error) {
    throw fileError(error, 'read', name)
  }
  return {
    name,
    open: () => bytesOf(createReadStream(path, { highWaterMark: CHUNK_BYTES }), name),
    random: () => randomAccess(path, name),
    stamp: () => stampOf(path, name),
    mode,
    close: () => undefined,
  }
}

/**
 * Holds permissions: all bits, reading and writing for the owner, and reading for others, which is the most that others
 * get.
 */
const ALL = 0o777
const OWNER = 0o600
const OTHERS_READ = 0o044

/** Describes how a file is written. */
type Writing = {
  /** Holds the permissions of the file that its content comes from, which bound its own. */
  readonly like?: number
  /** Receives the path of the complete file, before it is renamed. */
  readonly onWhole?: (written: string) => Promise<void>
}

/** Throws at once if the folder in which a file is to be written is not there, or cannot be written in. */
export const requireFolder = (path: string): void => {
  if (isDevice(path)) return
  try {
    // A file is no folder, even if it can be written.
    accessSync(`${dirname(path)}${sep}.`, constants.W_OK)
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}

/** Writes a file in a temporary folder beside its place, and moves it there once it is complete. */
const writeBeside = async (path: string, chunks: Chunks, { like = ALL, onWhole }: Writing): Promise<void> => {
  const before = statSync(path, { throwIfNoEntry: false })?.mode ?? ALL
  const mode = OWNER | (OTHERS_READ & like & before)
  const folder = await mkdtemp(join(dirname(path), '.kpi-'))
  try {
    const beside = join(folder, 'part')
    await writeFile(beside, chunks, { flush: true, mode })
    await onWhole?.(beside)
    await rename(beside, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Writes a file beside its place and renames it, so that its name never has half a file: the old one is replaced as a
 * whole, or stays. Others may read it only if they could read both the old file and the one that its content comes
 * from.
 */
export const writeWhole = async (path: string, chunks: Chunks, writing: Writing = {}): Promise<void> => {
  try {
    // A link stays, and what it leads to is replaced.
    const place = existsSync(path) ? realpathSync(path) : path
    await (isDevice(path) ? writeFile(path, chunks) : writeBeside(place, chunks, writing))
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}
