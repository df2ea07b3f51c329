import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { KpiError } from '../../domain/errors.ts'
import type { ENCODINGS, Delimiter } from '../options.ts'
import { decodeText } from './decode.ts'
import { detectDelimiter, namesDelimiter } from './delimiter.ts'
import { detectEncoding } from './encoding.ts'
import type { RereadableFile } from './files.ts'
import { withHeading } from './heading/with-heading.ts'
import { type FileBytes, inspect } from './inspect.ts'
import { readRows, type Row } from './rows.ts'

const CHUNK_BYTES = 1 << 16

const damage = (name: string, error: unknown): unknown => {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) return error
  const why =
    error.code === 'Z_BUF_ERROR' ? 'ends in the middle, as if it were cut off' : `is damaged (${error.message})`
  return new KpiError('malformed', `cannot read ${name}: its gzip ${why}; create it again`, { cause: error })
}

/** Yields the content of a file, unpacked if it is gzip. */
async function* contentOf(bytes: FileBytes, name: string, isPacked: boolean): FileBytes {
  if (!isPacked) {
    yield* bytes
    return
  }
  // Errors are thrown to the reader of the unpacked bytes.
  const unpacked = pipeline(bytes, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined)
  try {
    yield* unpacked as AsyncIterable<Buffer>
  } catch (error) {
    throw damage(name, error)
  }
}

/** Holds the bytes of a file while they are read: whether they are gzip, and at the end their SHA-256 and count. */
type Passing = {
  readonly bytes: FileBytes
  readonly isGzip: boolean
  readonly sum: () => { readonly sha256: string; readonly bytes: number }
}

/**
 * Passes on the bytes of a file, and hashes and counts them. Its first two bytes, not its name, tell whether it is
 * gzip.
 */
const passing = async (file: FileBytes): Promise<Passing> => {
  const hash = createHash('sha256')
  let count = 0
  const first = await file.next()
  const bytes = async function* (): FileBytes {
    for (let chunk = first; !chunk.done; chunk = await file.next()) {
      hash.update(chunk.value)
      count += chunk.value.length
      yield chunk.value
    }
  }
  const isGzip = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b
  return { bytes: bytes(), isGzip, sum: () => ({ sha256: hash.digest('hex'), bytes: count }) }
}

/** Describes how the bytes of a file become rows. */
export type ParsedFormat = {
  readonly gzip: boolean
  readonly encoding: (typeof ENCODINGS)[number]
  /** Tells whether it begins with a byte order mark. */
  readonly hasMark: boolean
  readonly separator: Delimiter
  /** Lists the evidence in the file, one text each. */
  readonly evidence: readonly string[]
  /** Says what was assumed; it is shown as a warning. */
  readonly assumed?: string | undefined
}

/** Describes what the user said about how to parse a file; the rest is detected. */
export type RequestedFormat = {
  readonly encoding?: ParsedFormat['encoding'] | undefined
  readonly separator?: Delimiter | undefined
  /** Counts the lines before the header. */
  readonly skipLines?: number | undefined
  /** Lists the texts of rows that are left out. */
  readonly ignoreRows?: readonly string[] | undefined
}

/** Describes a file as rows, the header first; it can be read more than once. */
export type Table = {
  readonly name: string
  readonly reading: ParsedFormat
  /** Holds the SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  readonly rows: () => AsyncGenerator<readonly Row[]>
  /** Holds the rows above the header as they are: titles, and an upper one of two header rows. */
  readonly above: readonly Row[]
  /** Holds the labels of the upper header row, one for each column; undefined if there is one header row. */
  readonly upper: readonly string[] | undefined
  /** Holds a row of units below the header, which is left out. */
  readonly units?: Row
  /** Tells whether the user said which rows are left out, or that none are. */
  readonly isRowsSettled: boolean
  /** Holds the file's permissions; files made from its rows get no wider ones. */
  readonly mode: number
  readonly close: () => void
}

/** Returns the beginning of a file as text. */
const beginningOf = async (head: Buffer, encoding: ParsedFormat['encoding']): Promise<string> => {
  // Do not flush the decoder: the last character may be cut off.
  const once = async function* (): FileBytes {
    yield head
  }
  for await (const text of decodeText(once(), encoding)) return text
  return ''
}

const requireLineFeeds = (text: string): void => {
  if (!/^[^\n]*\r[^\n]/.test(text)) return
  throw new KpiError('malformed', 'the lines of the file end in CR alone; save it with line ends of LF or CRLF')
}

/** Leaves out the first line, which only names the delimiter. */
async function* withoutFirst(chunks: AsyncGenerator<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for await (const rows of chunks) yield rows[0]?.line === 1 ? rows.slice(1) : rows
}

/** Yields rows, and throws at the end if the file has changed since it was opened. */
async function* unchanged(
  source: RereadableFile,
  stamp: string,
  rows: () => AsyncGenerator<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const check = (): void => {
    if (source.stamp() === stamp) return
    throw new KpiError(
      'malformed',
      `${source.name} has changed while it was read; run the command again once it no longer changes`,
    )
  }
  check()
  yield* rows()
  check()
}

/** Finds out how to read a file, in one pass over it. */
export const openTable = async (source: RereadableFile, asked: RequestedFormat = {}): Promise<Table> => {
  const stamp = source.stamp()
  const file = await passing(source.open())
  const gzip = file.isGzip
  const content = (): FileBytes => contentOf(source.open(), source.name, gzip)
  const seen = await inspect(contentOf(file.bytes, source.name, gzip))
  const sum = file.sum()
  const { encoding, hasMark, evidence, assumed } = await detectEncoding(
    { name: source.name, seen, reread: content },
    asked.encoding,
  )
  const text = await beginningOf(seen.head, encoding)
  requireLineFeeds(text)
  const found = asked.separator
    ? { separator: asked.separator, evidence: [] }
    : detectDelimiter({ text, isAll: seen.isAll, skipLines: asked.skipLines })
  const read = (): AsyncGenerator<readonly Row[]> =>
    readRows(decodeText(content(), encoding), found.separator, source.name)
  const rows = namesDelimiter(text) ? () => withoutFirst(read()) : read
  const table = {
    name: source.name,
    reading: {
      gzip,
      encoding,
      hasMark,
      separator: found.separator,
      assumed,
      evidence: [...(gzip ? ['gzip: it begins with 1F 8B'] : []), ...evidence, ...found.evidence],
    },
    ...sum,
    rows: () => unchanged(source, stamp, rows),
    mode: source.mode,
    close: source.close,
  }
  return withHeading(table, asked)
}

/** Tells whether a file holds more than a header. */
export const hasRows = async (table: Table): Promise<boolean> => {
  let count = 0
  for await (const rows of table.rows()) {
    count += rows.length
    if (count > 1) return true
  }
  return false
}

/** Returns the header of a file; empty where there is none. */
export const headerOf = async (table: Table): Promise<readonly string[]> => {
  for await (const [header] of table.rows()) if (header) return header.cells
  return []
}
