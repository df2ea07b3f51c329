import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { type RandomAccess, inTurns, type StopSignal } from '../source/files.ts'
import type { FileBytes } from '../source/inspect.ts'
import { implausibleSize } from '../source/limits.ts'

const CHUNK_BYTES = 1 << 16
/** Bounds the files of an archive: no workbook has more. */
const MOST_ENTRIES = 10_000
/** Bounds the size of an unpacked file. */
const MOST_BYTES = 4 * 1024 ** 3

/** Describes a file in a zip archive. */
export type ZipEntry = { readonly path: string; readonly size: number; readonly content: () => FileBytes }

/** Describes an open zip archive: its files, without its folders. */
export type ZipArchive = { readonly entries: readonly ZipEntry[]; readonly close: () => void }

const unreadable = (name: string, why: string, cause?: unknown): KpiError =>
  new KpiError('malformed', `cannot read ${name}: ${why}`, { cause })

/** Reads the bytes of an archive for the unzip library. */
class ArchiveReader extends RandomAccessReader {
  readonly #file: RandomAccess
  constructor(file: RandomAccess) {
    super()
    this.#file = file
  }
  override _readStreamForRange(start: number, end: number): Readable {
    const file = this.#file
    const bytes = function* (): Generator<Buffer> {
      for (let place = start; place < end;) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - place))
        const count = file.read(chunk, place)
        if (count === 0) return
        place += count
        yield chunk.subarray(0, count)
      }
    }
    return Readable.from(bytes(), { objectMode: false })
  }
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    place: number,
    done: (error: Error | null) => void,
  ): void {
    const count = this.#file.read(buffer.subarray(offset, offset + length), place)
    setImmediate(done, count < length ? new Error('unexpected end of file') : null)
  }
}

/** Refuses an entry that cannot be unpacked, or that is far larger than any table. */
const requireReasonable = (entry: Entry, name: string): void => {
  const { fileName, uncompressedSize: size, compressedSize } = entry
  if (entry.isEncrypted()) {
    throw unreadable(name, `"${fileName}" is protected by a password; unpack it first`)
  }
  if (!entry.canDecodeFileData()) {
    throw unreadable(name, `"${fileName}" is packed by a method that is not supported; unpack it first`)
  }
  const most =
    size > MOST_BYTES
      ? 'more than 4 GiB; unpack it, and split it into several files'
      : implausibleSize(size, compressedSize)
  if (most !== undefined) throw unreadable(name, `"${fileName}" unpacks to ${countText(size)} bytes, ${most}`)
}

/** Yields the content of an entry, and checks its sum at the end. */
async function* contentOf(archive: ZipFile, entry: Entry, name: string): FileBytes {
  requireReasonable(entry, name)
  let sum = 0
  try {
    const stream = await archive.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    if (error instanceof KpiError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw unreadable(name, `"${entry.fileName}" in it is damaged (${why}); create it again`, error)
  }
  if (sum !== entry.crc32) throw unreadable(name, `"${entry.fileName}" in it is damaged (wrong sum); create it again`)
}

/** Opens a zip archive, and lists its files. `stop` ends reading them. */
export const openZip = async (file: RandomAccess, name: string, stop?: StopSignal): Promise<ZipArchive> => {
  const entries: ZipEntry[] = []
  try {
    const archive = await fromRandomAccessReaderPromise(new ArchiveReader(file), file.size(), {
      lazyEntries: true,
      autoClose: false,
    })
    if (archive.entryCount > MOST_ENTRIES) {
      throw unreadable(
        name,
        `it holds ${countText(archive.entryCount)} files, more than the ${countText(MOST_ENTRIES)} that are looked through; unpack the one with the table`,
      )
    }
    for await (const entry of archive.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      const content = (): FileBytes => inTurns(contentOf(archive, entry, name), stop?.())
      entries.push({ path: entry.fileName, size: entry.uncompressedSize, content })
    }
  } catch (error) {
    file.close()
    if (error instanceof KpiError) throw error
    throw unreadable(name, 'its zip archive is damaged, or was cut off; get the complete file', error)
  }
  return { entries, close: file.close }
}
