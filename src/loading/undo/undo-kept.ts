import { beforeChange, type Undoing } from '../../changes/send/remove-created.ts'
import { Aborted } from '../../client/transport.ts'
import type { Client } from '../../client/client.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { compareKeys } from '../../domain/entry-key.ts'
import type { CreatedAgain, RunEntry, UndoneBatch } from '../../domain/resources/entry-run.ts'
import type { EntryValues } from '../../domain/rules.ts'
import type { EntryOutcome } from './judge-changes.ts'

/** Names a run that the service keeps, and what was created again since, so that its entries have other keys. */
export type KeptRun = { readonly run: string; readonly again: CreatedAgain }

/** Counts what becomes of the entries of a batch. */
type BatchCounts = Pick<UndoneBatch, 'restored' | 'removed' | 'unchanged' | 'left' | 'reasons'>

/** Describes what becomes of a batch of a run that the service keeps. */
export type KeptBatch = BatchCounts & {
  /** Names the runs that have written some of its entries since. */
  readonly heldBy: readonly string[]
  /** Holds what becomes of each entry, where that can be read. */
  readonly outcomes: readonly EntryOutcome[]
  /** Tells that nothing is kept of the run, so that it cannot be taken back. */
  readonly isLost?: true
}

const ACTIONS = ['remove', 'restore', 'done', 'leave'] as const

const NAMES = ['actual', 'target', 'notes'] as const

/** Returns what becomes of an entry; undefined for those that are gone, of which only the number is known. */
const outcomeOf = (row: RunEntry): EntryOutcome[] => {
  const { kpi_id, entry_date, user_id, source_id, entry_id, reason } = row
  const action = ACTIONS.find((one) => one === row.action)
  if (action === undefined || kpi_id === null || entry_date === null) return []
  const old: EntryValues = { actual: row.old_actual, target: row.old_target, notes: row.old_notes }
  const names = action === 'restore' ? NAMES.filter((name) => row[name] !== old[name]) : []
  const pick = (values: EntryValues): Partial<EntryValues> =>
    Object.fromEntries(names.map((name) => [name, values[name]]))
  return [
    {
      change: { key: [user_id ?? -(source_id ?? 0), kpi_id, entry_date], before: pick(old), after: pick(row) },
      action,
      id: entry_id,
      ...(reason !== null && { reason }),
    },
  ]
}

const batchOf = (rows: readonly RunEntry[]): KeptBatch => {
  const count = (wanted: EntryOutcome['action']): number =>
    rows.reduce((sum, { action, entries }) => sum + (action === wanted ? entries : 0), 0)
  return {
    restored: count('restore'),
    removed: count('remove'),
    unchanged: count('done'),
    left: count('leave'),
    reasons: null,
    heldBy: rows.flatMap(({ held_by }) => held_by ?? []),
    outcomes: rows.flatMap(outcomeOf).sort((one, other) => compareKeys(one.change.key, other.change.key)),
  }
}

/** Yields the batches of a run with their entries, the last first; nothing where the key may not read them. */
async function* listKept(client: Client, { run, again }: KeptRun): AsyncGenerator<KeptBatch> {
  for (let before: number | undefined; ;) {
    const rows = await readIfAllowed(client, client.entries.ofRun(run, { before, again }))
    if (!rows?.[0]) return
    yield batchOf(rows)
    before = rows[0].revision
  }
}

/** Yields what becomes of the batches of a run, the last first, as the service takes each back or only counts. */
async function* eachBatch(
  client: Client,
  { run, again }: KeptRun,
  undoing: Undoing | undefined,
): AsyncGenerator<KeptBatch> {
  for (let before: number | undefined; ;) {
    if (undoing) await beforeChange(undoing)
    const { is_kept, revision, batches, held_by, ...counts } = await client.entries.undoRun(run, {
      before,
      again,
      isDry: !undoing,
    })
    const heldBy = held_by === null ? [] : held_by.split(',')
    yield { ...counts, heldBy, outcomes: [], ...(!is_kept && { isLost: true }) }
    if (batches === 0) return
    before = revision
  }
}

/**
 * Yields what would become of the batches of a run that the service keeps, the last first: with their entries where these are
 * asked for, and may be read.
 */
export async function* planKept(
  client: Client,
  run: KeptRun,
  isListed: boolean,
  signal: AbortSignal,
): AsyncGenerator<KeptBatch> {
  let isSeen = false
  if (isListed)
    for await (const batch of listKept(client, run)) {
      isSeen = true
      yield batch
    }
  // Count where nothing can be listed, which also tells whether anything is kept.
  if (isSeen) return
  for await (const batch of eachBatch(client, run, undefined)) {
    if (signal.aborted) throw new Aborted('stopped while the data was read')
    yield batch
  }
}

/** Takes back the batches of a run that the service keeps, the last first, and yields what became of each. */
export const undoKept = (client: Client, run: KeptRun, undoing: Undoing): AsyncGenerator<KeptBatch> =>
  eachBatch(client, run, undoing)

/** Yields the entries of a run that are left alone; none where the key may not read them. */
export async function* leftOfKept(client: Client, run: KeptRun): AsyncGenerator<readonly EntryOutcome[]> {
  for await (const { outcomes } of listKept(client, run)) yield outcomes.filter(({ action }) => action === 'leave')
}
