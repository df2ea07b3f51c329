import { join, resolve } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { makePrivateFolder } from '../../files/place.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { type Setting, SETTINGS, variableOf } from './settings.ts'

const homeOf = ({ home }: Io): string => {
  if (home !== '') return home
  throw new UsageError('there is no home directory (HOME is empty); set it, or KPI_DATA_DIR and KPI_CONFIG_DIR')
}

/** Describes where a folder is: the setting that names it, and the variables and folders in which systems keep such. */
type Whereabouts = {
  readonly setting?: Setting<unknown>
  readonly xdg: string
  /** Stands below home. */
  readonly linux: string
  readonly windows: 'Local' | 'Roaming'
  /** Names it within the folder `kpi` of Windows and macOS. */
  readonly within?: string
}

/** Names a folder of this user: data of the embedded service, profiles, the state of runs, and what can be lost. */
export type FolderName = 'data' | 'configuration' | 'state' | 'cache'

const FOLDERS: Readonly<Record<FolderName, Whereabouts>> = {
  data: { setting: SETTINGS.dataDir, xdg: 'XDG_DATA_HOME', linux: '.local/share', windows: 'Local', within: 'data' },
  configuration: { setting: SETTINGS.configDir, xdg: 'XDG_CONFIG_HOME', linux: '.config', windows: 'Roaming' },
  state: { xdg: 'XDG_STATE_HOME', linux: '.local/state', windows: 'Local', within: 'state' },
  cache: { xdg: 'XDG_CACHE_HOME', linux: '.cache', windows: 'Local' },
}

/** Tells whether a folder is where Linux has it; on macOS that is only the cache. */
const isAsOnLinux = ({ platform }: Io, name: FolderName): boolean =>
  platform !== 'win32' && (platform !== 'darwin' || name === 'cache')

/** Returns the variable that can name a folder; undefined where none does. */
export const folderVariable = (io: Io, name: FolderName): string | undefined =>
  FOLDERS[name].setting?.sources.variables?.[0] ?? (isAsOnLinux(io, name) ? FOLDERS[name].xdg : undefined)

/** Returns the whole path of a folder of this user, and what set it. */
export const folderNamed = (io: Io, name: FolderName): { readonly path: string; readonly from: string } => {
  const { env, platform } = io
  const { setting, xdg, linux, windows, within = '' } = FOLDERS[name]
  const source = setting && variableOf(io, setting)
  if (source) return { path: resolve(io.cwd, source.text), from: source.from }
  const { [xdg]: parent } = env
  if (isAsOnLinux(io, name))
    return { path: resolve(io.cwd, parent || join(homeOf(io), linux), 'kpi'), from: parent ? xdg : 'default' }
  const usual =
    platform === 'darwin'
      ? join(homeOf(io), 'Library', 'Application Support')
      : (env[windows === 'Local' ? 'LOCALAPPDATA' : 'APPDATA'] ?? join(homeOf(io), 'AppData', windows))
  return { path: join(usual, 'kpi', within), from: 'default' }
}

/** Returns the data directory of the embedded service where nothing else names its place. */
export const dataFolder = (io: Io): string => folderNamed(io, 'data').path

/** Returns the file of the store within its data directory. */
export const storePath = (dataDir: string): string => join(dataDir, 'kpi.db')

/** Returns the file beside it in which `kpi serve` counts requests. */
export const limitsPath = (dataDir: string): string => join(dataDir, 'kpi-limits.db')

/** Returns the folder of profiles and their secrets. */
export const configFolder = (io: Io): string => folderNamed(io, 'configuration').path

/** Returns the folder of the state of runs: journals, and how much of a limit is used. */
export const stateFolder = (io: Io): string => folderNamed(io, 'state').path

/** Returns the folder of the receipts of imports. */
export const receiptsFolder = (io: Io): string => join(stateFolder(io), 'receipts')

/** Returns the folder of what can be lost: compiled code, and the names that completion shows. */
export const cacheFolder = (io: Io): string => folderNamed(io, 'cache').path

/** Creates a folder that only its owner can read, unless it exists; `what` names it in the error. */
export const makeFolder = (path: string, what: string): void => {
  try {
    makePrivateFolder(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reasons: Readonly<Record<string, string>> = {
      EACCES: 'permission is denied',
      EPERM: 'permission is denied',
      EROFS: 'its file system is read-only',
      ENOSPC: 'the disk is full',
      EEXIST: 'a file is in its place',
      ENOTDIR: 'part of its path is a file',
      ENOENT: 'no folder can be made there',
    }
    throw new KpiError('unusable', `cannot make the ${what} ${path}: ${reasons[code] ?? String(error)}`, {
      cause: error,
    })
  }
}
