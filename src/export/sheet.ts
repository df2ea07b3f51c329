import type { Entry } from '../domain/resources/entry.ts'

/** Counts what could not be written, to report it. */
export type OmittedCounts = {
  /** Counts entries of breakdown items other than people, if there is no column for them. */
  ofItems: number
  /** Counts targets and notes, which wide files have no columns for. */
  values: number
}

/** Describes the content of a file: its header, and the rows for the entries of a day. */
export type Sheet = {
  readonly header: readonly string[]
  readonly rows: (day: readonly Entry[], leftOut: OmittedCounts) => Iterable<readonly string[]>
}
