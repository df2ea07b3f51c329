import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { isNameIn, SPELLINGS_LIMIT } from '../../codec/field-names.ts'
import { parseJson } from '../../codec/json-reader.ts'
import { type Json, recordToJson } from '../../codec/json.ts'
import { errorToXml, listToXml, recordToXml } from '../../codec/xml-write.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { DEPTH_LIMIT, ELEMENT_LIMIT, MEBIBYTE } from '../../domain/limits.ts'
import { neverPause, type Pause } from '../../domain/pause.ts'
import type { Resource } from '../../domain/schema.ts'
import type { WireBody } from '../wire.ts'
import type { Content } from './call.ts'
import type { FormatName } from './media-type.ts'
import type { BodyFormat } from './protocol.ts'

/** Sets how many faults to write at once. */
const FAULTS_PER_PART = 200

/** Writes JSON in parts: the head, and the faults of a request, if any, as its `errors`. */
export const jsonWithErrors = function* (
  head: object,
  issues: readonly Issue[],
  shown: (issue: Issue) => object,
): Generator<string> {
  if (issues.length === 0) return yield JSON.stringify(head)
  yield `${JSON.stringify(head).slice(0, -1)},"errors":[`
  for (let at = 0; at < issues.length; at += FAULTS_PER_PART) {
    const part = JSON.stringify(issues.slice(at, at + FAULTS_PER_PART).map(shown)).slice(1, -1)
    yield at === 0 ? part : `,${part}`
  }
  yield ']}'
}

/** Describes a list to write: its records, and the text before, between and after them. */
type WrittenList = {
  readonly begin: string
  readonly records: Iterable<string>
  readonly between: string
  readonly end: string
  readonly most?: number | undefined
}
type ListContent = Extract<Content, { readonly records: unknown }>

const answerTooLargeError = (most: number): KpiError =>
  new KpiError('too_large', `the answer is over ${most / MEBIBYTE} MiB; ask for fewer days, KPIs, users or group items`)

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * Decodes a body at once, which takes at most about 10 ms; decoding in parts would need more memory, and as much time.
 * Throws `malformed` if it is not UTF-8.
 */
const decode = (bytes: Uint8Array): string => {
  if (!isUtf8(bytes)) throw new KpiError('malformed', 'the body is not UTF-8')
  const { buffer, byteOffset, length } = bytes
  const body = Buffer.from(buffer, byteOffset, length)
  const isMarked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  return body.toString('utf8', isMarked ? BYTE_ORDER_MARK.length : 0)
}

const LIMITS = { depth: DEPTH_LIMIT, members: ELEMENT_LIMIT, keys: SPELLINGS_LIMIT }

const readJsonText = async (text: string, of: Resource, pause: Pause): Promise<Json> => {
  try {
    return await parseJson(text, { ...LIMITS, isKept: (key) => isNameIn(of, key) }, pause)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new KpiError('malformed', `the body is not JSON: ${error.message}`, { cause: error })
  }
}

/** Sets how many characters to encode at a time. */
const PIECE_CHARS = 65_536

/**
 * Writes a list piece by piece, and lets other requests run in between: 10,000 records take as long as hundreds of
 * small answers.
 */
const writeList = async ({ begin, records, between, end, most = Infinity }: WrittenList): Promise<WireBody> => {
  const pieces: Buffer[] = []
  let [text, size, isFirst] = [begin, 0, true]
  for (const record of records) {
    text += isFirst ? record : between + record
    isFirst = false
    if (text.length < PIECE_CHARS) continue
    const piece = Buffer.from(text)
    size += piece.length
    if (size > most) throw answerTooLargeError(most)
    pieces.push(piece)
    text = ''
    await setImmediate()
  }
  return pieces.length === 0 ? text + end : [...pieces, Buffer.from(text + end)]
}

function* jsonOf({ of, records }: ListContent): Generator<string> {
  for (const record of records) yield JSON.stringify(recordToJson(of, record))
}

const json: BodyFormat = {
  contentType: 'application/json; charset=utf-8',
  read: async (bytes, of, pause = neverPause) => readJsonText(decode(bytes), of, pause),
  write: async (content) =>
    'records' in content
      ? writeList({ begin: '[', records: jsonOf(content), between: ',', end: ']', most: content.most })
      : JSON.stringify(recordToJson(content.of, content.record)),
  writeError: ({ message, issues }) => jsonWithErrors({ message }, issues, (issue) => issue),
}

const xml: BodyFormat = {
  contentType: 'application/xml; charset=utf-8',
  read: async (bytes, of, pause = neverPause) => {
    // Load the parser only for the first XML.
    const { readXml } = await import('../../codec/xml-read.ts')
    return readXml(decode(bytes), of, pause)
  },
  write: async (content) =>
    'records' in content
      ? writeList({ ...listToXml(content.of, content.records), between: '', most: content.most })
      : recordToXml(content.of, content.record),
  writeError: ({ message, issues }) => errorToXml(message, issues),
}

/** Lists the body formats of the classic interface. */
export const bodyFormats: Readonly<Record<FormatName, BodyFormat>> = { json, xml }
