import type { Batch } from '../batch.ts'

/** Batches as they are asked for, and at any time how many entries all of them come to. */
export type CountedBatches = Iterable<Batch> & { readonly entries: () => number }

/**
 * Counts the entries of batches, which is not the number of rows: a key that stands in a file more than once comes to
 * one entry or none, and that is found out only as its batch is cut. So the rest is gone through once it is asked.
 */
export const countedBatches = (batches: Iterator<Batch>): CountedBatches => {
  let entries = 0
  const next = (): IteratorResult<Batch> => {
    const result = batches.next()
    if (result.done !== true) entries += result.value.drafts.length
    return result
  }
  return {
    // There is no way to end it, so that the rest is there, however far it was gone through.
    [Symbol.iterator]: () => ({ next }),
    entries: () => {
      while (next().done !== true);
      return entries
    },
  }
}
