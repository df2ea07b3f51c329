import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Io } from '../../io.ts'
import { shellWord } from '../../output/text.ts'

/** Returns the nearest part of a path that is there, as far as this user can see. */
const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)))

/** Returns why nothing can be put into a folder that is there, and the command that fixes it; undefined where it can. */
const faultOfRights = ({ uid }: Io, path: string): string | undefined => {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EROFS') return 'its file system is read-only'
    const mend = statSync(path).uid === uid ? 'chmod u+rwx' : 'sudo chown "$(id -u)"'
    return `you cannot write to it; fix it with: ${mend} ${shellWord(path)}`
  }
}

const faultAt = (io: Io, path: string): string | undefined => {
  const there = nearestThere(path)
  if (!statSync(there).isDirectory()) return `${there} is a file, not a folder; move it away`
  const fault = faultOfRights(io, there)
  return fault === undefined || there === path ? fault : `it cannot be made, as you cannot write to ${there}; make it`
}

/** Returns why a folder cannot be used, and what to do; `variable` can name another. Undefined where it can be used. */
export const faultOfFolder = (io: Io, path: string, variable: string | undefined): string | undefined => {
  const fault = faultAt(io, path)
  return fault === undefined || variable === undefined ? fault : `${fault}, or name another folder with ${variable}`
}
