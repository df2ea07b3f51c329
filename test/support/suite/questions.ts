import type { Question, Row } from './row.ts'
import { IDS } from './ids.ts'

/** A POST of a body, and the element that holds it in XML. */
export const post = (path: string, root: string, body: object): Question => ({ ask: `POST ${path}`, root, body })

/** A PUT of a body. */
export const put = (path: string, root: string, body: object): Question => ({ ask: `PUT ${path}`, root, body })

/** An entry of ANN for SALES, of a day that has none yet. */
export const entryOf = (fields: object): object => ({
  user_id: IDS.ANN,
  kpi_id: IDS.SALES,
  entry_date: '2026-11-19',
  ...fields,
})

/** The day of the entry that is there. */
export const STORED = { entry_date: '2026-11-20' }

/** A query that cannot be read; the refusal names what cannot. */
export const badQuery = (path: string, query: string, name: RegExp): Row => ({
  ask: `GET ${path}?${query}`,
  what: 'cannot be read',
  status: 400,
  says: name,
})
