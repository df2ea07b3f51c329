import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { formatInstant, type Instant, parseDay, parseInstant } from '../../../domain/day.ts'
import { Fault } from '../../../domain/errors.ts'
import { valueOfText } from '../../../domain/field-value.ts'
import { type Key, key, type KeyDraft, type ListedKey, listedKey } from '../../../domain/resources/key.ts'
import { asDraft, type FieldValue, printable } from '../../../domain/schema.ts'
import { KNOWN_SCOPES, readScopes, SCOPES } from '../../../domain/scopes.ts'
import type { MadeKey } from '../../../service/accounts/keys.ts'
import type { Context } from '../../../service/context.ts'
import { addExamples } from '../../args/examples.ts'
import { faultText, type ParsedFlags, requireNoFaults, readFlags } from '../../args/flags.ts'
import { idAmong } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsOne } from '../../output/printed.ts'
import { addVerb, addVerbOfOne, inAccount } from './with-account.ts'

/** Returns the text that notes call a key by. */
export const keyLabel = ({ id, name }: Key): string => `key ${id} (${name})`

const hasEnded = ({ status }: ListedKey): boolean => status === 'revoked' || status === 'expired'

/** Returns the keys that names stand for: live ones, and the last one of names whose keys have all ended. */
export const keysByName = (all: readonly ListedKey[]): readonly ListedKey[] =>
  all.filter(
    (one) => !hasEnded(one) || !all.some((other) => other.name === one.name && (!hasEnded(other) || other.id > one.id)),
  )

/** Returns only the last key of a name: while a rotation overlaps, the earlier one is about to expire. */
const lastOfName = (all: readonly ListedKey[]): readonly ListedKey[] =>
  all.filter((one) => !all.some((other) => other.name === one.name && other.id > one.id))

/** Returns the id of a key by id or name. */
export const idOfKey = async (
  ctx: Context,
  text: string,
  choose: (all: readonly ListedKey[]) => readonly ListedKey[],
): Promise<number> => {
  const { keys } = await import('../../../service/accounts/keys.ts')
  return idAmong(listedKey.title, choose(await keys.list(ctx)), text)
}

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }

/** Returns a duration in seconds: `90d`, `12h`, `30m`, or `0`; undefined for any other text. */
const secondsOf = (text: string): number | undefined => {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? []
  if (count === undefined) return text.trim() === '0' ? 0 : undefined
  return Number(count) * (SECONDS[unit] ?? NaN)
}

/** Returns when something ends, in UTC: after a duration, at the start of a date, or at a time; `never` is null. */
const endOf = (text: string, now: Instant): Instant | null | Fault => {
  const word = text.trim()
  if (word === 'never') return null
  const seconds = secondsOf(word)
  if (seconds !== undefined) return now + seconds
  const day = parseDay(word)
  const end = day === undefined ? parseInstant(word) : day * 86_400
  return end ?? Fault.is('no time to come; write 90d, 12h, 2027-03-31 or never')
}

const SCOPES_HELP = `
Scopes: ${SCOPES.join(', ')}; or all.
Categories, units, frequencies and icons go with kpis:….`
const EXPIRES = 'after 90d, 12h or 30m, at the start of a date such as 2027-03-31 (UTC), or never'

const madeRecord = printable('key', 'key', {
  id: { kind: 'integer', about: 'Id of the key' },
  key: { kind: 'text', about: 'The key, shown only once' },
})

/** Returns when the key is to expire; undefined if no flag says so. */
const readEnd = (expires: string | undefined, now: Instant): Instant | null | undefined | Fault =>
  expires === undefined ? undefined : endOf(expires, now)

/** Stores the value of a field, or notes its fault. */
const take = (
  { fields, faults }: ParsedFlags,
  name: string,
  value: FieldValue | undefined | Fault,
  say: (fault: Fault) => string,
): void => {
  if (value instanceof Fault) faults.push(say(value))
  else if (value !== undefined) fields[name] = value
}

const readName = (text: string): FieldValue | Fault => valueOfText(key.fields.name, text) ?? Fault.must('not be empty')

/** Describes the flags of a new key. */
type NewKeyFlags = { readonly user?: string; readonly scopes?: string; readonly expires?: string }

