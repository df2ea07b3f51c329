import { isAscii } from 'node:buffer'
import type { FileBytes } from '../inspect.ts'

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
const IS_END = Array.from({ length: 256 }, (_, byte) => '\t\n\r ",;'.includes(String.fromCharCode(byte)))

/** Yields the words of a file that are not ASCII, in constant memory. A word that is too long is cut. */
export async function* rawWords(content: FileBytes): AsyncGenerator<RawWord> {
  let [line, rest] = [1, Buffer.alloc(0)]
  for await (const part of content) {
    const chunk = rest.length === 0 ? part : Buffer.concat([rest, part])
    const isPlain = isAscii(chunk)
    let start = 0
    let isHigh = false
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (byte >= HIGH) isHigh = true
      if (!IS_END[byte]) continue
      if (isHigh) yield { bytes: chunk.toString('latin1', start, at), line }
      if (byte === LINE_END) line += 1
      start = at + 1
      isHigh = false
    }
    if (!isPlain && isHigh && chunk.length - start > LONGEST_WORD) {
      yield { bytes: chunk.toString('latin1', start), line }
      start = chunk.length
    }
    rest = Buffer.from(chunk.subarray(start).subarray(-LONGEST_WORD))
  }
  if (!isAscii(rest)) yield { bytes: rest.toString('latin1'), line }
}
