import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { UndoReceipt } from '../../../import/undo/undo-receipt.ts'
import type { UndoneRun } from '../../../import/undo/undone-run.ts'
import { EXIT } from '../../exit.ts'
import { shellWord } from '../../output/text.ts'

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
 * Refuses an undo while the folder of the run's journal is away, as a share that is not mounted is: the journal would say
 * later that what was taken back is stored.
 */
const requireJournalFolder = (journal: string): void => {
  const folder = dirname(journal)
  if (existsSync(folder)) return
  throw new KpiError(
    'unusable',
    `the folder of the import's journal is not there: ${folder}; mount it, or if it is gone for good, make it with: mkdir -p ${shellWord(folder)}`,
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
  if (journal !== undefined) requireJournalFolder(journal)
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
