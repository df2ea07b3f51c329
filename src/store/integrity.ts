import type { StoreFault } from './check.ts'
import type { Reader } from './db.ts'
import { RESTORE } from './invariants.ts'

/** So much damage is told; where there is more, it is of the same origin. */
const MOST_TOLD = 100

/** What SQLite finds damaged in its file, indexes included. */
export const damageOf = async (tx: Reader): Promise<StoreFault[]> => {
  const rows = await tx.all(`pragma integrity_check(${MOST_TOLD})`)
  const found = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  return found.map((text) => ({ table: '', account: '', id: '', fault: text.replaceAll('\n', ' '), remedy: RESTORE }))
}
