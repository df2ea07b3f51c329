import { resolve } from 'node:path'
import { didYouMean, nearest } from '../../client/nearest.ts'
import { isObject } from '../../codec/json.ts'
import { FUNCTIONS, type TimeFunction } from '../../domain/analysis/functions.ts'
import { Fault } from '../../domain/errors.ts'
import { CIVIL_CALENDAR } from '../../domain/period.ts'
import { type Deadline, parseDeadline, USUAL_DEADLINE } from '../args/deadline.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { LOG_FORMATS } from '../output/log.ts'
import { type Format, FORMATS } from '../output/print.ts'
import { parseBaseUrl } from './base-url.ts'
import { systemTimeZone, type TimeZone, timeZoneNamed } from './time-zone.ts'

type TextFlag =
  'profile' | 'dataDir' | 'output' | 'jq' | 'timeout' | 'deadline' | 'lock' | 'caFile' | 'timeZone' | 'logFormat'
type Switch = 'input' | 'color' | 'pager' | 'quiet' | 'verbose' | 'debug'

/** Describes the global flags, which may stand before or after any command. */
export type GlobalFlags = { readonly [Name in TextFlag]?: string | undefined } & {
  readonly [Name in Switch]?: boolean
} & {
  /** Stand where a command prints records: the file to write, whether it may be replaced, and a spreadsheet's locale. */
  readonly toFile?: string
  readonly force?: true
  readonly excel?: string
  /** Names the store of the bundled service; only its own commands have this flag. */
  readonly store?: string
}

/** Holds the texts of settings, by their keys. */
export type SettingTexts = Readonly<Record<string, string>>

/** Holds the value of a setting, and what set it. */
export type Found<T> = { readonly value: T; readonly from: string }

/** Describes where a setting may be set, the strongest first. */
type Sources = {
  /** Holds its flag, as help shows it. */
  readonly flag?: string
  /** Holds its flag of `kpi profiles add` and `update`, where no other command has it. */
  readonly profileFlag?: string
  /** Names its variables; the first one that is set counts. */
  readonly variables?: readonly string[]
  /** Tells that `kpi.yaml` may set it. */
  readonly project?: true
  /** Tells that a profile may set it. */
  readonly profile?: true
}

/** Describes where a setting may be set, how its text is read, and what it is where nothing sets it. */
type Traits<T> = {
  /** Is how people call it, if that is not its key in words. */
  readonly name?: string
  /** Says what it is, where the sentence on it says what its flag does. */
  readonly note?: string
  readonly sources: Sources
  /** Is the text that a flag of the form `--no-…` stands for. */
  readonly without?: string
  /** Returns the text that the value of a variable stands for; undefined where it says nothing. */
  readonly textOf?: (variable: string, value: string) => string | undefined
  /** Tells that an empty variable counts as set. */
  readonly mayBeEmpty?: true
  /** Tells that its flag names the service. */
  readonly isPlace?: true
  /** Tells that a job has one of its own: its steps get only what flags of theirs say. */
  readonly isOfJob?: true
  /** Tells that faults elsewhere in the project file or the profile do not matter, as errors are told by it. */
  readonly isForErrors?: true
  /** Holds the key of the setting that it may be given instead of, and not beside. */
  readonly insteadOf?: string
  /** Names what its text is the path of. */
  readonly path?: 'file' | 'folder'
  /** Tells that its text is never shown, or that a password in its URL is not. */
  readonly secret?: 'all' | 'password'
  readonly choices?: readonly string[]
  readonly isNumber?: true
  /** Holds the values of a setting that is a map, of names to these; its text is JSON then. */
  readonly valuesOfMap?: readonly string[]
  readonly read: (text: string, io: Io) => T | Fault
  /** Is the text that counts where nothing sets it, or returns the value. */
  readonly usual?: string | ((io: Io) => Found<T>)
  /** Says in words what `usual` returns. */
  readonly usually?: string
  /** Returns a value as the doctor shows it. */
  show?(value: T): string
}

/** Describes a setting. Its key is how flags call it in the program, and profiles in their file. */
export type Setting<T> = Traits<T> & { readonly key: string; readonly name: string; readonly about: string }

/** Describes a setting that always has a value. */
export type SettingWithDefault<T> = Setting<T> & Required<Pick<Setting<T>, 'usual'>>

