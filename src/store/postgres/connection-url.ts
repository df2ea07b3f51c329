import pg from 'pg'
import { KpiError } from '../../domain/errors.ts'

/** Holds settings of the database by name, in the order in which they are set. */
export type Settings = ReadonlyMap<string, string>

/** Describes what the URL of a database says: how to connect, and what to set in every transaction. */
export type ConnectionUrl = {
  /** Holds the URL without the parameters that `settings` and the other fields hold. */
  readonly url: string
  readonly settings: Settings
  readonly applicationName: string | undefined
  readonly channelBinding: boolean
}

/** Lists the parameters that are passed on to the driver. */
const OF_DRIVER = 'host port user password ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat'.split(
  ' ',
)
/** Lists the parameters that set a setting of their own name. */
const OF_TRANSACTIONS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
/** Lists the parameters that providers put into their URLs, and that change nothing here. */
const WITHOUT_EFFECT = ['connect_timeout', 'pgbouncer', 'client_encoding']
const OF_OURS = ['schema', 'options', 'application_name', 'channel_binding']

const refuse = (message: string): never => {
  throw new KpiError('malformed', message)
}

/** Matches one setting in `options`: `-c name=value` or `--name=value`. A backslash escapes a space in a value. */
const OPTION = /\s*(?:-c\s*|--)([a-z_][\w.-]*)=((?:\\.|[^\s\\])*)(?!\S)/gisy

/** Parses `options` as PostgreSQL does, but takes settings only. */
const parseOptions = (options: string): [name: string, value: string][] => {
  const found = [...options.trimEnd().matchAll(OPTION)]
  const rest = options.slice(found.reduce((length, [text]) => length + text.length, 0)).trim()
  if (rest !== '') refuse(`its parameter options has a part that is not -c NAME=VALUE: ${rest}`)
  return found.map(([, name = '', value = '']) => [
    name.toLowerCase().replaceAll('-', '_'),
    value.replaceAll(/\\(.)/gs, '$1'),
  ])
}

/** Returns a search path as SQL. Names without quotes are lower case, as everywhere in PostgreSQL. */
const searchPathSql = (path: string): string => {
  const names = path.split(',').map((name) => name.trim())
  return names
    .map((name) => (/^".*"$/s.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase()))
    .map((name) => pg.escapeIdentifier(name))
    .join(', ')
}

/** Returns statements that set settings until the end of the transaction. */
export const setLocalSql = (settings: Settings): string =>
  [...settings]
    .map(([name, value]) => [name, name === 'search_path' ? searchPathSql(value) : pg.escapeLiteral(value)])
    .map(([name, value]) => `; set local ${name} = ${value}`)
    .join('')

const settingsIn = (parameters: URLSearchParams): Settings => {
  const schema = parameters.get('schema') ?? undefined
  if (schema === '') refuse('its parameter schema is empty')
  const settings = new Map(parseOptions(parameters.get('options') ?? ''))
  for (const name of OF_TRANSACTIONS) {
    const value = parameters.get(name)
    if (value !== null) settings.set(name, value)
  }
  if (schema === undefined) return settings
  if (settings.has('search_path')) refuse('its parameters schema and options both name a schema')
  return settings.set('search_path', pg.escapeIdentifier(schema))
}

/**
 * Parses the URL of a database. Refuses parameters that it does not know: each of them may be meant to say where the
 * data is.
 */
export const parseConnectionUrl = (text: string): ConnectionUrl => {
  const url = new URL(text)
  const parameters = new URLSearchParams(url.searchParams)
  for (const name of parameters.keys()) {
    if ([...OF_DRIVER, ...OF_TRANSACTIONS, ...WITHOUT_EFFECT, ...OF_OURS].includes(name)) continue
    refuse(`its parameter ${name} is not known; ?schema=NAME names a schema, ?options=-c%20NAME%3DVALUE sets a setting`)
  }
  for (const name of new Set(parameters.keys())) if (!OF_DRIVER.includes(name)) url.searchParams.delete(name)
  return {
    url: url.href,
    settings: settingsIn(parameters),
    applicationName: parameters.get('application_name') ?? undefined,
    channelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
  }
}
