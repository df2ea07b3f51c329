import { closeSync, fstatSync, readSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { fileError } from '../../files/file-error.ts'
import { openRegular, streamRegular } from '../../files/read-file.ts'
import type { FileBytes } from './inspect.ts'
import { nextTurn, stopped } from '../../client/next-turn.ts'
import { createHash } from 'node:crypto'

/** Sets how many bytes of a file are read at a time. */
export const CHUNK_BYTES = 1 << 16

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

/** Yields the bytes of a stream; errors use the name that the user gave. */
export async function* bytesOf(stream: Readable, name: string): FileBytes {
  try {
    yield* stream as AsyncIterable<Buffer>
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}

/** Yields the bytes of a regular file; errors use the name that the user gave. */
export async function* bytesOfFile(path: string, name: string): FileBytes {
  try {
    yield* streamRegular(path, CHUNK_BYTES) as AsyncIterable<Buffer>
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
  const file = orFail(() => openRegular(path))
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
    const file = openRegular(path)
    mode = fstatSync(file).mode
    closeSync(file)
  } catch (error) {
    throw fileError(error, 'read', name)
  }
  return {
    name,
    open: () => bytesOfFile(path, name),
    random: () => randomAccess(path, name),
    stamp: () => stampOf(path, name),
    mode,
    close: () => undefined,
  }
}

/** Returns the signal that asks to stop. Once it is read, Ctrl-C asks to stop instead of ending the process. */
export type StopSignal = () => AbortSignal

/** Yields bytes until the work is asked to end: for bytes that are waited for, so that signals and timers run anyway. */
export async function* untilStopped(content: FileBytes, signal: AbortSignal): FileBytes {
  for await (const chunk of content) {
    if (signal.aborted) throw stopped()
    yield chunk
  }
}

/** Sets how many bytes are read in one turn: few, as a byte may stand for a thousand cells. */
const BYTES_PER_TURN = 1 << 13

/** Yields bytes in small parts, between which signals and timers run. */
export async function* inTurns(content: FileBytes, signal: AbortSignal | undefined): FileBytes {
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += BYTES_PER_TURN) {
      await nextTurn(signal)
      yield chunk.subarray(at, at + BYTES_PER_TURN)
    }
  }
}

/** Holds the SHA-256 of some bytes, in hexadecimal, and their count. */
export type ByteSum = { readonly sha256: string; readonly bytes: number }

/** Passes on bytes, and sums them up; the sum is known once all were read. */
export const summing = (content: FileBytes): { readonly bytes: FileBytes; readonly sum: () => ByteSum } => {
  const hash = createHash('sha256')
  let count = 0
  const bytes = async function* (): FileBytes {
    for await (const chunk of content) {
      hash.update(chunk)
      count += chunk.length
      yield chunk
    }
  }
  return { bytes: bytes(), sum: () => ({ sha256: hash.digest('hex'), bytes: count }) }
}

/** Returns the sum of the bytes of a file. */
export const sumOf = async (file: RereadableFile): Promise<ByteSum> => {
  const { bytes, sum } = summing(file.open())
  for await (const chunk of bytes) void chunk
  return sum()
}