const oneOf =
  <T extends string>(what: string, choices: readonly T[], all: readonly string[] = choices) =>
  (text: string): T | Fault =>
    choices.find((one) => one === text) ??
    Fault.is(`no ${what}; there are ${all.join(', ')}${didYouMean(nearest(text, all))}`)

/** Reads an output format; `all` are those that a message lists. */
export const readFormat = (text: string, all: readonly string[] = FORMATS): Format | Fault =>
  oneOf('output format', FORMATS, all)(text)

const UNTOLD = 'for a service that does not tell'
const WEEK_STARTS = ['monday', 'sunday'] as const
const MONTHS = Array.from({ length: 12 }, (_, at) => String(at + 1))
const STORES = ['sqlite', 'postgres'] as const

/** Reads the month in which fiscal years begin: 1 to 12, or 01 to 12. */
const readMonth = (text: string): number | Fault =>
  MONTHS.includes(text.replace(/^0/, '')) && text.length < 3 ? Number(text) : Fault.is('no month; write 1 to 12')

/** Reads the functions of KPIs from JSON, as they stand in the project file. */
const readFunctions = (text: string): ReadonlyMap<string, TimeFunction> | Fault => {
  const given: unknown = JSON.parse(text)
  const found = new Map<string, TimeFunction>()
  for (const [kpi, value] of Object.entries(isObject(given) ? given : {})) {
    const word = typeof value === 'string' ? value : JSON.stringify(value)
    const one = FUNCTIONS.find((name) => name === word.toLowerCase())
    if (!one)
      return new Fault(`${word} of ${kpi} is none of ${FUNCTIONS.join(', ')}${didYouMean(nearest(word, FUNCTIONS))}`)
    found.set(kpi, one)
  }
  return found
}

const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

const readTimeout = (text: string): number | Fault => {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? []
  const milliseconds = Number(count) * (TIME_UNITS[unit] ?? NaN)
  return milliseconds > 0 ? milliseconds : Fault.is('not a time; write 30s, 2m or 500ms')
}

/** Matches the address of a proxy without a scheme; its port is what tells it from any word. */
const HOST_AND_PORT = /:\d+\/?$/

/** Reads the URL of a proxy; `http://` may be left out. */
const readProxy = (text: string): string | Fault => {
  const url = URL.parse(text.includes('://') ? text : HOST_AND_PORT.test(text) ? `http://${text}` : '')
  return url && ['http:', 'https:'].includes(url.protocol)
    ? url.href
    : Fault.is('not the URL of an HTTP proxy; write http://HOST:PORT, or unset it')
}

const inWords = (key: string, joint: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => joint + letter.toLowerCase())

/** Describes a setting that may have no value, with a sentence on what its flag does, or what it is. */
const setting = <T>(key: string, about: string, traits: Traits<T>): Setting<T> => ({
  key,
  name: inWords(key, ' '),
  about,
  ...traits,
})

/** Describes a setting that always has a value. */
const withDefault = <T>(
  key: string,
  about: string,
  traits: Traits<T> & Pick<SettingWithDefault<T>, 'usual'>,
): SettingWithDefault<T> => ({ ...setting(key, about, traits), usual: traits.usual })

/** Describes a setting that may be any text. */
const anyText = (key: string, about: string, traits: Omit<Traits<string>, 'read'>): Setting<string> =>
  setting(key, about, { ...traits, read: (text) => text })

/**
 * Lists all settings. Of what sets one the strongest comes first: its flag, its variables, the project file, the profile
 * in use, and what is usual. Whatever names, finds, shows or documents a setting goes by this table; the program (`program.ts`)
 * lists the flags of every command in the order of help.
 */
