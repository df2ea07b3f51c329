import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import type { Db } from '../store/db.ts'

/** Names the account of the embedded service, and its first user. */
export const DEFAULT_ACCOUNT = 'default'
export const DEFAULT_LOGIN = 'admin@localhost'

/** Holds the id of an API key, 0 for the token of the account, and whether it may read entries. */
type Credentials = { readonly key: number; readonly mayReadEntries: boolean }

/** Holds the context of one request: the store, the account, and the current time. */
export type Context = {
  readonly db: Db
  readonly account: Account
  readonly now: Instant
  /** Tells that the caller asks for the dated targets of KPIs and assignments. */
  readonly showsDatedTargets?: boolean | undefined
  /** Names the run that writes, of which is kept what its batches replace; undefined if nothing is. */
  readonly run?: string | undefined
  /** Describes the credentials of a request over HTTP; undefined in process, where all is allowed. */
  readonly credentials?: Credentials | undefined
  /**
   * Waits for a slot for long work, and keeps it until the answer is written; undefined if there are no other requests.
   */
  readonly beginLong?: (() => Promise<void>) | undefined
}

/** Holds the ids in a request's path: of the parent, and of the record itself as number and as text. */
export type Ids = { readonly parent: number; readonly id: number; readonly text: string }

/** Returns the error for an id that does not exist in the account. */
const notFound = (title: string, id: number | string): KpiError =>
  new KpiError('not_found', `there is no ${title} ${id}`)

/** Returns a record, or throws `not_found` if there is none. */
export const requireFound = <T>(record: T | undefined, title: string, id: number | string): T => {
  if (record === undefined) throw notFound(title, id)
  return record
}
