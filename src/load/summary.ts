/** What became of an import. Rows are those of the file; entries are what they hold, one or many a row. */
export type Summary = {
  read: number
  created: number
  updated: number
  unchanged: number
  /** Entries that were sent where the service does not tell whether they were made or changed. */
  sent: number
  /** Entries that were there already, and were to be left alone. */
  skipped: number
  /** Entries of which a dry run cannot tell what would become, as the key may not read what would tell. */
  unknown: number
  /** Rows that were not loaded, or not wholly. */
  rejected: number
  /** Values that had more than four decimals. */
  rounded: number
  /** Rows, or in a wide file cells, that hold no value. */
  empty: number
  /** Assignments that were created. */
  assigned: number
  /** What could not be checked before it was sent, in a few words; empty where all could. */
  unchecked: string
}

/** A summary of nothing yet. */
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
  unchecked: '',
})
