import { type Put, type PutMany, type Said, saysNothing } from '../../client/operations/entries.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { isLike, isRounded } from './matching.ts'

/** Why an answer that refuses nothing does not prove that what was sent was stored. */
export type Doubt = {
  /** Shows what the service answered. */
  readonly answered: string
  /** Tells that the answer speaks of a fault, or of less than was sent. */
  readonly tellsFault: boolean
}

const shown = ({ words, body }: Said): string =>
  words === undefined ? (saysNothing(body) ? 'nothing' : 'something else than what was done') : JSON.stringify(words)

const doubtIn = (said: Said): Doubt => ({ answered: shown(said), tellsFault: said.words !== undefined })

const isCount = (count: unknown): count is number => typeof count === 'number'

/** Returns how many entries an answer accounts for; undefined where it counts none. */
const totalOf = ({ rows_added, rows_created, rows_updated, rows_unchanged }: PutMany['counts']): number | undefined => {
  const counts = [rows_created, rows_updated, rows_unchanged].filter(isCount)
  if (counts.length > 0) return counts.reduce((total, one) => total + one)
  return isCount(rows_added) ? rows_added : undefined
}

/** Returns why the answer to a batch does not prove that all of it was stored; undefined where it counts each entry. */
export const doubtOfBatch = ({ counts, said }: PutMany, sent: number): Doubt | undefined => {
  const total = totalOf(counts)
  if (total === undefined) return doubtIn(said)
  if (total === sent && said.words === undefined) return undefined
  const words = said.words === undefined ? '' : ` and ${shown(said)}`
  return { answered: `${total} of ${sent} rows${words}`, tellsFault: total < sent || words !== '' }
}

/** Tells whether an answer names the entry that was sent; what it leaves out of its key says nothing against that. */
const names = ({ entry, said }: Put, { kpi_id, entry_date, user_id }: EntryDraft): boolean => {
  if (!(entry.id > 0) || !entry.kpi_id || said.words !== undefined) return false
  const isOwners = !entry.user_id || user_id === undefined || user_id === null || entry.user_id === user_id
  return entry.kpi_id === kpi_id && (!entry.entry_date || entry.entry_date === entry_date) && isOwners
}

/** Returns the doubt that an answer leaves that shows the entry with another actual than was sent, or with its old notes. */
const doubtOfValues = (
  { entry }: Put,
  { actual, notes }: EntryDraft,
  before: EntryValues | null | undefined,
): Doubt | undefined => {
  if (typeof actual === 'bigint' && entry.actual !== null && !isRounded(entry.actual, actual))
    return { answered: `the actual ${formatDecimal(entry.actual)}`, tellsFault: true }
  const isOld = notes !== undefined && !!entry.notes && entry.notes === before?.notes && !isLike(entry.notes, notes)
  return isOld ? { answered: 'the notes that were there before', tellsFault: true } : undefined
}

/**
 * Returns why the answer to an entry does not prove that it was stored; undefined where it names the entry. What is
 * added to shows the sum, so that its values prove nothing.
 */
export const doubtOfEntry = (
  put: Put,
  draft: EntryDraft,
  before: EntryValues | null | undefined,
): Doubt | undefined => {
  if (!names(put, draft)) return doubtIn(put.said)
  return draft.addToActual ? undefined : doubtOfValues(put, draft, before)
}

/** Tells why a row is rejected that is not stored, however often it was sent. */
export const notStored = ({ answered }: Doubt): string => `the service answered ${answered}, but did not store it`

/** Tells why a row is rejected that cannot be read back. */
export const notKnown = ({ answered }: Doubt): string =>
  `the service answered ${answered}, so it may or may not have been stored; look at what is stored before you import it again`
