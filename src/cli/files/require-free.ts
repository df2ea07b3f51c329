import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../exit.ts'

/** Tells whether there is a file that holds something; a device, such as `/dev/stdout`, is none. */
export const holdsSomething = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size > 0
}

/** Refuses a folder in the place of a file. */
export const requireNoFolder = ({ io }: Cli, file: string): void => {
  if (statSync(resolve(io.cwd, file), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${file} is a folder; name a file, such as one in it`)
}

/** Refuses to replace a file that holds something, unless `--force` is given or a person at a terminal says yes. */
export const requireFree = async (cli: Cli, file: string | undefined, force: true | undefined): Promise<void> => {
  if (file === undefined) return
  requireNoFolder(cli, file)
  if (force || !holdsSomething(resolve(cli.io.cwd, file))) return
  if (!cli.canAsk) throw new KpiError('conflict', `${file} exists already; --force replaces it`)
  const { askForYes } = await import('../args/prompt.ts')
  await askForYes(cli, `replace ${file}`)
}
