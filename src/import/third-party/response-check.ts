import type { Put } from '../../client/operations/entries.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { type UnprovenAnswer, describeUnproven } from '../delivery/batch-answer.ts'
import { areLikeNotes, isRounded } from './matching.ts'

/** Tells whether an answer names the entry that was sent; parts of the key that it leaves out do not count. */
const names = ({ entry, response }: Put, { kpi_id, entry_date, user_id }: EntryDraft): boolean => {
  if (!(entry.id > 0) || !entry.kpi_id || response.words !== undefined) return false
  const isOwners = !entry.user_id || user_id === undefined || user_id === null || entry.user_id === user_id
  return entry.kpi_id === kpi_id && (!entry.entry_date || entry.entry_date === entry_date) && isOwners
}

/** Returns the doubt that an answer leaves that shows the entry with another actual than was sent, or with its old notes. */
const doubtOfValues = (
  { entry }: Put,
  { actual, notes }: EntryDraft,
  before: EntryValues | null | undefined,
): UnprovenAnswer | undefined => {
  if (typeof actual === 'bigint' && entry.actual !== null && !isRounded(entry.actual, actual))
    return { answered: `the actual ${formatDecimal(entry.actual)}`, tellsFault: true }
  const isOld =
    notes !== undefined && !!entry.notes && entry.notes === before?.notes && !areLikeNotes(entry.notes, notes)
  return isOld ? { answered: 'the notes that were there before', tellsFault: true } : undefined
}

/**
 * Returns why the answer to an entry does not prove that it was stored; undefined where it names the entry. With `add`
 * the answer shows the sum, so its values prove nothing.
 */
export const checkEntryAnswer = (
  put: Put,
  draft: EntryDraft,
  before: EntryValues | null | undefined,
): UnprovenAnswer | undefined => {
  if (!names(put, draft)) return describeUnproven(put.response)
  return draft.addToActual ? undefined : doubtOfValues(put, draft, before)
}

/** Tells why a row is rejected that is not stored, however often it was sent. */
export const notStored = ({ answered }: UnprovenAnswer): string =>
  `the service answered ${answered}, but did not store it`

/** Tells why a row is rejected that cannot be read back. */
export const notKnown = ({ answered }: UnprovenAnswer): string =>
  `the service answered ${answered}, so it may or may not have been stored; check what is stored before you import it again`
