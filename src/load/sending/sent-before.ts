import type { Batch } from '../batch.ts'
import { digestOf } from '../journal/digest.ts'
import type { Journal } from '../journal/journal.ts'
import { findMarks, marksOf } from '../journal/marks.ts'
import { alongIntervals, type Piece } from './pieces.ts'

/** Entries that follow each other, and beside each whether it is written down as sent by an earlier part of the run. */
export type Recalled = { readonly batch: Batch; readonly isSent: readonly boolean[] }

/** Where each entry of a piece stood in its interval when that was written down. */
const placesIn = ({ batch: { drafts }, earlier }: Piece, journal: Journal): (number | undefined)[] => {
  if (!earlier) return drafts.map(() => undefined)
  if (earlier.digest === digestOf(drafts)) return [...drafts.keys()]
  // Others have come or gone around it since; after its own entries stand the marks of those that it held before.
  const found = findMarks(journal.marks(earlier.id), marksOf(drafts))
  return found.map((one) => (one && one.at < earlier.count ? one.at : undefined))
}

/**
 * Tells of all entries which of them the journal says that an earlier part of the run has sent, once all has come to its
 * end: they are there by this run, though they were there before this part of it.
 */
export function* recallSent(batches: Iterable<Batch>, journal: Journal): Generator<Recalled> {
  for (const piece of alongIntervals(batches, journal)) {
    const sent = piece.earlier?.places && new Set(piece.earlier.places)
    const isSent = placesIn(piece, journal).map((at) => at !== undefined && (sent?.has(at) ?? true))
    yield { batch: piece.batch, isSent }
  }
}
