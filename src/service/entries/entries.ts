import { EntryCollector, type SentEntries } from '../../domain/entry-block.ts'
import type { BatchFlags, BatchResult, Entry, EntryDraft, EntryName, EntryPatch } from '../../domain/resources/entry.ts'
import type { ParsedFields } from '../../domain/schema.ts'
import { entries as store } from '../../store/tables/entries.ts'
import { type EntryFilter, entryQueries } from '../../store/tables/entry-queries.ts'
import { type Context, requireFound, type Ids } from '../context.ts'
import { showEntry, updateEntry } from './update-entry.ts'
import { type KeptValues, upsertEntries } from './upsert-entries.ts'

/** Returns the values that the flags of a batch keep as they are stored. */
const keptBy = ({ hasActuals, hasTargets, hasNotes }: Partial<BatchFlags>): KeptValues => ({
  ...(hasActuals === false && { setActual: false }),
  ...(hasTargets === false && { setTarget: false }),
  ...(hasNotes === false && { setNotes: false }),
})

/** Holds an entry that was added, or updated if its key existed. */
type UpsertedEntry = { readonly entry: Entry; readonly isNew: boolean }

/** Manages the values of KPIs, one by one and in batches. */
type Entries = {
  /** Returns one page of the entries within a range of days. */
  readonly list: (ctx: Context, filter: EntryFilter) => Promise<Entry[]>
  readonly get: (ctx: Context, ids: Ids) => Promise<Entry>
  /** Adds an entry, or updates the one with the same key. */
  readonly upsert: (ctx: Context, sent: ParsedFields<EntryDraft>) => Promise<UpsertedEntry>
  /** Adds or updates many entries, all or nothing. */
  readonly upsertMany: (ctx: Context, flags: ParsedFields<BatchFlags>, sent: SentEntries) => Promise<BatchResult>
  readonly update: (ctx: Context, ids: Ids, sent: ParsedFields<EntryPatch>) => Promise<Entry>
  /** Removes an entry for good, even if its item or KPI is inactive. */
  readonly remove: (ctx: Context, ids: Ids) => Promise<void>
}

/** Creates the operations on entries of a variant; `names` lists the fields that may name the owner of an entry. */
export const entriesNamedBy = (names: readonly EntryName[]): Entries => ({
  // For a page of more than one day, the database may have to sort very many entries.
  list: ({ db, account }, filter) =>
    ((filter.days.from < filter.days.to ? db.apart : undefined) ?? db).read((tx) =>
      entryQueries.list(tx, account.id, filter),
    ),

  get: ({ db, account }, { id }) => db.read((tx) => showEntry(tx, account.id, id)),

  upsert: (ctx, sent) =>
    ctx.db.write(async (tx) => {
      const one = new EntryCollector(1)
      one.add(sent)
      const { created, firstId } = await upsertEntries(tx, ctx, { names, sent: one })
      return { entry: await showEntry(tx, ctx.account.id, firstId), isNew: created > 0 }
    }),

  upsertMany: (ctx, flags, sent) =>
    (ctx.db.trusting ?? ctx.db).write(async (tx) => {
      const batch = { issues: flags.issues, kept: keptBy(flags.values) }
      const { created, updated, unchanged } = await upsertEntries(tx, ctx, { names, sent, batch })
      return {
        rows_added: created + updated,
        rows_created: created,
        rows_updated: updated,
        rows_unchanged: unchanged,
      }
    }),

  update: (ctx, ids, sent) => updateEntry(ctx, ids, names, sent),

  remove: ({ db, account }, { id }) =>
    db.write(async (tx) => {
      requireFound((await store.remove(tx, account.id, id)) || undefined, 'entry', id)
    }),
})
