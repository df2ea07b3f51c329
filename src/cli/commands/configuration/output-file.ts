import { resolve } from 'node:path'
import { requireWritable } from '../../../files/write-file.ts'
import { writeNamed } from '../../files/named-output.ts'
import { requireFree } from '../../files/require-free.ts'
import type { Cli } from '../../cli.ts'

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
