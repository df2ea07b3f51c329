import { formatInstant, type Instant } from '../../domain/day.ts'
import { Fault, invalid, type Issue, KpiError } from '../../domain/errors.ts'
import { checkValue } from '../../domain/field-value.ts'
import { isLive, stateOf, successorOf } from '../../domain/key-state.ts'
import type { Account } from '../../domain/resources/account.ts'
import { BEGINNING, type Key, key, key as resource, type KeyDraft, type ListedKey } from '../../domain/resources/key.ts'
import { fullName, user, type User } from '../../domain/resources/user.ts'
import { faultsOfUser, missingReference } from '../../domain/rules.ts'
import { asDraft, asPatch, completeRecord, type Field, type FieldValue, type Patch } from '../../domain/schema.ts'
import { readScopes } from '../../domain/scopes.ts'
import type { Db, Reader, Writer } from '../../store/db.ts'
import { accounts } from '../../store/tables/accounts.ts'
import { keys as store } from '../../store/tables/keys.ts'
import { takeIds } from '../../store/tables/table.ts'
import { users } from '../../store/tables/users.ts'
import { refuse } from '../collection.ts'
import { type Context, requireFound } from '../context.ts'
import { hashSecret, isWellFormed, makeSecret, type Random } from './secrets.ts'

const label = ({ id, name }: Key): string => `key ${id} (${name})`

const checkField = (name: string, field: Field, given: FieldValue): FieldValue | Fault => {
  if (name === 'scopes') {
    const scopes = readScopes(String(given ?? ''))
    return scopes instanceof Fault ? scopes : scopes.join(',')
  }
  const value = checkValue(field, given)
  return value === null && field.required ? Fault.is('required') : value
}

/** Returns a key's fields as they will be stored, and their faults. */
const readDraft = (draft: KeyDraft): { readonly values: Patch<typeof key>; readonly issues: readonly Issue[] } => {
  const given = new Map<string, FieldValue | undefined>(Object.entries(draft))
  const checked = key.writable.map(
    ({ name, field }) => [name, checkField(name, field, given.get(name) ?? null)] as const,
  )
  const values = Object.fromEntries(checked.filter(([, value]) => !(value instanceof Fault)))
  const issues = checked.flatMap(([field, value]) => (value instanceof Fault ? { field, message: value.message } : []))
  return { values: asPatch(key, values), issues }
}

/** Returns the faults of a key's owner, who must be an active user. */
const faultsOfOwner = async (tx: Reader, account: number, id: number | undefined): Promise<Issue[]> => {
  if (id === undefined) return []
  const owner = await users.find(tx, account, id)
  return owner ? faultsOfUser(owner) : [missingReference('user_id', user.title, id)]
}

/** Returns the faults of a key's expiry, which must lie in the future; null means never. */
const faultsOfEnd = (end: Instant | null | undefined, now: Instant): Issue[] =>
  end === null || end === undefined || end > now
    ? []
    : [{ field: 'expires_at', message: `must lie in the future, and ${formatInstant(end)} does not` }]

/** Returns the clash of a name with that of a live key. */
const clashesOfName = async (tx: Reader, { account, now }: Context, name: string | undefined): Promise<Issue[]> => {
  const other = (await store.list(tx, account.id)).find((one) => one.name === name && isLive(one, now))
  if (!other) return []
  const advice = 'rotate or revoke that one, or choose another name'
  return [{ field: 'name', message: `${other.name} is the name of key ${other.id} already; ${advice}` }]
}

/** Returns a key as it will be stored; throws all its faults at once. */
const checkDraft = async (tx: Reader, ctx: Context, draft: KeyDraft): Promise<KeyDraft> => {
  const { values, issues } = readDraft(draft)
  const owner = await faultsOfOwner(tx, ctx.account.id, values.user_id)
  const clashes = await clashesOfName(tx, ctx, values.name)
  refuse([...issues, ...owner, ...faultsOfEnd(values.expires_at, ctx.now)], clashes)
  return asDraft(key, values)
}

/** Returns why a key cannot be rotated, and what to do instead; undefined if it can. */
const obstacleTo = async (tx: Reader, { account, now }: Context, old: Key): Promise<string | undefined> => {
  if (old.revoked_at !== null) return 'it was revoked; make a new one with kpi service keys create'
  if (!isLive(old, now)) return 'it has expired; make a new one with kpi service keys create'
  const [locked] = await faultsOfOwner(tx, account.id, old.user_id)
  if (locked) {
    return `${locked.message}; set its owner active, or make a key of another owner with kpi service keys create`
  }
  const next = successorOf(old, await store.list(tx, account.id), now)
  return next && `key ${next.id} took over from it already; rotate that one`
}

/** Throws if a key cannot be rotated: it has ended, has no active owner, or was rotated before. */
const requireRotatable = async (tx: Reader, ctx: Context, old: Key): Promise<void> => {
  const obstacle = await obstacleTo(tx, ctx, old)
  if (obstacle !== undefined) throw new KpiError('conflict', `${label(old)} cannot be rotated: ${obstacle}`)
}

/**
 * Describes the lifetime of the new key of a rotation: null means for ever; the default is the lifetime of the old key.
 */
type NewLifetime = { readonly expiresAt?: Instant | null | undefined }

/** Returns when the new key of a rotation expires. */
const expiryOf = (old: Key, { expiresAt }: NewLifetime, now: Instant): Instant | null => {
  const issues = faultsOfEnd(expiresAt, now)
  if (issues.length > 0) throw invalid(issues)
  if (expiresAt !== undefined) return expiresAt
  return old.expires_at === null ? null : now + (old.expires_at - old.created_at)
}

/** Sets how often to record the use of a key, in seconds. */
const RECORD_EVERY_SECONDS = 60

