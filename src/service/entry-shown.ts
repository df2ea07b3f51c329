import type { Entry } from '../domain/resources/entry.ts'
import type { Reader } from '../store/db.ts'
import { entryQueries } from '../store/entry-queries.ts'
import { found } from './context.ts'

/** An entry as the interface shows it. */
export const showEntry = async (tx: Reader, account: number, id: number): Promise<Entry> =>
  found(await entryQueries.find(tx, account, id), 'entry', id)
