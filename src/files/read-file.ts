import { closeSync, constants, createReadStream, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { FileFault } from './file-error.ts'

/** Bounds a file of settings or state that is read as a whole, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024

/** Bounds a file that the user names and that is read as a whole, in bytes. */
export const MOST_NAMED_BYTES = 64 * 1024 * 1024

/** Never waits for the other end of a pipe, and lets no terminal become the one of this process. */
const WITHOUT_WAITING = constants.O_NONBLOCK | constants.O_NOCTTY

const kindOf = (found: Stats): string => {
  if (found.isFIFO()) return 'a pipe'
  if (found.isSocket()) return 'a socket'
  return 'a device'
}

/** Refuses whatever is no regular file. */
export const requireRegular = (found: Stats): void => {
  if (found.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
  if (!found.isFile()) throw new FileFault(`it is ${kindOf(found)}, and has to be a file; remove it, or name a file`)
}

const tooLarge = (most: number): FileFault =>
  new FileFault(`it is larger than ${most / 1024 / 1024} MiB, the most that is read of it; shorten it, or name another`)

/**
 * Opens a regular file for reading; a pipe, a socket or a device in its place is refused without being waited for. What
 * counts is what was opened. It is looked at before, too, because opening a device may do something by itself.
 */
export const openRegular = (path: string): number => {
  requireRegular(statSync(path))
  const file = openSync(path, constants.O_RDONLY | WITHOUT_WAITING)
  try {
    requireRegular(fstatSync(file))
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** Reads the rest of an open regular file; refuses one that is, or grows, larger than `most` bytes. */
const readOpen = (file: number, most: number): Buffer => {
  const { size } = fstatSync(file)
  if (size > most) throw tooLarge(most)
  let [buffer, length] = [Buffer.allocUnsafe(size + 1), 0]
  for (let read = 1; read > 0; length += read) {
    // Files of the system say that they are empty.
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * length, most + 1))
    read = readSync(file, buffer, length, buffer.length - length, null)
    if (length + read > most) throw tooLarge(most)
  }
  return buffer.subarray(0, length)
}

/** Describes how a file is read: its bound, and what is asked of it once it is open. */
export type Reading = { readonly most?: number; readonly check?: (found: Stats) => void }

/** Reads a regular file of a bounded size. Every file that nobody has named for this command is read by it. */
export const readRegularFile = (path: string, { most = MOST_BYTES, check }: Reading = {}): Buffer => {
  const file = openRegular(path)
  try {
    check?.(fstatSync(file))
    return readOpen(file, most)
  } finally {
    closeSync(file)
  }
}

/** Reads the first bytes of a regular file. */
export const readHead = (path: string, bytes: number): Buffer => {
  const file = openRegular(path)
  try {
    const buffer = Buffer.alloc(bytes)
    return buffer.subarray(0, readSync(file, buffer))
  } finally {
    closeSync(file)
  }
}

/** Opens a regular file as a stream. */
export const streamRegular = (path: string, highWaterMark?: number): Readable =>
  createReadStream('', { fd: openRegular(path), ...(highWaterMark !== undefined && { highWaterMark }) })

/** Bounds a line of a file of this program, in characters. */
const MOST_IN_LINE = 1 << 26

/** Yields the lines of a regular file; refuses one with a line that no program has written. */
export async function* linesOfFile(path: string): AsyncGenerator<string> {
  let [begun, length]: [string[], number] = [[], 0]
  for await (const text of streamRegular(path).setEncoding('utf8') as AsyncIterable<string>) {
    const [end = '', ...lines] = text.split('\n')
    begun.push(end)
    length += end.length
    if (length > MOST_IN_LINE) throw new FileFault('it is damaged: it has a line that is far too long')
    const next = lines.pop()
    if (next === undefined) continue
    yield begun.join('')
    yield* lines
    ;[begun, length] = [[next], next.length]
  }
  if (length > 0) yield begun.join('')
}

/**
 * Opens a pipe or a device that the user named as a stream. To wait for who writes to it holds no thread, so that the
 * process can end meanwhile.
 */
export const streamSpecial = async (path: string): Promise<Readable> => {
  const there = statSync(path)
  if (there.isSocket() || there.isDirectory()) requireRegular(there)
  const file = openSync(path, constants.O_RDONLY | WITHOUT_WAITING)
  const { isatty, ReadStream } = await import('node:tty')
  if (isatty(file)) return new ReadStream(file)
  if (!fstatSync(file).isFIFO()) return createReadStream('', { fd: file })
  const { Socket } = await import('node:net')
  return new Socket({ fd: file, readable: true, writable: false })
}

/** Reads a stream to its end; refuses more than `most` bytes. */
export const readStream = async (stream: Readable, most = MOST_NAMED_BYTES): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most) throw tooLarge(most)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads a pipe or a device that the user named as a file, until the signal is aborted. */
export const readSpecial = async (path: string, signal: AbortSignal): Promise<Buffer> => {
  const { addAbortSignal } = await import('node:stream')
  return readStream(addAbortSignal(signal, await streamSpecial(path)))
}
