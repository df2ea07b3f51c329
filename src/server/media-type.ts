import { KpiError } from '../domain/errors.ts'
import type { WireRequest } from './wire.ts'

/** The formats of the classic interface. */
export type FormatName = 'json' | 'xml'

type MediaType = { readonly type: string; readonly parameters: ReadonlyMap<string, string> }

const KNOWN_TYPES = 100
const knownTypes = new Map<string, MediaType>()

/** Reads a media type. Clients send the same few again and again, so the first of them are remembered. */
const parseMediaType = (header: string): MediaType => {
  const known = knownTypes.get(header) ?? readMediaType(header)
  if (knownTypes.size < KNOWN_TYPES) knownTypes.set(header, known)
  return known
}

const readMediaType = (header: string): MediaType => {
  const [type = '', ...rest] = header.split(';').map((part) => part.trim().toLowerCase())
  const parameters = rest.map((part) => {
    const [name = '', value = ''] = part.split('=')
    return [name.trim(), value.trim().replaceAll('"', '')] as const
  })
  return { type, parameters: new Map(parameters) }
}

const formatNamed = (type: string): FormatName | undefined => {
  if (/^(?:application|text)\/json$|^.+\/.+\+json$/.test(type)) return 'json'
  return /^(?:application|text)\/xml$|^.+\/.+\+xml$/.test(type) ? 'xml' : undefined
}

/** What an Accept says of a format. Where much speaks for both, what names it more closely wins, then what comes first. */
type Wish = { readonly quality: number; readonly closeness: number; readonly place: number }

const closenessOf = (type: string, format: FormatName): number => {
  if (formatNamed(type) === format) return 3
  if (type === 'application/*' || type === 'text/*') return 2
  return type === '*/*' || type === '*' ? 1 : 0
}

/** A quality is 0 to 1; what is not a number is as if it were not there. */
const qualityOf = (text = '1'): number => {
  const quality = Number(text)
  return Number.isNaN(quality) ? 1 : Math.min(1, Math.max(0, quality))
}

const wishFor = (format: FormatName, ranges: readonly MediaType[]): Wish => {
  let best: Wish = { quality: 0, closeness: 0, place: 0 }
  for (const [place, { type, parameters }] of ranges.entries()) {
    const [closeness, quality] = [closenessOf(type, format), qualityOf(parameters.get('q'))]
    const isCloser = closeness > best.closeness
    if (isCloser || (closeness > 0 && closeness === best.closeness && quality > best.quality)) {
      best = { quality, closeness, place }
    }
  }
  return best
}

/** JSON, unless XML is preferred and allowed. */
const formatAccepted = (accept: string): FormatName => {
  const ranges = accept.split(',').map(parseMediaType)
  const [json, xml] = [wishFor('json', ranges), wishFor('xml', ranges)]
  if (xml.quality === 0) return 'json'
  const order = xml.quality - json.quality || xml.closeness - json.closeness || json.place - xml.place
  return order > 0 ? 'xml' : 'json'
}

/**
 * The format of a request's answer: that of its Content-Type, where that is one of ours; else the one that its Accept
 * prefers; else JSON (decisions, section 9).
 */
export const chooseFormat = (headers: WireRequest['headers']): FormatName =>
  formatNamed(parseMediaType(headers['content-type'] ?? '').type) ?? formatAccepted(headers['accept'] ?? '')

const mustBeUtf8 = ({ parameters }: MediaType): void => {
  const charset = parameters.get('charset') ?? 'utf-8'
  if (charset === 'utf-8' || charset === 'utf8') return
  throw new KpiError('media_type', `charset ${charset} is not supported; send UTF-8`)
}

/**
 * Refuses a Content-Type that is not understood: any charset but UTF-8 for JSON or XML, and for a body also any other
 * type. None at all is as good as the format of the answer.
 */
export const mustBeUnderstood = (contentType = '', hasBody: boolean): void => {
  const media = parseMediaType(contentType)
  const { type } = media
  const isOurs = formatNamed(type) !== undefined
  if (hasBody && !isOurs && contentType.trim() !== '') {
    throw new KpiError('media_type', `Content-Type ${type} is not supported; send application/json or application/xml`)
  }
  if (isOurs) mustBeUtf8(media)
}

/** Refuses a request whose sender takes no JSON. */
export const mustTakeJson = (accept = ''): void => {
  if (accept.trim() === '' || wishFor('json', accept.split(',').map(parseMediaType)).quality > 0) return
  throw new KpiError('not_acceptable', `answers are JSON here, and Accept ${accept.trim()} does not take it`)
}

/** Refuses a Content-Type of XML, and for a body any but JSON, where JSON alone is spoken. */
export const mustBeJson = (contentType = '', hasBody: boolean): void => {
  const media = parseMediaType(contentType)
  const format = formatNamed(media.type)
  if (format === 'json') mustBeUtf8(media)
  else if (format === 'xml' || (hasBody && contentType.trim() !== '')) {
    throw new KpiError('media_type', `Content-Type ${media.type} is not supported; send application/json`)
  }
}

/** Refuses a body that is packed: bodies are taken as they are. */
export const mustBePlain = (contentEncoding = 'identity'): void => {
  const encoding = contentEncoding.trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return
  throw new KpiError('media_type', `Content-Encoding ${encoding} is not supported; send the body as it is`)
}
