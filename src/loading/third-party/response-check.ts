import type { Put } from '../../client/operations/entries.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { type UnprovenAnswer, describeUnproven } from '../../client/operations/batch-answer.ts'
import { areLikeNotes, isRounded } from './matching.ts'

/**
 * Tells whether an answer names the entry that was sent; parts of the key that it leaves out are not held against it.
 */
const names = ({ entry, response }: Put, { kpi_id, entry_date, user_id }: EntryDraft): boolean => {
  if (!(entry.id > 0) || !entry.kpi_id || response.words !== undefined) return false
  const isOwners = !entry.user_id || user_id === undefined || user_id === null || entry.user_id === user_id
  return entry.kpi_id === kpi_id && (!entry.entry_date || entry.entry_date === entry_date) && isOwners
}

/**
 * Returns why an answer does not prove that the values were stored: it shows another actual than was sent, or the old
 * notes.
 */
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
 * Returns why the answer to an entry does not prove that it was stored; undefined if it does. For an entry that is
 * added to another, the answer shows the sum, so only its key is checked.
 */
export const checkEntryAnswer = (
  put: Put,
  draft: EntryDraft,
  before: EntryValues | null | undefined,
): UnprovenAnswer | undefined => {
  if (!names(put, draft)) return describeUnproven(put.response)
  return draft.addToActual ? undefined : doubtOfValues(put, draft, before)
}

/** Sets how often an entry is sent that does not get stored. */
const MOST_DOUBTS = { fault: 2, noProof: 4 }

/**
 * Tells whether an entry that was sent a number of times, and is not stored, is sent once more: fewer times if the answer
 * reports a fault than if it merely proves nothing.
 */
export const maySendAgain = ({ tellsFault }: UnprovenAnswer, sent: number): boolean =>
  sent < (tellsFault ? MOST_DOUBTS.fault : MOST_DOUBTS.noProof)

/** Says why a row is rejected that was not stored, however often it was sent. */
export const notStored = ({ answered }: UnprovenAnswer): string =>
  `the service answered ${answered}, but did not store it`

/** Says why a row is rejected if its entry cannot be read back. */
export const notKnown = ({ answered }: UnprovenAnswer): string =>
  `the service answered ${answered}, so it may or may not have been stored; check what is stored before you import it again`
