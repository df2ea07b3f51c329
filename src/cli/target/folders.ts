import { join } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { makePrivateFolder } from '../../files/place.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'

const homeOf = ({ home }: Io): string => {
  if (home !== '') return home
  throw new UsageError('there is no home directory (HOME is empty); set it, or KPI_DATA_DIR and KPI_CONFIG_DIR')
}

/** Returns the default data directory of the embedded service. */
export const dataFolder = (io: Io): string => {
  const { env, platform } = io
  if (env['KPI_DATA_DIR']) return env['KPI_DATA_DIR']
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homeOf(io), 'AppData', 'Local'), 'kpi', 'data')
  if (platform === 'darwin') return join(homeOf(io), 'Library', 'Application Support', 'kpi', 'data')
  return join(env['XDG_DATA_HOME'] || join(homeOf(io), '.local', 'share'), 'kpi')
}

/** Returns the file of the store within its data directory. */
export const storePath = (dataDir: string): string => join(dataDir, 'kpi.db')

/** Returns the file beside it in which `kpi serve` counts requests. */
export const limitsPath = (dataDir: string): string => join(dataDir, 'kpi-limits.db')

/** Returns the folder of profiles and their secrets. */
export const configFolder = (io: Io): string => {
  const { env, platform } = io
  if (env['KPI_CONFIG_DIR']) return env['KPI_CONFIG_DIR']
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homeOf(io), 'AppData', 'Roaming'), 'kpi')
  if (platform === 'darwin') return join(homeOf(io), 'Library', 'Application Support', 'kpi')
  return join(env['XDG_CONFIG_HOME'] || join(homeOf(io), '.config'), 'kpi')
}

/** Returns the folder of the state of runs: journals, and how much of a limit is used. */
export const stateFolder = (io: Io): string => {
  const { env, platform } = io
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homeOf(io), 'AppData', 'Local'), 'kpi', 'state')
  if (platform === 'darwin') return join(homeOf(io), 'Library', 'Application Support', 'kpi', 'state')
  return join(env['XDG_STATE_HOME'] || join(homeOf(io), '.local', 'state'), 'kpi')
}

/** Names the variable that moves the folder of the state of runs alone; undefined where none does. */
export const stateVariable = ({ platform }: Io): string | undefined =>
  platform === 'win32' || platform === 'darwin' ? undefined : 'XDG_STATE_HOME'

/** Returns the folder of the receipts of imports. */
export const receiptsFolder = (io: Io): string => join(stateFolder(io), 'receipts')

/** Returns the folder of what can be lost: compiled code, and the names that completion shows. */
export const cacheFolder = (io: Io): string => {
  const { env, platform } = io
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homeOf(io), 'AppData', 'Local'), 'kpi')
  return join(env['XDG_CACHE_HOME'] || join(homeOf(io), '.cache'), 'kpi')
}

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
