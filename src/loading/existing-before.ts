import type { ImportRun } from './prepare/import-types.ts'
import type { Prepared } from './prepare/prepare.ts'
import { type ExistingEntries, type ReadWith, readExisting } from './existing/existing-entries.ts'
import { planAction, readsFirst } from './existing/planned-action.ts'
import type { PrefetchOptions } from './existing/prefetch.ts'

/** Tells whether a report does not show the target that an entry has of its own, where a draft changes it. */
const hidesTarget =
  ({ reference, options }: Pick<Prepared, 'reference' | 'options'>): PrefetchOptions['isUnsure'] =>
  (draft, stored) => {
    const { action } = planAction(draft, stored, reference, options.onConflict)
    return action === 'send' || (stored.isTargetOpen && draft.target !== undefined && action === 'update')
  }

/**
 * Finds what the bundled service holds of entries before they are sent: over the network all is read at the first call,
 * in few requests; in this process, and where actuals are added, at each call. A key that may only write finds nothing,
 * and that is no fault of the import.
 */
export const existingBefore = (
  { client, options }: Pick<ImportRun, 'client' | 'options'>,
  prepared: Pick<Prepared, 'existing' | 'readAhead' | 'reference' | 'options'>,
): Pick<ExistingEntries, 'of'> => {
  if (readsFirst(options)) return prepared.existing
  const by: ReadWith = { ...prepared.reference, unchecked: new Set() }
  if (client.addStep > 1 || options.onConflict === 'add') return readExisting(client, by)
  let ahead: ExistingEntries | undefined
  return {
    of: (drafts) => (ahead ??= prepared.readAhead(hidesTarget(prepared), by)).of(drafts),
  }
}