export const SETTINGS = {
  profile: setting('profile', 'the profile to use (see kpi profiles)', {
    sources: { flag: '-p, --profile <name>', variables: ['KPI_PROFILE'], project: true },
    isPlace: true,
    usually: 'the one of kpi profiles use',
    read: (text) => (text === '' ? Fault.is('empty; name a profile') : text),
  }),
  baseUrl: setting('baseUrl', 'a remote service without a profile; its URL ends in /api, or in /v1', {
    name: 'base URL',
    sources: { variables: ['KPI_BASE_URL'], project: true },
    secret: 'password',
    read: (text) => {
      const url = parseBaseUrl(text)
      return url instanceof Fault ? url : url.href.replace(/\/$/, '')
    },
  }),
  login: anyText('login', 'the login name there; a URL that ends in /v1 needs none', {
    sources: { variables: ['KPI_LOGIN'] },
    usually: 'that of the profile',
  }),
  token: anyText('token', 'the account token there; for a URL that ends in /v1 the API key', {
    sources: { variables: ['KPI_TOKEN'] },
    secret: 'all',
    usually: 'that of the profile',
  }),
  tokenFile: anyText('tokenFile', 'a file that holds the token or key instead', {
    sources: { variables: ['KPI_TOKEN_FILE'] },
    insteadOf: 'token',
    path: 'file',
  }),
  dataDir: anyText('dataDir', 'use the embedded service in this folder', {
    name: 'data directory',
    note: 'the folder of the embedded service',
    sources: { flag: '--data-dir <folder>', variables: ['KPI_DATA_DIR'] },
    path: 'folder',
    isPlace: true,
    usually: 'a folder of your own',
  }),
  configDir: anyText('configDir', 'the folder of profiles and their secrets', {
    name: 'configuration folder',
    sources: { variables: ['KPI_CONFIG_DIR'] },
    path: 'folder',
    usually: 'a folder of your own',
  }),
  timeZone: withDefault<TimeZone>('timeZone', 'the time zone of today, -7d and this-week, such as Europe/Berlin', {
    sources: { flag: '--time-zone <zone>', project: true, profile: true },
    read: timeZoneNamed,
    usual: systemTimeZone,
    usually: 'that of TZ, or of the system',
    show: ({ name }) => name,
  }),
  output: withDefault<Format>('output', 'the output format: table, csv, json, ndjson, yaml or markdown', {
    sources: { flag: '-o, --output <format>', variables: ['KPI_OUTPUT'], project: true, profile: true },
    isForErrors: true,
    isOfJob: true,
    choices: FORMATS,
    read: (text) => readFormat(text),
    usual: 'table',
  }),
  fiscalYearStart: withDefault<number>('fiscalYearStart', `the month in which years begin, 1 to 12, ${UNTOLD}`, {
    sources: { profileFlag: '--fiscal-year-start <month>', project: true, profile: true },
    choices: MONTHS,
    isNumber: true,
    read: readMonth,
    usual: String(CIVIL_CALENDAR.fiscal_year_start),
  }),
  weekStart: withDefault('weekStart', `the day on which weeks begin, monday or sunday, ${UNTOLD}`, {
    sources: { profileFlag: '--week-start <day>', project: true, profile: true },
    choices: WEEK_STARTS,
    read: oneOf('first day of weeks', WEEK_STARTS),
    usual: CIVIL_CALENDAR.week_start,
  }),
  functions: setting<ReadonlyMap<string, TimeFunction>>(
    'functions',
    'how kpi report puts the periods of KPIs together, by their names: last for stocks, as Inventory: last',
    {
      name: 'functions of KPIs',
      sources: { project: true },
      valuesOfMap: FUNCTIONS,
      usually: "the KPIs' own",
      read: readFunctions,
      show: (functions) => [...functions].map(([kpi, how]) => `${kpi}: ${how}`).join(', '),
    },
  ),
  color: withDefault<boolean>('color', 'no colour', {
    name: 'colour',
    note: 'whether there is colour: NO_COLOR and TERM=dumb allow none, FORCE_COLOR wants it even in pipes',
    sources: { flag: '--no-color', variables: ['NO_COLOR', 'TERM', 'FORCE_COLOR'] },
    without: 'no',
    isOfJob: true,
    textOf: (variable, value) => {
      if (variable === 'FORCE_COLOR') return ['0', 'false'].includes(value) ? 'no' : 'yes'
      return variable === 'TERM' && value !== 'dumb' ? undefined : 'no'
    },
    read: (text) => text === 'yes',
    usual: ({ stdout }) => ({ value: stdout.isTerminal, from: 'default' }),
    usually: 'at a terminal',
    show: (isColored) => (isColored ? 'yes' : 'no'),
  }),
  pager: withDefault('pager', 'no pager for what is longer than the screen ($KPI_PAGER, $PAGER, or less)', {
    note: 'the pager for what is longer than the screen; none if that is empty, or cat',
    sources: { flag: '--no-pager', variables: ['KPI_PAGER', 'PAGER'] },
    without: '',
    isOfJob: true,
    mayBeEmpty: true,
    read: (text) => (['', 'cat'].includes(text.trim()) ? undefined : text),
    // It ends by itself if all fits on the screen, and keeps colours and text.
    usual: 'less -FRX',
    show: (command = 'none') => command,
  }),
  logFormat: withDefault('logFormat', 'write standard error as text, or as json: one object per line', {
    note: 'how standard error is written: as text, or as json, one object per line',
    sources: { flag: '--log-format <format>' },
    isOfJob: true,
    choices: LOG_FORMATS,
    read: oneOf('log format', LOG_FORMATS),
    usual: 'text',
  }),
  timeout: withDefault<number>('timeout', 'longest time to wait for an answer, such as 30s', {
    sources: { flag: '--timeout <time>' },
    read: readTimeout,
    usual: '30s',
    show: (milliseconds) => `${milliseconds / 1000}s`,
  }),
  deadline: withDefault<Deadline>('deadline', 'end at a time of day (06:30) or after a duration (30m) (default: 24h)', {
    note: 'when a command ends: at a time of day (06:30), or after a duration (30m)',
    sources: { flag: '--deadline <time>' },
    isOfJob: true,
    read: (text, io) => parseDeadline(text, io.startedAt ?? io.now()),
    usual: USUAL_DEADLINE,
    show: ({ spelling }) => spelling,
  }),
  store: withDefault('store', 'sqlite in the data directory, or postgres at KPI_POSTGRES_URL', {
    name: 'store of kpi serve',
    sources: { flag: '--store <kind>', variables: ['KPI_STORE'] },
    isPlace: true,
    choices: STORES,
    read: oneOf('store', STORES),
    usual: 'sqlite',
  }),
  postgresUrl: anyText('postgresUrl', 'the database of that store, such as postgres://user:password@host/database', {
    name: 'URL of PostgreSQL',
    sources: { variables: ['KPI_POSTGRES_URL'] },
    secret: 'password',
  }),
  postgresUrlFile: anyText('postgresUrlFile', 'a file that holds that URL instead', {
    name: 'file of that URL',
    sources: { variables: ['KPI_POSTGRES_URL_FILE'] },
    insteadOf: 'postgresUrl',
    path: 'file',
  }),
  caFile: anyText('caFile', 'trust the authorities whose certificates (PEM) are in this file, too', {
    name: 'certificates',
    note: 'a file with certificates (PEM) of authorities to trust, too',
    sources: { flag: '--ca-file <file>', variables: ['KPI_CA_FILE'], profile: true },
    path: 'file',
    usually: 'those of the system',
  }),
  httpsProxy: setting('httpsProxy', 'the proxy of services over HTTPS; one on this machine is reached without', {
    name: 'proxy for HTTPS',
    sources: { variables: ['https_proxy', 'HTTPS_PROXY'] },
    secret: 'password',
    read: readProxy,
  }),
  httpProxy: setting('httpProxy', 'the proxy of services over HTTP', {
    name: 'proxy for HTTP',
    sources: { variables: ['http_proxy', 'HTTP_PROXY'] },
    secret: 'password',
    read: readProxy,
  }),
  noProxy: anyText('noProxy', 'hosts that are reached without a proxy', {
    name: 'hosts without a proxy',
    sources: { variables: ['no_proxy', 'NO_PROXY'] },
  }),
}

