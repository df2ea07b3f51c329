import { accessSync, constants, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { fileError, systemCode } from './file-error.ts'
import { isDevice, isOpenFile, requirePlainPlace } from './place.ts'
import { FRESH, freshName, OWNER } from './replace-file.ts'

/** Holds permissions: all bits, and reading for others, which is the most that others get. */
const ALL = 0o777
const OTHERS_READ = 0o044

/** Holds the parts of a file. */
export type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string>

/** Describes how a file is written. */
export type Writing = {
  /** Holds the permissions of the file that its content comes from, which bound its own. */
  readonly like?: number
  /** Receives the path of the complete file, before it is renamed. */
  readonly onWhole?: (written: string) => Promise<void>
  /** Tells that the user named it, so that it may be a pipe or a device. */
  readonly isNamed?: boolean
  /** Ends the wait for whoever reads from a pipe; without it, nobody is waited for who has not begun. */
  readonly signal?: AbortSignal | undefined
}

/** Throws at once if no file can be written at a path because of what stands there; `flag` names another file. */
export const requirePlace = (
  path: string,
  { isNamed = false, flag }: Pick<Writing, 'isNamed'> & { readonly flag?: string } = {},
): void => {
  try {
    if (!isNamed || !isSpecial(path)) requirePlainPlace(path, flag)
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}

/** Throws at once if no file can be written at a path because of what stands there, or of its folder. */
export const requireWritable = (path: string, writing: Pick<Writing, 'isNamed'> = {}): void => {
  requirePlace(path, writing)
  if (isDevice(path)) return
  try {
    // A file is no folder, even if it can be written.
    accessSync(`${dirname(path)}${sep}.`, constants.W_OK)
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}

/** Tells whether a path is a pipe or a device that is written to: it, and not what a link in its place leads to. */
const isSpecial = (path: string): boolean => isDevice(path) && (isOpenFile(path) || !lstatSync(path).isSymbolicLink())

/** Writes a file beside its place, and moves it there once it is complete. */
const writeBeside = async (path: string, chunks: Chunks, { like = ALL, onWhole }: Writing): Promise<void> => {
  const before = lstatSync(path, { throwIfNoEntry: false })?.mode ?? ALL
  const name = freshName(path)
  const file = await open(name, FRESH, OWNER | (OTHERS_READ & like & before))
  try {
    try {
      await file.writeFile(chunks)
      await file.sync()
    } finally {
      await file.close()
    }
    await onWhole?.(name)
    renameSync(name, path)
  } catch (error) {
    rmSync(name, { force: true })
    throw error
  }
}

/** Sets how often to look whether somebody has begun to read from a pipe. */
const PAUSE_MS = 50

/** Opens a pipe for writing, once somebody reads from it; the wait holds no thread, so that the process can end. */
const openPipe = async (path: string, signal: AbortSignal | undefined): Promise<number> => {
  const { setTimeout } = await import('node:timers/promises')
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      const mayWait = signal?.aborted === false && systemCode(error) === 'ENXIO' && !isOpenFile(path)
      if (!mayWait) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}

/** Writes to a pipe or a device that the user named. */
const writeToSpecial = async (path: string, chunks: Chunks, signal: AbortSignal | undefined): Promise<void> => {
  if (statSync(path).isFIFO()) {
    const [{ Socket }, { Readable }, { pipeline }] = await Promise.all([
      import('node:net'),
      import('node:stream'),
      import('node:stream/promises'),
    ])
    return pipeline(
      Readable.from(chunks),
      new Socket({ fd: await openPipe(path, signal), readable: false, writable: true }),
      { signal },
    )
  }
  await using file = await open(path, 'w')
  await file.writeFile(chunks)
}

/**
 * Writes a file beside its place and renames it, so that its name never has half a file: the old one is replaced as a
 * whole, or stays. Others may read it only if they could read both the old file and the one that its content comes
 * from. A link in its place is refused.
 */
export const writeWhole = async (path: string, chunks: Chunks, writing: Writing = {}): Promise<void> => {
  try {
    if (writing.isNamed === true && isSpecial(path)) return await writeToSpecial(path, chunks, writing.signal)
    requirePlainPlace(path)
    await writeBeside(path, chunks, writing)
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}
