import { existsSync } from 'node:fs'
import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { UndoReceipt } from '../../../import/undo/undo-receipt.ts'
import { EXIT } from '../../exit.ts'

/** Refuses a receipt of another account; what is known of an account is sure once the service has answered. */
export const requireAccount = async (client: Client, { head }: UndoReceipt): Promise<void> => {
  if (!client.identifyAccount().isSure) await client.kpis.list()
  const { for: account } = client.identifyAccount()
  if (head.account === undefined || head.account === account) return
  throw new KpiError(
    'malformed',
    `the receipt is of ${head.account}, and this is ${account}; use the profile of that one`,
  )
}

/** Takes back what can be, while no run of the import goes on; a run that was stopped then begins anew. */
export const undoAlone = async (
  { journal }: Pick<UndoReceipt, 'journal'>,
  work: () => Promise<number>,
): Promise<number> => {
  if (journal === undefined || !existsSync(journal)) return work()
  const { lockJournal, removeLocked, withPathInErrors } = await import('../../../import/journal/lock.ts')
  const database = withPathInErrors(journal, () => lockJournal(journal, undefined))
  try {
    const code = await work()
    // Where something was left alone, the rest is still to be continued.
    if (code === EXIT.done) removeLocked(database, journal)
    return code
  } finally {
    if (database.isOpen) database.close()
  }
}
