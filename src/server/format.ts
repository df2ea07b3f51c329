import { parseExactJson } from '../codec/json-number.ts'
import { type Json, recordToJson } from '../codec/json.ts'
import { errorToXml, recordsToXml, recordToXml } from '../codec/xml-write.ts'
import { KpiError } from '../domain/errors.ts'
import { DEPTH_LIMIT } from '../domain/limits.ts'
import type { FormatName } from './media-type.ts'
import type { Wording } from './variant.ts'

const tooDeep = (): KpiError => new KpiError('malformed', `the body is nested more than ${DEPTH_LIMIT} deep`)

const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const [LIST, LIST_END] = ['['.charCodeAt(0), ']'.charCodeAt(0)]
const [OBJECT, OBJECT_END] = ['{'.charCodeAt(0), '}'.charCodeAt(0)]

/** The place of the quote that ends the string which begins at a place. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

/** Refuses JSON that is too deep, before it is parsed: walking through what has been parsed takes far longer. */
const mustBeShallow = (text: string): void => {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === LIST_END || code === OBJECT_END) depth -= 1
    else if (code === LIST || code === OBJECT) depth += 1
    if (depth > DEPTH_LIMIT) throw tooDeep()
  }
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
    if (!(error instanceof SyntaxError)) throw error
    throw new KpiError('malformed', `the body is not JSON: ${error.message}`, { cause: error })
  }
}

const readJsonText = (text: string): Json => {
  mustBeShallow(text)
  return parse(text)
}

const json: Wording = {
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

const xml: Wording = {
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
export const formats: Readonly<Record<FormatName, Wording>> = { json, xml }
