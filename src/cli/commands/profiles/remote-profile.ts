import { Fault } from '../../../domain/errors.ts'
import { isOfNetwork } from '../../../client/http/network-errors.ts'
import { resolve } from 'node:path'
import { findDeadline } from '../../args/deadline.ts'
import { askChoice, askSecret, askValid } from '../../args/prompt.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { isV1Url, parseBaseUrl, readBaseUrl } from '../../target/base-url.ts'
import { canAsk, findSetting } from '../../target/find-setting.ts'
import type { RemotePlace } from '../../target/place.ts'
import type { Profile } from '../../target/profiles.ts'
import { faultOfSecret, readSecretFile, runTokenCommand, SECRETS } from '../../target/secrets.ts'
import type { CommandBounds } from '../../target/token-command.ts'
import { SETTINGS } from '../../target/settings.ts'
import { findPlaceFault, notKept, type PlaceFault } from './check-place.ts'

type RemoteProfile = Exclude<Profile, { readonly kind: 'embedded' }>
type RemoteKind = RemoteProfile['kind']

/** Describes the flags that say where a remote service is, and who asks there. */
type RemoteFlags = {
  readonly baseUrl?: string | undefined
  readonly login?: string | undefined
  readonly tokenStdin?: true | undefined
  readonly tokenFile?: string | undefined
  readonly tokenCommand?: string | undefined
  readonly check: boolean
}

/** Describes a remote profile, the secret to keep for it, and the flags that stand for what was asked. */
type RemoteAnswers = {
  readonly profile: RemoteProfile
  readonly secret: string | undefined
  readonly asked: Readonly<Record<string, string | boolean>>
}

const QUESTIONS: Record<RemoteKind, string> = { classic: 'Account token', v1: 'Key' }

const requireGoodSecret = (kind: RemoteKind, secret: string, source: string): string => {
  const fault = faultOfSecret(kind, secret)
  if (fault === undefined) return secret
  throw new UsageError(`${source} holds no ${SECRETS[kind]}: ${fault}`)
}

const faultOfUrl = (text: string): string | undefined => {
  const url = parseBaseUrl(text)
  return url instanceof Fault ? url.message : undefined
}

const askUrl = async (cli: Cli, usual?: string): Promise<string> => {
  if (!cli.canAsk) throw new UsageError('a base URL is needed: --base-url')
  return askValid(cli, 'Base URL', faultOfUrl, usual)
}

const askLogin = async (cli: Cli, usual?: string): Promise<string> => {
  if (!cli.canAsk) throw new UsageError('a login name is needed: --login')
  return askValid(cli, 'Login name', (text) => (text === '' ? 'the login name is empty' : undefined), usual)
}

/** Returns the remote place: its URL, which shows the variant, and the login name for the classic one. */
const remotePlace = async (cli: Cli, url: string, login: string | undefined): Promise<RemoteProfile> => {
  const baseUrl = readBaseUrl(url).href.replace(/\/$/, '')
  if (!isV1Url(baseUrl)) return { kind: 'classic', baseUrl, login: login ?? (await askLogin(cli)) }
  if (login === undefined) return { kind: 'v1', baseUrl }
  throw new UsageError('a base URL that ends in /v1 takes a key, which says by itself whose it is; leave --login out')
}

/** Asks for the token or key at the terminal; no flag takes it. */
const typedSecret = async (cli: Cli, name: string, kind: RemoteKind): Promise<string> => {
  if (!cli.canAsk) throw new UsageError(`a ${SECRETS[kind]} is needed: --token-stdin, --token-file or --token-command`)
  return askSecret(cli, `${QUESTIONS[kind]} of profile ${name}`, (text) => {
    const fault = faultOfSecret(kind, text)
    return fault === undefined ? undefined : `this is no ${SECRETS[kind]}: ${fault}`
  })
}

/** Returns the bounds of a token command. */
export const commandBounds = ({ io, flags }: Cli): CommandBounds => ({
  timeoutMs: findSetting(io, flags, SETTINGS.timeout).value,
  canAsk: () => canAsk(io, flags),
  deadline: findDeadline(io, flags.deadline),
})

/** Returns the secret that the flags name; undefined where it is asked for. */
const namedSecret = async (cli: Cli, kind: RemoteKind, flags: RemoteFlags): Promise<string | undefined> => {
  const { tokenCommand, tokenFile, tokenStdin } = flags
  if (tokenCommand !== undefined) {
    // Unchecked, it need not work yet.
    if (!flags.check) return ''
    return requireGoodSecret(
      kind,
      await runTokenCommand(cli.io, tokenCommand, commandBounds(cli)),
      `the command ${tokenCommand}`,
    )
  }
  if (tokenFile !== undefined)
    return requireGoodSecret(kind, readSecretFile(cli.io, resolve(cli.io.cwd, tokenFile)), `the file ${tokenFile}`)
  if (tokenStdin !== true) return undefined
  const { readStdin } = await import('../../args/deadline.ts')
  return requireGoodSecret(kind, (await readStdin(cli.io, cli.flags.deadline)).trim(), 'standard input')
}

