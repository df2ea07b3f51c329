import { closeSync, readSync, writeSync } from 'node:fs'
import { fileError } from './file-error.ts'
import { openNameless } from './scratch-file.ts'

/**
 * Describes a temporary file that is unlinked as soon as it is open, so that nothing of it is left, however the process
 * ends.
 */
export type SpillFile = {
  /** Appends bytes. */
  readonly append: (bytes: Uint8Array) => void
  /** Returns the size in bytes. */
  readonly size: () => number
  /** Fills a buffer from a position in the file, and returns how many bytes it has read. */
  readonly read: (buffer: Uint8Array, place: number) => number
  readonly close: () => void
}

/** Creates a spill file in a folder. */
export const createSpillFile = (folder: string): SpillFile => {
  const orFail = <T>(act: () => T): T => {
    try {
      return act()
    } catch (error) {
      throw fileError(error, 'write', `the temporary folder ${folder}`)
    }
  }
  const file = orFail(() => openNameless(folder))
  let size = 0
  let isOpen = true
  return {
    append: (bytes) => {
      orFail(() => {
        for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, size + done)
      })
      size += bytes.length
    },
    size: () => size,
    read: (buffer, place) => {
      let done = 0
      for (let read = 1; done < buffer.length && read > 0; done += read) {
        read = readSync(file, buffer, done, buffer.length - done, place + done)
      }
      return done
    },
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}
