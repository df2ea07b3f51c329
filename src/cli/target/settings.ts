import { resolve } from 'node:path'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { didYouMean, nearest } from '../../client/nearest.ts'
import { LOG_FORMATS, type LogFormat } from '../output/log.ts'
import { isV1Url } from './base-url.ts'
import { dataFolder } from './folders.ts'
import { type ChosenProfile, choiceOfProfile } from './profile-choice.ts'
import { profileNamed, readProfiles } from './profiles.ts'

/** Describes the global flags, which may stand before or after any command. */
export type GlobalFlags = {
  readonly profile?: string
  readonly dataDir?: string
  readonly output?: string
  readonly jq?: string
  readonly timeout?: string
  readonly deadline?: string
  readonly lock?: string
  readonly caFile?: string
  readonly timeZone?: string
  readonly input?: boolean
  readonly color?: boolean
  readonly pager?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
  readonly logFormat?: string
  /** Stand where a command prints records: the file to write, whether it may be replaced, and a spreadsheet's locale. */
  readonly toFile?: string
  readonly force?: true
  readonly excel?: string
  /** Names the store of the bundled service; only its own commands have this flag. */
  readonly store?: string
}

/** Describes where a command's requests go. */
export type Place =
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | {
      readonly kind: 'classic'
      readonly baseUrl: string
      readonly login: string
      readonly profile: string | undefined
      readonly tokenCommand: string | undefined
      readonly tokenFile?: string | undefined
      /** Names the file of the kept secret, if that is not named as the profile. */
      readonly secretName?: string | undefined
    }
  | {
      readonly kind: 'v1'
      readonly baseUrl: string
      readonly profile: string | undefined
      readonly tokenCommand: string | undefined
      readonly tokenFile?: string | undefined
      /** Names the file of the kept secret, if that is not named as the profile. */
      readonly secretName?: string | undefined
    }

/** Describes a remote place. */
export type RemotePlace = Exclude<Place, { readonly kind: 'embedded' }>

const TIMEOUT_MS = 30_000

/** Describes credentials in the environment. */
type EnvCredentials = {
  readonly login?: string | undefined
  readonly token?: string | undefined
  readonly tokenFile?: string | undefined
}

/**
 * Returns the credentials in the environment for a profile, or for none. If the environment also names a service, they
 * belong to that service, and a profile uses its own.
 */
export const credentialsIn = ({ env }: Io, profile: string | undefined): EnvCredentials =>
  profile !== undefined && env['KPI_BASE_URL']
    ? {}
    : {
        login: env['KPI_LOGIN'] || undefined,
        token: env['KPI_TOKEN'] || undefined,
        tokenFile: env['KPI_TOKEN_FILE'] || undefined,
      }

/** Names where the secret for a remote place comes from. */
type SecretSource =
  | { readonly from: 'KPI_TOKEN'; readonly token: string }
  | { readonly from: 'KPI_TOKEN_FILE'; readonly file: string }
  | { readonly from: 'command'; readonly command: string }
  | { readonly from: 'file'; readonly file: string }
  | { readonly from: 'profile'; readonly profile: string }
  | { readonly from: 'nowhere' }

/** Describes where the profile of a place keeps its secret. */
export type SecretPlace = Pick<RemotePlace, 'profile' | 'tokenCommand' | 'tokenFile' | 'secretName'>

/** Returns the first available source: the environment, the profile's command, the user's file, the profile's file. */
export const secretSource = (
  io: Io,
  { profile, tokenCommand: command, tokenFile: own, secretName = profile }: SecretPlace,
): SecretSource => {
  const { token, tokenFile } = credentialsIn(io, profile)
  if (token !== undefined) return { from: 'KPI_TOKEN', token }
  if (tokenFile !== undefined) return { from: 'KPI_TOKEN_FILE', file: tokenFile }
  if (command !== undefined) return { from: 'command', command }
  if (own !== undefined) return { from: 'file', file: own }
  return secretName === undefined ? { from: 'nowhere' } : { from: 'profile', profile: secretName }
}

const requireOnePlace = ({ profile, dataDir }: GlobalFlags): void => {
  if (dataDir === '') throw new UsageError('--data-dir is empty; name a folder')
  if (profile === undefined || dataDir === undefined) return
  throw new UsageError('--profile and --data-dir each name a service; give only one of them')
}

/** Returns the flags that name the service, to repeat in advice. */
export const placeFlags = ({ profile, dataDir, store }: GlobalFlags): string[] => [
  ...(store === undefined ? [] : ['--store', store]),
  ...(profile === undefined ? [] : ['--profile', profile]),
  ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
]

/** Returns the flags for how a command behaves, to repeat in advice. */
export const behaviorFlags = ({
  output,
  timeout,
  deadline,
  timeZone,
  input,
  color,
  quiet,
  verbose,
  debug,
  logFormat,
}: GlobalFlags): string[] => [
  ...(output === undefined ? [] : ['--output', output]),
  ...(timeout === undefined ? [] : ['--timeout', timeout]),
  ...(deadline === undefined ? [] : ['--deadline', deadline]),
  ...(timeZone === undefined ? [] : ['--time-zone', timeZone]),
  ...(input === false ? ['--no-input'] : []),
  ...(color === false ? ['--no-color'] : []),
  ...(quiet ? ['--quiet'] : []),
  ...(verbose ? ['--verbose'] : []),
  ...(debug ? ['--debug'] : []),
  ...(logFormat === undefined ? [] : ['--log-format', logFormat]),
]

