import { compareKeys, type EntryKey } from '../../domain/entry-key.ts'
import { type Block, notesAt } from '../../blocks/block.ts'
import { decimalAt, numberAt } from '../../domain/entry-block.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import type { ExistingEntry } from './existing-entries.ts'

/** Lists the values of an entry, as bits. */
const HAS = { actual: 1, target: 2, notes: 4, openTarget: 8, longId: 16 } as const

/** Sets the highest id that fits a row's line; a higher one is stored before the notes. */
const LINE_MAX = 0xffff_ffff
const MANY_ROWS = 4096

/** Describes a stored entry and its key. */
export type StoredEntry = { readonly key: EntryKey; readonly entry: ExistingEntry }

/** Adds a stored entry to a sorter; an entry that is read twice may be added twice. */
export const addToList = (
  sorter: Sorter,
  [owner, kpi, day]: EntryKey,
  entry: Omit<ExistingEntry, 'ids'>,
  id = 0,
): void => {
  const { actual, target, notes, isTargetOpen } = entry
  const isLong = id > LINE_MAX
  sorter.add({
    owner,
    kpi,
    day,
    line: isLong ? LINE_MAX : id,
    flags:
      (actual === null ? 0 : HAS.actual) |
      (target === null ? 0 : HAS.target) |
      (notes === null ? 0 : HAS.notes) |
      (isTargetOpen ? HAS.openTarget : 0) |
      (isLong ? HAS.longId : 0),
    actual: actual ?? 0n,
    target: target ?? 0n,
    notes: (isLong ? `${id}\n` : '') + (notes ?? ''),
    beyond: '',
  })
}

const keptAt = (block: Block, at: number): StoredEntry => {
  const [flags, text] = [numberAt(block.flags, at), notesAt(block, at)]
  const end = flags & HAS.longId ? text.indexOf('\n') : -1
  const id = end < 0 ? numberAt(block.line, at) : Number(text.slice(0, end))
  return {
    key: [numberAt(block.owner, at), numberAt(block.kpi, at), numberAt(block.day, at)],
    entry: {
      actual: flags & HAS.actual ? decimalAt(block, 'actual', at) : null,
      target: flags & HAS.target ? decimalAt(block, 'target', at) : null,
      notes: flags & HAS.notes ? text.slice(end + 1) : null,
      ids: id === 0 ? [] : [id],
      isTargetOpen: (flags & HAS.openTarget) !== 0,
    },
  }
}

/** Joins two entries of a key: the values of the later one, the ids of both. */
const join = (one: ExistingEntry, other: ExistingEntry): ExistingEntry => {
  const ids = [...new Set([...one.ids, ...other.ids])].toSorted((left, right) => left - right)
  return { ...(ids.at(-1) === one.ids.at(-1) ? one : other), ids }
}

/** Yields the entries of a sorter by key, each key once. */
export function* entriesIn(sorter: Sorter): Generator<StoredEntry> {
  let last: StoredEntry | undefined
  for (const block of sorter.blocks(MANY_ROWS)) {
    for (let at = 0; at < block.count; at += 1) {
      const next = keptAt(block, at)
      if (last && compareKeys(last.key, next.key) === 0) {
        last = { key: last.key, entry: join(last.entry, next.entry) }
        continue
      }
      if (last) yield last
      last = next
    }
  }
  if (last) yield last
}

/**
 * Creates a function that finds the entry of a key. Call it in the order of the keys: a key before the last one starts
 * again from the beginning.
 */
export const createFinder = (sorter: Sorter): ((key: EntryKey) => ExistingEntry | undefined) => {
  let rows: Iterator<StoredEntry> | undefined
  let next: StoredEntry | undefined
  let asked: EntryKey | undefined
  const advance = (): void => {
    const { value, done } = rows?.next() ?? { done: true, value: undefined }
    next = done ? undefined : value
  }
  return (key) => {
    if (!rows || !asked || compareKeys(key, asked) < 0) {
      rows?.return?.()
      rows = entriesIn(sorter)
      advance()
    }
    asked = key
    while (next && compareKeys(next.key, key) < 0) advance()
    return next && compareKeys(next.key, key) === 0 ? next.entry : undefined
  }
}
