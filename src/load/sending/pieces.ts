import type { Batch } from '../batch.ts'
import type { Interval, Journal } from '../journal/journal.ts'
import { compareKeys, type EntryKey, keyOf } from '../journal/key.ts'

/** Entries that follow each other, and the interval in which an earlier part of the run has sent them. */
export type Piece = { readonly batch: Batch; readonly earlier: Interval | undefined }

const PAGE = 500

function* intervalsOf(journal: Journal): Generator<Interval, undefined> {
  let after: EntryKey | undefined
  for (;;) {
    const page = journal.earlier(after, PAGE)
    yield* page
    if (page.length < PAGE) return undefined
    after = page.at(-1)?.first
  }
}

/**
 * Cuts batches along the intervals of earlier parts of the run: what the reference data says may have changed since, so
 * that there are entries between them, and more or fewer in them, than there were.
 */
export function* alongIntervals(batches: Iterable<Batch>, journal: Journal): Generator<Piece> {
  const intervals = intervalsOf(journal)
  const nextInterval = (): Interval | undefined => {
    const { value, done } = intervals.next()
    return done ? undefined : value
  }
  let interval = nextInterval()
  let open: Batch = { drafts: [], lines: [] }
  let earlier: Interval | undefined
  const take = (): Piece[] => {
    const piece = { batch: open, earlier }
    open = { drafts: [], lines: [] }
    return piece.batch.drafts.length > 0 ? [piece] : []
  }
  for (const batch of batches) {
    if (!interval && open.drafts.length === 0) {
      yield { batch, earlier: undefined }
      continue
    }
    for (const [at, draft] of batch.drafts.entries()) {
      const key = keyOf(draft)
      while (interval && compareKeys(key, interval.last) > 0) {
        if (earlier === interval) yield* take()
        interval = nextInterval()
      }
      const within = interval && compareKeys(key, interval.first) >= 0 ? interval : undefined
      if (within !== earlier) yield* take()
      earlier = within
      open.drafts.push(draft)
      open.lines.push(batch.lines[at] ?? 0)
    }
    if (!earlier) yield* take()
  }
  yield* take()
}
