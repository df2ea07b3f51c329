import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import type { Db } from '../store/db.ts'

/** The account that the embedded service uses, and its first user. */
export const DEFAULT_ACCOUNT = 'default'
export const DEFAULT_LOGIN = 'admin@localhost'

/** One request's: the store, whose it is, and its one instant. */
export type Context = {
  readonly db: Db
  readonly account: Account
  readonly now: Instant
  /** Waits for a turn of what takes long, which lasts until the answer is written; not given where nobody else waits. */
  readonly beginLong?: (() => Promise<void>) | undefined
}

/** The ids in a request's path: of the resource above, of the resource itself, and that one's as it is written. */
export type Ids = { readonly parent: number; readonly id: number; readonly text: string }

/** The error for an id that names nothing, or something of another account. */
const notFound = (title: string, id: number | string): KpiError =>
  new KpiError('not_found', `there is no ${title} ${id}`)

/** What was found, or the error that it was not. */
export const found = <T>(record: T | undefined, title: string, id: number | string): T => {
  if (record === undefined) throw notFound(title, id)
  return record
}
