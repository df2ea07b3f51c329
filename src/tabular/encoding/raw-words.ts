import { isAscii } from 'node:buffer'
import type { FileBytes } from '../source/inspect.ts'

/** Describes a word of a file, as its bytes, and its line. */
export type RawWord = { readonly bytes: string; readonly line: number }

const LINE_END = 0x0a
const HIGH = 0x80
/** Bounds the bytes of a word, so that a file without line ends does not fill the memory. */
const LONGEST_WORD = 1 << 16

/**
 * Tells which bytes end a word: spaces, line ends, quotes, commas and semicolons. None of them is ever a part of a
 * longer character in an encoding that files are read in; `|`, `\` and most others may be.
 */
const IS_END = Uint8Array.from({ length: 256 }, (_, byte) => ('\t\n\r ",;'.includes(String.fromCharCode(byte)) ? 1 : 0))

/** Adds the words of a chunk that are not ASCII and end in it; returns where the next begins, and on which line. */
const addWords = (chunk: Buffer, first: number, words: RawWord[]): { start: number; line: number } => {
  let [start, line, isHigh] = [0, first, false]
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0
    if (byte >= HIGH) {
      isHigh = true
      continue
    }
    if (IS_END[byte] === 0) continue
    if (isHigh) words.push({ bytes: chunk.toString('latin1', start, at), line })
    if (byte === LINE_END) line += 1
    start = at + 1
    isHigh = false
  }
  return { start, line }
}

/** Yields the words of a file that are not ASCII, some at a time, in constant memory. A word that is too long is cut. */
export async function* rawWords(content: FileBytes): AsyncGenerator<readonly RawWord[]> {
  let [line, rest] = [1, Buffer.alloc(0)]
  for await (const part of content) {
    const chunk = rest.length === 0 ? part : Buffer.concat([rest, part])
    const words: RawWord[] = []
    const end = addWords(chunk, line, words)
    line = end.line
    rest = Buffer.from(chunk.subarray(end.start))
    if (rest.length > LONGEST_WORD) {
      if (!isAscii(rest)) words.push({ bytes: rest.toString('latin1'), line })
      rest = Buffer.alloc(0)
    }
    yield words
  }
  if (!isAscii(rest)) yield [{ bytes: rest.toString('latin1'), line }]
}
