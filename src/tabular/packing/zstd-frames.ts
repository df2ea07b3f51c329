import type { FileBytes } from '../source/inspect.ts'

const MAGIC = 0xfd_2f_b5_28
/** Begins frames that hold no content; its last four bits are free. */
const SKIPPED_MAGIC = 0x18_4d_2a_50
const CHECKSUM_BYTES = 4
const REPEATED_BYTE = 1
const RESERVED = 3

/** Returns an error with the code by which those of `node:zlib` are known. */
const zstdError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const cutOff = (): Error => zstdError('Z_BUF_ERROR', 'unexpected end of file')

/** Reads bytes in pieces of the sizes that are asked for. */
class ByteReader {
  readonly #bytes: FileBytes
  #rest: Buffer = Buffer.alloc(0)
  constructor(bytes: FileBytes) {
    this.#bytes = bytes
  }

  /** Returns whether there are more bytes. */
  async hasMore(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#bytes.next()
      if (next.done) return false
      this.#rest = next.value
    }
    return true
  }

  /** Yields so many bytes, as they come. */
  async *pass(count: number): FileBytes {
    for (let left = count; left > 0;) {
      if (!(await this.hasMore())) throw cutOff()
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  /** Returns so many bytes, which are few. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.pass(count)) parts.push(part)
    return Buffer.concat(parts)
  }
}

/** Returns how long the header of a frame is after its first byte, which describes it. */
const headerLength = (descriptor: number): number => {
  const isSingle = (descriptor & 0x20) !== 0
  const sizeFlag = descriptor >> 6
  const sizeBytes = sizeFlag === 0 ? Number(isSingle) : 2 ** sizeFlag
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  return Number(!isSingle) + dictionaryBytes + sizeBytes
}

/** Yields the bytes of one frame, whose magic number has been read. */
async function* frameBytes(reader: ByteReader, magic: Buffer): FileBytes {
  const first = await reader.take(1)
  const descriptor = first.readUInt8()
  yield Buffer.concat([magic, first, await reader.take(headerLength(descriptor))])
  for (let isLast = false; !isLast;) {
    const head = await reader.take(3)
    const block = head.readUIntLE(0, 3)
    const type = (block >> 1) & 3
    if (type === RESERVED) throw zstdError('ZSTD_error_corruption_detected', 'a block of an unknown kind')
    isLast = (block & 1) === 1
    yield head
    yield* reader.pass(type === 1 ? REPEATED_BYTE : block >> 3)
  }
  if ((descriptor & 4) !== 0) yield await reader.take(CHECKSUM_BYTES)
}

/**
 * Yields the frames of compressed bytes, one after another, each of which has to be read before the next: Node.js
 * unpacks only the first, while several compressed files may be joined into one.
 */
export async function* zstdFrames(bytes: FileBytes): AsyncGenerator<FileBytes> {
  const reader = new ByteReader(bytes)
  while (await reader.hasMore()) {
    const magic = await reader.take(4)
    const number = magic.readUInt32LE()
    if (number === MAGIC) yield frameBytes(reader, magic)
    else if ((number & 0xff_ff_ff_f0) >>> 0 === SKIPPED_MAGIC) {
      const size = await reader.take(4)
      for await (const part of reader.pass(size.readUInt32LE())) void part
    } else throw zstdError('ZSTD_error_prefix_unknown', 'something else follows it')
  }
}