/** Returns the prefix of a key: enough to recognize the key, far too little to guess it. */
export const keyPrefix = (secret: string): string => secret.slice(0, BEGINNING)

/** Holds an accepted key, its account, and its owner. */
type AcceptedKey = { readonly account: Account; readonly key: Key; readonly owner: User }

const wrongKey = (message = 'the key is wrong'): KpiError => new KpiError('unauthorized', message)

const find = async (tx: Reader, secret: string): Promise<AcceptedKey | undefined> => {
  const found = await store.findByHash(tx, hashSecret(secret))
  if (!found) return undefined
  const account = await accounts.find(tx, found.account)
  const owner = await users.find(tx, found.account, found.key.user_id)
  return account && owner && { account, owner, key: found.key }
}

/**
 * Finds a key, or throws `unauthorized` if it is unknown, revoked, expired, or of a locked user. It looks the key up by
 * its hash, so that the time taken reveals nothing; only callers with the whole key learn the reason.
 */
export const authenticateKey = async (db: Db, secret: string, now: Instant): Promise<AcceptedKey> => {
  if (!isWellFormed(secret)) throw wrongKey()
  const accepted = await db.read((tx) => find(tx, secret))
  if (!accepted) throw wrongKey()
  const { key, owner } = accepted
  if (key.revoked_at !== null) throw wrongKey(`key ${key.id} (${key.name}) was revoked`)
  if (key.expires_at !== null && key.expires_at <= now) {
    throw wrongKey(`key ${key.id} (${key.name}) expired at ${formatInstant(key.expires_at)}`)
  }
  if (owner.user_status_id !== 'A') throw wrongKey(`the owner of key ${key.id} (${key.name}) is locked`)
  return accepted
}

/**
 * Records that a key was used, at most once a minute; returns undefined if that is recorded already. It locks only the
 * row that it changes, and fails at once if it would have to wait for another process.
 */
export const noteKeyUse = (
  db: Db,
  account: number,
  { id, last_used_at }: Key,
  now: Instant,
): Promise<void> | undefined => {
  const before = now - RECORD_EVERY_SECONDS
  if (last_used_at !== null && last_used_at > before) return undefined
  return (db.inPassing ?? db.selfLocking ?? db).write((tx) => store.noteUse(tx, account, id, now, before))
}

/** Holds a new key and the name of its owner. Nobody can read its secret later. */
export type MadeKey = { readonly key: Key; readonly secret: string; readonly owner: string }

/** Holds the new key of a rotation, the old one, and when the old one expires. */
type Rotated = MadeKey & { readonly old: Key; readonly oldEndsAt: Instant }

const nameOf = (owner: User | undefined): string => (owner ? fullName(owner) : '')

const make = async (tx: Writer, { account, now }: Context, draft: KeyDraft, random: Random): Promise<MadeKey> => {
  const secret = makeSecret('key', random)
  const id = await takeIds(tx, account.id, 'keys')
  const key = completeRecord(resource, draft, { id, begins: keyPrefix(secret), created_at: now })
  await store.insert(tx, account.id, key, { key_hash: hashSecret(secret) })
  return { key, secret, owner: nameOf(await users.find(tx, account.id, key.user_id)) }
}

const listed = (key: Key, owner: User | undefined, all: readonly Key[], now: Instant): ListedKey => ({
  ...key,
  owner: nameOf(owner),
  status: stateOf(key, { isLocked: owner?.user_status_id !== 'A' }, all, now),
})

/** Manages keys for the operator: never over the interface. */
export const keys = {
  /** Returns all keys of an account with their states, including ended ones. */
  list: ({ db, account: { id: account }, now }: Context): Promise<readonly ListedKey[]> =>
    db.read(async (tx) => {
      const all = await store.list(tx, account)
      const owners = await users.findMany(
        tx,
        account,
        all.map((one) => one.user_id),
      )
      return all.map((one) => listed(one, owners.get(one.user_id), all, now))
    }),

  /** Creates a key; throws all faults at once. Nobody can read the secret later: the store keeps only its hash. */
  create: (ctx: Context, draft: KeyDraft, random: Random): Promise<MadeKey> =>
    ctx.db.write(async (tx) => make(tx, ctx, await checkDraft(tx, ctx, draft), random)),

  /** Revokes a key at once. One that was revoked before stays as it is; `changed` is false then. */
  revoke: ({ db, account: { id: account }, now }: Context, id: number): Promise<{ key: Key; changed: boolean }> =>
    db.write(async (tx) => {
      const before = requireFound(await store.find(tx, account, id), resource.title, id)
      if (before.revoked_at !== null) return { key: before, changed: false }
      const key = { ...before, revoked_at: now }
      await store.update(tx, account, key)
      return { key, changed: true }
    }),

  /**
   * Replaces a key by a new one with the same name, owner and scopes. The old key stays valid for `overlap` seconds,
   * but never beyond its own expiry.
   */
  rotate: (
    ctx: Context,
    id: number,
    { overlap, ...lifetime }: NewLifetime & { readonly overlap: number },
    random: Random,
  ): Promise<Rotated> =>
    ctx.db.write(async (tx) => {
      const { account, now } = ctx
      const before = requireFound(await store.find(tx, account.id, id), resource.title, id)
      await requireRotatable(tx, ctx, before)
      const { name, user_id, scopes } = before
      const made = await make(tx, ctx, { name, user_id, scopes, expires_at: expiryOf(before, lifetime, now) }, random)
      const endsAt = Math.min(before.expires_at ?? Infinity, now + overlap)
      await store.update(tx, account.id, { ...before, expires_at: endsAt })
      return { ...made, old: before, oldEndsAt: endsAt }
    }),
}
