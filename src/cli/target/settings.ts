import { didYouMean, nearest } from '../../client/nearest.ts'
import { Fault } from '../../domain/errors.ts'
import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import { type Deadline, parseDeadline, USUAL_DEADLINE } from '../args/deadline.ts'
import type { Io } from '../io.ts'
import { LOG_FORMATS, type LogFormat } from '../output/log.ts'
import { type Format, FORMATS } from '../output/print.ts'
import { parseBaseUrl } from './base-url.ts'
import { systemTimeZone, type TimeZone, timeZoneNamed } from './time-zone.ts'

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

/** Holds the texts of settings, by their keys. */
export type SettingTexts = Readonly<Record<string, string>>

/** Holds the value of a setting, and what set it. */
export type Found<T> = { readonly value: T; readonly from: string }

/** Describes a setting: what it is, where it may be set, how its text is read, and what it is where nothing sets it. */
export type Setting<T> = {
  /** Is how flags call it in the program, and profiles in their file. */
  readonly key: string
  /** Is how people call it. */
  readonly name: string
  /** Tells what it is about: which service is used, where the bundled one keeps data, how commands behave, how services are reached. */
  readonly group: 'service' | 'store' | 'behavior' | 'network'
  /** Says what its flag does, or what it is. */
  readonly about: string
  /** Says what it is where `about` says what a flag does that takes it away. */
  readonly note?: string
  /** Holds its flag, as help shows it. */
  readonly flag?: string
  /** Holds its flag of `kpi profiles add` and `update`, where no other command has it. */
  readonly profileFlag?: string
  /** Is the text that a flag of the form `--no-…` stands for. */
  readonly without?: string
  /** Names its variables; the first one that is set counts. */
  readonly variables?: readonly string[]
  /** Returns the text that the value of a variable stands for; undefined where it says nothing. */
  readonly textOf?: (variable: string, value: string) => string | undefined
  /** Tells that an empty variable counts as set. */
  readonly mayBeEmpty?: true
  /** Tells that `kpi.yaml` may set it. */
  readonly inProject?: true
  /** Tells that a profile may set it. */
  readonly inProfile?: true
  /** Tells that faults elsewhere in the project file or the profile do not matter, as errors are told by it. */
  readonly isForErrors?: true
  /** Names what its text is the path of. */
  readonly path?: 'file' | 'folder'
  /** Tells that its text is never shown, or that a password in its URL is not. */
  readonly secret?: 'all' | 'password'
  readonly choices?: readonly string[]
  readonly isNumber?: true
  readonly read: (text: string, io: Io) => T | Fault
  /** Is the text that counts where nothing sets it, or returns the value. */
  readonly usual?: string | ((io: Io) => Found<T>)
  /** Says in words what `usual` returns. */
  readonly usually?: string
  /** Returns a value as the doctor shows it. */
  show?(value: T): string
}

/** Describes a setting that always has a value. */
export type SettingWithDefault<T> = Setting<T> & Required<Pick<Setting<T>, 'usual'>>

const asText = (text: string): string => text

const oneOf =
  <T extends string>(what: string, choices: readonly T[], all: readonly string[] = choices) =>
  (text: string): T | Fault =>
    choices.find((one) => one === text) ??
    Fault.is(`no ${what}; there are ${all.join(', ')}${didYouMean(nearest(text, all))}`)

/** Reads an output format; `all` are those that a message lists. */
export const readFormat = (text: string, all: readonly string[] = FORMATS): Format | Fault =>
  oneOf('output format', FORMATS, all)(text)

const WEEK_STARTS = ['monday', 'sunday'] as const
const MONTHS = Array.from({ length: 12 }, (_, at) => String(at + 1))
const STORES = ['sqlite', 'postgres'] as const

/** Reads the month in which fiscal years begin: 1 to 12, or 01 to 12. */
const readMonth = (text: string): number | Fault =>
  MONTHS.includes(text.replace(/^0/, '')) && text.length < 3 ? Number(text) : Fault.is('no month; write 1 to 12')

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

