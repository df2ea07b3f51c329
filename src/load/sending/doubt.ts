import type { Put, PutMany } from '../../client/entries.ts'
import { type Said, saysNothing } from '../../client/said.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { isRounded } from './held.ts'
import type { Sending } from './sending.ts'
import { shapeOf } from './shape.ts'

/** Why it is not known what became of what was sent, though the service did not refuse it. */
export type Doubt = {
  /** What the service answered. */
  readonly answered: string
  /** How that looks; answers that look alike are believed, once all was seen to be there after one. */
  readonly shape: string
  /** Whether it told of a fault, or of less than was sent. */
  readonly isShort: boolean
}

type Trusting = Pick<Sending, 'isOurs' | 'isAdding' | 'beliefs' | 'trial'>

const told = ({ words, body }: Said): string =>
  words === undefined ? (saysNothing(body) ? 'nothing' : 'something else than what was done') : JSON.stringify(words)

/** The doubt that an answer leaves, unless one that looked alike was seen to mean that all was stored. */
const doubtIn = ({ beliefs }: Trusting, said: Said, drafts: readonly EntryDraft[]): Doubt | undefined => {
  const shape = shapeOf(said.body, drafts)
  return beliefs.has(shape) ? undefined : { answered: told(said), shape, isShort: said.words !== undefined }
}

const isCount = (count: unknown): count is number => typeof count === 'number'

/** How many entries an answer accounts for; undefined where it counts none. */
const totalOf = ({ rows_added, rows_created, rows_updated, rows_unchanged }: PutMany['counts']): number | undefined => {
  const counts = [rows_created, rows_updated, rows_unchanged].filter(isCount)
  if (counts.length > 0) return counts.reduce((total, one) => total + one)
  return isCount(rows_added) ? rows_added : undefined
}

/** Whether the answer to entries accounts for them; our own service is believed. */
export const doubtOfMany = (
  sending: Trusting,
  { counts, said }: PutMany,
  drafts: readonly EntryDraft[],
): Doubt | undefined => {
  if (sending.isOurs) return undefined
  const [total, count] = [totalOf(counts), drafts.length]
  const words = said.words === undefined ? '' : ` and ${told(said)}`
  const answered = `${total} of ${count} rows${words}`
  // What said so of an entry that was tried did not store it.
  if (sending.trial.isUntrue) {
    return { answered: total === undefined ? told(said) : answered, shape: 'untrue', isShort: total !== count }
  }
  if (total === undefined || (total === count && words !== '')) return doubtIn(sending, said, drafts)
  if (total === count) return undefined
  return { answered, shape: `${total - count} ${shapeOf(said.body, drafts)}`, isShort: total < count }
}

/** Whether an answer names the entry that was sent; what it leaves out of its key says nothing against that. */
const names = ({ entry, said }: Put, { kpi_id, entry_date, user_id }: EntryDraft): boolean => {
  if (!(entry.id > 0) || !entry.kpi_id || said.words !== undefined) return false
  const isOwners = !entry.user_id || user_id === undefined || user_id === null || entry.user_id === user_id
  return entry.kpi_id === kpi_id && (!entry.entry_date || entry.entry_date === entry_date) && isOwners
}

const anotherValue = (answered: string): Doubt => ({ answered, shape: 'another value', isShort: true })

/**
 * The doubt that an answer leaves that shows the entry with another actual than was sent, or with the notes that it had
 * before; what is added to shows the sum.
 */
const doubtOfValue = (
  { isAdding }: Trusting,
  { entry }: Put,
  { actual, notes }: EntryDraft,
  before: EntryValues | undefined,
): Doubt | undefined => {
  if (isAdding) return undefined
  if (typeof actual === 'bigint' && entry.actual !== null && !isRounded(entry.actual, actual))
    return anotherValue(`the actual ${formatDecimal(entry.actual)}`)
  const isOld = notes !== undefined && !!entry.notes && entry.notes === before?.notes && entry.notes !== notes
  return isOld ? anotherValue('the notes that were there before') : undefined
}

/** Thrown where an answer does not account for the entry that was sent. */
export class Unaccounted extends KpiError {
  readonly doubt: Doubt
  /** Which entry it shows with another value, where it does. */
  readonly shown: number | undefined
  constructor(doubt: Doubt, shown?: number) {
    super('unavailable', `the service answered ${doubt.answered} to an entry`, { mayBeDone: true })
    this.doubt = doubt
    this.shown = shown
  }
}

/** Sees that the answer to an entry accounts for it; our own service is believed. */
export const mustAccount = (sending: Trusting, put: Put, draft: EntryDraft, before?: EntryValues): void => {
  if (sending.isOurs) return
  const isNamed = names(put, draft)
  const doubt = isNamed ? doubtOfValue(sending, put, draft, before) : doubtIn(sending, put.said, [draft])
  if (doubt) throw new Unaccounted(doubt, isNamed ? put.entry.id : undefined)
}

/** Why a row is rejected that is not there, however often it was sent. */
export const notStored = ({ answered }: Doubt): string => `the service answered ${answered}, but did not store it`

/** Why a row is rejected that cannot be read back. */
export const notKnown = ({ answered }: Doubt): string =>
  `the service answered ${answered}, so it may or may not have been stored; look at what is stored before you import it again`
