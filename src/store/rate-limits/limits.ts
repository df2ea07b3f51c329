import { type Column, type Db, filledColumns, type Reader, type SqlRow, type Writer } from '../db.ts'

/** Counts milliseconds since 1970, or since any other fixed moment. */
export type Millis = number

/**
 * Describes where limits are counted. Each write first locks the one row on which it decides, so that it excludes no
 * other write.
 */
export type LimitStore = {
  readonly db: Db
  /** Returns the time, by the same clock for all processes that count here. */
  readonly now: (tx: Reader) => Promise<Millis>
}

/** Describes a monotonic clock: the last time it returned, and its offset to the system clock. */
export type ClockMark = { readonly lastAt: Millis; readonly shift: Millis }

/** Describes how many requests of a key or token were accepted in all, and its clock. */
type RequestCounter = ClockMark & { readonly accepted: number }

/** Describes an accepted request: its number for the key or token, and its time. */
type AcceptedRequest = { readonly number: number; readonly at: Millis }

/** Describes the login throttle: how many counters it has, and its clock. */
export type ThrottleState = ClockMark & { readonly pairs: number }

const acceptedRequest = (row: SqlRow | undefined): AcceptedRequest | undefined =>
  row && { number: Number(row['number']), at: Number(row['at']) }

const clockMark = (row: SqlRow | undefined): ClockMark => ({
  lastAt: Number(row?.['last_at'] ?? 0),
  shift: Number(row?.['shift'] ?? 0),
})

/** Names whose requests are counted: those of a key of an account, or, as key 0, of its token. */
export type Counted = { readonly account: number; readonly key: number }

const COLUMNS = ['key_id', 'number', 'at'].map((name): Column => ({ name, type: 'integer' }))

/** Reads and writes the recently accepted requests of keys and tokens. */
export const requestLog = {
  /** Locks the counter of a key or token until the transaction ends, and returns it. */
  lock: async (tx: Writer, { account, key }: Counted): Promise<RequestCounter> => {
    const [row] = await tx.all(
      `insert into request_windows (account_id, key_id, accepted, last_at, shift) values (?, ?, 0, 0, 0)
       on conflict (account_id, key_id) do update set accepted = request_windows.accepted
       returning accepted, last_at, shift`,
      [account, key],
    )
    return { ...clockMark(row), accepted: Number(row?.['accepted']) }
  },
  save: async (tx: Writer, { account, key }: Counted, { accepted, lastAt, shift }: RequestCounter): Promise<void> => {
    await tx.run(
      'update request_windows set accepted = ?, last_at = ?, shift = ? where account_id = ? and key_id = ?',
      [accepted, lastAt, shift, account, key],
    )
  },
  /** Adds `count` requests of one moment, numbered from `first`. */
  add: (tx: Writer, { account, key }: Counted, first: number, count: number, at: Millis): Promise<void> =>
    tx.insertMany(
      'accepted_requests',
      count,
      filledColumns(
        COLUMNS,
        Array.from({ length: count }, (_, index) => [key, first + index, at]),
      ),
      account,
    ),
  /** Returns the first request after an instant. */
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
  /** Deletes at most `atMost` of the oldest requests, up to an instant. */
  forget: async (tx: Writer, { account, key }: Counted, upTo: Millis, atMost: number): Promise<void> => {
    await tx.run(
      `delete from accepted_requests where account_id = ? and key_id = ? and number in (
         select number from accepted_requests where account_id = ?1 and key_id = ? and at <= ?
         order by at, number limit ?)`,
      [account, key, key, upTo, atMost],
    )
  },
}

const HEAD = 'select pairs, last_at, shift from login_brakes'
const throttleState = (row: SqlRow | undefined): ThrottleState => ({
  ...clockMark(row),
  pairs: Number(row?.['pairs'] ?? 0),
})

/** Reads and writes the recently refused logins, by counter: that of a login name and address, or of a network. */
export const refusedLogins = {
  head: async (tx: Reader): Promise<ThrottleState> => throttleState((await tx.all(HEAD))[0]),
  /** Locks the throttle until the transaction ends, and returns its state. */
  lock: async (tx: Writer): Promise<ThrottleState> =>
    throttleState((await tx.all('update login_brakes set pairs = pairs returning pairs, last_at, shift'))[0]),
  save: async (tx: Writer, { pairs, lastAt, shift }: ThrottleState): Promise<void> => {
    await tx.run('update login_brakes set pairs = ?, last_at = ?, shift = ?', [pairs, lastAt, shift])
  },
  /** Returns when logins of a counter were refused, the oldest first. */
  timesOf: async (tx: Reader, pair: string): Promise<readonly Millis[]> => {
    const [row] = await tx.all('select times from refused_logins where pair = ?', [pair])
    return row ? String(row['times']).split(' ').map(Number) : []
  },
  /** Stores the times of a counter, at least one, and when it was used; returns whether the counter is new. */
  keep: async (tx: Writer, pair: string, times: readonly Millis[], lastAt: Millis): Promise<boolean> => {
    const values = [times.join(' '), lastAt, pair]
    if ((await tx.run('update refused_logins set times = ?, last_at = ? where pair = ?', values)) > 0) return false
    await tx.run('insert into refused_logins (times, last_at, pair) values (?, ?, ?)', values)
    return true
  },
  /** Deletes at most `atMost` counters, the longest unused ones, used up to an instant; returns how many. */
  forget: (tx: Writer, upTo: Millis, atMost: number): Promise<number> =>
    tx.run(
      `delete from refused_logins where pair in (
         select pair from refused_logins where last_at <= ? order by last_at limit ?)`,
      [upTo, atMost],
    ),
}
