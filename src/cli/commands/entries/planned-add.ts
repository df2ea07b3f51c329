import type { Client } from '../../../client/client.ts'
import { hasAnyTarget } from '../../../domain/targets/dated-targets.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { EntryDraft } from '../../../domain/resources/entry.ts'
import { type EntryValues, NO_VALUE } from '../../../domain/rules.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { keyOf, storedKey } from '../../../domain/entry-key.ts'
import { type ExistingEntry, readExisting } from '../../../loading/existing/existing-entries.ts'
import { planAction, type PlannedAction, reasonOf } from '../../../loading/existing/planned-action.ts'
import { fetchReference, type Reference, tellUnchecked } from '../../../reading/directory/reference.ts'
import type { Cli } from '../../cli.ts'
import { printPlanned } from '../verbs/dry-run-rows.ts'
import { createEntryWords } from './entry-words.ts'

/** Describes what adding an entry would do, with what is stored and what could not be checked. */
type PlannedAdd = PlannedAction & { readonly stored: ExistingEntry | undefined; readonly reference: Reference }

const readPlan = async (client: Client, draft: EntryDraft): Promise<PlannedAdd> => {
  const reference = await fetchReference(client, { createAssignments: false, sources: client.variant === 'v1' })
  if (typeof draft.user_id === 'number') await reference.fetchAssignments([draft.user_id])
  const found = await readExisting(client, reference).of([draft])
  const stored = found?.get(storedKey(...keyOf(draft)))
  // An entry that is added is sent, even if it is as the stored one, and the service takes none of a locked user.
  const judging = { ...reference, isLocked: () => false }
  const plan: PlannedAction = found ? planAction(draft, stored, judging) : { action: 'send', reason: '' }
  return { ...plan, stored, reference }
}

/** Refuses what the service would refuse, and what cannot be told. */
const requireTold = ({ action, reason, reference }: PlannedAdd): void => {
  if (action === 'reject') throw new KpiError('invalid', reason)
  if (action === 'nothing') throw new KpiError('invalid', reasonOf([NO_VALUE]))
  if (action !== 'send') return
  throw new KpiError(
    'forbidden',
    `it cannot be told whether the entry would be created or updated, as these cannot be read: ${tellUnchecked(reference)}; use a key that may read them, or leave out --dry-run`,
  )
}

/** Returns the fields of an entry that would be created: a KPI without a target drops the one that is given. */
const fieldsOf = (draft: EntryDraft, { kpis }: Reference): EntryDraft => {
  const fields = { ...draft, addToActual: undefined }
  const kpi = kpis.byId.get(draft.kpi_id)
  return kpi && !hasAnyTarget(kpi) ? { ...fields, target: null } : fields
}

const valuesOf = ({ actual, target, notes }: EntryValues): EntryValues => ({ actual, target, notes })

/** Says what adding an entry would do: create it, or change the values of the one that is there. Sends nothing. */
export const printPlannedAdd = async (cli: Cli, client: Client, of: Resource, draft: EntryDraft): Promise<void> => {
  const planned = await readPlan(client, draft)
  requireTold(planned)
  const { stored, change, reference } = planned
  const unchecked = tellUnchecked(reference)
  if (unchecked !== '') await cli.note(`not checked before an entry is sent: ${unchecked}`)
  const { user_id = null, source_id = null, kpi_id, entry_date, actual = null } = draft
  const [key, wordsFor] = [{ user_id, source_id, kpi_id, entry_date }, createEntryWords(cli, client)]
  const printing = { cli, client, of, signal: cli.io.watchedInterruption() }
  if (!stored) {
    const words = await wordsFor({ ...key, actual })
    return printPlanned({ ...printing, verb: 'create' }, [{ held: {}, values: fieldsOf(draft, reference), words }])
  }
  const held: AnyRecord = { id: stored.ids.at(-1) ?? null, ...key, ...valuesOf(stored) }
  const values = { ...valuesOf(change?.after ?? stored) }
  await printPlanned({ ...printing, verb: 'update' }, [{ held, values, words: await wordsFor(held) }])
}
