import { isAscii, isUtf8 } from 'node:buffer'
import { KpiError } from '../../domain/errors.ts'
import type { Encoding } from '../source/text-format.ts'
import { createTableDecoder } from './table-decoder.ts'
import { type FileBytes, unfinishedBytes } from '../source/inspect.ts'

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
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return wideDecoder(encoding)
  const decode = createTableDecoder(encoding)
  return (chunk) => {
    const text = decode(chunk)
    if (text === undefined) throw undecodable(encoding)
    return text
  }
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
