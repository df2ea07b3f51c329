import { isAscii, isUtf8 } from 'node:buffer'
import { KpiError } from '../../domain/errors.ts'
import type { Encoding } from '../options.ts'
import { createTableDecoder } from './encoding/table-decoder.ts'
import { type FileBytes, unfinishedBytes } from './inspect.ts'

/**
 * Maps the bytes from 80 to 9F, which are control characters in Latin-1, to characters; five of them are undefined in
 * Windows-1252, too.
 */
const LETTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
const UNDEFINED = /[\x81\x8d\x8f\x90\x9d]/
const UTF8_LETTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

/** Decodes Windows-1252. */
export const decodeWindows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replaceAll(/[\x80-\x9f]/g, (byte) => LETTERS.charAt(byte.charCodeAt(0) - 0x80))

/** Returns the first match of a pattern of bytes, with its line. A match may not span lines. */
const findBytes = async (content: FileBytes, pattern: RegExp): Promise<{ line: number; bytes: string } | undefined> => {
  let [line, rest] = [1, '']
  for await (const chunk of content) {
    const text = rest + chunk.toString('latin1')
    const [bytes] = pattern.exec(text) ?? []
    const before = bytes === undefined ? text : text.slice(0, text.search(pattern))
    line += before.split('\n').length - 1
    if (bytes !== undefined) return { line, bytes }
    // Keep what may be the beginning of a match; its lines have been counted.
    rest = /[^\n]{0,3}$/.exec(text)?.[0] ?? ''
  }
  return undefined
}

/** Returns the first byte that stands for no character. */
export const findUndefined = async (content: FileBytes): Promise<{ line: number; byte: string } | undefined> => {
  const found = await findBytes(content, UNDEFINED)
  return found && { line: found.line, byte: found.bytes.charCodeAt(0).toString(16).toUpperCase() }
}

/** Returns the first bytes that are a character in UTF-8, and what they would be in Windows-1252. */
export const findUtf8Letters = async (
  content: FileBytes,
): Promise<{ line: number; letter: string; asWindows: string } | undefined> => {
  const found = await findBytes(content, UTF8_LETTER)
  if (!found) return undefined
  const bytes = Buffer.from(found.bytes, 'latin1')
  return { line: found.line, letter: bytes.toString(), asWindows: decodeWindows1252(bytes) }
}

/** Decodes bytes, a chunk at a time; `undefined` is the end. */
type Decode = (chunk: Buffer | undefined) => string

const undecodable = (encoding: Encoding, cause?: unknown): KpiError =>
  new KpiError('malformed', `the file contains bytes that are not ${encoding}; save it as CSV UTF-8`, { cause })

const utf8Decoder = (): Decode => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    if (chunk && rest.length === 0 && isAscii(chunk)) return chunk.toString('latin1')
    const bytes = chunk ? Buffer.concat([rest, chunk]) : rest
    const whole = chunk ? bytes.length - unfinishedBytes(bytes) : bytes.length
    rest = Buffer.from(bytes.subarray(whole))
    const text = bytes.subarray(0, whole)
    if (!isUtf8(text)) throw undecodable('utf-8')
    return text.toString()
  }
}

const wideDecoder = (encoding: 'utf-16le' | 'utf-16be'): Decode => {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      throw undecodable(encoding, error)
    }
  }
}

const decoderOf = (encoding: Encoding): Decode => {
  if (encoding === 'utf-8') return utf8Decoder()
  if (encoding === 'windows-1252') return (chunk) => (chunk ? decodeWindows1252(chunk) : '')
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return wideDecoder(encoding)
  const decode = createTableDecoder(encoding)
  return (chunk) => {
    const text = decode(chunk)
    if (text === undefined) throw undecodable(encoding)
    return text
  }
}

/** Returns the text of some bytes; `undefined` if some of them stand for no character in an encoding. */
export const decodeBytes = (bytes: Buffer, encoding: Exclude<Encoding, 'utf-8' | 'utf-16le' | 'utf-16be'>): string | undefined => {
  if (encoding !== 'windows-1252') return createTableDecoder(encoding)(bytes, true)
  const text = decodeWindows1252(bytes)
  return UNDEFINED.test(text) ? undefined : text
}

/** Yields the text of a file without its byte order mark. */
export async function* decodeText(content: FileBytes, encoding: Encoding): AsyncGenerator<string> {
  const decode = decoderOf(encoding)
  let isFirst = true
  const begin = (text: string): string => {
    if (!isFirst || text === '') return text
    isFirst = false
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
  for await (const chunk of content) yield begin(decode(chunk))
  yield begin(decode(undefined))
}
