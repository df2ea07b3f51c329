import { existsSync } from 'node:fs'
import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { UndoReceipt } from '../../../import/undo/undo-receipt.ts'
import type { UndoneRun } from '../../../import/undo/undone-run.ts'
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

/**
 * Takes back what can be, while no run of the import goes on. `work` calls its argument before it changes anything: from
 * then on, the journal of a run that was stopped does not hold what is stored.
 */
export const undoAlone = async (
  { journal }: Pick<UndoneRun, 'journal'>,
  work: (onChange: () => void) => Promise<number>,
): Promise<number> => {
  if (journal === undefined || !existsSync(journal)) return work(() => undefined)
  const { holdForUndo } = await import('../../../import/journal/open-journal.ts')
  const held = holdForUndo(journal)
  let isAll = false
  try {
    const code = await work(held.noteTakenBack)
    isAll = code === EXIT.done
    return code
  } finally {
    held.end(isAll)
  }
}
