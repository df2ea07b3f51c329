import { setImmediate } from 'node:timers/promises'
import { parseExactJson } from '../codec/json-number.ts'
import { type Json, recordToJson } from '../codec/json.ts'
import { errorToXml, listToXml, recordToXml } from '../codec/xml-write.ts'
import { KpiError } from '../domain/errors.ts'
import { DEPTH_LIMIT, MEBIBYTE } from '../domain/limits.ts'
import type { Content } from './call.ts'
import type { FormatName } from './media-type.ts'
import type { Wording } from './variant.ts'
import type { WireBody } from './wire.ts'

/** A list as it is written: what goes before it, its records one by one, and what goes between and after them. */
type WrittenList = {
  readonly begin: string
  readonly records: Iterable<string>
  readonly between: string
  readonly end: string
  readonly most?: number | undefined
}
type ListContent = Extract<Content, { readonly records: unknown }>

const answerTooLarge = (most: number): KpiError =>
  new KpiError('too_large', `the answer is over ${most / MEBIBYTE} MiB; ask for fewer days, KPIs, users or group items`)

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

/** Text is made bytes of whenever there are so many characters. */
const PIECE = 65_536

/**
 * Writes a list piece by piece, between which others have their turn: to write 10,000 records takes as long as hundreds
 * of small answers do.
 */
const writeList = async ({ begin, records, between, end, most = Infinity }: WrittenList): Promise<WireBody> => {
  const pieces: Buffer[] = []
  let [text, size, isFirst] = [begin, 0, true]
  for (const record of records) {
    text += isFirst ? record : between + record
    isFirst = false
    if (text.length < PIECE) continue
    const piece = Buffer.from(text)
    size += piece.length
    if (size > most) throw answerTooLarge(most)
    pieces.push(piece)
    text = ''
    await setImmediate()
  }
  return pieces.length === 0 ? text + end : [...pieces, Buffer.from(text + end)]
}

function* jsonOf({ of, records }: ListContent): Generator<string> {
  for (const record of records) yield JSON.stringify(recordToJson(of, record))
}

const json: Wording = {
  contentType: 'application/json; charset=utf-8',
  read: async (bytes) => readJsonText(decode(bytes)),
  write: async (content) =>
    'records' in content
      ? writeList({ begin: '[', records: jsonOf(content), between: ',', end: ']', most: content.most })
      : JSON.stringify(recordToJson(content.of, content.record)),
  writeError: ({ message, issues }) => JSON.stringify({ message, ...(issues.length > 0 && { errors: issues }) }),
}

const xml: Wording = {
  contentType: 'application/xml; charset=utf-8',
  read: async (bytes, of) => {
    // Its parser is loaded when the first XML comes.
    const { readXml } = await import('../codec/xml-read.ts')
    return readXml(decode(bytes), of)
  },
  write: async (content) =>
    'records' in content
      ? writeList({ ...listToXml(content.of, content.records), between: '', most: content.most })
      : recordToXml(content.of, content.record),
  writeError: ({ message, issues }) => errorToXml(message, issues),
}

/** The formats of the classic interface (decisions, section 9). */
export const formats: Readonly<Record<FormatName, Wording>> = { json, xml }
