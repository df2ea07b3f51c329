import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { FileFault } from './file-error.ts'
import { requireRegular } from './read-file.ts'

/** Matches the paths under which the system shows open files; files in `/dev/shm` are like any others. */
const OPEN_FILE = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/)|proc\/)/

/** Tells whether a path is one that the system gives to an open file. */
export const isOpenFile = (path: string): boolean => OPEN_FILE.test(path)

/**
 * Tells whether a path is not a regular file, such as a pipe or `/dev/null`: it can be read only once, and is written
 * to rather than replaced. The same goes for open files under the paths that the system gives them.
 */
export const isDevice = (path: string): boolean => {
  if (isOpenFile(path)) return true
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

/** Refuses to write a file where something else stands: a link, a folder, a pipe, a socket or a device. */
export const requirePlainPlace = (path: string, flag?: string): void => {
  requireNoLink(path, flag)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found) requireRegular(found)
}
