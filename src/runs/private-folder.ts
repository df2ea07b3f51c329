import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Tells whether there is a folder at a path. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Creates the missing folders of a path, accessible by their owner only. It creates them one by one: a recursive
 * `mkdir` never ends if the system allows no folder there.
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