/** Lists them, in the order of the table. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTINGS)

/** Lists the settings that a profile may have. */
export const PROFILE_SETTINGS = ALL_SETTINGS.filter(({ sources }) => sources.profile)

/** Lists the settings that the project file may have. */
export const PROJECT_SETTINGS = ALL_SETTINGS.filter(({ sources }) => sources.project)

/** Returns what flags and `--unset` call a setting: `time-zone`. */
export const flagName = ({ key }: Setting<unknown>): string => inWords(key, '-')

/** Returns what the project file and the columns of profiles call a setting: `time_zone`. */
export const fieldName = ({ key }: Setting<unknown>): string => inWords(key, '_')

/** Returns what a setting is, as a sentence without its end. */
export const settingSentence = ({ about, note = about }: Setting<unknown>): string => note

/** Returns the flag of a setting, and what it does, as commander takes them. */
export const optionOf = ({ sources, about }: Setting<unknown>): [flag: string, about: string] => [
  sources.flag ?? sources.profileFlag ?? '',
  about,
]

/** Holds what sets a setting: its text, where that is from, and what the setting is called there. */
export type Source = { readonly text: string; readonly from: string; readonly as: string }

const sourceNamed = (text: string, name: string): Source => ({ text, from: name, as: name })

/** Returns the variable that sets a setting. */
export const variableOf = (
  { env }: Pick<Io, 'env'>,
  { sources: { variables = [] }, mayBeEmpty, textOf = (_, value) => value }: Setting<unknown>,
): Source | undefined => {
  for (const name of variables) {
    const value = env[name]
    const text = value === undefined || (value === '' && !mayBeEmpty) ? undefined : textOf(name, value)
    if (text !== undefined) return sourceNamed(text, name)
  }
  return undefined
}

