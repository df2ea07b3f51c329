import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the folder of the installed package: the nearest one above this file that has a file or folder of it. */
export const packageFolder = (having: string): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, having)) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
