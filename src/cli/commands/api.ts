import type { Command } from '@commander-js/extra-typings'
import { VARIANT_NAMES } from '../../client/capabilities.ts'
import { wholeList } from '../../client/operations/collection.ts'
import type { Transport, TransportRequest, TransportResponse } from '../../client/transport.ts'
import { parseExactJson } from '../../codec/json-number.ts'
import { isObject, type Json, recordToJson } from '../../codec/json.ts'
import { parseDecimal } from '../../domain/decimal.ts'
import { ENTRIES_PAGE, entry } from '../../domain/resources/entry.ts'
import { type AnyRecord, type FieldValue, type NamedField, printable } from '../../domain/schema.ts'
import type { Variant } from '../../domain/variants.ts'
import { addExamples } from '../args/examples.ts'
import { collect } from '../args/flags.ts'
import { type Act, type Cli, PACED, type Register } from '../cli.ts'
import { UsageError } from '../exit.ts'
import { addOutput } from '../output/printed.ts'
import { visible, visibleJson } from '../output/width.ts'
import { findPlace, type Place } from '../target/place.ts'

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
  return readJson(cli, input)
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

/** Returns how many records a page has where the query does not say: entries come in pages, other lists whole. */
const usualRows = ({ path }: TransportRequest): number =>
  path.replace(/\/$/, '').toLowerCase() === entry.path ? ENTRIES_PAGE : Infinity

/** Reads all pages of a list. A page that comes twice is an error. */
const allPages = async (
  send: (request: TransportRequest) => Promise<TransportResponse>,
  request: TransportRequest,
): Promise<Json> =>
  wholeList(
    (page) => send(page === 1 ? request : { ...request, query: { ...request.query, page: String(page) } }),
    (received) => {
      const json = jsonOf(received)
      if (Array.isArray(json) && json.every(isObject)) return json
      throw new UsageError(`${request.path} has no list, and so no pages; leave out --paginate`)
    },
    Number(request.query?.['rows'] ?? usualRows(request)),
  )

/** Returns the variant that a path names; refuses one that the place does not have. */
const variantOf = (place: Place, target: string): Variant => {
  const prefix = PREFIX.exec(target)?.[0].toLowerCase()
  const named = prefix === undefined ? undefined : prefix === '/v1' ? 'v1' : 'classic'
  if (place.kind === 'embedded') return named ?? 'classic'
  if (named === undefined || named === place.kind) return place.kind
  throw new UsageError(
    `${target} is a path of ${VARIANT_NAMES[named]}, and ${place.baseUrl} is the base URL of ${VARIANT_NAMES[place.kind]}; use a profile of the other one, or leave out ${prefix}`,
  )
}

/** Defines what the interface answers: any fields. */
const answer = printable('answer', 'answer', {})

/** Returns a value of JSON for a cell: lists and objects, and numbers that a decimal cannot hold, as their text. */
const cellValue = (value: Json): FieldValue => {
  if (JSON.isRawJSON(value)) {
    const { rawJSON } = value
    const exact = parseDecimal(rawJSON)
    return exact && !exact.rounded ? exact.value : rawJSON
  }
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  return JSON.stringify(value)
}

const isNumeric = (value: FieldValue | undefined): boolean =>
  value === null || value === undefined || typeof value === 'number' || typeof value === 'bigint'

/** Returns the columns of records: all of their fields, in the order in which they come. */
const columnsOf = (records: readonly AnyRecord[]): NamedField[] =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].map((name) => {
    const kind = records.every((record) => isNumeric(record[name])) ? 'decimal' : 'text'
    return { name, field: { kind, about: '' } }
  })

/** Prints an answer as rows and columns: a record, or a list of them. */
const printCells = async (cli: Cli, json: Json): Promise<void> => {
  const list: readonly Json[] = Array.isArray(json) ? json : [json]
  const records = list.map((one) => {
    const members = Object.entries(isObject(one) ? one : { value: one })
    return Object.fromEntries(members.map(([name, value]) => [name, cellValue(value)]))
  })
  const shown = columnsOf(records)
  if (Array.isArray(json)) return cli.printMany(shown, records)
  for (const record of records) await cli.printOne({ shown }, record)
}

/** Prints an answer in the format that the line asks for: without one as JSON, whatever is usual here. */
const printAnswer = async (cli: Cli, json: Json): Promise<void> => {
  const { stdout } = cli.io
  const { format } = cli.printing()
  if (cli.flags.output === undefined || format === 'json') return stdout.write(`${visibleJson(json, 2)}\n`)
  if (format === 'ndjson') {
    const lines: readonly Json[] = Array.isArray(json) ? json : [json]
    return stdout.write(lines.map((one) => `${visibleJson(one)}\n`).join(''))
  }
  if (format !== 'yaml') return printCells(cli, json)
  const { yamlText } = await import('../../codec/yaml.ts')
  const text = yamlText(json)
  return stdout.write(stdout.isTerminal ? visible(text) : text)
}

/** Registers `kpi api` */
export const api: Register = (command, act: Act) => {
  const declared = declareApi(command)
  addExamples(
    declared,
    'api GET /kpis',
    'api GET /kpientries --field dateFrom=2026-01-01 --field rows=500 --paginate',
    'api POST /kpicategories --field name=Sales',
    'api GET /kpis -o csv',
  )
  addOutput(declared, () => [
    { of: answer, isList: true, isOpen: true },
    { of: answer, isList: false, isOpen: true },
  ])
  act(declared, async (cli, [method, target], flags) => {
    const request = await requestOf(cli, method, target, flags)
    const variant = variantOf(findPlace(cli.io, cli.flags), target)
    const work = async ({ send }: Transport): Promise<Json> =>
      flags.paginate ? allPages(send, request) : jsonOf(await send(request))
    const json = await cli.withTransport(variant, work, flags.paginate ? PACED : undefined)
    if (json !== undefined) await printAnswer(cli, json)
  })
}
