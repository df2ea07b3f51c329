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

const mustBeShallow = (value: Json, depth = 0): void => {
  if (typeof value !== 'object' || value === null) return
  if (depth >= DEPTH_LIMIT) throw new KpiError('malformed', `the body is nested more than ${DEPTH_LIMIT} deep`)
  for (const inner of Object.values(value)) mustBeShallow(inner, depth + 1)
}

/** Reads a JSON body. */
export const parseBody = (bytes: Uint8Array): Json => {
  let body: Json
  try {
    body = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8'
    throw new KpiError('malformed', `the body is not JSON: ${reason}`, { cause: error })
  }
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
