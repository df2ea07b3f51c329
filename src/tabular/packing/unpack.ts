import { pipeline, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { KpiError } from '../../domain/errors.ts'
import { createSpillFile } from '../../files/spill-file.ts'
import { spillFileSource } from '../source/spool.ts'
import { type RandomAccess, type RereadableFile, inTurns, type StopSignal } from '../source/files.ts'
import type { FileBytes } from '../source/inspect.ts'
import type { FormatFinding } from '../source/table.ts'
import { implausibleSize } from '../source/limits.ts'
import type { ZipArchive } from './zip.ts'
import { zstdFrames } from './zstd-frames.ts'

const CHUNK_BYTES = 1 << 16
/** Bounds what is unpacked to a temporary file, to be read at any place. */
const MOST_BYTES = 512 * 1024 ** 2
/** Bounds how often a file may be packed: an archive of a compressed file is packed twice. */
const MOST_LAYERS = 3

const unreadable = (name: string, why: string, cause?: unknown): KpiError =>
  new KpiError('malformed', `cannot read ${name}: ${why}`, { cause })

type Compression = 'gzip' | 'zstd'

/** Returns what damage to compressed bytes an error reports; any other error passes through. */
const damage = (name: string, kind: Compression, error: unknown): unknown => {
  if (!(error instanceof Error && 'code' in error && /^(?:Z_|ZSTD_)/.test(String(error.code)))) return error
  const isCut = error.code === 'Z_BUF_ERROR'
  const why = isCut ? 'ends in the middle, as if it were cut off' : `is damaged (${error.message})`
  return unreadable(name, `its ${kind} ${why}; create it again`, error)
}

const createUnzstd = (name: string): Transform => {
  // Node.js has it since 22.15 and 23.8.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress')
  if (typeof create === 'function') return zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES })
  throw unreadable(name, 'it is compressed with zstd, which this Node.js cannot unpack; unpack it first: unzstd')
}

/** Passes bytes through a stream that unpacks them; errors of both are thrown to the reader. */
const unpackBy = (bytes: FileBytes, unpacking: Transform): AsyncIterable<Buffer> =>
  pipeline(bytes, unpacking, () => undefined)

/** Yields bytes, and adds their count to a sum. */
async function* counted(bytes: FileBytes, count: { read: number }): FileBytes {
  for await (const chunk of bytes) {
    count.read += chunk.length
    yield chunk
  }
}

async function* unpackAll(bytes: FileBytes, name: string, kind: Compression): AsyncGenerator<Buffer> {
  if (kind === 'gzip') yield* unpackBy(bytes, zlib.createGunzip({ chunkSize: CHUNK_BYTES }))
  else
    for await (const frame of zstdFrames(bytes)) {
      yield* unpackBy(frame, createUnzstd(name))
      // A frame may hold nothing: whoever reads can stop behind each of them.
      yield Buffer.alloc(0)
    }
}

/** Yields the unpacked bytes of a compressed file. */
async function* decompress(bytes: FileBytes, name: string, kind: Compression): FileBytes {
  const packed = { read: 0 }
  let size = 0
  try {
    for await (const chunk of unpackAll(counted(bytes, packed), name, kind)) {
      size += chunk.length
      const implausible = implausibleSize(size, packed.read)
      if (implausible !== undefined) throw unreadable(name, `its ${kind} unpacks to ${implausible}`)
      yield chunk
    }
  } catch (error) {
    throw damage(name, kind, error)
  } finally {
    await bytes.return(undefined)
  }
}

