import fc from 'fast-check'
import { anyFile, importGenerated } from '../generated/import-generated.ts'

/** Imports generated files of any form, tells how many needed flags, and answers how many were misread. */
export const soakGenerated = async (count = 2000, first = 1): Promise<number> => {
  const began = Date.now()
  const files = fc.sample(anyFile, { numRuns: count, seed: first })
  const read = { 'at once': 0, 'with flags': 0 }
  let failed = 0
  for (const file of files) {
    try {
      read[await importGenerated(file)] += 1
    } catch (error) {
      failed += 1
      process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n`)
    }
  }
  const seconds = Math.round((Date.now() - began) / 1000)
  process.stdout.write(
    `${count} generated files from seed ${first}: ${read['at once']} read at once, ${read['with flags']} stopped and read with flags, ${failed} failed, ${seconds} s\n`,
  )
  return failed
}
