import { type Day, formatDay } from '../../domain/day.ts'
import type { KpiError } from '../../domain/errors.ts'

/**
 * Describes one value of an entry that differs from what was sent; for the field `entry`, the number of entries if that
 * is not one.
 */
export type Difference = {
  readonly line: number
  /** Holds a user, or, below 0, a breakdown item. */
  readonly owner: number
  readonly kpi: number
  readonly day: Day
  readonly field: 'entry' | 'actual' | 'target' | 'notes'
  /** Holds the expected value as text; null for nothing. */
  readonly expected: string | null
  readonly found: string | null
}

/** Describes the result of reading everything back. */
export type Verification = {
  /** Counts the entries that were compared, and those of them that are as sent. */
  compared: number
  equal: number
  /** Counts entries that existed before this part of the run, and that no earlier part is known to have sent. */
  leftAlone: number
  /**
   * Counts entries that were sent and could not be compared: the reference data has changed since, so it is not known
   * which entries they are.
   */
  notCompared: number
  /** Lists the first differences; all of them are in the receipt. */
  readonly first: Difference[]
  /** Holds why the entries could not be read back. */
  failure?: KpiError
}

/** Returns a difference as a line. */
export const describeDifference = ({ line, owner, kpi, day, field, expected, found }: Difference): string => {
  const whose = owner < 0 ? `source ${-owner}` : `user ${owner}`
  return `line ${line}: ${whose}, KPI ${kpi}, ${formatDay(day)}: ${field}: expected ${expected ?? 'nothing'}, found ${found ?? 'nothing'}`
}
