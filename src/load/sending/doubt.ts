import type { Put, PutMany } from '../../client/entries.ts'
import type { Said } from '../../client/said.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Sending } from './sending.ts'

/** Why it is not known what became of what was sent, though the service did not refuse it. */
export type Doubt = {
  /** What the service answered. */
  readonly answered: string
  /** How that looks; answers that look alike are believed, once all was seen to be there after one. */
  readonly shape: string
  /** Whether it told of a fault, or of less than was sent. */
  readonly isShort: boolean
}

type Trusting = Pick<Sending, 'isOurs' | 'beliefs'>

const doubtIn = ({ beliefs }: Trusting, { words, shape }: Said, answered: string): Doubt | undefined =>
  beliefs.has(shape) ? undefined : { answered, shape, isShort: words !== undefined }

const told = ({ words, shape }: Said): string =>
  words === undefined ? (shape === '' ? 'nothing' : 'something else than what was done') : JSON.stringify(words)

const isCount = (count: unknown): count is number => typeof count === 'number'

/** How many entries an answer accounts for; undefined where it counts none. */
const totalOf = ({ rows_added, rows_created, rows_updated, rows_unchanged }: PutMany['counts']): number | undefined => {
  const counts = [rows_created, rows_updated, rows_unchanged].filter(isCount)
  if (counts.length > 0) return counts.reduce((total, one) => total + one)
  return isCount(rows_added) ? rows_added : undefined
}

/** Whether the answer to so many entries accounts for them; our own service is believed. */
export const doubtOfMany = (sending: Trusting, { counts, said }: PutMany, count: number): Doubt | undefined => {
  if (sending.isOurs) return undefined
  const total = totalOf(counts)
  if (total === undefined) return doubtIn(sending, said, told(said))
  if (total === count) return said.words === undefined ? undefined : doubtIn(sending, said, told(said))
  const words = said.words === undefined ? '' : ` and ${told(said)}`
  return {
    answered: `${total} of ${count} rows${words}`,
    shape: `${total - count} ${said.shape}`,
    isShort: total < count,
  }
}

/** Whether an answer names the entry that was sent; what it leaves out of its key says nothing against that. */
const names = ({ entry, said }: Put, { kpi_id, entry_date, user_id }: Partial<EntryDraft>): boolean => {
  if (!(entry.id > 0) || !entry.kpi_id || said.words !== undefined) return false
  const isOwners = !entry.user_id || user_id === undefined || user_id === null || entry.user_id === user_id
  return entry.kpi_id === kpi_id && (!entry.entry_date || entry.entry_date === entry_date) && isOwners
}

/** Thrown where an answer does not account for the entry that was sent. */
export class Unaccounted extends KpiError {
  readonly doubt: Doubt
  constructor(doubt: Doubt) {
    super('unavailable', `the service answered ${doubt.answered} to an entry`, { mayBeDone: true })
    this.doubt = doubt
  }
}

/** Sees that the answer to an entry accounts for it; our own service is believed. */
export const mustAccount = (sending: Trusting, put: Put, draft: EntryDraft): void => {
  if (sending.isOurs || names(put, draft)) return
  const doubt = doubtIn(sending, put.said, told(put.said))
  if (doubt) throw new Unaccounted(doubt)
}

/** Why a row is rejected that is not there, however often it was sent. */
export const notStored = ({ answered }: Doubt): string => `the service answered ${answered}, but did not store it`

/** Why a row is rejected that cannot be read back. */
export const notKnown = ({ answered }: Doubt): string =>
  `the service answered ${answered}, so it may or may not have been stored; look at what is stored before you import it again`
