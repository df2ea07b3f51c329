import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemCode } from './file-error.ts'
import { openRegular } from './read-file.ts'
import { createBeside } from './replace-file.ts'

/** Flushes the names of a folder to the disk. */
const syncFolder = (path: string): void => {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  fsyncSync(folder)
  closeSync(folder)
}

const CHUNK_BYTES = 1 << 20
const PERMISSIONS = 0o777

/** Returns the first number from `first` on whose path is free: a link that leads nowhere takes its place, too. */
export const freeNumber = (pathOf: (number: number) => string, first: number): number => {
  let number = first
  while (lstatSync(pathOf(number), { throwIfNoEntry: false })) number += 1
  return number
}

const copyContent = (from: number, to: number): void => {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let read = readSync(from, chunk); read > 0; read = readSync(from, chunk)) {
    writeFileSync(to, chunk.subarray(0, read))
  }
}

/** Copies a file with its permissions and times under a fresh name, and gives it its own once it is on the disk. */
const copyFile = (from: string, to: string): void => {
  const source = openRegular(from)
  const { name, file } = createBeside(to)
  try {
    copyContent(source, file)
    const { mode, atime, mtime } = fstatSync(source)
    fchmodSync(file, mode & PERMISSIONS)
    futimesSync(file, atime, mtime)
    fsyncSync(file)
    renameSync(name, to)
  } catch (error) {
    rmSync(name, { force: true })
    throw error
  } finally {
    closeSync(source)
    closeSync(file)
  }
}

/** Copies what a rename cannot take to another disk, and removes it here once it is there. A link stays one. */
const moveToOtherDisk = (from: string, to: string): void => {
  if (lstatSync(from).isSymbolicLink()) symlinkSync(resolve(dirname(from), readlinkSync(from)), to)
  else copyFile(from, to)
  syncFolder(dirname(to))
  rmSync(from)
}

/** Moves a file to a free path, also on another disk. A link is moved, and never followed. */
export const moveFile = (from: string, to: string): void => {
  try {
    renameSync(from, to)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    moveToOtherDisk(from, to)
  }
}

/** Moves a file of this program to a place of its own, replacing what is there; a link there is replaced, not followed. */
export const moveInPlace = (from: string, to: string): void => {
  renameSync(from, to)
  syncFolder(dirname(to))
}