/** Returns the key to create; all faults of the line are reported at once. */
const readDraft = async (client: Client, name: string, flags: NewKeyFlags, now: Instant): Promise<KeyDraft> => {
  const owner = { flag: 'user', name: 'user_id', field: key.fields.user_id }
  const given = await readFlags(client, [owner], flags)
  const { user, scopes, expires } = flags
  take(given, 'name', readName(name), ({ message }) => `the name ${message}`)
  if (scopes !== undefined) {
    const read = readScopes(scopes)
    take(given, 'scopes', read instanceof Fault ? read : read.join(','), (fault) => faultText('scopes', scopes, fault))
  }
  take(given, 'expires_at', readEnd(expires, now), (fault) => faultText('expires', expires ?? '', fault))
  const missing = [
    ...(user === undefined ? ['--user <id|name|email>'] : []),
    ...(scopes === undefined ? ['--scopes <list>'] : []),
  ]
  const known = scopes === undefined ? `; ${KNOWN_SCOPES}` : ''
  if (missing.length > 0) given.faults.push(`a key needs ${missing.join(', ')}${known}`)
  return asDraft(key, requireNoFaults(given))
}

const untilOf = ({ expires_at }: Key): string =>
  expires_at === null ? 'without an end' : `until ${formatInstant(expires_at)} UTC`

/** Prints a key for the only time, and says what it may do. */
const show = async (cli: Cli, { key: made, secret, owner }: MadeKey): Promise<void> => {
  await cli.printOne(madeRecord, { id: made.id, key: secret })
  await cli.note(
    `${keyLabel(made)} may do ${made.scopes} in the name of ${owner}, ${untilOf(made)}; it is shown only once`,
  )
}

/** Registers `kpi service keys create` */
export const addKeyCreate = (group: Command, act: Act): void => {
  const create = addVerb(group, 'create', 'make a key for the newer interface (/v1); it is shown only once')
    .argument('<name>', key.fields.name.about)
    .option('--user <id|name|email>', 'the owner, in whose name it acts (required)')
    .option('--scopes <list>', 'what it may do, separated by commas (required)')
    .option('--expires <when>', `when it ends: ${EXPIRES} (default: never)`)
    .addHelpText('after', SCOPES_HELP)
  addExamples(
    create,
    'service keys create import --user "Ann Lee" --scopes entries:write --expires 90d -o json',
    'service keys create dashboard --user ann@example.com --scopes kpis:read,entries:read,reports:read',
  )
  printsOne(create, madeRecord)
  act(create, async (cli, [name], flags) => {
    const { keys } = await import('../../../service/accounts/keys.ts')
    const made = await inAccount(cli, flags, async (ctx, client) =>
      keys.create(ctx, await readDraft(client, name, flags, ctx.now), cli.io.random),
    )
    await show(cli, made)
  })
}

type Rotation = { readonly overlap: number; readonly expiresAt: Instant | null | undefined }

type RotationFlags = { readonly overlap: string; readonly expires?: string }

/** Returns the rotation that a line asks for; all its faults are reported at once. */
const readRotation = ({ overlap: given, expires }: RotationFlags, now: Instant): Rotation => {
  const overlap = secondsOf(given) ?? Fault.is('no time; write 24h, 7d, 30m or 0')
  const expiresAt = readEnd(expires, now)
  if (!(overlap instanceof Fault) && !(expiresAt instanceof Fault)) return { overlap, expiresAt }
  const faults = overlap instanceof Fault ? [faultText('overlap', given, overlap)] : []
  if (expiresAt instanceof Fault) faults.push(faultText('expires', expires ?? '', expiresAt))
  throw new UsageError(faults.join('; '))
}

/** Registers `kpi service keys rotate` */
export const addKeyRotate = (group: Command, act: Act): void => {
  const rotate = addVerbOfOne(group, 'rotate', 'make a new key that replaces one, which stays valid for a while')
    .option('--overlap <span>', 'how long the old key stays valid: 24h, 7d, 30m; 0 ends it at once', '24h')
    .option(
      '--expires <when>',
      `when the new key ends: ${EXPIRES} (default: after the time that the old key was made for)`,
    )
  addExamples(rotate, 'service keys rotate nightly', 'service keys rotate nightly --overlap 7d --expires 90d -o json')
  printsOne(rotate, madeRecord)
  act(rotate, async (cli, [text], flags) => {
    const { keys } = await import('../../../service/accounts/keys.ts')
    const made = await inAccount(cli, flags, async (ctx) => {
      const rotation = readRotation(flags, ctx.now)
      return keys.rotate(ctx, await idOfKey(ctx, text, lastOfName), rotation, cli.io.random)
    })
    await show(cli, made)
    const { old, oldEndsAt, key: next } = made
    const until = oldEndsAt > next.created_at ? `works until ${formatInstant(oldEndsAt)} UTC` : 'no longer works'
    await cli.note(`${keyLabel(old)}, which it replaces, ${until}`)
  })
}
