import type { Entry } from '../domain/resources/entry.ts'

/** What could not be written, to be told. */
export type LeftOut = {
  /** Entries of breakdown items that are no persons, where there is no column for them. */
  ofItems: number
  /** Targets and notes, which wide files have no columns for. */
  values: number
}

/** A file in the making: its header, and the rows that the entries of a day come to. */
export type Sheet = {
  readonly header: readonly string[]
  readonly rows: (day: readonly Entry[], leftOut: LeftOut) => Iterable<readonly string[]>
}
