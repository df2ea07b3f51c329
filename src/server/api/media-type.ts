import { isTypeValid, parse } from 'content-type'
import { isUtf8Name } from '../../codec/charset.ts'
import { KpiError } from '../../domain/errors.ts'
import type { WireRequest } from '../wire.ts'

/** Names the formats of the classic interface. */
export type FormatName = 'json' | 'xml'

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'text/json'])
const XML_TYPES: ReadonlySet<string> = new Set(['application/xml', 'text/xml'])
/** Lists types that browsers name in Accept: people who follow a link to the service get JSON. */
const PAGE_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml'])

/** Sets how much of a header is quoted in a message. */
const LONGEST_QUOTE = 100

const quoted = (header: string): string =>
  header.length > LONGEST_QUOTE ? `${header.slice(0, LONGEST_QUOTE)}…` : header

/** Returns the format of a Content-Type; `+json` and `+xml` say what a type of any name is written in. */
const formatNamed = (type: string): FormatName | undefined => {
  if (JSON_TYPES.has(type)) return 'json'
  if (XML_TYPES.has(type)) return 'xml'
  if (!isTypeValid(type)) return undefined
  if (type.endsWith('+json')) return 'json'
  return type.endsWith('+xml') ? 'xml' : undefined
}

/** Describes a media range of Accept, and its quality. */
type Range = { readonly type: string; readonly quality: number }

/** Bounds the ranges of Accept that are looked at; browsers send about ten. */
const MOST_RANGES = 100

/** Reads a quality, which is 0 to 1; ignores what is not a number. */
const qualityOf = (text = '1'): number => {
  const quality = Number(text)
  return Number.isNaN(quality) ? 1 : Math.min(1, Math.max(0, quality))
}

/** Reads the first ranges of an Accept. */
const rangesOf = (accept: string): Range[] => {
  const ranges: Range[] = []
  for (let start = 0; start < accept.length && ranges.length < MOST_RANGES; start += 1) {
    const { type, parameters, index } = parse(accept, { comma: true, start })
    ranges.push({ type, quality: qualityOf(parameters['q']) })
    start = index
  }
  return ranges
}

const isOneOf = (types: ReadonlySet<string>) => {
  return ({ type }: Range): boolean => types.has(type)
}

/** Returns the highest quality that ranges give to one of some types; 0 where they do not name it. */
const qualityNamed = (ranges: readonly Range[], types: ReadonlySet<string>): number =>
  Math.max(0, ...ranges.filter(isOneOf(types)).map(({ quality }) => quality))

/** Returns XML where an Accept names it, and does not name JSON as well and as much; browsers, which name both, get JSON. */
const formatAccepted = (accept: string): FormatName => {
  const ranges = rangesOf(accept)
  if (ranges.some(isOneOf(PAGE_TYPES))) return 'json'
  return qualityNamed(ranges, XML_TYPES) > qualityNamed(ranges, JSON_TYPES) ? 'xml' : 'json'
}

/**
 * Returns the format of an answer: that of the request's Content-Type, where it is one of ours; else the one that
 * Accept prefers; else JSON.
 */
export const chooseFormat = (headers: WireRequest['headers']): FormatName =>
  formatNamed(parse(headers['content-type'] ?? '', { parameters: false }).type) ??
  formatAccepted(headers['accept'] ?? '')

const requireUtf8 = (charset = 'utf-8'): void => {
  if (isUtf8Name(charset)) return
  throw new KpiError('media_type', `charset ${quoted(charset)} is not supported; send UTF-8`)
}

/**
 * Refuses an unsupported Content-Type: any charset but UTF-8 for JSON or XML, and for a body also any other type. A
 * missing one means the format of the answer.
 */
export const requireSupportedType = (contentType = '', hasBody: boolean): void => {
  const { type, parameters } = parse(contentType)
  const isSupported = formatNamed(type) !== undefined
  if (hasBody && !isSupported && contentType.trim() !== '') {
    throw new KpiError(
      'media_type',
      `Content-Type ${quoted(type)} is not supported; send application/json or application/xml`,
    )
  }
  if (isSupported) requireUtf8(parameters['charset'])
}

/** Lists the ranges that include JSON, from the closest to the widest. */
const FOR_JSON: readonly ((range: Range) => boolean)[] = [
  ({ type }) => formatNamed(type) === 'json',
  isOneOf(new Set(['application/*', 'text/*'])),
  isOneOf(new Set(['*/*', '*'])),
]

/** Returns whether ranges allow JSON. The closest ones decide, so that others can leave it out: `application/json;q=0`. */
const allowJson = (ranges: readonly Range[]): boolean => {
  const deciding = FOR_JSON.map((isFor) => ranges.filter(isFor)).find((found) => found.length > 0) ?? []
  return deciding.some(({ quality }) => quality > 0)
}

/** Refuses a request whose sender takes no JSON. */
export const requireJsonAccepted = (accept = ''): void => {
  const text = accept.trim()
  if (text === '' || allowJson(rangesOf(text))) return
  throw new KpiError('not_acceptable', `answers are JSON here, and Accept ${quoted(text)} does not take it`)
}

/** Refuses a Content-Type of XML, and for a body any but JSON, where JSON alone is spoken. */
export const requireJson = (contentType = '', hasBody: boolean): void => {
  const { type, parameters } = parse(contentType)
  const format = formatNamed(type)
  if (format === 'json') requireUtf8(parameters['charset'])
  else if (format === 'xml' || (hasBody && contentType.trim() !== '')) {
    throw new KpiError('media_type', `Content-Type ${quoted(type)} is not supported; send application/json`)
  }
}

/** Refuses a body that is packed: bodies are taken as they are. */
export const rejectContentEncoding = (contentEncoding = 'identity'): void => {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return
  throw new KpiError('media_type', `Content-Encoding ${quoted(encoding)} is not supported; send the body as it is`)
}
