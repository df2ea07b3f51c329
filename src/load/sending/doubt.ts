import type { Put, PutMany } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Sending } from './sending.ts'

/** Why it is not known what became of what was sent, though the service did not refuse it. */
export type Doubt = {
  /** What the service answered. */
  readonly answered: string
  /** Whether it said nothing, which some do that have stored all. */
  readonly isSilent: boolean
  /** Whether it told of a fault, or of less than was sent. */
  readonly isShort: boolean
}

type Trusting = Pick<Sending, 'isOurs' | 'silence'>

const SILENT: Doubt = { answered: 'nothing', isSilent: true, isShort: false }

const silent = ({ silence }: Trusting): Doubt | undefined => (silence.isBelieved() ? undefined : SILENT)

const short = (answered: string): Doubt => ({ answered, isSilent: false, isShort: true })

const isCount = (count: unknown): count is number => typeof count === 'number'

/** Whether the answer to so many entries accounts for them; our own service is believed. */
export const doubtOfMany = (sending: Trusting, { counts, said }: PutMany, count: number): Doubt | undefined => {
  if (sending.isOurs) return undefined
  const { rows_added, rows_created, rows_updated, rows_unchanged } = counts
  const told = [rows_created, rows_updated, rows_unchanged].filter(isCount)
  const totals = [
    ...(isCount(rows_added) ? [rows_added] : []),
    ...(told.length > 0 ? [told.reduce((total, one) => total + one)] : []),
  ]
  if (totals.includes(count)) return undefined
  if (totals.length === 0) return typeof said === 'string' ? silent(sending) : short(JSON.stringify(said.words))
  const most = Math.max(...totals)
  const words = typeof said === 'string' ? '' : ` and ${JSON.stringify(said.words)}`
  return { answered: `${most} of ${count} rows${words}`, isSilent: false, isShort: most < count }
}

/** Whether an answer names the entry that was sent; what it leaves out of its key says nothing against that. */
const names = ({ entry, said }: Put, { kpi_id, entry_date, user_id }: Partial<EntryDraft>): boolean => {
  if (!(entry.id > 0)) return false
  if (!entry.kpi_id) return typeof said === 'string'
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
  const { said } = put
  const other = said === 'something' ? 'something that is not the entry' : ''
  const doubt =
    said === 'nothing' ? silent(sending) : short(other || JSON.stringify(typeof said === 'object' && said.words))
  if (doubt) throw new Unaccounted(doubt)
}

/** Why a row is rejected that is not there, however often it was sent. */
export const notStored = ({ answered }: Doubt): string => `the service answered ${answered}, but did not store it`

/** Why a row is rejected that cannot be read back. */
export const notKnown = ({ answered }: Doubt): string =>
  `the service answered ${answered}, so it may or may not have been stored; look at what is stored before you import it again`