/** Keeps the type of a setting that may have no value. */
const setting = <T>(one: Setting<T>): Setting<T> => one

/** Keeps the type of a setting that always has one. */
const withDefault = <T>(one: SettingWithDefault<T>): SettingWithDefault<T> => one

/**
 * Lists all settings. Of what sets one the strongest comes first: its flag, its variables, the project file, the profile
 * in use, and what is usual. Whatever names, finds, shows or documents a setting goes by this table.
 */
export const SETTINGS = {
  profile: setting({
    key: 'profile',
    name: 'profile',
    group: 'service',
    about: 'the profile to use (see kpi profiles)',
    flag: '-p, --profile <name>',
    variables: ['KPI_PROFILE'],
    inProject: true,
    usually: 'the one of `kpi profiles use`',
    read: (text) => (text === '' ? Fault.is('empty; name a profile') : text),
  }),
  baseUrl: setting({
    key: 'baseUrl',
    name: 'base URL',
    group: 'service',
    about: 'a remote service without a profile; it ends in /api, or in /v1 for the newer interface',
    variables: ['KPI_BASE_URL'],
    secret: 'password',
    inProject: true,
    read: (text) => {
      const url = parseBaseUrl(text)
      return url instanceof Fault ? url : url.href.replace(/\/$/, '')
    },
  }),
  login: setting({
    key: 'login',
    name: 'login',
    group: 'service',
    about: 'the login name there; a key of the newer interface needs none',
    variables: ['KPI_LOGIN'],
    usually: 'that of the profile',
    read: asText,
  }),
  token: setting({
    key: 'token',
    name: 'token or key',
    group: 'service',
    about: 'the account token there, or the key of the newer interface',
    variables: ['KPI_TOKEN'],
    secret: 'all',
    usually: 'that of the profile',
    read: asText,
  }),
  tokenFile: setting({
    key: 'tokenFile',
    name: 'token file',
    group: 'service',
    about: 'a file that holds it instead',
    variables: ['KPI_TOKEN_FILE'],
    path: 'file',
    read: asText,
  }),
  dataDir: setting({
    key: 'dataDir',
    name: 'data directory',
    group: 'service',
    about: 'use the embedded service in this folder',
    flag: '--data-dir <folder>',
    variables: ['KPI_DATA_DIR'],
    path: 'folder',
    usually: 'a folder of your own',
    read: asText,
  }),
  configDir: setting({
    key: 'configDir',
    name: 'configuration folder',
    group: 'service',
    about: 'the folder of profiles and their secrets',
    variables: ['KPI_CONFIG_DIR'],
    path: 'folder',
    usually: 'a folder of your own',
    read: asText,
  }),
  timeZone: withDefault<TimeZone>({
    key: 'timeZone',
    name: 'time zone',
    group: 'behavior',
    about: 'the time zone of today, -7d and this-week, such as Europe/Berlin',
    flag: '--time-zone <zone>',
    inProject: true,
    inProfile: true,
    read: timeZoneNamed,
    usual: systemTimeZone,
    usually: '`TZ`, or that of the system',
    show: ({ name }) => name,
  }),
  output: withDefault<Format>({
    key: 'output',
    name: 'output',
    group: 'behavior',
    about: 'the output format: table, csv, json, ndjson, yaml or markdown',
    flag: '-o, --output <format>',
    variables: ['KPI_OUTPUT'],
    inProject: true,
    inProfile: true,
    isForErrors: true,
    choices: FORMATS,
    read: (text) => readFormat(text),
    usual: 'table',
  }),
  fiscalYearStart: withDefault<number>({
    key: 'fiscalYearStart',
    name: 'fiscal year start',
    group: 'behavior',
    about: 'the month in which years begin, 1 to 12, for a service that does not tell',
    profileFlag: '--fiscal-year-start <month>',
    inProject: true,
    inProfile: true,
    choices: MONTHS,
    isNumber: true,
    read: readMonth,
    usual: String(CIVIL_CALENDAR.fiscal_year_start),
  }),
  weekStart: withDefault<Calendar['week_start']>({
    key: 'weekStart',
    name: 'week start',
    group: 'behavior',
    about: 'the day on which weeks begin, monday or sunday, for a service that does not tell',
    profileFlag: '--week-start <day>',
    inProject: true,
    inProfile: true,
    choices: WEEK_STARTS,
    read: oneOf('first day of weeks', WEEK_STARTS),
    usual: CIVIL_CALENDAR.week_start,
  }),
  color: withDefault<boolean>({
    key: 'color',
    name: 'colour',
    group: 'behavior',
    about: 'no colour',
    note: 'whether there is colour: `NO_COLOR` and `TERM=dumb` allow none, `FORCE_COLOR` wants it even in pipes',
    flag: '--no-color',
    without: 'no',
    variables: ['NO_COLOR', 'TERM', 'FORCE_COLOR'],
    textOf: (variable, value) => {
      if (variable === 'FORCE_COLOR') return ['0', 'false'].includes(value) ? 'no' : 'yes'
      return variable === 'TERM' && value !== 'dumb' ? undefined : 'no'
    },
    read: (text) => text === 'yes',
    usual: ({ stdout }) => ({ value: stdout.isTerminal, from: 'default' }),
    usually: 'at a terminal',
    show: (isColored) => (isColored ? 'yes' : 'no'),
  }),
  pager: withDefault<string | undefined>({
    key: 'pager',
    name: 'pager',
    group: 'behavior',
    about: 'no pager for what is longer than the screen ($KPI_PAGER, $PAGER, or less)',
    note: 'the pager for what is longer than the screen; none if it is empty, or `cat`',
    flag: '--no-pager',
    without: '',
    variables: ['KPI_PAGER', 'PAGER'],
    mayBeEmpty: true,
    read: (text) => (['', 'cat'].includes(text.trim()) ? undefined : text),
    // It ends by itself if all fits on the screen, and keeps colours and text.
    usual: 'less -FRX',
    show: (command = 'none') => command,
  }),
  logFormat: withDefault<LogFormat>({
    key: 'logFormat',
    name: 'log format',
    group: 'behavior',
    about: 'write standard error as text, or as json: one object per line',
    flag: '--log-format <format>',
    choices: LOG_FORMATS,
    read: oneOf('log format', LOG_FORMATS),
    usual: 'text',
  }),
  timeout: withDefault<number>({
    key: 'timeout',
    name: 'timeout',
    group: 'behavior',
    about: 'longest time to wait for an answer, such as 30s',
    flag: '--timeout <time>',
    read: readTimeout,
    usual: '30s',
    show: (milliseconds) => `${milliseconds / 1000}s`,
  }),
  deadline: withDefault<Deadline>({
    key: 'deadline',
    name: 'deadline',
    group: 'behavior',
    about: `end at a time of day (06:30) or after a duration (30m) (default: ${USUAL_DEADLINE})`,
    flag: '--deadline <time>',
    read: (text, io) => parseDeadline(text, io.startedAt ?? io.now()),
    usual: USUAL_DEADLINE,
    show: ({ spelling }) => spelling,
  }),
  store: withDefault<(typeof STORES)[number]>({
    key: 'store',
    name: 'store of kpi serve',
    group: 'store',
    about: 'sqlite in the data directory, or postgres at KPI_POSTGRES_URL',
    flag: '--store <kind>',
    variables: ['KPI_STORE'],
    choices: STORES,
    read: oneOf('store', STORES),
    usual: 'sqlite',
  }),
  postgresUrl: setting({
    key: 'postgresUrl',
    name: 'URL of PostgreSQL',
    group: 'store',
    about: 'the database in which kpi serve and kpi service keep data',
    variables: ['KPI_POSTGRES_URL'],
    secret: 'password',
    read: asText,
  }),
  postgresUrlFile: setting({
    key: 'postgresUrlFile',
    name: 'file with that URL',
    group: 'store',
    about: 'a file that holds that URL instead',
    variables: ['KPI_POSTGRES_URL_FILE'],
    path: 'file',
    read: asText,
  }),
  caFile: setting({
    key: 'caFile',
    name: 'certificates',
    group: 'network',
    about: 'trust the authorities whose certificates (PEM) are in this file, too',
    flag: '--ca-file <file>',
    variables: ['KPI_CA_FILE'],
    inProfile: true,
    path: 'file',
    usually: 'those of the system',
    read: asText,
  }),
  httpsProxy: setting({
    key: 'httpsProxy',
    name: 'proxy for HTTPS',
    group: 'network',
    about: 'the proxy; a service on this machine is reached without one',
    variables: ['https_proxy', 'HTTPS_PROXY'],
    secret: 'password',
    read: readProxy,
  }),
  httpProxy: setting({
    key: 'httpProxy',
    name: 'proxy for HTTP',
    group: 'network',
    about: 'the proxy for HTTP',
    variables: ['http_proxy', 'HTTP_PROXY'],
    secret: 'password',
    read: readProxy,
  }),
  noProxy: setting({
    key: 'noProxy',
    name: 'hosts without a proxy',
    group: 'network',
    about: 'hosts that are reached without a proxy',
    variables: ['no_proxy', 'NO_PROXY'],
    read: asText,
  }),
}

