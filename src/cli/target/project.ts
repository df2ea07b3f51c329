import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import type { SettingTexts } from './settings.ts'

/** Holds what a project file says: the texts of its settings. No secret and no command, as the folder may be somebody else's. */
type ProjectSettings = SettingTexts & { readonly profile?: string; readonly baseUrl?: string }

/** Describes a project file that was read, with all its faults. */
export type ProjectFile = {
  readonly path: string
  readonly settings: ProjectSettings
  readonly faults: readonly string[]
}

const FILE = 'kpi.yaml'

/** Returns the folders in which a project file is looked for: the working directory and those above, not above home. */
const foldersFrom = (folder: string, home: string): string[] => {
  const above = dirname(folder)
  return folder === home || above === folder ? [folder] : [folder, ...foldersFrom(above, home)]
}

/** Lists the files that may be the project file, the nearest first. */
export const projectPaths = ({ cwd, home }: Pick<Io, 'cwd' | 'home'>): string[] =>
  foldersFrom(resolve(cwd), home === '' ? '' : resolve(home))
    .map((folder) => join(folder, FILE))
    .filter((path) => existsSync(path))

/** Returns what the project file says; throws all its faults. Without one, nothing is said. */
export const projectOf = ({ project }: Pick<Io, 'project'>): ProjectSettings => {
  if (!project) return {}
  const { path, settings, faults } = project
  if (faults.length > 0) throw new UsageError(`${path}: ${faults.join('; ')}`)
  return settings
}
