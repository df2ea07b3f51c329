import { emptySummary, type Summary } from '../../reading/entries/summary.ts'
import type { Rejects } from '../../reading/rejects/rejects.ts'
import { COUNTED, emptyTally, type Tally } from '../../runs/entries/tally.ts'

/** Holds what a run counts in: its summary and rejects. */
export type Counting = { readonly summary: Summary; readonly rejects: Pick<Rejects, 'add'> }

/** Adds the outcome of some entries to the summary of a run, and to its rejects. */
export const countTally = ({ summary, rejects }: Counting, tally: Tally): void => {
  for (const one of COUNTED) summary[one] += tally[one]
  for (const [line, reason] of tally.refused) rejects.add(line, reason)
}

/** Runs work that counts, and returns its result and its counts, which are added to no summary yet. */
export const tallied = async <T>(work: (counting: Counting) => Promise<T>): Promise<[result: T, tally: Tally]> => {
  const [summary, tally] = [emptySummary(), emptyTally()]
  const result = await work({ summary, rejects: { add: (line, reason) => tally.refused.push([line, reason]) } })
  for (const one of COUNTED) tally[one] = summary[one]
  return [result, tally]
}
