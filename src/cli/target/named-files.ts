import { type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSpecial, type Reading, readRegularFile } from '../../files/read-file.ts'
import { fileError } from '../../files/file-error.ts'
import { untilDeadline } from '../args/deadline.ts'
import type { Io } from '../io.ts'

/** Holds what the pipes that the user named have given, by their paths: a pipe can be read only once. */
const piped = new Map<string, { readonly found: Stats; readonly bytes: Buffer }>()

/**
 * Reads those of some files that are pipes, such as the `<(…)` of a shell, before a command begins: until the deadline,
 * and so that a signal ends it.
 */
export const readPipes = async (io: Io, files: readonly string[], deadline: string | undefined): Promise<void> => {
  for (const file of files) {
    const path = resolve(io.cwd, file)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || found.isFile() || found.isDirectory() || piped.has(path)) continue
    try {
      const bytes = await untilDeadline(io, deadline, ({ signal }) => readSpecial(path, signal))
      piped.set(path, { found, bytes })
    } catch (error) {
      throw fileError(error, 'read', file)
    }
  }
}

/** Reads a file that the user named: a regular one, or a pipe that was read before the command began. */
export const readNamed = (path: string, reading: Reading = {}): Buffer => {
  const pipe = piped.get(path)
  if (!pipe) return readRegularFile(path, reading)
  reading.check?.(pipe.found)
  return pipe.bytes
}