/** Says what is wrong with a place, and asks what to do about it; the likeliest comes first. */
const askRemedy = async (cli: Cli, { error, suggested }: PlaceFault, isTyped: boolean): Promise<string> => {
  await cli.log.warn(error.message)
  const secret = { name: 'give the credentials again', value: 'secret' }
  const url = { name: 'give another base URL', value: 'url' }
  const again = { name: 'try again', value: 'again' }
  const isReached = !isOfNetwork(error.cause)
  const remedies =
    error.code === 'unauthorized' ? [secret, url, again] : isReached ? [url, again, secret] : [again, url, secret]
  return askChoice(cli, 'What now', [
    ...(suggested === undefined ? [] : [{ name: `use ${suggested}, where a service answers`, value: suggested }]),
    ...remedies.filter((one) => isTyped || one !== secret),
    { name: 'add it unchecked', value: 'unchecked' },
    { name: 'add nothing', value: 'nothing' },
  ])
}

const placeOf = (name: string, profile: RemoteProfile): RemotePlace => ({
  ...profile,
  profile: name,
  tokenCommand: undefined,
})

/** Describes what is tried: a place, the secret for it, and whether that is typed. */
type Attempt = { readonly profile: RemoteProfile; readonly secret: string; readonly isTyped: boolean }

/** Returns another place to try, with a secret of its own if it is of the other variant. */
const elsewhere = async (cli: Cli, name: string, { profile, secret, isTyped }: Attempt): Promise<Attempt> => {
  const login = profile.kind === 'classic' ? profile.login : undefined
  const url = await askUrl(cli, profile.baseUrl)
  const other = await remotePlace(cli, url, isV1Url(url) ? undefined : login)
  const isSame = other.kind === profile.kind || !isTyped
  return { profile: other, secret: isSame ? secret : await typedSecret(cli, name, other.kind), isTyped }
}

/** Returns the same place to try with other credentials. */
const withCredentials = async (cli: Cli, name: string, attempt: Attempt): Promise<Attempt> => {
  const { profile } = attempt
  const own = profile.kind === 'classic' ? { ...profile, login: await askLogin(cli, profile.login) } : profile
  return { ...attempt, profile: own, secret: await typedSecret(cli, name, profile.kind) }
}

const mended = (
  cli: Cli,
  name: string,
  attempt: Attempt,
  remedy: string,
  suggested: string | undefined,
): Attempt | Promise<Attempt> => {
  if (remedy === suggested) return { ...attempt, profile: { ...attempt.profile, baseUrl: remedy } }
  if (remedy === 'url') return elsewhere(cli, name, attempt)
  return remedy === 'secret' ? withCredentials(cli, name, attempt) : attempt
}

/** Tries a place, and asks what to do where it cannot be used, until it can or is to be added unchecked. */
const checked = async (
  cli: Cli,
  name: string,
  attempt: Attempt,
): Promise<Attempt & { readonly isUnchecked?: boolean }> => {
  const fault = await findPlaceFault(cli, placeOf(name, attempt.profile), attempt.secret)
  if (!fault) return attempt
  const remedy = cli.canAsk ? await askRemedy(cli, fault, attempt.isTyped) : 'nothing'
  if (remedy === 'nothing') throw notKept('add', name, fault)
  if (remedy === 'unchecked') return { ...attempt, isUnchecked: true }
  return checked(cli, name, await mended(cli, name, attempt, remedy, fault.suggested))
}

/** Describes the flags that say where the secret of a profile comes from each time. */
type SourceFlags = Pick<RemoteFlags, 'tokenCommand' | 'tokenFile' | 'check'>

/** Returns a profile with nothing but the given source of its secret. */
const withSource = ({ io }: Cli, profile: RemoteProfile, { tokenCommand, tokenFile }: SourceFlags): RemoteProfile => {
  const { tokenCommand: _command, tokenFile: _file, secretName: _name, ...kept } = profile
  if (tokenCommand !== undefined) return { ...kept, tokenCommand }
  return tokenFile === undefined ? profile : { ...kept, tokenFile: resolve(io.cwd, tokenFile) }
}

/** Returns a profile whose secret comes from a command or a file each time; checks first that the service takes it. */
export const withSecretSource = async (
  cli: Cli,
  name: string,
  profile: RemoteProfile,
  flags: SourceFlags,
): Promise<RemoteProfile> => {
  const secret = await namedSecret(cli, profile.kind, flags)
  const fault = flags.check ? await findPlaceFault(cli, placeOf(name, profile), secret ?? '') : undefined
  if (fault) throw notKept('change', name, fault)
  return withSource(cli, profile, flags)
}

/** Reads what the flags say of a remote profile, asks for the rest, and checks it until it can be used or is left. */
export const readRemote = async (cli: Cli, name: string, flags: RemoteFlags): Promise<RemoteAnswers> => {
  const first = await remotePlace(cli, flags.baseUrl ?? (await askUrl(cli)), flags.login)
  const named = await namedSecret(cli, first.kind, flags)
  const isTyped = named === undefined
  const attempt = { profile: first, secret: named ?? (await typedSecret(cli, name, first.kind)), isTyped }
  const { profile, secret, isUnchecked } = flags.check
    ? await checked(cli, name, attempt)
    : { ...attempt, isUnchecked: false }
  const { tokenCommand, tokenFile } = flags
  const asked = {
    ...(profile.baseUrl !== flags.baseUrl?.replace(/\/$/, '') && { baseUrl: profile.baseUrl }),
    ...(profile.kind === 'classic' && profile.login !== flags.login && { login: profile.login }),
    ...(isTyped && { tokenStdin: true }),
    ...(isUnchecked === true && { check: false }),
  }
  if (tokenCommand !== undefined) return { profile: { ...profile, tokenCommand }, secret: undefined, asked }
  if (tokenFile === undefined) return { profile, secret, asked }
  return { profile: { ...profile, tokenFile: resolve(cli.io.cwd, tokenFile) }, secret: undefined, asked }
}
