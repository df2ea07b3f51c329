import type { Day } from './day.ts'
import type { EntryDraft } from './resources/entry.ts'

/** Returns the owner of an entry as one number to sort by: a user, or, below 0, another breakdown item. */
export const ownerOf = ({ user_id, source_id }: Pick<EntryDraft, 'user_id' | 'source_id'>): number =>
  typeof user_id === 'number' ? user_id : -(source_id ?? 0)

/** Returns the owner number of a breakdown item that is no person. */
export const ownerOfItem = (id: number): number => -id

/**
 * Compares owners in the order in which entries are sent: items first, each kind by its ids. A store that keeps entries
 * in the order of ids then only appends, which takes half the time of adding in between.
 */
export const compareOwners = (left: number, right: number): number =>
  left < 0 && right < 0 ? right - left : left - right

/** Holds the keys of entries as columns. */
type KeyColumns = { readonly owner: Float64Array; readonly kpi: Float64Array; readonly day: Int32Array }

/** Identifies an entry; entries are sent in the order of these parts. */
export type EntryKey = readonly [owner: number, kpi: number, day: Day]

/** Returns the key of a draft's entry. */
export const keyOf = (draft: EntryDraft): EntryKey => [ownerOf(draft), draft.kpi_id, draft.entry_date]

/** Returns the key of an entry of a block. */
export const keyAt = ({ owner, kpi, day }: KeyColumns, at: number): EntryKey => [
  owner[at] ?? 0,
  kpi[at] ?? 0,
  day[at] ?? 0,
]

/** Compares keys in the order in which entries are sent. */
export const compareKeys = (left: EntryKey, right: EntryKey): number =>
  compareOwners(left[0], right[0]) || left[1] - right[1] || left[2] - right[2]

/** Maps users to the breakdown items that are named beside them, if the service has to compare the two. */
export type SourcesOfUsers = ReadonlyMap<number, number>

/** Returns the key of an entry as a text. */
export const storedKey = (owner: number, kpi: number, day: Day): string => `${owner}/${kpi}/${day}`
