import type { BatchResult } from '../../domain/resources/entry.ts'

/** Lists the counts of a summary that sending changes. */
export const COUNTED = ['created', 'updated', 'unchanged', 'sent', 'skipped', 'empty'] as const

/** Describes the outcome of some entries: how many had each result, and which lines were refused for which reasons. */
export type Tally = Record<(typeof COUNTED)[number], number> & { readonly refused: [line: number, reason: string][] }

export const emptyTally = (): Tally => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  sent: 0,
  skipped: 0,
  empty: 0,
  refused: [],
})

/** Adds the outcome of some entries to that of others. */
export const addTally = (to: Tally, more: Tally): void => {
  for (const one of COUNTED) to[one] += more[one]
  for (const one of more.refused) to.refused.push(one)
}

/** Records an entry as refused, with all the lines that it came from. */
export const refuseLines = (
  { refused }: Tally,
  lines: number | readonly number[],
  reasons: readonly string[],
): void => {
  for (const line of [lines].flat()) for (const reason of reasons) refused.push([line, reason])
}

const countIn = (count: unknown): number => (Number.isSafeInteger(count) ? Math.max(0, Number(count)) : 0)

/**
 * Adds the counts that a service returned for `count` entries, if they add up to no more; entries that it does not
 * count are counted as sent.
 */
export const countResult = (tally: Tally, result: BatchResult, count: number): void => {
  const created = countIn(result.rows_created)
  const updated = countIn(result.rows_updated)
  const unchanged = countIn(result.rows_unchanged)
  const accounted = created + updated + unchanged
  tally.sent += accounted > count ? count : count - accounted
  if (accounted > count) return
  tally.created += created
  tally.updated += updated
  tally.unchanged += unchanged
}
