import { formatInstant, type Instant } from '../domain/day.ts'
import { Fault, invalid, type Issue, KpiError } from '../domain/errors.ts'
import { checkValue } from '../domain/field-value.ts'
import { isLive, successorOf } from '../domain/key-state.ts'
import { type Key, key, type KeyDraft } from '../domain/resources/key.ts'
import { user } from '../domain/resources/user.ts'
import { faultsOfUser, missing } from '../domain/rules.ts'
import { asDraft, asPatch, type Field, type FieldValue, type Patch } from '../domain/schema.ts'
import { readScopes } from '../domain/scopes.ts'
import type { Reader } from '../store/db.ts'
import { keys as store } from '../store/keys.ts'
import { users } from '../store/users.ts'
import { refuse } from './collection-rules.ts'
import type { Context } from './context.ts'

const label = ({ id, name }: Key): string => `key ${id} (${name})`

const checkField = (name: string, field: Field, given: FieldValue): FieldValue | Fault => {
  if (name === 'scopes') {
    const scopes = readScopes(String(given ?? ''))
    return scopes instanceof Fault ? scopes : scopes.join(',')
  }
  const value = checkValue(field, given)
  return value === null && field.required ? new Fault('is required') : value
}

/** What was given as it would be kept, and what is wrong with it by itself. */
const readDraft = (draft: KeyDraft): { readonly values: Patch<typeof key>; readonly issues: readonly Issue[] } => {
  const given = new Map<string, FieldValue | undefined>(Object.entries(draft))
  const checked = key.writable.map(
    ({ name, field }) => [name, checkField(name, field, given.get(name) ?? null)] as const,
  )
  const values = Object.fromEntries(checked.filter(([, value]) => !(value instanceof Fault)))
  const issues = checked.flatMap(([field, value]) => (value instanceof Fault ? { field, message: value.message } : []))
  return { values: asPatch(key, values), issues }
}

/** A key acts in the name of a user who is there, and active. */
const faultsOfOwner = async (tx: Reader, account: number, id: number | undefined): Promise<Issue[]> => {
  if (id === undefined) return []
  const owner = await users.find(tx, account, id)
  return owner ? faultsOfUser(owner) : [missing('user_id', user.title, id)]
}

/** A key ends in the future, or never. */
const faultsOfEnd = (end: Instant | null | undefined, now: Instant): Issue[] =>
  end === null || end === undefined || end > now
    ? []
    : [{ field: 'expires_at', message: `must lie in the future, and ${formatInstant(end)} does not` }]

/** A name is taken while a key has it that goes on. */
const clashesOfName = async (tx: Reader, { account, now }: Context, name: string | undefined): Promise<Issue[]> => {
  const other = (await store.list(tx, account.id)).find((one) => one.name === name && isLive(one, now))
  if (!other) return []
  const advice = 'rotate or revoke that one, or choose another name'
  return [{ field: 'name', message: `${other.name} is the name of key ${other.id} already; ${advice}` }]
}

/** A key as it is kept, when nothing is wrong with what was given; all that is wrong is told at once. */
export const expectKey = async (tx: Reader, ctx: Context, draft: KeyDraft): Promise<KeyDraft> => {
  const { values, issues } = readDraft(draft)
  const owner = await faultsOfOwner(tx, ctx.account.id, values.user_id)
  const clashes = await clashesOfName(tx, ctx, values.name)
  refuse([...issues, ...owner, ...faultsOfEnd(values.expires_at, ctx.now)], clashes)
  return asDraft(key, values)
}

/** Why a key is not to be replaced by one that goes on where it ends, and what to do; nothing where it may be. */
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

/** A key is replaced while it lives, has an active owner, and has not been replaced before. */
export const mustBeRotatable = async (tx: Reader, ctx: Context, old: Key): Promise<void> => {
  const obstacle = await obstacleTo(tx, ctx, old)
  if (obstacle !== undefined) throw new KpiError('conflict', `${label(old)} cannot be rotated: ${obstacle}`)
}

/** How long a new key in place of an old one is to live: null for ever; as long as the old one was made for, if not said. */
export type Anew = { readonly expiresAt?: Instant | null | undefined }

/** When a new key in place of an old one ends. */
export const lifeOf = (old: Key, { expiresAt }: Anew, now: Instant): Instant | null => {
  const issues = faultsOfEnd(expiresAt, now)
  if (issues.length > 0) throw invalid(issues)
  if (expiresAt !== undefined) return expiresAt
  return old.expires_at === null ? null : now + (old.expires_at - old.created_at)
}