/** Lists the first bytes of files that are not read as text. */
const BEGINNINGS = [
  ['gzip', '\x1f\x8b'],
  ['zstd', '\x28\xb5\x2f\xfd'],
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'],
  ['compound', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['sqlite', 'SQLite format 3\0'],
] as const

const LONGEST_BEGINNING = 16

/** Returns the first bytes of a file. */
const firstBytes = async (file: RereadableFile): Promise<string> => {
  let first = ''
  for await (const chunk of file.open()) {
    first += chunk.toString('latin1', 0, LONGEST_BEGINNING)
    if (first.length >= LONGEST_BEGINNING) return first
  }
  return first
}

/** Returns what a file is by its first bytes; undefined if it may be text. */
const kindOf = async (file: RereadableFile): Promise<(typeof BEGINNINGS)[number][0] | undefined> => {
  const first = await firstBytes(file)
  return BEGINNINGS.find(([, bytes]) => first.startsWith(bytes))?.[0]
}

/** Describes a file without what it was packed in: it holds text, or it is a workbook. */
export type UnpackedFile = {
  readonly source: RereadableFile
  /** Returns its content from the bytes of the packed file, so that these can be summed up in the same pass. */
  readonly through: ((bytes: FileBytes) => FileBytes) | undefined
  readonly gzip: boolean
  readonly findings: readonly FormatFinding[]
  /** Holds the files of a workbook. */
  readonly workbook?: ZipArchive
}

const ZSTD: FormatFinding = { topic: 'compression', found: 'zstd', evidence: 'it begins with 28 B5 2F FD' }

const unpackLayer = ({ source, through, gzip, findings }: UnpackedFile, kind: Compression): UnpackedFile => {
  const unpack = (bytes: FileBytes): FileBytes => decompress(bytes, source.name, kind)
  const { random: _, ...sequential } = source
  return {
    source: { ...sequential, open: () => unpack(source.open()) },
    through: through && ((bytes) => unpack(through(bytes))),
    gzip: gzip || kind === 'gzip',
    findings: kind === 'gzip' ? findings : [...findings, ZSTD],
  }
}

/** Opens a file for reading at any place; what can only be read from its beginning is copied to a temporary file. */
const openAnywhere = async (
  source: RereadableFile,
  folder: string,
  stop: StopSignal | undefined,
): Promise<{ source: RereadableFile; random: RandomAccess }> => {
  if (source.random) return { source, random: source.random() }
  const spillFile = createSpillFile(folder)
  try {
    for await (const chunk of inTurns(source.open(), stop?.())) {
      spillFile.append(chunk)
      if (spillFile.size() > MOST_BYTES)
        throw unreadable(source.name, 'it unpacks to an archive of more than 512 MiB; unpack it first')
    }
  } catch (error) {
    spillFile.close()
    throw error
  }
  const copy = spillFileSource(spillFile, source.name)
  const close = (): void => {
    copy.close()
    source.close()
  }
  const random = { size: spillFile.size, read: spillFile.read, close: () => undefined }
  return { source: { ...source, open: copy.open, random: () => random, close }, random }
}

/** Matches files that programs add to archives by themselves. */
const BY_PROGRAMS = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i
const SHOWN_ENTRIES = 10

const isWorkbook = ({ entries }: ZipArchive): boolean =>
  entries.some(({ path }) => path === '[Content_Types].xml' || path === 'META-INF/manifest.xml' || path === 'mimetype')

/** Returns the only file of an archive; throws if there are several. */
const onlyEntry = ({ entries }: ZipArchive, name: string): ZipArchive['entries'][number] => {
  const files = entries.filter(({ path }) => !BY_PROGRAMS.test(path))
  const [first] = files
  if (!first) throw unreadable(name, 'the zip archive holds no file')
  if (files.some(({ path }) => path.endsWith('.iwa'))) {
    throw unreadable(name, 'it is a document of Apple Numbers; export it as CSV or as an Excel workbook')
  }
  if (files.length === 1) return first
  const shown = files.slice(0, SHOWN_ENTRIES).map(({ path, size }) => `${path} (${size} bytes)`)
  const more = files.length > SHOWN_ENTRIES ? `, and ${files.length - SHOWN_ENTRIES} more` : ''
  throw unreadable(
    name,
    `the zip archive holds several files: ${shown.join(', ')}${more}; unpack it, and import the one that is meant`,
  )
}

const unpackZip = async (file: UnpackedFile, folder: string, stop: StopSignal | undefined): Promise<UnpackedFile> => {
  const { openZip } = await import('./zip.ts')
  const { source, random } = await openAnywhere(file.source, folder, stop)
  const archive = await openZip(random, source.name, stop)
  if (isWorkbook(archive)) return { ...file, source, workbook: archive }
  const close = (): void => {
    archive.close()
    source.close()
  }
  try {
    const entry = onlyEntry(archive, source.name)
    const { random: _, ...sequential } = source
    return {
      ...file,
      source: { ...sequential, open: entry.content, close },
      through: undefined,
      findings: [
        ...file.findings,
        { topic: 'archive', found: 'zip', evidence: `${entry.path} is the only file in it` },
      ],
    }
  } catch (error) {
    archive.close()
    throw error
  }
}

const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le').toString('latin1')

/** Refuses workbooks of older programs, and protected ones, which are files of the same kind. */
const refuseCompound = async (source: RereadableFile): Promise<never> => {
  let rest = ''
  for await (const chunk of source.open()) {
    const text = rest + chunk.toString('latin1')
    if (text.includes(ENCRYPTED)) {
      throw unreadable(
        source.name,
        'the workbook is protected by a password; remove it (in Excel: File, Info, Protect Workbook), or save the sheet as CSV',
      )
    }
    rest = text.slice(-ENCRYPTED.length)
  }
  throw unreadable(
    source.name,
    'it seems to be an Excel workbook of the old format (.xls); open it in a spreadsheet program, and save it as .xlsx or as CSV',
  )
}

const refuseDatabase = ({ name }: RereadableFile): never => {
  throw unreadable(
    name,
    `it is an SQLite database: kpi entries import --from-db FILE --sql 'select …' reads entries from it, and anything else has to be in a CSV file`,
  )
}

/** Returns a file without what it is packed in, as its first bytes, not its name, show it. `stop` ends reading an archive. */
export const unpackFile = async (packed: RereadableFile, folder: string, stop?: StopSignal): Promise<UnpackedFile> => {
  let file: UnpackedFile = { source: packed, through: (bytes) => bytes, gzip: false, findings: [] }
  try {
    for (let layers = 0; !file.workbook; layers += 1) {
      const kind = await kindOf(file.source)
      if (kind === undefined) return file
      if (kind === 'compound') return await refuseCompound(file.source)
      if (kind === 'sqlite') return refuseDatabase(file.source)
      if (layers === MOST_LAYERS)
        throw unreadable(packed.name, `it is packed more than ${MOST_LAYERS} times; unpack it first`)
      file = kind === 'zip' ? await unpackZip(file, folder, stop) : unpackLayer(file, kind)
    }
    return file
  } catch (error) {
    file.source.close()
    throw error
  }
}
