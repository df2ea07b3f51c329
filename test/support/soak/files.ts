import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLIC_FILES } from '../../corpus/public/index.ts'
import { checkImport, requireKnown } from '../public-files/check-import.ts'

/** Imports the public files of a folder, tells how each went, and answers how many were not read as by hand. */
export const soakFiles = async (folder: string): Promise<number> => {
  let failed = 0
  for (const one of PUBLIC_FILES) {
    const path = join(folder, one.file)
    if (!existsSync(path)) throw new Error(`${path} is not there; the README of test/corpus/public lists all files`)
    const bytes = readFileSync(path)
    requireKnown(one, bytes)
    const began = Date.now()
    const { result, rows, said } = await checkImport(one, bytes)
    if (result !== 'read') failed += 1
    const why = result === 'read' ? '' : `: ${said.trim().slice(0, 300).replaceAll('\n', ' / ')}`
    process.stdout.write(`${one.file} ${rows} entries ${((Date.now() - began) / 1000).toFixed(1)} s ${result}${why}\n`)
  }
  return failed
}
