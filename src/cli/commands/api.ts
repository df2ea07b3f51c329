import type { Command } from '@commander-js/extra-typings'
import type { TransportRequest, TransportResponse } from '../../client/transport.ts'
import { parseExactJson } from '../../codec/json-number.ts'
import { type Json, recordToJson } from '../../codec/json.ts'
import { addExamples } from '../args/examples.ts'
import { collect } from '../args/flags.ts'
import type { Act, Cli, Register } from '../cli.ts'
import { UsageError } from '../exit.ts'
import { visibleJson } from '../output/width.ts'
import { withTransportAt } from '../target/session.ts'
import { findPlace, findTimeout, rejectStrayCredentials } from '../target/settings.ts'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

const declareApi = (command: Command) =>
  command
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'the path below the base URL, such as /kpis or "/kpientries?rows=5"')
    .option(
      '--field <name=value>',
      'a field of the body, or of the query of a GET; may be given more than once',
      collect,
    )
    .option('--input <file>', 'send the JSON of a file, or - for standard input')
    .option('--paginate', 'read all pages of a list')

type ApiFlags = ReturnType<ReturnType<typeof declareApi>['opts']>

const methodOf = (text: string): TransportRequest['method'] => {
  const method = METHODS.find((one) => one === text.toUpperCase())
  if (method) return method
  throw new UsageError(`${text} is not a method; there are ${METHODS.join(', ')}`)
}

/** Matches the beginning of a path that is part of the base URL. */
const PREFIX = /^\/(api|v1)(?=\/)/i

/** Splits a path from its query. */
const readPath = (text: string): Required<Pick<TransportRequest, 'path' | 'query'>> => {
  if (!text.startsWith('/')) throw new UsageError(`a path begins with /: /${text}`)
  const [path = '', query = ''] = text.split('?', 2)
  return { path: path.replace(PREFIX, ''), query: Object.fromEntries(new URLSearchParams(query)) }
}

/** Returns the value of a field: JSON where it is some, such as a number or true, otherwise the text. */
const valueOf = (text: string): Json => {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** Returns the fields that flags give, as texts. */
const fieldsOf = ({ field = [] }: ApiFlags): [name: string, value: string][] =>
  field.map((text) => {
    const equals = text.indexOf('=')
    if (equals <= 0) throw new UsageError(`--field ${text} has no value; write name=value`)
    return [text.slice(0, equals), text.slice(equals + 1)]
  })

const bodyOf = async (cli: Cli, flags: ApiFlags): Promise<Json> => {
  const { input } = flags
  if (input === undefined) {
    const fields = fieldsOf(flags)
    return fields.length === 0 ? undefined : Object.fromEntries(fields.map(([name, text]) => [name, valueOf(text)]))
  }
  const { readJson } = await import('../args/json-input.ts')
  return readJson(cli.io, input)
}

/** Returns the request that a line describes. */
const requestOf = async (cli: Cli, name: string, target: string, flags: ApiFlags): Promise<TransportRequest> => {
  const [method, { path, query }] = [methodOf(name), readPath(target)]
  if (flags.input !== undefined && flags.field !== undefined)
    throw new UsageError('--input and --field each give a body; give one of them')
  if (method === 'GET' && flags.input !== undefined)
    throw new UsageError('a GET has no body; --field adds to its query')
  if (method === 'GET') return { method, path, query: { ...query, ...Object.fromEntries(fieldsOf(flags)) } }
  if (flags.paginate) throw new UsageError('--paginate is for GET')
  return { method, path, query, body: await bodyOf(cli, flags) }
}

/** Returns an answer as JSON. */
const jsonOf = ({ content }: TransportResponse): Json => {
  if ('record' in content) return recordToJson(content.of, content.record)
  return 'records' in content ? content.records.map((record) => recordToJson(content.of, record)) : content.json
}

/** Sets how many records a page has if the request does not say it. */
const USUAL_PAGE = 500

/** Tells whether more records follow a page: as the service says, or else if the page is full. */
const hasMore = ({ total, hasNext }: TransportResponse, read: number, page: number, most: number): boolean =>
  hasNext === true || (total === undefined ? page >= most : total > read)

/** Reads all pages of a list. */
const allPages = async (
  send: (request: TransportRequest) => Promise<TransportResponse>,
  request: TransportRequest,
): Promise<Json> => {
  const most = Number(request.query?.['rows'] ?? USUAL_PAGE)
  const all: Json[] = []
  let before = ''
  for (let page = 1; ; page += 1) {
    const received = await send(page === 1 ? request : { ...request, query: { ...request.query, page: String(page) } })
    const json = jsonOf(received)
    if (!Array.isArray(json)) return json
    const list: readonly Json[] = json
    const first = JSON.stringify(list[0])
    // A service that does not know pages answers the same one again.
    if (list.length === 0 || first === before) return all
    all.push(...list)
    before = first
    if (!hasMore(received, all.length, list.length, most)) return all
  }
}

/** Registers `kpi api` */
export const api: Register = (command, act: Act) => {
  const declared = declareApi(command)
  addExamples(
    declared,
    'api GET /kpis',
    'api GET /kpientries --field dateFrom=2026-01-01 --field rows=500 --paginate',
    'api POST /kpicategories --field name=Sales',
  )
  act(declared, async (cli, [method, target], flags) => {
    rejectStrayCredentials(cli.io, cli.flags)
    const request = await requestOf(cli, method, target, flags)
    const variant = /^\/v1\//i.test(target) ? 'v1' : 'classic'
    const json = await withTransportAt(
      cli.io,
      findPlace(cli.io, cli.flags),
      findTimeout(cli.flags),
      variant,
      async ({ send }) => (flags.paginate ? allPages(send, request) : jsonOf(await send(request))),
    )
    if (json !== undefined) await cli.io.stdout.write(`${visibleJson(json, 2)}\n`)
  })
}
