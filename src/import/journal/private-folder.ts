import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Tells whether there is a folder at a path. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Creates what is missing of a path, for its owner alone, part by part: creating all at once never ends where the
 * system allows no folder.
 */
export const makePrivateFolder = (path: string): void => {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makePrivateFolder(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it at the same moment.
    if (!isFolder(path)) throw error
  }
}
