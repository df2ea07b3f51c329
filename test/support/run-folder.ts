import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM = 4 * 1024 ** 3
const NAME = /^kpi-tests-(\d+)$/

/** Returns whether the system has a folder that is kept in memory, with room for all that tests write. */
const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Removes what runs left that were killed. */
const removeLeftovers = (): void => {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

let folder: string | undefined

/**
 * Keeps the temporary files of a run in memory, where the system has room for that: a store is made, and a transaction
 * ended, in half the time. For this process and those that it starts.
 */
export const setup = (): void => {
  if (!hasRoom()) return
  removeLeftovers()
  folder = join(MEMORY, `kpi-tests-${process.pid}`)
  mkdirSync(folder, { mode: 0o755 })
  process.env['TMPDIR'] = folder
}

/** Removes them. */
export const teardown = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
