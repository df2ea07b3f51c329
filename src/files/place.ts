import { lstatSync, mkdirSync, readlinkSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { FileFault, fileErrorReason, isOfNoPath } from './file-error.ts'
import { requireRegular } from './read-file.ts'

/** Matches the paths under which the system shows open files; files in `/dev/shm` are like any others. */
const OPEN_FILE = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/)|proc\/)/

/** Tells whether a path is one that the system gives to an open file. */
export const isOpenFile = (path: string): boolean => OPEN_FILE.test(path)

/** Returns why a text cannot be a path, as a clause; undefined if it can, whatever is there. */
export const faultOfPath = (path: string): string | undefined => {
  try {
    lstatSync(path, { throwIfNoEntry: false })
    return undefined
  } catch (error) {
    return isOfNoPath(error) ? fileErrorReason(error) : undefined
  }
}

/**
 * Tells whether a path is not a regular file, such as a pipe or `/dev/null`: it can be read only once, and is written
 * to rather than replaced. The same goes for open files under the paths that the system gives them.
 */
export const isDevice = (path: string): boolean => {
  if (isOpenFile(path)) return true
  if (faultOfPath(path) !== undefined) return false
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** Refuses a link: whoever put it there would choose which file is written. `flag` names another file, where one does. */
export const requireNoLink = (path: string, flag?: string): void => {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  const target = readlinkSync(path)
  throw new FileFault(
    `it is a link to ${target}, and nothing is written through a link; remove the link, or name ${flag === undefined ? 'the file itself' : `another file with ${flag}`}`,
  )
}

/**
 * Refuses a folder into which files are moved if it is a link, or lies behind one that somebody else has made: whoever put
 * it there would choose where the files go. A link of this user, or of the system, on the way there is followed; what
 * leads to `within`, which the user named, is not looked at.
 */
export const requireOwnFolder = (path: string, within: string, uid: number | undefined): void => {
  const isOwn = (owner: number): boolean => uid === undefined || owner === uid || owner === 0
  const folders: string[] = []
  for (let at = path; at !== within && at !== dirname(at); at = dirname(at)) folders.unshift(at)
  for (const at of folders) {
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (found?.isSymbolicLink() && (at === path || !isOwn(found.uid))) {
      const [what, whose] = at === path ? ['it', ''] : [at, ' of another user']
      throw new FileFault(
        `${what} is a link to ${readlinkSync(at)}${whose}, and no file is moved through it; remove the link, or name the folder itself`,
      )
    }
    // Below what is no folder there is nothing to look at.
    if (!statSync(at, { throwIfNoEntry: false })?.isDirectory()) return
  }
}

/** Refuses to write a file where something else stands: a link, a folder, a pipe, a socket or a device. */
export const requirePlainPlace = (path: string, flag?: string): void => {
  requireNoLink(path, flag)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found) requireRegular(found)
}

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