/** Lists them, in the order of the table. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTINGS)

/** Lists the settings that a profile may have. */
export const PROFILE_SETTINGS = ALL_SETTINGS.filter(({ inProfile }) => inProfile)

/** Lists the settings that the project file may have. */
export const PROJECT_SETTINGS = ALL_SETTINGS.filter(({ inProject }) => inProject)

const inWords = ({ key }: Pick<Setting<unknown>, 'key'>, joint: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => joint + letter.toLowerCase())

/** Returns what flags and `--unset` call a setting: `time-zone`. */
export const flagName = (setting: Pick<Setting<unknown>, 'key'>): string => inWords(setting, '-')

/** Returns what the project file and the columns of profiles call a setting: `time_zone`. */
export const fieldName = (setting: Pick<Setting<unknown>, 'key'>): string => inWords(setting, '_')

/** Returns the flag of a setting, and what it does, as commander takes them. */
export const optionOf = ({ flag, profileFlag, about }: Setting<unknown>): [flag: string, about: string] => [
  flag ?? profileFlag ?? '',
  about,
]

/** Holds what sets a setting: its text, where that is from, and what the setting is called there. */
export type Source = { readonly text: string; readonly from: string; readonly as: string }

const sourceNamed = (text: string, name: string): Source => ({ text, from: name, as: name })

