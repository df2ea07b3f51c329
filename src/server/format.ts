import { isNameIn, SPELLINGS_LIMIT } from '../codec/field-names.ts'
import { parseJson } from '../codec/json-reader.ts'
import { type Json, recordToJson } from '../codec/json.ts'
import { errorToXml, recordsToXml, recordToXml } from '../codec/xml-write.ts'
import { KpiError } from '../domain/errors.ts'
import { DEPTH_LIMIT, ELEMENT_LIMIT } from '../domain/limits.ts'
import { neverPause, type Pause } from '../domain/pause.ts'
import type { Resource } from '../domain/schema.ts'
import { jsonWithErrors } from './faults-json.ts'
import type { FormatName } from './media-type.ts'
import type { Wording } from './variant.ts'

/** So many bytes of a body are decoded before others may have their turn. */
const SLICE = 262_144

/** Decodes a body; others have their turn between slices. Throws `malformed` where it is not UTF-8. */
const decode = async (bytes: Uint8Array, pause: Pause): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  try {
    for (let at = 0; at < bytes.length; at += SLICE) {
      text += decoder.decode(bytes.subarray(at, at + SLICE), { stream: true })
      const turn = pause()
      if (turn) await turn
    }
    return text + decoder.decode()
  } catch (error) {
    throw new KpiError('malformed', 'the body is not UTF-8', { cause: error })
  }
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

const json: Wording = {
  contentType: 'application/json; charset=utf-8',
  read: async (bytes, of, pause = neverPause) => readJsonText(await decode(bytes, pause), of, pause),
  write: (content) =>
    JSON.stringify(
      'records' in content
        ? content.records.map((record) => recordToJson(content.of, record))
        : recordToJson(content.of, content.record),
    ),
  writeError: ({ message, issues }) => jsonWithErrors({ message }, issues, (issue) => issue),
}

const xml: Wording = {
  contentType: 'application/xml; charset=utf-8',
  read: async (bytes, of, pause = neverPause) => {
    // Its parser is loaded when the first XML comes.
    const { readXml } = await import('../codec/xml-read.ts')
    return readXml(await decode(bytes, pause), of, pause)
  },
  write: (content) =>
    'records' in content ? recordsToXml(content.of, content.records) : recordToXml(content.of, content.record),
  writeError: ({ message, issues }) => errorToXml(message, issues),
}

/** The formats of the classic interface (decisions, section 9). */
export const formats: Readonly<Record<FormatName, Wording>> = { json, xml }
