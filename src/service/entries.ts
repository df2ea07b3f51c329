import type { BatchFlags, BatchResult, Entry, EntryDraft } from '../domain/resources/entry.ts'
import type { Reading } from '../domain/schema.ts'
import type { Reader } from '../store/db.ts'
import { entries as store } from '../store/entries.ts'
import { type EntryFilter, entryQueries } from '../store/entry-queries.ts'
import { type Context, found, type Ids } from './context.ts'
import { upsertEntries } from './entry-upsert.ts'

/** An entry as the interface shows it. */
export const showEntry = async (tx: Reader, account: number, id: number): Promise<Entry> =>
  found(await entryQueries.find(tx, account, id), 'entry', id)

/** What a batch keeps of what is stored, as the flags of each of its entries. */
const keptBy = ({ hasActuals, hasTargets, hasNotes }: Partial<BatchFlags>): Partial<EntryDraft> => ({
  ...(hasActuals === false && { setActual: false }),
  ...(hasTargets === false && { setTarget: false }),
  ...(hasNotes === false && { setNotes: false }),
})

/** The values of KPIs, one by one and in batches. */
export const entries = {
  /** One page of the entries within a range of days. */
  list: ({ db, account }: Context, filter: EntryFilter): Promise<Entry[]> =>
    db.read((tx) => entryQueries.list(tx, account.id, filter)),

  get: ({ db, account }: Context, { id }: Ids): Promise<Entry> => db.read((tx) => showEntry(tx, account.id, id)),

  /** Adds an entry, or updates the one with its key. */
  add: (ctx: Context, _ids: Ids, sent: Reading<EntryDraft>): Promise<Entry> =>
    ctx.db.write(async (tx) => {
      const { ids } = await upsertEntries(tx, ctx, [sent])
      return showEntry(tx, ctx.account.id, ids[0] ?? 0)
    }),

  /** Adds or updates many entries, all or nothing. */
  addMany: (ctx: Context, flags: Reading<BatchFlags>, list: readonly Reading<EntryDraft>[]): Promise<BatchResult> =>
    ctx.db.write(async (tx) => {
      const kept = keptBy(flags.values)
      for (const { values } of list) Object.assign(values, kept)
      const { created, updated, unchanged } = await upsertEntries(tx, ctx, list, { issues: flags.issues })
      return {
        rows_added: created + updated,
        rows_created: created,
        rows_updated: updated,
        rows_unchanged: unchanged,
      }
    }),

  /** Removes an entry for good, whatever became of its user and KPI. */
  remove: ({ db, account }: Context, { id }: Ids): Promise<void> =>
    db.write(async (tx) => {
      found((await store.remove(tx, account.id, id)) || undefined, 'entry', id)
    }),
}
