import type { Client } from '../../client/client.ts'
import { entryWithTarget } from '../../client/operations/entry-with-target.ts'
import { Aborted } from '../../client/transport.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import { BATCH_LIMIT, type Entry } from '../../domain/resources/entry.ts'
import { entriesFollowing, type TargetChange } from './target-change.ts'

/** Tells whether a batch was refused for what one of its entries is: its user may be locked, its KPI not assigned. */
const isRefused = (error: unknown): boolean => error instanceof KpiError && error.code === 'invalid'

/** Writes a target onto entries that are there: together where the service takes that, else one by one. */
const writeTarget = async (
  client: Client,
  entries: readonly Entry[],
  target: Decimal,
  onWritten: (count: number) => void,
): Promise<void> => {
  const people = entries.filter(({ user_id }) => user_id !== null)
  if (client.isBundled() && people.length === entries.length && entries.length > 1) {
    const isWritten = await client.entries
      .addMany(people.map((entry) => entryWithTarget(client, entry, target)))
      .then(() => true)
      .catch((error: unknown) => {
        if (isRefused(error)) return false
        throw error
      })
    if (isWritten) return onWritten(entries.length)
  }
  for (const entry of entries) {
    // History can be corrected by id, whoever is locked or no longer assigned.
    await client.entries.update(entry.id, client.isBundled() ? { target } : entryWithTarget(client, entry, target))
    onWritten(1)
  }
}

/** Cuts pages into batches that a service takes. */
async function* inBatches(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<readonly Entry[]> {
  const batch: Entry[] = []
  for await (const page of pages) {
    for (const one of page) batch.push(one)
    while (batch.length >= BATCH_LIMIT) yield batch.splice(0, BATCH_LIMIT)
  }
  if (batch.length > 0) yield batch
}

/**
 * Writes the target that counts today onto the stored entries that would follow a change, so that past reports stay as
 * they are; returns how many. Entries that have got it are no longer among them, so that a run that was stopped goes on
 * where it was. A change from no target cannot be kept: an entry cannot say that it has none. `onKeep` receives entries, as
 * they are to be, before they are written.
 */
export const keepTargets = async (
  client: Client,
  change: TargetChange,
  signal: AbortSignal,
  onKeep: (entries: readonly Entry[]) => void,
): Promise<number> => {
  const { from } = change
  if (from === null) return 0
  let count = 0
  for await (const batch of inBatches(entriesFollowing(client, change))) {
    if (signal.aborted) throw new Aborted('it was interrupted before the target was changed')
    onKeep(batch.map((entry) => ({ ...entry, target: from })))
    await writeTarget(client, batch, from, (written) => (count += written))
  }
  return count
}
