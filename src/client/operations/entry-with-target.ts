import type { Decimal } from '../../domain/decimal.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import type { Client } from '../client.ts'

/** Returns what is sent to change the target of an entry: all of it to a service that may clear what is left out. */
export const entryWithTarget = (
  client: Pick<Client, 'isBundled'>,
  entry: Entry,
  target: Decimal | null,
): EntryDraft => {
  const { user_id, source_id, kpi_id, entry_date, actual, notes } = entry
  const owner = user_id === null ? { source_id } : { user_id }
  const key = { ...owner, kpi_id, entry_date, target }
  return client.isBundled() ? key : { ...key, actual, notes }
}
