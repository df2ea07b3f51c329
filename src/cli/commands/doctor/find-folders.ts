import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { KpiError } from '../../../domain/errors.ts'
import type { Cli } from '../../cli.ts'
import type { Io } from '../../io.ts'
import { countOf, shellWord } from '../../output/text.ts'
import type { RunHead } from '../../../runs/run-record.ts'
import { type FolderName, folderNamed, folderVariable, receiptsFolder, stateFolder } from '../../target/folders.ts'
import { findPlace } from '../../target/place.ts'
import { doubtful, faulty, type Finding, fine, looked } from './finding.ts'
import { placeFrom } from './find-settings.ts'
import { faultOfFolder } from './folder-state.ts'

const OTHERS = 0o077

/** Describes a folder to look at, and what says where it is. `variable` can name another. */
type Place = {
  readonly path: string
  readonly from: string
  readonly variable: string | undefined
  /** Holds secrets, so it must be its owner's alone. */
  readonly isSecret?: boolean
  /** Is needed by every command, so that it is a fault if it cannot be used. */
  readonly isNeeded?: boolean
}

/** Returns what others may do with a folder that should be its owner's alone, and the command that fixes it. */
const openness = ({ platform }: Io, path: string, mode: number): string | undefined =>
  platform === 'win32' || (mode & OTHERS) === 0
    ? undefined
    : `others can look into it; fix it with: chmod 700 ${shellWord(path)}`

/** Looks at a folder: its rights, and whether it can be written. */
const folder = (io: Io, name: string, { path, from, variable, isSecret, isNeeded }: Place): Finding => {
  const mode = existsSync(path) ? statSync(path).mode : undefined
  const value = `${path} (${mode === undefined ? 'not made yet' : (mode & 0o777).toString(8)})`
  const fault = faultOfFolder(io, path, variable)
  if (fault !== undefined && isNeeded) return { ...faulty(name, new KpiError('unusable', fault), value), from }
  const doubt = fault ?? (isSecret && mode !== undefined ? openness(io, path, mode) : undefined)
  return doubt === undefined ? fine(name, value, from) : doubtful(name, value, doubt, from)
}

const folderOf = (io: Io, name: FolderName): Place => ({
  ...folderNamed(io, name),
  variable: folderVariable(io, name),
})

/** Returns the data directory that commands use, or the usual one where they talk to a remote service. */
const data = (cli: Cli): Place => {
  try {
    const place = findPlace(cli.io, cli.flags)
    const from = placeFrom(cli)
    if (place.kind !== 'embedded') return folderOf(cli.io, 'data')
    const usual = from === 'default' ? folderOf(cli.io, 'data') : { from }
    return { ...usual, path: place.dataDir, variable: '--data-dir', isNeeded: true }
  } catch {
    // That fault is told where the service is looked at.
    return folderOf(cli.io, 'data')
  }
}

const unfinished = async ({ io }: Cli): Promise<Finding> => {
  const { findUnfinished } = await import('../../../runs/entries/unfinished.ts')
  const { nameOfPath, readHead, runPaths } = await import('../../../runs/run-record.ts')
  const open = runPaths(receiptsFolder(io)).filter((path) => nameOfPath(path) === undefined)
  // Leave out imports of a stream, which cannot be read again.
  const isImport = ({ command, source }: RunHead): boolean => command.endsWith(' import') && source !== '-'
  const runs = open.flatMap((path) => readHead(path) ?? []).filter(isImport)
  const found = [
    ...findUnfinished(join(stateFolder(io), 'journals')).map(({ path }) => path),
    ...runs.map(({ source }) => source),
  ]
  if (found.length === 0) return fine('unfinished imports', '0')
  const files = found.map((path) => path ?? 'standard input').join(', ')
  const advice = `run the same command again to continue ${countOf(found.length, 'import')}`
  return doubtful('unfinished imports', `${found.length}: ${files}`, advice)
}

/** Looks at the folder of secrets; while it is not there, what hinders making it is told of the one above. */
const secrets = (io: Io): Finding => {
  const { path: above, ...said } = folderOf(io, 'configuration')
  const path = join(above, 'secrets')
  return existsSync(path)
    ? folder(io, 'secrets', { path, ...said, isSecret: true })
    : fine('secrets', `${path} (not made yet)`, said.from)
}

/** Looks at the folders of this user, and at imports that did not end. */
export const findFolders = async (cli: Cli): Promise<Finding[]> => {
  const { io } = cli
  const lookAt = (name: FolderName, find: () => Place = () => folderOf(io, name)): Finding[] =>
    looked(name, () => folder(io, name, find()))
  return [
    ...lookAt('configuration'),
    ...looked('secrets', () => secrets(io)),
    ...lookAt('data', () => data(cli)),
    ...lookAt('state'),
    ...lookAt('cache'),
    await unfinished(cli),
  ]
}
