import { isAscii, isUtf8 } from 'node:buffer'

/** Describes what one pass over the content of a file shows. */
export type Inspection = {
  /** Holds its beginning, and whether that is all of it. */
  readonly head: Buffer
  readonly isAll: boolean
  /** Holds the place of the first NUL byte. */
  readonly nul: number | undefined
  /** Holds the place of the first byte that is not UTF-8. */
  readonly notUtf8: number | undefined
  /** Tells whether it is UTF-8 except for its last character, which is cut off. */
  readonly endsCut: boolean
  /** Tells whether all of it is ASCII. */
  readonly isAscii: boolean
}

/** Yields the bytes of a file. */
export type FileBytes = AsyncGenerator<Buffer>

/** Sets how many bytes of the beginning are used to detect the delimiter; more if the lines are longer. */
const HEAD_BYTES = 1 << 16
const LONGEST_HEAD_BYTES = 1 << 20
const HEAD_LINES = 3
const LINE_END = 0x0a

/** Returns how many bytes at the end of a chunk belong to a UTF-8 character that continues in the next one. */
export const unfinishedBytes = (chunk: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, chunk.length); back += 1) {
    const byte = chunk[chunk.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** Returns the place of the first byte of a chunk that cannot be UTF-8; there must be one. */
const firstFault = (chunk: Buffer): number => {
  let [good, bad] = [0, chunk.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const part = chunk.subarray(0, middle)
    if (isUtf8(part.subarray(0, middle - unfinishedBytes(part)))) good = middle
    else bad = middle
  }
  return bad - 1 - unfinishedBytes(chunk.subarray(0, bad - 1))
}

/** Finds the first byte that is not UTF-8, however the content is cut into chunks. */
const createUtf8Check = (): {
  readonly add: (chunk: Buffer) => void
  readonly end: () => { readonly notUtf8: number | undefined; readonly endsCut: boolean; readonly isAscii: boolean }
} => {
  let [done, notUtf8, plain] = [0, undefined as number | undefined, true]
  let rest: Buffer = Buffer.alloc(0)
  const check = (bytes: Buffer): void => {
    if (!isUtf8(bytes)) notUtf8 = done + firstFault(bytes)
    done += bytes.length
  }
  return {
    add: (chunk) => {
      plain &&= isAscii(chunk)
      if (notUtf8 !== undefined) return
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const whole = bytes.length - unfinishedBytes(bytes)
      rest = Buffer.from(bytes.subarray(whole))
      check(bytes.subarray(0, whole))
    },
    end: () => {
      const endsCut = notUtf8 === undefined && rest.length > 0
      if (endsCut) notUtf8 = done
      return { notUtf8, endsCut, isAscii: plain }
    },
  }
}

/** Collects the beginning of the content. */
const createHead = (): { readonly add: (chunk: Buffer) => void; readonly taken: () => Buffer } => {
  const parts: Buffer[] = []
  let [size, lines] = [0, 0]
  return {
    add: (chunk) => {
      if (size >= LONGEST_HEAD_BYTES || (size >= HEAD_BYTES && lines >= HEAD_LINES)) return
      parts.push(chunk)
      size += chunk.length
      for (let at = chunk.indexOf(LINE_END); at >= 0 && lines < HEAD_LINES; at = chunk.indexOf(LINE_END, at + 1))
        lines += 1
    },
    taken: () => Buffer.concat(parts),
  }
}

/** Reads the content of a file once, and describes it. */
export const inspect = async (content: FileBytes): Promise<Inspection> => {
  const [utf8, beginning] = [createUtf8Check(), createHead()]
  let [size, nul] = [0, undefined as number | undefined]
  for await (const chunk of content) {
    utf8.add(chunk)
    beginning.add(chunk)
    const at = nul === undefined ? chunk.indexOf(0) : -1
    if (at >= 0) nul = size + at
    size += chunk.length
  }
  const head = beginning.taken()
  return { head, isAll: size === head.length, nul, ...utf8.end() }
}

/** Returns the line, from 1, of the byte at a place, and that byte. */
export const lineOfByte = async (content: FileBytes, place: number): Promise<{ line: number; byte: string }> => {
  let [line, start] = [1, 0]
  for await (const chunk of content) {
    const end = Math.min(chunk.length, place - start)
    for (let at = chunk.indexOf(LINE_END); at >= 0 && at < end; at = chunk.indexOf(LINE_END, at + 1)) line += 1
    if (end < chunk.length) return { line, byte: hexOf(chunk[end] ?? 0) }
    start += chunk.length
  }
  return { line, byte: '' }
}

const hexOf = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0')
