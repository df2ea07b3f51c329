import { KpiError } from '../../domain/errors.ts'
import type { Encoding } from '../source/text-format.ts'
import type { LegacyEncoding } from './table-decoder.ts'
import { kindOfFile } from './file-kind.ts'
import { type FileBytes, type Inspection, lineOfByte } from '../source/inspect.ts'

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
  const { createFaultFinder } = await import('./faults.ts')
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
