import { resolve } from 'node:path'
import { requireFolder, writeWhole } from '../../../import/parse/files.ts'
import { requireFree } from '../../files/require-free.ts'
import type { Cli } from '../../cli.ts'

/** Describes the flags of commands that write a file. */
export type FileFlags = { readonly toFile?: string | undefined; readonly force?: true | undefined }

/** Returns the file of a line; undefined for standard output, which `-` names. */
export const fileOf = ({ toFile }: FileFlags): string | undefined => (toFile === '-' ? undefined : toFile)

/** Makes sure that the file of a line can be written, before anything is done. */
export const readyFile = async (cli: Cli, flags: FileFlags): Promise<void> => {
  const file = fileOf(flags)
  if (file === undefined) return
  requireFolder(resolve(cli.io.cwd, file))
  await requireFree(cli, file, flags.force)
}

/** Writes the file of a line. */
export const writeOutput = (cli: Cli, file: string, text: string): Promise<void> =>
  writeWhole(resolve(cli.io.cwd, file), [text])