/** Returns the variable that sets a setting. */
export const variableOf = (
  { env }: Pick<Io, 'env'>,
  { variables = [], mayBeEmpty, textOf = (_, value) => value }: Setting<unknown>,
): Source | undefined => {
  for (const name of variables) {
    const value = env[name]
    const text = value === undefined || (value === '' && !mayBeEmpty) ? undefined : textOf(name, value)
    if (text !== undefined) return sourceNamed(text, name)
  }
  return undefined
}

/** Returns the flag that sets a setting. */
const flagOf = (flags: GlobalFlags, setting: Setting<unknown>): Source | undefined => {
  const given: Readonly<Record<string, unknown>> = setting.flag === undefined ? {} : flags
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

/** Returns the flags for how a command behaves, to repeat in advice. */
export const behaviorFlags = (flags: GlobalFlags): string[] => [
  ...ALL_SETTINGS.filter(({ group }) => group === 'behavior').flatMap((one) => {
    const source = flagOf(flags, one)
    if (!source) return []
    return one.without === undefined ? [source.from, source.text] : [source.from]
  }),
  ...(flags.input === false ? ['--no-input'] : []),
  ...(flags.quiet ? ['--quiet'] : []),
  ...(flags.verbose ? ['--verbose'] : []),
  ...(flags.debug ? ['--debug'] : []),
]

/** Names all variables of some settings. */
export const variablesOf = (settings: readonly Setting<unknown>[]): string[] =>
  settings.flatMap(({ variables = [] }) => variables)
