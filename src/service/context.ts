import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import type { Db } from '../store/db.ts'

/** Names the account that the embedded service uses, and its first user. */
export const DEFAULT_ACCOUNT = 'default'
export const DEFAULT_LOGIN = 'admin@localhost'

/** Holds the context of one request: the store, the account, and the current time. */
export type Context = {
  readonly db: Db
  readonly account: Account
  readonly now: Instant
  /** Waits for a turn of long work, which lasts until the answer is written; undefined where nobody else waits. */
  readonly beginLong?: (() => Promise<void>) | undefined
}

/** Holds the ids in a request's path: of the parent, of the record itself, and that one's as text. */
export type Ids = { readonly parent: number; readonly id: number; readonly text: string }

/** Returns the error for an id that names nothing, or something of another account. */
const notFound = (title: string, id: number | string): KpiError =>
  new KpiError('not_found', `there is no ${title} ${id}`)

/** Returns what was found, or throws that it was not. */
export const requireFound = <T>(record: T | undefined, title: string, id: number | string): T => {
  if (record === undefined) throw notFound(title, id)
  return record
}
