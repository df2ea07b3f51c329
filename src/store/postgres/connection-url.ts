import pg from 'pg'
import { KpiError } from '../../domain/errors.ts'

/** Holds settings of the database by name, in the order in which they are set. */
export type Settings = ReadonlyMap<string, string>

/** Describes what the URL of a database says: how to connect, and what to set in every transaction. */
export type ConnectionUrl = {
  /** Holds the URL without the parameters that `settings` and the other fields hold. */
  readonly url: string
  /** Names the host that is connected to, as a URL does; a path is that of a socket on this machine. */
  readonly host: string
  /** Names the database in messages: host and database, without the password. */
  readonly name: string
  /** Names the schema that the store is in. */
  readonly schema: string
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
const parseOptions = (options: string): Map<string, string> => {
  const found = [...options.trimEnd().matchAll(OPTION)]
  const rest = options.slice(found.reduce((length, [text]) => length + text.length, 0)).trim()
  if (rest !== '') refuse(`its parameter options has a part that is not -c NAME=VALUE: ${rest}`)
  const settings = new Map<string, string>()
  for (const [, spelling = '', value = ''] of found) {
    const name = spelling.toLowerCase().replaceAll('-', '_')
    if (settings.has(name)) refuse(`its parameter options sets ${name} twice`)
    settings.set(name, value.replaceAll(/\\(.)/gs, '$1'))
  }
  return settings
}

/** Matches a search path of one schema; a name without quotes is lower case, as everywhere in PostgreSQL. */
const ONE_SCHEMA = /^\s*(?:"(?<quoted>(?:[^"]|"")+)"|(?<plain>[^\s",]+))\s*$/

const schemaOfPath = (path: string): string => {
  const { quoted, plain } = ONE_SCHEMA.exec(path)?.groups ?? {}
  const name = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase()
  return name ?? refuse('its search_path must name the schema of the store, and no other: ?schema=NAME does so')
}

/** Matches schemas that PostgreSQL keeps for itself, that a session has for itself, or that depend on the user. */
const RESERVED = /^(?:pg_|information_schema$|\$user$)/

/** Returns the schema of the store: the one that a URL names, or `public`. */
const schemaIn = (parameters: URLSearchParams, path: string | undefined): string => {
  const named = parameters.get('schema') ?? undefined
  if (named === '') refuse('its parameter schema is empty')
  if (named !== undefined && path !== undefined) refuse('its parameters schema and options both name a schema')
  const schema = named ?? (path === undefined ? 'public' : schemaOfPath(path))
  if (RESERVED.test(schema)) refuse(`no store can be in the schema ${schema}; name another one`)
  return schema
}

/** Returns statements that set settings until the end of the transaction. */
export const setLocalSql = (settings: Settings): string =>
  [...settings].map(([name, value]) => `; set local ${name} = ${pg.escapeLiteral(value)}`).join('')

const settingsIn = (parameters: URLSearchParams): Map<string, string> => {
  const settings = parseOptions(parameters.get('options') ?? '')
  for (const name of OF_TRANSACTIONS) {
    const value = parameters.get(name)
    if (value === null) continue
    if (settings.has(name)) refuse(`it sets ${name} twice`)
    settings.set(name, value)
  }
  return settings
}

/** Returns where the driver connects to: parameters and the environment may name another host than the URL does. */
const targetOf = (url: URL): Pick<ConnectionUrl, 'host' | 'name'> => {
  const plain = new URL(url)
  for (const name of OF_DRIVER) if (name.startsWith('ssl')) plain.searchParams.delete(name)
  try {
    const client = new pg.Client({ connectionString: plain.href })
    if (Number.isNaN(client.port)) throw new Error('its port is no number')
    const host = client.host.includes(':') ? `[${client.host}]` : client.host
    const port = url.searchParams.get('port') || url.port
    return { host, name: `${host}${port && `:${port}`}${url.pathname}` }
  } catch (error) {
    return refuse(`it cannot be read (${error instanceof Error ? error.message : ''})`)
  }
}

/**
 * Parses the URL of a database. Refuses parameters that it does not know: each of them may be meant to say where the
 * data is.
 */
export const parseConnectionUrl = (text: string): ConnectionUrl => {
  const url = new URL(text)
  const parameters = new URLSearchParams(url.searchParams)
  if (/%00/.test(url.href)) refuse('it has a NUL character')
  for (const name of parameters.keys()) {
    if (parameters.getAll(name).length > 1) refuse(`its parameter ${name} is given twice`)
    if ([...OF_DRIVER, ...OF_TRANSACTIONS, ...WITHOUT_EFFECT, ...OF_OURS].includes(name)) continue
    refuse(`its parameter ${name} is not known; ?schema=NAME names a schema, ?options=-c%20NAME%3DVALUE sets a setting`)
  }
  for (const name of new Set(parameters.keys())) if (!OF_DRIVER.includes(name)) url.searchParams.delete(name)
  const { search_path: path, ...settings } = Object.fromEntries(settingsIn(parameters))
  return {
    url: url.href,
    ...targetOf(url),
    schema: schemaIn(parameters, path),
    settings: new Map(Object.entries(settings)),
    applicationName: parameters.get('application_name') ?? undefined,
    channelBinding: ['prefer', 'require'].includes(parameters.get('channel_binding') ?? ''),
  }
}
