/** Counts the results of an import. Rows are those of the file; a row holds one entry, or in a wide file many. */
export type Summary = {
  read: number
  created: number
  updated: number
  unchanged: number
  /** Counts entries that were sent if the service does not tell whether they were created or updated. */
  sent: number
  /** Counts existing entries that were left alone, as the user asked. */
  skipped: number
  /** Counts entries whose outcome a dry run cannot tell, because the key may not read what it depends on. */
  unknown: number
  /** Counts rows that were not imported, or only in part. */
  rejected: number
  /** Counts values that had more than four decimals. */
  rounded: number
  /** Counts rows, or in a wide file cells, without a value. */
  empty: number
  /** Counts assignments that were created. */
  assigned: number
  /** Counts rows, or in a wide file cells, that were not sent, as a later file of the run gives their entries again. */
  restated: number
  /** Lists what could not be checked before entries were sent; empty if everything could. */
  unchecked: string
}

/** Returns an empty summary. */
export const emptySummary = (): Summary => ({
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  sent: 0,
  skipped: 0,
  unknown: 0,
  rejected: 0,
  rounded: 0,
  empty: 0,
  assigned: 0,
  restated: 0,
  unchecked: '',
})
