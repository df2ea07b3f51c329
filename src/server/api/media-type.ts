import { isTypeValid, parse } from 'content-type'
import { isUtf8Name } from '../../codec/charset.ts'
import { KpiError } from '../../domain/errors.ts'
import type { WireRequest } from '../wire.ts'

/** Names the formats of the classic interface. */
export type FormatName = 'json' | 'xml'

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'text/json'])
const XML_TYPES: ReadonlySet<string> = new Set(['application/xml', 'text/xml'])
/** Lists types that only browsers name in Accept; a person who follows a link to the service gets JSON. */
const PAGE_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml'])

/** Bounds how much of a header a message quotes. */
const LONGEST_QUOTE = 100

const quoted = (header: string): string =>
  header.length > LONGEST_QUOTE ? `${header.slice(0, LONGEST_QUOTE)}…` : header

/** Returns the format of a Content-Type; any type that ends in `+json` or `+xml` has one, too. */
const formatNamed = (type: string): FormatName | undefined => {
  if (JSON_TYPES.has(type)) return 'json'
  if (XML_TYPES.has(type)) return 'xml'
  if (!isTypeValid(type)) return undefined
  if (type.endsWith('+json')) return 'json'
  return type.endsWith('+xml') ? 'xml' : undefined
}

/** Describes a media range of Accept, and its quality. */
type Range = { readonly type: string; readonly quality: number }

/** Bounds the ranges of Accept to read; browsers send about ten. */
const MAX_RANGES = 100

/** Reads a quality from 0 to 1; one that is not a number counts as 1. */
const qualityOf = (text = '1'): number => {
  const quality = Number(text)
  return Number.isNaN(quality) ? 1 : Math.min(1, Math.max(0, quality))
}

/** Reads the first ranges of an Accept. */
const rangesOf = (accept: string): Range[] => {
  const ranges: Range[] = []
  for (let start = 0; start < accept.length && ranges.length < MAX_RANGES; start += 1) {
    const { type, parameters, index } = parse(accept, { comma: true, start })
    ranges.push({ type, quality: qualityOf(parameters['q']) })
    start = index
  }
  return ranges
}

const isOneOf = (types: ReadonlySet<string>) => {
  return ({ type }: Range): boolean => types.has(type)
}

/** Returns the highest quality that ranges give to any of some types; 0 if they name none. */
const qualityNamed = (ranges: readonly Range[], types: ReadonlySet<string>): number =>
  Math.max(0, ...ranges.filter(isOneOf(types)).map(({ quality }) => quality))

/** Returns XML if Accept gives it a higher quality than JSON; else, and for browsers, JSON. */
const formatAccepted = (accept: string): FormatName => {
  const ranges = rangesOf(accept)
  if (ranges.some(isOneOf(PAGE_TYPES))) return 'json'
  return qualityNamed(ranges, XML_TYPES) > qualityNamed(ranges, JSON_TYPES) ? 'xml' : 'json'
}

/**
 * Returns the format of an answer: that of the request's Content-Type, if supported; else the one that Accept prefers;
 * else JSON.
 */
export const chooseFormat = (headers: WireRequest['headers']): FormatName =>
  formatNamed(parse(headers['content-type'] ?? '', { parameters: false }).type) ??
  formatAccepted(headers['accept'] ?? '')

const requireUtf8 = (charset = 'utf-8'): void => {
  if (isUtf8Name(charset)) return
  throw new KpiError('media_type', `charset ${quoted(charset)} is not supported; send UTF-8`)
}

/**
 * Refuses JSON or XML in another charset than UTF-8, and a body of any other type. A body without Content-Type has the
 * format of the answer.
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

/** Lists tests for the ranges that include JSON, from the most to the least specific. */
const FOR_JSON: readonly ((range: Range) => boolean)[] = [
  ({ type }) => formatNamed(type) === 'json',
  isOneOf(new Set(['application/*', 'text/*'])),
  isOneOf(new Set(['*/*', '*'])),
]

/** Tells whether ranges allow JSON. The most specific ones decide: `application/json;q=0` excludes it. */
const allowJson = (ranges: readonly Range[]): boolean => {
  const deciding = FOR_JSON.map((isFor) => ranges.filter(isFor)).find((found) => found.length > 0) ?? []
  return deciding.some(({ quality }) => quality > 0)
}

/** Refuses a request whose Accept excludes JSON. */
export const requireJsonAccepted = (accept = ''): void => {
  const text = accept.trim()
  if (text === '' || allowJson(rangesOf(text))) return
  throw new KpiError('not_acceptable', `answers are JSON here, and Accept ${quoted(text)} does not take it`)
}

/** Refuses a Content-Type of XML, and for a body any but JSON, in the variant without XML. */
export const requireJson = (contentType = '', hasBody: boolean): void => {
  const { type, parameters } = parse(contentType)
  const format = formatNamed(type)
  if (format === 'json') requireUtf8(parameters['charset'])
  else if (format === 'xml' || (hasBody && contentType.trim() !== '')) {
    throw new KpiError('media_type', `Content-Type ${quoted(type)} is not supported; send application/json`)
  }
}

/** Refuses a compressed body. */
export const rejectContentEncoding = (contentEncoding = 'identity'): void => {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return
  throw new KpiError('media_type', `Content-Encoding ${quoted(encoding)} is not supported; send the body as it is`)
}