/** Refuses variables of which each gives what the other one does: which is meant, nobody knows. */
export const requireOneOf = (io: Pick<Io, 'env'>, setting: Setting<unknown>): void => {
  const other = ALL_SETTINGS.find(({ key }) => key === setting.insteadOf)
  const [one, two] = [other && variableOf(io, other), variableOf(io, setting)]
  if (one && two) throw new UsageError(`${one.from} and ${two.from} each give the ${other?.name}; unset one`)
}

/** Returns the flag that sets a setting. */
export const flagOf = (flags: GlobalFlags, setting: Setting<unknown>): Source | undefined => {
  const given: Readonly<Record<string, unknown>> = setting.sources.flag === undefined ? {} : flags
  const value = given[setting.key]
  if (typeof value === 'string') return sourceNamed(value, `--${flagName(setting)}`)
  return value === false ? sourceNamed(setting.without ?? '', `--no-${flagName(setting)}`) : undefined
}

/** Returns the flag or the variable that sets a setting. */
export const flagOrVariable = (
  io: Pick<Io, 'env'>,
  flags: GlobalFlags,
  setting: Setting<unknown>,
): Source | undefined => flagOf(flags, setting) ?? variableOf(io, setting)

const flagsOf = (flags: GlobalFlags, isMeant: (setting: Setting<unknown>) => boolean): string[] =>
  ALL_SETTINGS.filter(isMeant).flatMap((one) => {
    const source = flagOf(flags, one)
    if (!source) return []
    return one.without === undefined ? [source.from, source.text] : [source.from]
  })

const switchesOf = (flags: GlobalFlags, ...names: readonly ('quiet' | 'verbose' | 'debug')[]): string[] =>
  names.flatMap((name) => (flags[name] ? [`--${name}`] : []))

/** Returns the flags that name the service, to repeat in advice. */
export const placeFlags = (flags: GlobalFlags): string[] => flagsOf(flags, ({ isPlace }) => isPlace === true)

/** Returns the flags for how a command behaves, to repeat in advice. */
export const behaviorFlags = (flags: GlobalFlags): string[] => [
  ...flagsOf(flags, ({ isPlace }) => !isPlace),
  ...(flags.input === false ? ['--no-input'] : []),
  ...switchesOf(flags, 'quiet', 'verbose', 'debug'),
]

/** Returns the flags of a job's own line for how its steps behave. */
export const stepFlags = (flags: GlobalFlags): string[] => [
  ...flagsOf(flags, ({ isPlace, isOfJob }) => !isPlace && !isOfJob),
  ...switchesOf(flags, 'verbose', 'debug'),
]

/** Returns flags with their paths as from a folder. */
export const withWholePaths = (flags: GlobalFlags, cwd: string): GlobalFlags => {
  const given: Readonly<Record<string, unknown>> = flags
  const whole = ALL_SETTINGS.flatMap(({ key, path }) => {
    const { [key]: text } = given
    return path !== undefined && typeof text === 'string' && text !== '' ? [[key, resolve(cwd, text)] as const] : []
  })
  return { ...flags, ...Object.fromEntries(whole) }
}

/** Names all variables of some settings. */
export const variablesOf = (settings: readonly Setting<unknown>[]): string[] =>
  settings.flatMap(({ sources }) => sources.variables ?? [])

/** Lists the variables that name a file or a folder. */
export const PATH_VARIABLES: readonly string[] = variablesOf(ALL_SETTINGS.filter(({ path }) => path !== undefined))