/** Refuses credentials of the environment where a project file names the service: nobody said that they are for it. */
const requireOwnCredentials = ({ env }: Io, { from, isOfProject }: ChosenProfile): void => {
  const stray = isOfProject ? ['KPI_LOGIN', 'KPI_TOKEN', 'KPI_TOKEN_FILE'].find((name) => env[name]) : undefined
  if (stray === undefined) return
  throw new UsageError(
    `${stray} is set, but ${from} names the service: say what it is for with --profile, KPI_PROFILE or KPI_BASE_URL, or unset it`,
  )
}

const NO_LOGIN =
  'KPI_BASE_URL is set, and KPI_LOGIN is not: set it to your login name, or, with a key, let KPI_BASE_URL end in /v1'

/** Finds the service of a command: flags win over the environment, and that over the configuration. */
export const findPlace = (io: Io, flags: GlobalFlags): Place => {
  requireOnePlace(flags)
  if (flags.dataDir !== undefined) return { kind: 'embedded', dataDir: resolve(io.cwd, flags.dataDir) }
  const profiles = readProfiles(io)
  const chosen = choiceOfProfile(io, flags, profiles)
  if (chosen === undefined) {
    const { KPI_BASE_URL: baseUrl, KPI_LOGIN: login } = io.env
    if (!baseUrl) return { kind: 'embedded', dataDir: resolve(io.cwd, dataFolder(io)) }
    if (isV1Url(baseUrl)) return { kind: 'v1', baseUrl, profile: undefined, tokenCommand: undefined }
    if (!login) throw new UsageError(NO_LOGIN)
    return { kind: 'classic', baseUrl, login, profile: undefined, tokenCommand: undefined }
  }
  const { name } = chosen
  const profile = profileNamed(profiles, name)
  if (profile.kind === 'embedded') return { kind: 'embedded', dataDir: profile.dataDir }
  requireOwnCredentials(io, chosen)
  if (profile.kind === 'v1') {
    return {
      kind: 'v1',
      baseUrl: profile.baseUrl,
      profile: name,
      tokenCommand: profile.tokenCommand,
      tokenFile: profile.tokenFile,
      secretName: profile.secretName,
    }
  }
  const { baseUrl, tokenCommand, tokenFile, secretName } = profile
  const login = credentialsIn(io, name).login ?? profile.login
  return { kind: 'classic', baseUrl, login, profile: name, tokenCommand, tokenFile, secretName }
}

/** Refuses credentials without a service: they are for a remote one, which nothing names. */
export const rejectStrayCredentials = (io: Io, flags: GlobalFlags): void => {
  const { env } = io
  const stray = ['KPI_LOGIN', 'KPI_TOKEN', 'KPI_TOKEN_FILE'].find((name) => env[name])
  if (stray === undefined || flags.dataDir !== undefined || env['KPI_DATA_DIR'] || env['KPI_BASE_URL']) return
  if (choiceOfProfile(io, flags, readProfiles(io)) !== undefined) return
  throw new UsageError(`${stray} is set, but nothing says for which service: set KPI_BASE_URL or KPI_PROFILE, too`)
}

/** Refuses a command on data where the service keeps its own in PostgreSQL, and nothing names a service or a folder. */
export const rejectStrayStore = (io: Io, flags: GlobalFlags): void => {
  const { env } = io
  if (env['KPI_STORE'] !== 'postgres' || flags.dataDir !== undefined || env['KPI_DATA_DIR'] || env['KPI_BASE_URL'])
    return
  if (choiceOfProfile(io, flags, readProfiles(io)) !== undefined) return
  throw new UsageError(
    'KPI_STORE is postgres, which only kpi serve and kpi service open: name an instance of kpi serve with --profile NAME, or use the embedded service with KPI_STORE=sqlite before the command',
  )
}

/** Returns the format of notes on standard error; refuses flags that ask for less and for more there. */
export const findLogFormat = ({ logFormat = 'text', quiet, verbose, debug }: GlobalFlags): LogFormat => {
  if (quiet && (verbose || debug))
    throw new UsageError(`--quiet and ${debug ? '--debug' : '--verbose'} contradict each other; leave out one of them`)
  const format = LOG_FORMATS.find((one) => one === logFormat)
  if (!format) {
    const meant = didYouMean(nearest(logFormat, LOG_FORMATS))
    throw new UsageError(`there is no log format ${logFormat}; there are ${LOG_FORMATS.join(', ')}${meant}`)
  }
  return format
}

/** Tells whether colour may be used on standard output. */
export const wantsColor = ({ env, stdout }: Io, { color }: GlobalFlags): boolean => {
  if (color === false || env['NO_COLOR'] || env['TERM'] === 'dumb') return false
  const { FORCE_COLOR: forced } = env
  return forced ? !['0', 'false'].includes(forced) : stdout.isTerminal
}

/** Tells whether a person can be asked: not where a program reads standard error. */
export const canAsk = ({ stdinIsTerminal, stderr }: Io, { input, logFormat }: GlobalFlags): boolean =>
  input !== false && logFormat !== 'json' && stdinIsTerminal && stderr.isTerminal

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

/** Returns the timeout for one answer, in milliseconds: `30s`, `2m`, `500ms`. */
export const findTimeout = ({ timeout }: GlobalFlags): number => {
  if (timeout === undefined) return TIMEOUT_MS
  const match = /^(\d{1,6})(ms|s|m)$/.exec(timeout)
  const value = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? NaN)
  if (!(value > 0)) throw new UsageError(`--timeout ${timeout} is not a time; write 30s, 2m or 500ms`)
  return value
}
