import { formatInstant, type Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { type Key, key as resource, type KeyDraft } from '../domain/resources/key.ts'
import type { User } from '../domain/resources/user.ts'
import { completeRecord } from '../domain/schema.ts'
import { accounts } from '../store/accounts.ts'
import { takeIds } from '../store/counters.ts'
import type { Db, Reader } from '../store/db.ts'
import { keys as store } from '../store/keys.ts'
import { users } from '../store/users.ts'
import type { Context } from './context.ts'
import { hashSecret, isWellFormed, makeSecret, type Random } from './secrets.ts'

const SHOWN_CHARACTERS = 'kpi_key_'.length + 8
/** So often it is noted that a key is used. */
const NOTED_EACH = 60

/** How a key begins: enough to know it again, far too little to guess the rest. */
export const beginOf = (secret: string): string => secret.slice(0, SHOWN_CHARACTERS)

/** A key that lets somebody in: whose it is, and in whose name it acts. */
export type OpenedKey = { readonly account: Account; readonly key: Key; readonly owner: User }

const wrongKey = (message = 'the key is wrong'): KpiError => new KpiError('unauthorized', message)

const find = async (tx: Reader, secret: string): Promise<OpenedKey | undefined> => {
  const found = await store.findByHash(tx, hashSecret(secret))
  if (!found) return undefined
  const account = await accounts.find(tx, found.account)
  const owner = await users.find(tx, found.account, found.key.user_id)
  return account && owner && { account, owner, key: found.key }
}

/**
 * Finds what a key opens: one that is known, neither revoked nor expired, and of an active user (decisions, section 1).
 * It is looked up by its hash, so the time taken tells nothing about it; only who has the whole key is told why it does
 * not open.
 */
export const openKey = async (db: Db, secret: string, now: Instant): Promise<OpenedKey> => {
  if (!isWellFormed(secret)) throw wrongKey()
  const opened = await db.read((tx) => find(tx, secret))
  if (!opened) throw wrongKey()
  const { key, owner } = opened
  if (key.revoked_at !== null) throw wrongKey(`key ${key.id} (${key.name}) was revoked`)
  if (key.expires_at !== null && key.expires_at <= now) {
    throw wrongKey(`key ${key.id} (${key.name}) expired at ${formatInstant(key.expires_at)}`)
  }
  if (owner.user_status_id !== 'A') throw wrongKey(`the owner of key ${key.id} (${key.name}) is locked`)
  return opened
}

/** Takes note that a key was used, once a minute at most. */
export const noteUse = async (db: Db, account: number, { id, last_used_at }: Key, now: Instant): Promise<void> => {
  const before = now - NOTED_EACH
  if (last_used_at !== null && last_used_at > before) return
  await db.ofAccount(account).write((tx) => store.noteUse(tx, account, id, now, before))
}

/** Keys: the operator's work, never done over the interface. */
export const keys = {
  /** Makes a key. It is shown this once; only its hash is kept. */
  create: (
    { db, account, now }: Context,
    draft: KeyDraft,
    random: Random,
  ): Promise<{ readonly key: Key; readonly secret: string }> =>
    db.write(async (tx) => {
      const secret = makeSecret('key', random)
      const id = await takeIds(tx, account.id, 'keys')
      const key = completeRecord(resource, draft, { id, begins: beginOf(secret), created_at: now })
      await store.insert(tx, account.id, key, { key_hash: hashSecret(secret) })
      return { key, secret }
    }),
}
