import { type Day, formatDay } from '../../domain/day.ts'
import type { KpiError } from '../../domain/errors.ts'

/** Where entries were loaded to, without any secret. */
type ReceiptPlace = {
  /** The base URL, or the data directory of the embedded service. */
  readonly service: string
  readonly profile: string | null
  /** The login name, where there is one. */
  readonly login: string | null
}

/** That everything is read back in the end, and where what came of that is written. */
export type Verifying = {
  /** As a whole path. */
  readonly receiptPath: string
  readonly place: ReceiptPlace
  /** The receipt and the rejects file, as people are told of them. */
  readonly receiptFile: string
  readonly rejectsFile: string
}

/** One value of an entry that is not as it was sent; `entry` is how many there are, where that is not one. */
export type Difference = {
  readonly line: number
  /** A user, or, below 0, a breakdown item. */
  readonly owner: number
  readonly kpi: number
  readonly day: Day
  readonly field: 'entry' | 'actual' | 'target' | 'notes'
  /** As text; null for nothing. */
  readonly expected: string | null
  readonly found: string | null
}

/** What reading everything back came to. */
export type Verified = {
  /** Entries that were compared, and how many of them were as they were sent. */
  compared: number
  equal: number
  /** Entries that were there before this part of the run, and are not known to be there by an earlier one. */
  leftAlone: number
  /** So many of them were sent all the same: what rows refer to has changed in between, so that it is not known which. */
  notCompared: number
  /** The first differences; all of them are in the receipt. */
  readonly first: Difference[]
  /** Why it could not be found out. */
  failure?: KpiError
}

/** A difference in a line. */
export const tellDifference = ({ line, owner, kpi, day, field, expected, found }: Difference): string => {
  const whose = owner < 0 ? `source ${-owner}` : `user ${owner}`
  return `line ${line}: ${whose}, KPI ${kpi}, ${formatDay(day)}: ${field}: expected ${expected ?? 'nothing'}, found ${found ?? 'nothing'}`
}
