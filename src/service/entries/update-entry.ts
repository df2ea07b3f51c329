import { EntryCollector } from '../../domain/entry-block.ts'
import { invalid, type Issue, KpiError, refuseFaults } from '../../domain/errors.ts'
import type { Entry, EntryName, EntryPatch } from '../../domain/resources/entry.ts'
import { faultsOfValues, type KpiFacts, mergeEntry, sameValues } from '../../domain/rules.ts'
import type { ParsedFields } from '../../domain/schema.ts'
import type { Reader, Writer } from '../../store/db.ts'
import { entries as store, type StoredEntryKey, type StoredEntry } from '../../store/tables/entries.ts'
import { entryQueries } from '../../store/tables/entry-queries.ts'
import { users } from '../../store/tables/users.ts'
import { type Context, requireFound, type Ids } from '../context.ts'
import { itemSetsOf, loadReferences } from './entry-references.ts'
import { resolvePlace, resolveSource } from './resolve-entry.ts'

/** Returns an entry as the interface shows it. */
export const showEntry = async (tx: Reader, account: number, id: number): Promise<Entry> =>
  requireFound(await entryQueries.find(tx, account, id), 'entry', id)

/** Holds the new key of an entry, and the KPI whose rules its values must follow. */
type Destination = { readonly key: StoredEntryKey; readonly kpi: KpiFacts }

const sameKey = (left: StoredEntryKey, right: StoredEntryKey): boolean =>
  left.item_id === right.item_id && left.kpi_id === right.kpi_id && left.entry_date === right.entry_date

/** Returns the fields that name the owner of an entry: those sent, or else its current owner. */
const namesIn = async (
  tx: Writer,
  account: number,
  { item_id }: StoredEntry,
  { user_id = null, email = null, source_id = null }: EntryPatch,
): Promise<Pick<EntryPatch, EntryName>> => {
  if (user_id !== null || email !== null || source_id !== null) return { user_id, email, source_id }
  return (await users.find(tx, account, item_id)) ? { user_id: item_id } : { source_id: item_id }
}

/**
 * Returns the key that an update gives an entry. History can be corrected: if the key stays the same, item and KPI need
 * not be active or assigned any more.
 */
const destinationOf = async (
  tx: Writer,
  account: number,
  before: StoredEntry,
  names: readonly EntryName[],
  patch: ParsedFields<EntryPatch>,
): Promise<Destination | Issue[]> => {
  const { kpi_id = before.kpi_id, entry_date = before.entry_date } = patch.values
  const values = { ...(await namesIn(tx, account, before, patch.values)), kpi_id, entry_date }
  const draft = { values, issues: patch.issues }
  const sent = new EntryCollector(1)
  sent.add(draft)
  const references = await loadReferences(tx, account, names, sent)
  const named = resolveSource(references, draft)
  if (!Array.isArray(named) && sameKey(before, { item_id: named.source.id, kpi_id, entry_date })) {
    return { key: before, kpi: requireFound(references.kpis.get(kpi_id), 'KPI', kpi_id) }
  }
  const place = resolvePlace(references, draft)
  return Array.isArray(place) ? place : { key: { item_id: place.item, kpi_id, entry_date }, kpi: place.kpi }
}

const requireFreeKey = async (
  tx: Writer,
  account: number,
  { item_id, kpi_id, entry_date }: StoredEntryKey,
): Promise<void> => {
  const [holder] = await store.within(tx, account, [{ item: item_id, kpi: kpi_id, from: entry_date, to: entry_date }])
  if (!holder) return
  throw new KpiError('conflict', `entry ${holder.id} holds this user or item, KPI and date already`)
}

/** Returns the set of group items of an updated entry: its own, or that of the new owner if the owner changes. */
const itemSetAfter = async (tx: Writer, account: number, before: StoredEntry, item: number): Promise<number | null> => {
  if (item === before.item_id) return before.item_set
  return (await itemSetsOf(tx, account, new Set([item]))).get(item) ?? null
}

/** Changes the values of an entry as an upsert does, and also its item, KPI and date. */
export const updateEntry = (
  ctx: Context,
  { id }: Ids,
  names: readonly EntryName[],
  sent: ParsedFields<EntryPatch>,
): Promise<Entry> =>
  ctx.db.write(async (tx) => {
    const account = ctx.account.id
    const before = requireFound(await store.find(tx, account, id), 'entry', id)
    const destination = await destinationOf(tx, account, before, names, sent)
    if (Array.isArray(destination)) throw invalid([...sent.issues, ...destination])
    const values = mergeEntry(before, sent.values, destination.kpi)
    refuseFaults([...sent.issues, ...faultsOfValues(values, destination.kpi)])
    const moves = !sameKey(before, destination.key)
    if (moves) await requireFreeKey(tx, account, destination.key)
    const { item_id, kpi_id, entry_date } = destination.key
    if (moves || !sameValues(before, values)) {
      const item_set = await itemSetAfter(tx, account, before, item_id)
      await store.move(tx, account, {
        ...before,
        ...values,
        item_id,
        kpi_id,
        entry_date,
        item_set,
        updated_at: ctx.now,
        revision: 0,
      })
    }
    return showEntry(tx, account, id)
  })
