import { parseExactJson } from '../codec/json-number.ts'
import { type Json, recordToJson } from '../codec/json.ts'
import { KpiError } from '../domain/errors.ts'
import type { Content } from './call.ts'

const DEPTH_LIMIT = 32
const JSON_TYPE = 'application/json'

type MediaType = { readonly type: string; readonly charset: string | undefined }

const parseMediaType = (header: string): MediaType => {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, charset: charset?.slice('charset='.length).replaceAll('"', '') }
}

/** Refuses a body whose Content-Type is not JSON in UTF-8; none at all is taken for JSON. */
export const mustBeJson = (header: string | undefined): void => {
  if (header === undefined || header.trim() === '') return
  const { type, charset } = parseMediaType(header)
  if (type !== JSON_TYPE && type !== 'text/json' && !type.endsWith('+json')) {
    throw new KpiError('media_type', `Content-Type ${type} is not supported; send ${JSON_TYPE}`)
  }
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new KpiError('media_type', `charset ${charset} is not supported; send UTF-8`)
  }
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
    throw new KpiError('malformed', 'the body is not JSON: it is not UTF-8', { cause: error })
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

/** Reads a JSON body. */
export const parseBody = (bytes: Uint8Array): Json => {
  const body = parse(decode(bytes))
  mustBeShallow(body)
  return body
}

/** An answer's content as JSON text. */
export const contentToJson = (content: Content): string =>
  JSON.stringify(
    'records' in content
      ? content.records.map((record) => recordToJson(content.of, record))
      : recordToJson(content.of, content.record),
  )
