import { KpiError } from '../../domain/errors.ts'
import { decodeText, detectEncoding, type FoundEncoding } from '../encoding/encoding.ts'
import { detectDelimiter, namesDelimiter } from './delimiter.ts'
import { type RereadableFile, type ByteSum, summing, sumOf, type StopSignal, untilStopped } from '../source/files.ts'
import { type FileBytes, type Inspection, inspect } from '../source/inspect.ts'
import type { UnpackedFile } from '../packing/unpack.ts'
import { type JsonFormat, jsonFormat } from '../json/json-format.ts'
import { readRows } from './rows.ts'
import type { Row, HeaderFinder, ParsedFormat, SourceOptions, Table } from '../source/table.ts'

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

/** Yields rows or text, and throws at the end if the file has changed since it was opened. */
async function* unchanged<T>(source: RereadableFile, stamp: string, rows: () => AsyncGenerator<T>): AsyncGenerator<T> {
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

/** Inspects the content of a file, and sums up its bytes: in one pass, unless those have to be read at any place. */
const inspectAndSum = async (
  packed: RereadableFile,
  { source, through }: UnpackedFile,
  signal: AbortSignal | undefined,
): Promise<{ readonly seen: Inspection; readonly sum: ByteSum }> => {
  const watched = (bytes: FileBytes): FileBytes => (signal ? untilStopped(bytes, signal) : bytes)
  if (!through) return { seen: await inspect(watched(source.open())), sum: await sumOf(packed) }
  const { bytes, sum } = summing(packed.open())
  const seen = await inspect(watched(through(bytes)))
  return { seen, sum: sum() }
}

/** Refuses a path to the records of what is no document of JSON, unless it is of a mapping, which reads other files, too. */
export const requireNoRecords = (name: string, { records, areRecordsSaved }: SourceOptions, kind?: string): void => {
  if (records === undefined || areRecordsSaved || kind === 'json') return
  const why = kind === 'ndjson' ? 'each of its lines is a record' : 'it is no JSON'
  throw new KpiError('malformed', `cannot read ${name}: ${why}, so it has no list to look for; leave out --records`)
}

/** Describes a file of text: as it was given, and as it was unpacked. */
type TextFile = {
  readonly packed: RereadableFile
  readonly file: UnpackedFile
  readonly folder: string
  readonly stop: StopSignal | undefined
}

/** Describes a text whose encoding is known: where it is from, and its content. */
type KnownText = Omit<TextFile, 'stop'> & {
  readonly sum: ByteSum
  readonly found: FoundEncoding
  /** Yields its parts, or what is made of them, and throws at the end if the file has changed since it was opened. */
  readonly read: <T>(make: (text: AsyncGenerator<string>) => AsyncGenerator<T>) => AsyncGenerator<T>
  readonly signal: AbortSignal | undefined
}

/** Opens a text of JSON as a table. */
const openJson = async (
  { file: { source, gzip, findings }, folder, sum, found, read, signal }: KnownText,
  format: JsonFormat,
  records: string | undefined,
  header: HeaderFinder,
): Promise<Table> => {
  const { openJsonTable } = await import('../json/json-table.ts')
  const isGzip = gzip ? [{ topic: 'compression', found: 'gzip', evidence: 'it begins with 1F 8B' }] : []
  const opened = {
    name: source.name,
    format,
    records: format.kind === 'json' ? records : undefined,
    text: () => read((text) => text),
    encoded: found,
    findings: [...isGzip, ...findings],
    sum,
    mode: source.mode,
    folder,
    signal,
  }
  return openJsonTable(opened, header).finally(source.close)
}

/** Opens a text whose cells are delimited as a table. */
const openDelimited = (
  { file: { source, gzip, findings }, sum, found: { encoding, hasMark, evidence, assumed }, read }: KnownText,
  beginning: Parameters<typeof detectDelimiter>[0],
  asked: SourceOptions,
  header: HeaderFinder,
): Promise<Table> => {
  requireLineFeeds(beginning.text)
  const found = asked.separator
    ? { separator: asked.separator, evidence: [] }
    : detectDelimiter({ ...beginning, skipLines: asked.skipLines }, header)
  const split = (text: AsyncGenerator<string>): AsyncGenerator<readonly Row[]> =>
    readRows(text, found.separator, source.name)
  const hasDelimiter = namesDelimiter(beginning.text)
  const table = {
    name: source.name,
    reading: {
      gzip,
      encoding,
      hasMark,
      separator: found.separator,
      assumed,
      ...(findings.length > 0 && { findings }),
      evidence: [...(gzip ? ['gzip: it begins with 1F 8B'] : []), ...evidence, ...found.evidence],
    },
    ...sum,
    rows: () => read((text) => (hasDelimiter ? withoutFirst(split(text)) : split(text))),
    mode: source.mode,
    close: source.close,
  }
  return header.begin(table, false)
}

/** Finds out how to read a file of text, in one pass over it. */
export const openTextTable = async (
  { packed, file, folder, stop }: TextFile,
  asked: SourceOptions,
  header: HeaderFinder,
): Promise<Table> => {
  const { source } = file
  const stamp = source.stamp()
  // Whoever reads the rows later stops by itself, and may still have to write down what was not sent.
  let signal = stop?.()
  const content = (): FileBytes => (signal ? untilStopped(source.open(), signal) : source.open())
  const { seen, sum } = await inspectAndSum(packed, file, signal)
  const found = await detectEncoding({ name: source.name, seen, reread: content, signal }, asked.encoding)
  const beginning = { text: await beginningOf(seen.head, found.encoding), isAll: seen.isAll }
  const json = jsonFormat({ name: source.name, ...beginning }, asked.records)
  requireNoRecords(source.name, asked, json?.kind)
  const read: KnownText['read'] = (make) => unchanged(source, stamp, () => make(decodeText(content(), found.encoding)))
  const text = { packed, file, folder, sum, found, read, signal }
  const table = await (json
    ? openJson(text, json, asked.records, header)
    : openDelimited(text, beginning, asked, header))
  signal = undefined
  return table
}
