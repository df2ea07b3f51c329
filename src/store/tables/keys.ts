import type { Instant } from '../../domain/day.ts'
import { type Key, key } from '../../domain/resources/key.ts'
import type { Reader, Writer } from '../db.ts'
import { columnList, table } from './table.ts'

const rows = table('keys', key)
const BY_HASH = `select account_id, ${columnList(key)} from keys where key_hash = ?`

/** Reads and writes the keys of accounts. Only a hash of the secret is stored. */
export const keys = {
  ...rows,
  /** Returns a key by its hash, and its account. */
  findByHash: async (tx: Reader, hash: string): Promise<{ account: number; key: Key } | undefined> => {
    const [row] = await tx.all(BY_HASH, [hash])
    return row && { account: Number(row['account_id']), key: rows.read(row) }
  },
  /** Sets `last_used_at`, unless it is later than `before`. */
  noteUse: async (tx: Writer, account: number, id: number, at: Instant, before: Instant): Promise<void> => {
    await tx.run(
      'update keys set last_used_at = ? where account_id = ? and id = ? and (last_used_at is null or last_used_at <= ?)',
      [at, account, id, before],
    )
  },
}
