import { readFileSync, writeFileSync } from 'node:fs'
import { changesToText, type EntryChange } from '../../src/domain/entry-changes.ts'
import type { User } from './user.ts'

/** The folder of a user's receipts. */
export const receiptsOf = ({ folder }: Pick<User, 'folder'>): string => folder.in('.local/state/kpi/receipts')

/**
 * Makes a receipt what an earlier version would have written: what became of entries stands beside it, and the service is not
 * said to keep anything.
 */
export const asOfEarlierVersion = (user: User, receipt: string, changes: readonly EntryChange[]): void => {
  const path = `${receiptsOf(user)}/${receipt}.receipt.jsonl`
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\{"kept_by".*\n/m, ''))
  writeFileSync(`${receiptsOf(user)}/${receipt}.entries.jsonl`, changesToText(changes), { mode: 0o600 })
}
