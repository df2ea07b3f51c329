import type { Command } from '@commander-js/extra-typings'
import { type FindHeader, type KeyInfo, readKeyInfo, integerHeader } from '../../../client/http/credentials.ts'
import type { ProbeResult } from '../../../client/http/http-transport.ts'
import { frequency } from '../../../domain/resources/catalog.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { type AnyRecord, type FieldValue, printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsOne } from '../../output/printed.ts'
import { warnOfExpiry } from '../../target/api-key.ts'
import { describeToken } from '../../target/secrets.ts'
import { findReach } from '../../target/network.ts'
import { probePlace, withClientAt } from '../../target/session.ts'
import { findPlace, namedPlace, type Place, rejectStraySettings, type RemotePlace } from '../../target/place.ts'
import type { GlobalFlags } from '../../target/settings.ts'

const checked = printable('checked_profile', 'profile that was checked', {
  profile: {
    kind: 'text',
    about: 'Name of the profile; blank if the service comes from elsewhere, such as --data-dir',
    nullable: true,
  },
  variant: { kind: 'text', about: 'embedded, classic or v1' },
  place: { kind: 'text', about: 'Data directory or base URL' },
  login: { kind: 'text', about: 'Login name, of a classic one', nullable: true },
  key_id: { kind: 'integer', about: 'Id of the key', nullable: true },
  key_name: { kind: 'text', about: 'Name of the key', nullable: true },
  key_owner: { kind: 'text', about: 'User in whose name the key acts', nullable: true },
  token_from: { kind: 'text', about: 'Where the token or key comes from', nullable: true },
  access: { kind: 'text', about: 'on if the API of the account is enabled; local for the embedded service' },
  scopes: { kind: 'text', about: 'What you may do: everything, the scopes of the key, or not told' },
  expires_at: { kind: 'datetime', about: 'When the key ends', nullable: true },
  limit: { kind: 'integer', about: 'Requests that the rate limit allows', nullable: true },
  used: { kind: 'integer', about: 'Requests that are used of these', nullable: true },
  left: { kind: 'integer', about: 'Requests that are left of these', nullable: true },
  per_seconds: {
    kind: 'integer',
    about: 'Length in seconds of the period in which the rate limit counts',
    nullable: true,
  },
})

const isMissing = ({ refusal }: ProbeResult): boolean =>
  refusal !== undefined && (refusal.code === 'not_found' || refusal.class === 'unsupported')

/**
 * Requests the shortest list of a service; its KPIs if a third-party service lacks that. `secret` stands for the one that
 * is kept for the place.
 */
export const probeOf = async (
  cli: Cli,
  flags: GlobalFlags,
  place: RemotePlace,
  secret?: string,
): Promise<ProbeResult> => {
  const reach = findReach(cli.io, flags)
  const probed = await probePlace(cli.io, place, reach, frequency.path, secret)
  if (!isMissing(probed)) return probed
  const other = await probePlace(cli.io, place, reach, kpi.path, secret)
  return isMissing(other) ? probed : other
}

/** Reads the headers of an answer that describe the rate limit; what they do not tell is null. */
export const limitOf = (header: FindHeader): Record<'limit' | 'used' | 'left' | 'per_seconds', number | null> => {
  const limit = integerHeader(header('x-ratelimit-limit'))
  const used = integerHeader(header('x-ratelimit-requests'))
  const left = limit === null || used === null ? null : Math.max(0, limit - used)
  return { limit, used, left, per_seconds: integerHeader(header('x-ratelimit-duration')) }
}

const keyOf = ({ id, name, user, scopes, expiresAt }: KeyInfo): Record<string, FieldValue> => ({
  login: null,
  key_id: id,
  key_name: name,
  key_owner: user,
  scopes: scopes ?? 'not told',
  expires_at: expiresAt,
})

/** Tells whether a request was refused only for lack of a scope, which means that the key is good. */
const isForLackOfScope = ({ header, refusal }: ProbeResult): boolean =>
  refusal?.code === 'forbidden' &&
  (refusal.missingScope !== undefined || /insufficient_scope/.test(header('www-authenticate') ?? ''))

/** Returns why a place refused a harmless request; that a key lacks a scope for it is no reason, as the key is good. */
export const refusalOf = ({ kind }: RemotePlace, probed: ProbeResult): ProbeResult['refusal'] =>
  kind === 'v1' && isForLackOfScope(probed) ? undefined : probed.refusal

/** Describes what was found out about a place and its key. */
type CheckedPlace = { readonly record: AnyRecord; readonly key?: KeyInfo }

const checkRemote = async (cli: Cli, flags: GlobalFlags, place: RemotePlace): Promise<CheckedPlace> => {
  const probed = await probeOf(cli, flags, place)
  const refusal = refusalOf(place, probed)
  if (refusal) throw refusal
  const { header } = probed
  const key = readKeyInfo(header)
  const record = {
    place: place.baseUrl,
    token_from: describeToken(cli.io, place),
    access: 'on',
    ...(place.kind === 'v1' ? keyOf(key) : { login: place.login, scopes: 'everything' }),
    ...limitOf(header),
  }
  return { record, key }
}

const checkEmbedded = async (cli: Cli, flags: GlobalFlags, place: Place): Promise<CheckedPlace> => {
  const needs = { of: frequency, verb: 'list' } as const
  await withClientAt(cli.io, place, findReach(cli.io, flags), needs, (client) => client.frequencies.list())
  const dataDir = place.kind === 'embedded' ? place.dataDir : ''
  return { record: { place: dataDir, access: 'local', scopes: 'everything' } }
}

const flagsFor = (flags: GlobalFlags, name: string | undefined): GlobalFlags => {
  if (name === undefined) return flags
  if (flags.profile === undefined || flags.profile === name) return { ...flags, profile: name }
  throw new UsageError(`${name} and --profile ${flags.profile} each name a profile; give only one of them`)
}

/** Registers `kpi profiles check` */
export const addProfileCheck = (group: Command, act: Act): void => {
  const command = group
    .command('check')
    .description(
      'make one harmless request and show who you are on the service, what you may do, and how much of the rate limit is left',
    )
    .argument('[name]', 'the profile; without it, the service that commands use now')
  addExamples(command, 'profiles check acme', 'profiles check -o json')
  printsOne(command, checked)
  act(command, async (cli, [name]) => {
    const flags = flagsFor(cli.flags, name)
    rejectStraySettings(cli.io, flags)
    const place = findPlace(cli.io, flags)
    const { record, key } = await (place.kind === 'embedded'
      ? checkEmbedded(cli, flags, place)
      : checkRemote(cli, flags, place))
    const named = namedPlace(cli.io, flags)
    const profile = named.kind === 'profile' ? named.name : null
    await cli.printOne(checked, { profile, variant: place.kind, ...record })
    await warnOfExpiry(cli, key)
  })
}
