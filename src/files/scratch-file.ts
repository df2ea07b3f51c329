import { mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { OWNER } from './replace-file.ts'

/** Makes a folder whose path begins so, for what another program writes; only its owner can use it. */
export const makeFreshFolder = (beginning: string): string => mkdtempSync(beginning)

/** Opens a file in a temporary folder that only this process can read, and unlinks it. */
export const openNameless = (folder: string): number => {
  const home = makeFreshFolder(join(folder, 'kpi-'))
  try {
    const path = join(home, 'scratch')
    const file = openSync(path, 'wx+', OWNER)
    unlinkSync(path)
    return file
  } finally {
    rmdirSync(home)
  }
}
