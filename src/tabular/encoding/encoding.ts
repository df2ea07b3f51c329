import { KpiError } from '../../domain/errors.ts'
import type { Encoding } from '../source/text-format.ts'
import { createFaultFinder, createTableDecoder, type LegacyEncoding } from './table-decoder.ts'
import { type FileBytes, type Inspection, lineOfByte, unfinishedBytes } from '../source/inspect.ts'
import { isAscii, isUtf8 } from 'node:buffer'

const SAVE = 'save it as CSV'
const UNPACK = 'unpack it first'

/** Lists the first bytes of binary files; some kinds need a second piece of evidence. */
const BINARY: readonly (readonly [begins: string, what: string, advice: string, holds?: RegExp])[] = [
  ['%PDF-', 'a PDF', 'export the table as CSV'],
  ['BZh', 'compressed with bzip2', UNPACK, /^....1AY/],
  ['\xfd7zXZ\0', 'compressed with xz', UNPACK],
  ['7z\xbc\xaf', 'a 7z archive', UNPACK],
  ['PAR1', 'a Parquet file', 'export it as CSV'],
  ['\xff\xfe\0\0', 'UTF-32', 'save it as CSV UTF-8'],
  ['\0\0\xfe\xff', 'UTF-32', 'save it as CSV UTF-8'],
  ['', 'a tar archive', UNPACK, /^.{257}ustar/s],
]

/** Lists how texts begin that are not tables. */
const OTHER_TEXT: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^\s*<(?:!doctype html|html|table|head|body)\b/i, 'a web page'],
  [/^\s*<\?xml/, 'XML'],
]
const HEAD_BYTES = 4096
const UTF8_MARK = '\xef\xbb\xbf'

/** Returns what a file is if it is not a text table, and what to do about it; `undefined` if nothing shows that. */
const kindOfFile = (head: Buffer): string | undefined => {
  const start = head.toString('latin1', 0, HEAD_BYTES)
  const binary = BINARY.find(([begins, , , holds]) => start.startsWith(begins) && (holds?.test(start) ?? true))
  if (binary) return `it seems to be ${binary[1]}; ${binary[2]}`
  const text = start.startsWith(UTF8_MARK) ? start.slice(UTF8_MARK.length) : start
  const other = OTHER_TEXT.find(([begins]) => begins.test(text))
  return other && `it seems to be ${other[1]}; ${SAVE}`
}

/** Describes the character encoding of a file. */
export type FoundEncoding = {
  readonly encoding: Encoding
  readonly hasMark: boolean
  readonly evidence: readonly string[]
  /** Says what was assumed, which is reported. */
  readonly assumed?: string
}

/** Describes a file while its encoding is detected; `reread` reads its content again. */
export type Inspected = {
  readonly name: string
  readonly seen: Inspection
  readonly reread: () => FileBytes
  /** Ends the work where it takes long. */
  readonly signal?: AbortSignal | undefined
}

const MARKS: readonly (readonly [bytes: string, encoding: Encoding])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
  ['\x84\x31\x95\x33', 'gb18030'],
]

/** Creates the error that a file cannot be read, with its reason. */
export const unreadable = (name: string, why: string): KpiError =>
  new KpiError('malformed', `cannot read ${name}: ${why}`)

/** Returns UTF-16 if many bytes are NUL, all in first or all in second places, as in text that is mostly ASCII. */
const nulEncoding = (head: Buffer): Encoding | undefined => {
  const [even, odd] = [0, 1].map((side) => head.filter((byte, at) => byte === 0 && at % 2 === side).length)
  const most = head.length / 4
  if (even === 0 && odd !== undefined && odd > most) return 'utf-16le'
  return odd === 0 && even !== undefined && even > most ? 'utf-16be' : undefined
}

const requireText = async ({ name, seen, reread }: Inspected): Promise<void> => {
  if (seen.nul === undefined) return
  const { line } = await lineOfByte(reread(), seen.nul)
  throw unreadable(name, `line ${line} holds a NUL byte, so it is no text; save it as CSV`)
}

