import { mkdirSync, statSync } from 'node:fs'
import { dirname, join, parse, resolve } from 'node:path'
import { fileError } from '../../../files/file-error.ts'
import { freeNumber, moveFile } from '../../../files/move-file.ts'
import { requireOwnFolder } from '../../../files/place.ts'
import { EXIT, type ExitCode } from '../../exit.ts'
import type { Running } from './outcome.ts'

/** Returns a path that is free: with a number before the ending, if a file of that name is there. */
export const freePath = (folder: string, file: string): string => {
  const { name, ext } = parse(file)
  const pathOf = (number: number): string => join(folder, number === 0 ? `${name}${ext}` : `${name}.${number}${ext}`)
  return pathOf(freeNumber(pathOf, 0))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Makes a folder and those above it, one by one: to make all at once never ends where the system refuses one, as in /proc. */
const makeFolders = (path: string): void => {
  if (isFolder(path)) return
  makeFolders(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another job may have made it meanwhile.
    if (!isFolder(path)) throw error
  }
}

/** Makes the folder of a job to which files are moved; refuses one that somebody else may have chosen by a link. */
const makeOwnFolder = ({ cli: { io }, cwd }: Running, shown: string): string => {
  const folder = resolve(cwd, shown)
  requireOwnFolder(folder, cwd, io.uid)
  makeFolders(folder)
  return folder
}

/** Returns why something could not be done with a folder; undefined if it could. */
const faultOf = (folder: string, act: () => void): string | undefined => {
  try {
    act()
    return undefined
  } catch (error) {
    const failure = fileError(error, 'write', folder)
    return failure instanceof Error ? failure.message : String(failure)
  }
}

/** Makes the folder to which a step moves its files, before it imports the first; returns the exit code. */
export const makeFolder = async (running: Running, folder: string, prefix: string): Promise<ExitCode> => {
  const fault = faultOf(folder, () => makeOwnFolder(running, folder))
  if (fault === undefined) return EXIT.done
  await running.log.tell(`${prefix}nothing was sent, as no file could be moved afterwards: ${fault}`)
  return EXIT.failed
}

/** Moves a file that was imported; returns the exit code. */
export const moveDone = async (running: Running, file: string, folder: string, prefix: string): Promise<ExitCode> => {
  const from = resolve(running.cwd, file)
  const fault = faultOf(folder, () => moveFile(from, freePath(makeOwnFolder(running, folder), from)))
  if (fault === undefined) return EXIT.done
  await running.log.tell(
    `${prefix}${file} was imported, but could not be moved: ${fault}; once that is fixed, leave the file there and run the job again: that moves it, and sends nothing of it twice`,
  )
  return EXIT.failed
}
