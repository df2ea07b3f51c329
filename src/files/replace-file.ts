import { closeSync, constants, fchmodSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Opens a new file: nothing may stand in its place, not even a link. */
export const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Holds the permissions of a file that only its owner can read and write. */
export const OWNER = 0o600

const NAME_BYTES = 12

/** Returns a name that nobody can guess in the folder of a path, so that nothing can wait there for it. */
export const freshName = (path: string): string => {
  // Loaded only here, as that takes longer than many a command.
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  return join(dirname(path), `.kpi-${randomBytes(NAME_BYTES).toString('base64url')}`)
}

/** Creates a file beside a path, which only its owner can read. */
export const createBeside = (path: string): { readonly name: string; readonly file: number } => {
  const name = freshName(path)
  return { name, file: openSync(name, FRESH, OWNER) }
}

/**
 * Replaces what is at a path by a new file, which only its owner can read: the name never has half a file. A link in its
 * place is replaced, and never followed. For files of this program in its own folders.
 */
export const replaceFile = (path: string, text: string): void => {
  const { name, file } = createBeside(path)
  try {
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
    renameSync(name, path)
  } catch (error) {
    rmSync(name, { force: true })
    throw error
  }
}

/** Lets nobody but its owner use a folder. */
export const closeToOthers = (path: string): void => {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  fchmodSync(folder, 0o700)
  closeSync(folder)
}
