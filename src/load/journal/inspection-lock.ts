import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { told } from './fault.ts'

/** Looking at the journals of a folder takes milliseconds; who waits longer meets a process that was stopped while it looked. */
const LONGEST_WAIT_MS = 10_000

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Locks the file at a path, made where there is none; a file that its last owner removed meanwhile locks nothing. */
const lockFile = (path: string): DatabaseSync => {
  for (;;) {
    closeSync(openSync(path, 'a', 0o600))
    const inode = inodeOf(path)
    const lock = new DatabaseSync(path, { timeout: LONGEST_WAIT_MS })
    try {
      lock.exec('begin exclusive')
      if (inode !== undefined && inodeOf(path) === inode) return lock
    } catch (error) {
      lock.close()
      throw error
    }
    lock.close()
  }
}

/**
 * Runs `work` while no other process is in here for the same folder. Reading somebody else's journal locks it for a moment,
 * as running its import does. A process that finds its own journal locked tries again in here: what is locked then is in
 * use by a run of the same import.
 */
export const withInspectionLock = <T>(folder: string, work: () => T): T => {
  const path = join(folder, 'inspection.lock')
  const lock = told(path, () => lockFile(path))
  try {
    return work()
  } finally {
    rmSync(path, { force: true })
    lock.close()
  }
}
