import type { EntryDraft } from '../../domain/resources/entry.ts'
import { ownerOf } from '../owner.ts'

/** Names an entry, in the order in which entries are sent. */
export type EntryKey = readonly [owner: number, kpi: number, day: number]

export const keyOf = (draft: EntryDraft): EntryKey => [ownerOf(draft), draft.kpi_id, draft.entry_date]

export const compareKeys = (left: EntryKey, right: EntryKey): number =>
  left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
