import { type Issue, invalid, KpiError, refuseFaults } from '../domain/errors.ts'
import type { Entry, EntryPatch } from '../domain/resources/entry.ts'
import { faultsOfValues, type KpiFacts, mergeEntry, sameValues } from '../domain/rules.ts'
import type { Reading } from '../domain/schema.ts'
import type { Writer } from '../store/db.ts'
import { type EntryKey, entries as store, type StoredEntry } from '../store/entries.ts'
import { type Context, found, type Ids } from './context.ts'
import { showEntry } from './entries.ts'
import { moveCarried } from './entry-items.ts'
import { loadReferences, placeOf, userOf } from './entry-references.ts'

/** Where an entry goes: its key, and the KPI that judges its values. */
type Destination = { readonly key: EntryKey; readonly kpi: KpiFacts }

const sameKey = (left: EntryKey, right: EntryKey): boolean =>
  left.item_id === right.item_id && left.kpi_id === right.kpi_id && left.entry_date === right.entry_date

/**
 * The place that an update gives an entry. History can be corrected: where the key stays, nobody asks whether user and
 * KPI are still active and assigned.
 */
const destinationOf = async (
  tx: Writer,
  account: number,
  before: StoredEntry,
  sent: Reading<EntryPatch>,
): Promise<Destination | Issue[]> => {
  const { user_id, email, kpi_id = before.kpi_id, entry_date = before.entry_date } = sent.values
  const named = typeof user_id === 'number' || typeof email === 'string'
  const values = { user_id: named ? user_id : before.item_id, email, kpi_id, entry_date }
  const draft = { values, issues: sent.issues }
  const references = await loadReferences(tx, account, [draft])
  const user = userOf(references, draft)
  if (!Array.isArray(user) && sameKey(before, { item_id: user.id, kpi_id, entry_date })) {
    return { key: before, kpi: found(references.kpis.get(kpi_id), 'KPI', kpi_id) }
  }
  const place = placeOf(references, draft)
  return Array.isArray(place) ? place : { key: { item_id: place.user.id, kpi_id, entry_date }, kpi: place.kpi }
}

const mustBeFree = async (tx: Writer, account: number, { item_id, kpi_id, entry_date }: EntryKey): Promise<void> => {
  const [holder] = await store.within(tx, account, [{ item: item_id, kpi: kpi_id, from: entry_date, to: entry_date }])
  if (!holder) return
  throw new KpiError('conflict', `entry ${holder.id} holds this user, KPI and date already`)
}

/** Changes an entry found by its id: its values as an upsert does, and its user, KPI and date (decisions, section 5). */
export const updateEntry = (ctx: Context, { id }: Ids, sent: Reading<EntryPatch>): Promise<Entry> =>
  ctx.db.write(async (tx) => {
    const account = ctx.account.id
    const before = found(await store.find(tx, account, id), 'entry', id)
    const destination = await destinationOf(tx, account, before, sent)
    if (Array.isArray(destination)) throw invalid([...sent.issues, ...destination])
    const values = mergeEntry(before, sent.values, destination.kpi)
    refuseFaults([...sent.issues, ...faultsOfValues(values, destination.kpi)])
    const moves = !sameKey(before, destination.key)
    if (moves) await mustBeFree(tx, account, destination.key)
    const { item_id, kpi_id, entry_date } = destination.key
    const after = { ...before, ...values, item_id, kpi_id, entry_date, updated_at: ctx.now }
    const write = (): Promise<void> => store.move(tx, account, after)
    if (moves) await moveCarried(tx, account, [before, after], write)
    else if (!sameValues(before, values)) await write()
    return showEntry(tx, account, id)
  })
