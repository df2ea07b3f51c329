import type { Column, Db, Reader, SqlRow, Writer } from '../db.ts'

/** Counts milliseconds since 1970, or since any other fixed moment. */
export type Millis = number

/**
 * Keeps the counts of limits, for all who serve the same accounts. Its writes need not be alone: each begins by locking
 * the one row on which it decides.
 */
export type LimitStore = {
  readonly db: Db
  /** Returns the time, the same for all who count here. */
  readonly now: (tx: Reader) => Promise<Millis>
}

/** Describes what a clock has shown last, and what is added to it, so that it never goes back. */
export type ClockMark = { readonly lastAt: Millis; readonly shift: Millis }

/** Describes how many requests of a key or token were ever accepted, and its clock. */
type RequestWindow = ClockMark & { readonly accepted: number }

/** Describes an accepted request: its number for the key or token, and when. */
type AcceptedRequest = { readonly number: number; readonly at: Millis }

/** Describes the refused logins: the number of pairs, and their clock. */
export type LoginThrottleHead = ClockMark & { readonly pairs: number }

const acceptedRequest = (row: SqlRow | undefined): AcceptedRequest | undefined =>
  row && { number: Number(row['number']), at: Number(row['at']) }

const clockMark = (row: SqlRow | undefined): ClockMark => ({
  lastAt: Number(row?.['last_at'] ?? 0),
  shift: Number(row?.['shift'] ?? 0),
})

/** Names whose requests are counted: those of a key of an account, or, with key 0, of the account's token. */
export type Counted = { readonly account: number; readonly key: number }

const COLUMNS = ['account_id', 'key_id', 'number', 'at'].map((name): Column => ({ name, type: 'integer' }))

/** Keeps the recently accepted requests of keys and tokens. */
export const requestLog = {
  /** Locks the record of one of them until the transaction ends, and returns it. */
  lock: async (tx: Writer, { account, key }: Counted): Promise<RequestWindow> => {
    const [row] = await tx.all(
      `insert into request_windows (account_id, key_id, accepted, last_at, shift) values (?, ?, 0, 0, 0)
       on conflict (account_id, key_id) do update set accepted = request_windows.accepted
       returning accepted, last_at, shift`,
      [account, key],
    )
    return { ...clockMark(row), accepted: Number(row?.['accepted']) }
  },
  save: async (tx: Writer, { account, key }: Counted, { accepted, lastAt, shift }: RequestWindow): Promise<void> => {
    await tx.run(
      'update request_windows set accepted = ?, last_at = ?, shift = ? where account_id = ? and key_id = ?',
      [accepted, lastAt, shift, account, key],
    )
  },
  /** Adds some of one moment, numbered on from `first`. */
  add: (tx: Writer, { account, key }: Counted, first: number, count: number, at: Millis): Promise<void> =>
    tx.insertMany(
      'accepted_requests',
      COLUMNS,
      Array.from({ length: count }, (_, index) => [account, key, first + index, at]),
    ),
  /** Returns the first one after an instant. */
  firstAfter: async (tx: Reader, { account, key }: Counted, at: Millis): Promise<AcceptedRequest | undefined> => {
    const [row] = await tx.all(
      `select number, at from accepted_requests where account_id = ? and key_id = ? and at > ?
       order by at, number limit 1`,
      [account, key, at],
    )
    return acceptedRequest(row)
  },
  find: async (tx: Reader, { account, key }: Counted, number: number): Promise<AcceptedRequest | undefined> => {
    const [row] = await tx.all(
      'select number, at from accepted_requests where account_id = ? and key_id = ? and number = ?',
      [account, key, number],
    )
    return acceptedRequest(row)
  },
  /** Forgets the oldest up to an instant, a few of them. */
  forget: async (tx: Writer, { account, key }: Counted, upTo: Millis, atMost: number): Promise<void> => {
    await tx.run(
      `delete from accepted_requests where account_id = ? and key_id = ? and number in (
         select number from accepted_requests where account_id = ? and key_id = ? and at <= ?
         order by at, number limit ?)`,
      [account, key, account, key, upTo, atMost],
    )
  },
}

const HEAD = 'select pairs, last_at, shift from login_brakes'
const brakeHead = (row: SqlRow | undefined): LoginThrottleHead => ({
  ...clockMark(row),
  pairs: Number(row?.['pairs'] ?? 0),
})

/** Keeps the recently refused logins, by pair. */
export const refusedLogins = {
  head: async (tx: Reader): Promise<LoginThrottleHead> => brakeHead((await tx.all(HEAD))[0]),
  /** Locks their record until the transaction ends, and returns it. */
  lock: async (tx: Writer): Promise<LoginThrottleHead> =>
    brakeHead((await tx.all('update login_brakes set pairs = pairs returning pairs, last_at, shift'))[0]),
  save: async (tx: Writer, { pairs, lastAt, shift }: LoginThrottleHead): Promise<void> => {
    await tx.run('update login_brakes set pairs = ?, last_at = ?, shift = ?', [pairs, lastAt, shift])
  },
  /** Returns when a pair was refused, the oldest first. */
  timesOf: async (tx: Reader, pair: string): Promise<readonly Millis[]> => {
    const [row] = await tx.all('select times from refused_logins where pair = ?', [pair])
    return row ? String(row['times']).split(' ').map(Number) : []
  },
  /** Stores the times of a pair, at least one, and when it was used; returns whether the pair is new. */
  keep: async (tx: Writer, pair: string, times: readonly Millis[], lastAt: Millis): Promise<boolean> => {
    const values = [times.join(' '), lastAt, pair]
    if ((await tx.run('update refused_logins set times = ?, last_at = ? where pair = ?', values)) > 0) return false
    await tx.run('insert into refused_logins (times, last_at, pair) values (?, ?, ?)', values)
    return true
  },
  /** Forgets the pairs that were refused longest ago, up to an instant, a few of them; answers how many. */
  forget: (tx: Writer, upTo: Millis, atMost: number): Promise<number> =>
    tx.run(
      `delete from refused_logins where pair in (
         select pair from refused_logins where last_at <= ? order by last_at limit ?)`,
      [upTo, atMost],
    ),
}
