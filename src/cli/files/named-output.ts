import { resolve } from 'node:path'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { systemCode } from '../../files/file-error.ts'
import { type Chunks, requireWritable, writeWhole, type Writing } from '../../files/write-file.ts'
import { readDeadline, untilDeadline } from '../args/deadline.ts'
import type { Cli } from '../cli.ts'
import { rightsOf } from '../target/store-rights.ts'
import { requireFree } from './require-free.ts'

/** Lists the error codes of a pipe that nobody reads: before its first reader, and after. */
const UNREAD: ReadonlySet<string> = new Set(['ENXIO', 'ABORT_ERR'])

/** Returns a signal that ends the wait for whoever reads a pipe: the deadline, or somebody who asks to stop. */
export const pipeSignal = ({ io, flags }: Pick<Cli, 'io' | 'flags'>): AbortSignal =>
  AbortSignal.any([io.alarm(readDeadline(flags.deadline, io.now()).at - io.now()), io.interruption()])

/** Writes a file that the user named: with the store's permissions, and a pipe until the deadline or an interruption. */
export const writeNamed = (cli: Pick<Cli, 'io' | 'flags'>, path: string, chunks: Chunks): Promise<void> => {
  const { io, flags } = cli
  const write = async ({ signal }: Pick<Writing, 'signal'>): Promise<void> => {
    try {
      await writeWhole(path, chunks, { ...rightsOf(cli), isNamed: true, signal })
    } catch (error) {
      const isUnread = error instanceof KpiError && UNREAD.has(systemCode(error.cause))
      throw signal?.aborted && isUnread ? new Aborted(error.message) : error
    }
  }
  return untilDeadline(io, flags.deadline, write, io.interruption())
}

/** Describes the flags of commands that write a file. */
export type FileFlags = { readonly toFile?: string | undefined; readonly force?: true | undefined }

/** Names standard output where a file is named. */
export const STDOUT = '-'

/** Makes sure that the file of a line can be written, before anything is done. */
export const readyFile = async (cli: Cli, { toFile, force }: FileFlags): Promise<void> => {
  if (toFile === undefined || toFile === STDOUT) return
  requireWritable(resolve(cli.io.cwd, toFile), { isNamed: true })
  await requireFree(cli, toFile, force)
}

/** Writes the file of a line, or to standard output. */
export const writeOutput = (cli: Cli, file: string, text: string): Promise<void> =>
  file === STDOUT ? cli.io.stdout.write(text) : writeNamed(cli, resolve(cli.io.cwd, file), [text])
