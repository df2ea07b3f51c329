import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { fileError, fileSource, isDevice, type Source } from '../../load/reading/files.ts'
import { spoolSource } from '../../load/reading/spool.ts'
import type { Cli } from '../cli.ts'

/**
 * A pipe, once there is somebody who writes to it: waiting for that cannot be stopped but by ending the process, so that no
 * signal is caught before.
 */
const openPipe = async (path: string, name: string): Promise<Readable> => {
  const stream = createReadStream(path)
  await once(stream, 'open').catch((error: unknown) => {
    throw fileError(error, 'read', name)
  })
  return stream
}

/** Opens what a word of the command line names: a file, a pipe, or `-` for standard input. */
export const openSource = async ({ io, note }: Cli, file: string, signal: () => AbortSignal): Promise<Source> => {
  const path = resolve(io.cwd, file)
  if (file !== '-' && !isDevice(path)) return fileSource(path, file)
  if (file === '-' && io.stdinIsTerminal) await note('reading rows from the terminal; end them with Ctrl-D')
  if (file === '-') return spoolSource(io.stdin, io.tempDir, 'standard input', signal())
  return spoolSource(await openPipe(path, file), io.tempDir, file, signal())
}
