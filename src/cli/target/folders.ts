import { join } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { makePrivateFolder } from '../../files/place.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { type Setting, SETTINGS, variableOf } from './settings.ts'

const homeOf = ({ home }: Io): string => {
  if (home !== '') return home
  throw new UsageError('there is no home directory (HOME is empty); set it, or KPI_DATA_DIR and KPI_CONFIG_DIR')
}

/** Describes where a folder is: what names it, and where each system keeps such folders. */
type Whereabouts = {
  /** Is the setting that names it, where one does. */
  readonly setting?: Setting<unknown>
  /** Names the variable for all such folders, and the one below home. */
  readonly xdg: string
  readonly below: readonly string[]
  readonly windows: 'APPDATA' | 'LOCALAPPDATA'
  /** Names it within the folder `kpi` that holds several. */
  readonly within?: string
  /** Tells that macOS has it where Linux does. */
  readonly isXdgOnMac?: true
}

/** Lists the folders of a user: data of the embedded service, profiles, the state of runs, and what can be lost. */
const FOLDERS = {
  data: {
    setting: SETTINGS.dataDir,
    xdg: 'XDG_DATA_HOME',
    below: ['.local', 'share'],
    windows: 'LOCALAPPDATA',
    within: 'data',
  },
  configuration: { setting: SETTINGS.configDir, xdg: 'XDG_CONFIG_HOME', below: ['.config'], windows: 'APPDATA' },
  state: { xdg: 'XDG_STATE_HOME', below: ['.local', 'state'], windows: 'LOCALAPPDATA', within: 'state' },
  cache: { xdg: 'XDG_CACHE_HOME', below: ['.cache'], windows: 'LOCALAPPDATA', isXdgOnMac: true },
} as const satisfies Record<string, Whereabouts>

const WINDOWS = { APPDATA: 'Roaming', LOCALAPPDATA: 'Local' } as const

const usesXdg = ({ platform }: Io, { isXdgOnMac }: Whereabouts): boolean =>
  platform !== 'win32' && (platform !== 'darwin' || isXdgOnMac === true)

const usualFolder = (io: Io, where: Whereabouts): string => {
  const { env, platform } = io
  const { xdg, below, windows, within = '' } = where
  if (usesXdg(io, where)) return join(env[xdg] || join(homeOf(io), ...below), 'kpi')
  if (platform === 'darwin') return join(homeOf(io), 'Library', 'Application Support', 'kpi', within)
  return join(env[windows] ?? join(homeOf(io), 'AppData', WINDOWS[windows]), 'kpi', within)
}

/** Returns the variable that can name a folder; undefined where none does. */
const folderVariable = (io: Io, where: Whereabouts): string | undefined =>
  where.setting?.variables?.[0] ?? (usesXdg(io, where) ? where.xdg : undefined)

/** Returns a folder of this user, what set it, and the variable that can. */
export const folderNamed = (
  io: Io,
  name: keyof typeof FOLDERS,
): { readonly path: string; readonly from: string; readonly variable: string | undefined } => {
  const where: Whereabouts = FOLDERS[name]
  const variable = folderVariable(io, where)
  const source = where.setting && variableOf(io, where.setting)
  if (source) return { path: source.text, from: source.from, variable }
  return {
    path: usualFolder(io, where),
    from: usesXdg(io, where) && io.env[where.xdg] ? where.xdg : 'default',
    variable,
  }
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

/** Names the variable that moves the folder of the state of runs alone; undefined where none does. */
export const stateVariable = (io: Io): string | undefined => folderVariable(io, FOLDERS.state)

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
