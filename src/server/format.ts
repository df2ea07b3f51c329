import { parseExactJson } from '../codec/json-number.ts'
import { type Json, recordToJson } from '../codec/json.ts'
import { errorToXml, recordsToXml, recordToXml } from '../codec/xml-write.ts'
import { KpiError } from '../domain/errors.ts'
import { DEPTH_LIMIT } from '../domain/limits.ts'
import type { Resource } from '../domain/schema.ts'
import type { Content } from './call.ts'
import type { FormatName } from './media-type.ts'

/** How bodies are read and answers are written. */
export type Format = {
  /** The Content-Type of what it writes. */
  readonly contentType: string
  /** Reads a body that holds a resource; throws `malformed` for what is none. */
  readonly read: (bytes: Uint8Array, of: Resource) => Promise<Json>
  readonly write: (content: Content) => string
  readonly writeError: (error: KpiError) => string
}

const tooDeep = (): KpiError => new KpiError('malformed', `the body is nested more than ${DEPTH_LIMIT} deep`)

const mustBeShallow = (value: Json, depth = 0): void => {
  // A number of many digits is kept in an object of its own, which is no level of the body.
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return
  if (depth >= DEPTH_LIMIT) throw tooDeep()
  for (const inner of Object.values(value)) mustBeShallow(inner, depth + 1)
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new KpiError('malformed', 'the body is not UTF-8', { cause: error })
  }
}

const parse = (text: string): Json => {
  try {
    return parseExactJson(text)
  } catch (error) {
    // Long numbers are read level by level: what the stack has no room for is deeper by far than a body may be.
    if (error instanceof RangeError) throw tooDeep()
    if (!(error instanceof SyntaxError)) throw error
    throw new KpiError('malformed', `the body is not JSON: ${error.message}`, { cause: error })
  }
}

const readJsonText = (text: string): Json => {
  const body = parse(text)
  mustBeShallow(body)
  return body
}

const json: Format = {
  contentType: 'application/json; charset=utf-8',
  read: async (bytes) => readJsonText(decode(bytes)),
  write: (content) =>
    JSON.stringify(
      'records' in content
        ? content.records.map((record) => recordToJson(content.of, record))
        : recordToJson(content.of, content.record),
    ),
  writeError: ({ message, issues }) => JSON.stringify({ message, ...(issues.length > 0 && { errors: issues }) }),
}

const xml: Format = {
  contentType: 'application/xml; charset=utf-8',
  read: async (bytes, of) => {
    // Its parser is loaded when the first XML comes.
    const { readXml } = await import('../codec/xml-read.ts')
    return readXml(decode(bytes), of)
  },
  write: (content) =>
    'records' in content ? recordsToXml(content.of, content.records) : recordToXml(content.of, content.record),
  writeError: ({ message, issues }) => errorToXml(message, issues),
}

/** The formats of the classic interface (decisions, section 9). */
export const formats: Readonly<Record<FormatName, Format>> = { json, xml }