const requireUtf8 = async ({ name, seen, reread }: Inspected, details: string): Promise<void> => {
  if (seen.notUtf8 === undefined) return
  const { line, byte } = await lineOfByte(reread(), seen.notUtf8)
  throw unreadable(name, `line ${line} holds byte ${byte}, which is not UTF-8, ${details}`)
}

/** Throws if some bytes of a file stand for no character in an encoding. */
const requireCharacters = async ({ name, reread }: Inspected, encoding: LegacyEncoding): Promise<void> => {
  const { rawWords } = await import('./raw-words.ts')
  const findFault = createFaultFinder(encoding)
  for await (const words of rawWords(reread())) {
    for (const word of words) {
      const byte = findFault(word.bytes)
      if (byte === undefined) continue
      throw unreadable(name, `line ${word.line} holds byte ${byte}, which is no character in ${encoding}`)
    }
  }
}

/** Returns the encoding of a file that is not UTF-8; throws if its words do not tell it. */
const byWords = async (file: Inspected, place: number): Promise<FoundEncoding> => {
  const { line, byte } = await lineOfByte(file.reread(), place)
  const { detectByWords } = await import('./by-words.ts')
  const shown = `line ${line} holds byte ${byte}, which is not UTF-8`
  return { hasMark: false, ...(await detectByWords(file, shown)) }
}

/** Returns the encoding that a byte order mark names; throws if `--encoding` contradicts it. */
const byMark = async (file: Inspected, asked: Encoding | undefined): Promise<FoundEncoding | undefined> => {
  const start = file.seen.head.toString('latin1', 0, 4)
  const [, encoding] = MARKS.find(([bytes]) => start.startsWith(bytes)) ?? []
  if (!encoding) return undefined
  const shown = `it begins with the byte order mark of ${encoding}`
  if (asked && asked !== encoding) throw unreadable(file.name, `${shown}, so it is not ${asked} (--encoding)`)
  if (encoding === 'utf-8') {
    await requireText(file)
    await requireUtf8(file, `though ${shown}`)
  }
  return { encoding, hasMark: true, evidence: asked ? [] : [`encoding ${encoding}: ${shown}`] }
}

const byRequest = async (file: Inspected, encoding: Encoding): Promise<FoundEncoding> => {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return { encoding, hasMark: false, evidence: [] }
  await requireText(file)
  if (encoding === 'utf-8') await requireUtf8(file, 'as --encoding says')
  else if (!file.seen.isAscii) await requireCharacters(file, encoding)
  return { encoding, hasMark: false, evidence: [] }
}

const byContent = async (file: Inspected): Promise<FoundEncoding> => {
  const { nul, head, notUtf8, isAscii } = file.seen
  const wide = nul === undefined ? undefined : nulEncoding(head)
  if (wide) {
    const side = wide === 'utf-16le' ? 'second' : 'first'
    return {
      encoding: wide,
      hasMark: false,
      evidence: [`encoding ${wide}: the ${side} byte of most pairs is NUL, and none of the others is`],
    }
  }
  await requireText(file)
  if (notUtf8 !== undefined) return byWords(file, notUtf8)
  const shown = isAscii ? 'all of its characters are ASCII' : 'all of its bytes are UTF-8'
  return { encoding: 'utf-8', hasMark: false, evidence: [`encoding utf-8: ${shown}`] }
}

/** Detects the character encoding of a file: as asked, by its byte order mark, or by its bytes. */
export const detectEncoding = async (file: Inspected, asked: Encoding | undefined): Promise<FoundEncoding> => {
  const kind = kindOfFile(file.seen.head)
  if (kind !== undefined) throw unreadable(file.name, kind)
  return (await byMark(file, asked)) ?? (asked ? byRequest(file, asked) : byContent(file))
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
