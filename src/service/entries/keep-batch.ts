import { setImmediate } from 'node:timers/promises'
import { changeBetween, changesToText, type EntryChange } from '../../domain/entry-changes.ts'
import { KpiError } from '../../domain/errors.ts'
import { KEPT_DAYS, RUN_HEADER } from '../../domain/resources/entry-run.ts'
import type { Reader, Writer } from '../../store/db.ts'
import type { StoredEntry } from '../../store/tables/entries.ts'
import { isIn, runBatches, type RunName, runs } from '../../store/tables/runs.ts'
import { takeIds } from '../../store/tables/table.ts'
import type { Context } from '../context.ts'

/** Bounds what is kept of the runs of an account. */
const MOST_BYTES = 256 * 1024 * 1024

/** Bounds the batches that are forgotten as one is kept: more than one, so that what is not kept any more is gone in the end. */
const FORGOTTEN_PER_BATCH = 10

const DAY_SECONDS = 86_400

/** Describes an entry as a batch is about to write it, with what is stored until then. */
export type ChangedEntry = StoredEntry & { readonly before: StoredEntry }

/** Describes what a batch is about to write: entries that it creates, whose ids follow each other, and others. */
type WrittenBatch = {
  readonly firstId: number
  readonly created: number
  readonly changed: readonly ChangedEntry[]
}

const changeOf = ({ before, ...after }: ChangedEntry): EntryChange[] => {
  const { item_id, kpi_id, entry_date, revision } = before
  const change = changeBetween(before, after)
  return change ? [{ key: [item_id, kpi_id, entry_date], ...change, ...(revision > 0 && { revision }) }] : []
}

/** Sets how many changes are written down at a time: other requests run in between. */
const AT_A_TIME = 1000

const textOf = async (changed: readonly ChangedEntry[]): Promise<string> => {
  let text = ''
  for (let at = 0; at < changed.length; at += AT_A_TIME) {
    if (at > 0) await setImmediate()
    text += changesToText(changed.slice(at, at + AT_A_TIME).flatMap(changeOf))
  }
  return text
}

/**
 * Makes room for more bytes that are kept of a run: what runs have replaced that wrote longest ago is dropped, of each run all
 * of it, as a run is never taken back in part. Returns false where it is too much alone, so that nothing is kept of the run.
 */
const makeRoom = async (tx: Writer, name: RunName, bytes: number, mostBytes: number): Promise<boolean> => {
  for (let all = bytes > 0 ? await runs.countBytes(tx, name, bytes) : 0; all > mostBytes;) {
    const oldest = await runs.oldestWithBytes(tx, name)
    await runs.drop(tx, oldest ?? name, oldest?.bytes ?? (await runs.bytesOf(tx, name)))
    if (!oldest) return false
    all -= oldest.bytes
  }
  return true
}

/** Keeps more bytes of a batch of a run that has ended; returns false where nothing is kept of the run, or any more. */
export const growRun = async (tx: Writer, name: RunName, bytes: number): Promise<boolean> =>
  (await runs.grow(tx, name, bytes)) && (await makeRoom(tx, name, bytes, MOST_BYTES))

/** Describes what is kept of a batch, and the ids of the entries that it creates. */
type KeptChanges = Pick<WrittenBatch, 'firstId' | 'created'> & {
  readonly changes: string | undefined
  readonly mostBytes?: number
}

/** Holds the run that a batch is of, and who sends it. */
type RunOfBatch = Pick<Context, 'now' | 'run' | 'credentials'> & { readonly account: { readonly id: number } }

/** Keeps the changes of a batch of a run as lines of text, and returns its revision; 0 where they are not kept. */
export const keepChanges = async (
  tx: Writer,
  { account, now, run, credentials }: RunOfBatch,
  { firstId, created, changes, mostBytes = MOST_BYTES }: KeptChanges,
): Promise<number> => {
  if (run === undefined) return 0
  const name = { account: account.id, run }
  await runs.forget(tx, account.id, now - KEPT_DAYS * DAY_SECONDS, FORGOTTEN_PER_BATCH)
  const bytes = changes === undefined ? 0 : Buffer.byteLength(changes)
  const key = credentials?.key ?? 0
  const { owner, isPartial } = await runs.note(tx, name, key, now, bytes)
  if (owner !== key)
    throw new KpiError('conflict', `run ${run} is of other credentials; take another id for ${RUN_HEADER}`)
  if (isPartial || !(await makeRoom(tx, name, bytes, mostBytes))) return 0
  const revision = await takeIds(tx, account.id, 'revisions')
  // Also where nothing was created, this tells later entries from those that the batch met.
  const first = created > 0 ? firstId : await takeIds(tx, account.id, 'entries', 0)
  await runBatches.insert(tx, name, { revision, firstId: first, created, leftIds: undefined, changes })
  return revision
}

/**
 * Keeps what a batch of a run replaces, and returns the revision of the entries that it writes; 0 where no run is named,
 * nothing changes, or so much has changed that it is not kept.
 */
export const keepBatch = async (
  tx: Writer,
  ctx: RunOfBatch,
  { firstId, created, changed }: WrittenBatch,
  mostBytes = MOST_BYTES,
): Promise<number> => {
  if (ctx.run === undefined || created + changed.length === 0) return 0
  const changes = changed.length > 0 ? await textOf(changed) : undefined
  return keepChanges(tx, ctx, { firstId, created, changes, mostBytes })
}

/** Holds the ids of entries that a batch leaves as they are, by the revisions that they have. */
export type MetEntries = Map<number, number[]>

/**
 * Counts those of some entries that earlier batches of a run have created and changed: where the answer to a batch was lost, and
 * the batch is sent again, it counts what it did.
 */
export const countEarlier = async (
  tx: Reader,
  { account, run }: Pick<Context, 'run'> & { readonly account: { readonly id: number } },
  met: MetEntries,
): Promise<{ readonly created: number; readonly updated: number }> => {
  let [created, updated] = [0, 0]
  if (run === undefined || met.size === 0) return { created, updated }
  const ranges = await runBatches.createdAt(tx, { account: account.id, run }, met.keys())
  for (const [revision, range] of ranges)
    for (const id of met.get(revision) ?? []) {
      if (isIn(range, id)) created += 1
      else updated += 1
    }
  return { created, updated }
}
