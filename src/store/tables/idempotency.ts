import type { Instant } from '../../domain/day.ts'
import type { Reader, SqlOutput, Writer } from '../db.ts'

/** Names a request with an Idempotency-Key. */
export type IdempotencyKey = { readonly account: number; readonly path: string; readonly key: string }

/** Describes an answer as it was sent. */
export type KeptAnswer = {
  readonly status: number
  readonly location: string | null
  readonly contentType: string | null
  readonly body: string
  /** Names the encoding of the body, if it is compressed. */
  readonly encoding?: 'deflate' | undefined
}

/** Describes a request with a key: who works or worked on it, and the answer, if there is one yet. */
type IdempotencyRecord = {
  readonly fingerprint: string
  readonly owner: string
  readonly leasedUntil: Instant
  readonly createdAt: Instant
  readonly answer: KeptAnswer | undefined
}

const textOf = (value: SqlOutput | undefined): string | null => (value === null ? null : String(value))

const WHERE = 'account_id = ? and path = ? and request_key = ?'
const named = ({ account, path, key }: IdempotencyKey): [number, string, string] => [account, path, key]

/** Describes a request that has no answer yet. */
export type PendingRequest = Omit<IdempotencyRecord, 'answer'>

const INSERT = `insert into idempotent_requests
  (account_id, path, request_key, fingerprint, owner, leased_until, created_at) values (?, ?, ?, ?, ?, ?, ?)`

const valuesOf = (
  key: IdempotencyKey,
  { fingerprint, owner, leasedUntil, createdAt }: PendingRequest,
): (string | number)[] => [...named(key), fingerprint, owner, leasedUntil, createdAt]

/** Reads and writes the requests with an Idempotency-Key. */
export const idempotentRequests = {
  find: async (tx: Reader, key: IdempotencyKey): Promise<IdempotencyRecord | undefined> => {
    const [row] = await tx.all(`select * from idempotent_requests where ${WHERE}`, named(key))
    return (
      row && {
        fingerprint: String(row['fingerprint']),
        owner: String(row['owner']),
        leasedUntil: Number(row['leased_until']),
        createdAt: Number(row['created_at']),
        answer:
          row['status'] === null
            ? undefined
            : {
                status: Number(row['status']),
                location: textOf(row['location']),
                contentType: textOf(row['content_type']),
                body: String(row['body']),
                encoding: row['encoding'] === 'deflate' ? 'deflate' : undefined,
              },
      }
    )
  },
  /** Claims a free key; returns whether it was free. */
  take: async (tx: Writer, key: IdempotencyKey, record: PendingRequest): Promise<boolean> =>
    (await tx.run(`${INSERT} on conflict (account_id, path, request_key) do nothing`, valuesOf(key, record))) > 0,
  /** Claims a key instead of its holder. */
  takeOver: async (tx: Writer, key: IdempotencyKey, record: PendingRequest): Promise<void> => {
    await tx.run(`delete from idempotent_requests where ${WHERE}`, named(key))
    await tx.run(INSERT, valuesOf(key, record))
  },
  /** Stores the answer of a key's owner; returns whether the key still belongs to that owner. */
  keep: async (tx: Writer, key: IdempotencyKey, owner: string, answer: KeptAnswer): Promise<boolean> => {
    const { status, location, contentType, body, encoding = null } = answer
    const sql = `update idempotent_requests set status = ?, location = ?, content_type = ?, body = ?, encoding = ? where ${WHERE} and owner = ?`
    return (await tx.run(sql, [status, location, contentType, body, encoding, ...named(key), owner])) > 0
  },
  /** Releases a key that still belongs to the owner, unless its answer was stored after all. */
  release: async (tx: Writer, key: IdempotencyKey, owner: string): Promise<void> => {
    const sql = `delete from idempotent_requests where ${WHERE} and owner = ? and status is null`
    await tx.run(sql, [...named(key), owner])
  },
  /** Deletes at most `atMost` of an account's records that are older than an instant. */
  forget: async (tx: Writer, account: number, before: Instant, atMost: number): Promise<void> => {
    await tx.run(
      `delete from idempotent_requests where account_id = ? and (path, request_key) in (
         select path, request_key from idempotent_requests where account_id = ?1 and created_at < ?
         order by created_at limit ?)`,
      [account, before, atMost],
    )
  },
}
