import { existsSync } from 'node:fs'
import { KpiError } from '../../domain/errors.ts'
import { fileError } from '../../files/file-error.ts'
import { linesOfFile } from '../../files/read-file.ts'
import { type EntryKey, storedKey } from '../../domain/entry-key.ts'
import { changesIn, type EntryChange } from '../../domain/entry-changes.ts'
import { type ChangeCounts, entriesPath, type UndoReceipt } from './receipt.ts'

/** Sets how many changes are counted at a time. */
const COUNTED_AT_A_TIME = 5000

async function* changeLines(path: string): AsyncGenerator<string> {
  try {
    yield* linesOfFile(path)
  } catch (error) {
    throw fileError(error, 'read', path)
  }
}

/** Returns the key that an entry has now, under the ids of its owner and KPI. */
const keyNow = ([owner, kpi, day]: EntryKey, idNow: NonNullable<UndoReceipt['idNow']>): EntryKey => [
  owner < 0 ? -idNow('group_item', -owner) : idNow('user', owner),
  idNow('kpi', kpi),
  day,
]

/** Yields what a receipt says of entries that are to be taken back, some at a time, in the order in which they were sent. */
export async function* readChanges(
  { path, left, refused, idNow }: Pick<UndoReceipt, 'path' | 'left' | 'refused' | 'idNow'>,
  most: number,
): AsyncGenerator<EntryChange[]> {
  const from = entriesPath(path, left.length)
  if (!existsSync(from)) return
  let some: EntryChange[] = []
  for await (const line of changeLines(from)) {
    for (const change of changesIn(line)) {
      if (refused.size > 0 && refused.has(storedKey(...change.key))) continue
      some.push(idNow ? { ...change, key: keyNow(change.key, idNow) } : change)
      if (some.length < most) continue
      yield some
      some = []
    }
  }
  if (some.length > 0) yield some
}

/** Counts the entries whose changes a receipt holds. */
export const countChanges = async (receipt: Pick<UndoReceipt, 'path' | 'left' | 'refused'>): Promise<ChangeCounts> => {
  let [created, changed] = [0, 0]
  for await (const some of readChanges(receipt, COUNTED_AT_A_TIME)) {
    const ofOld = some.filter(({ before }) => before).length
    changed += ofOld
    created += some.length - ofOld
  }
  return { created, changed }
}

/**
 * Refuses a receipt whose entries are not all there any more, as a file that was cut or edited has them. The last line of
 * a run that was cut off may be missing.
 */
export const requireWhole = async (receipt: UndoReceipt): Promise<void> => {
  const { path, left, isKept } = receipt
  if (isKept) return
  const entries = left.at(-1) ?? receipt.entries
  if (!entries) return
  const { created, changed } = await countChanges(receipt)
  if (created === entries.created && changed === entries.changed) return
  throw new KpiError(
    'unusable',
    `the receipt ${path} is damaged: it is of ${entries.created + entries.changed} entries, and ${created + changed} of them can be read; nothing was taken back`,
  )
}
