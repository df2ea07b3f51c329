import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Cli } from '../../cli.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { configFolder, dataFolder, stateFolder } from '../../target/folders.ts'
import { doubtful, type Finding, fine, looked } from './finding.ts'

const OTHERS = 0o077

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Looks at a folder: its rights, and whether it can be written; one of secrets must be its owner's alone. */
const folder = ({ io }: Cli, name: string, path: string, isSecret = false): Finding => {
  if (!existsSync(path)) return fine(name, `${path} (not made yet)`)
  const { mode } = statSync(path)
  const value = `${path} (${(mode & 0o777).toString(8)})`
  if (!isWritable(path)) return doubtful(name, value, 'you cannot write to it')
  const isOpen = isSecret && io.platform !== 'win32' && (mode & OTHERS) !== 0
  return isOpen
    ? doubtful(name, value, `others can look into it; fix it with: chmod 700 ${shellWord(path)}`)
    : fine(name, value)
}

const journals = async ({ io }: Cli): Promise<Finding> => {
  const { findUnfinished } = await import('../../../import/journal/unfinished.ts')
  const found = findUnfinished(join(stateFolder(io), 'journals'))
  if (found.length === 0) return fine('unfinished imports', '0')
  const files = found.map(({ path }) => path ?? 'standard input').join(', ')
  const advice = `run the same command again to continue ${countOf(found.length, 'import')}`
  return doubtful('unfinished imports', `${found.length}: ${files}`, advice)
}

/** Looks at the folders of this user, and at imports that did not end. */
export const findFolders = async (cli: Cli): Promise<Finding[]> => {
  const { io } = cli
  return [
    ...looked('configuration', () => folder(cli, 'configuration', resolve(io.cwd, configFolder(io)))),
    ...looked('secrets', () => folder(cli, 'secrets', resolve(io.cwd, configFolder(io), 'secrets'), true)),
    ...looked('data', () => folder(cli, 'data', resolve(io.cwd, cli.flags.dataDir ?? dataFolder(io)))),
    ...looked('state', () => folder(cli, 'state', stateFolder(io))),
    await journals(cli),
  ]
}
