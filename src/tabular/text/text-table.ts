import { KpiError } from '../../domain/errors.ts'
import { decodeText, detectEncoding } from '../encoding/encoding.ts'
import { detectDelimiter, namesDelimiter } from './delimiter.ts'
import { type RereadableFile, type ByteSum, summing, sumOf, type StopSignal, untilStopped } from '../source/files.ts'
import { type FileBytes, type Inspection, inspect } from '../source/inspect.ts'
import type { UnpackedFile } from '../packing/unpack.ts'
import { jsonFormat } from '../json/json-format.ts'
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

/** Finds out how to read a file of text, in one pass over it. */
export const openTextTable = async (
  { packed, file, folder, stop }: TextFile,
  asked: SourceOptions,
  header: HeaderFinder,
): Promise<Table> => {
  const { source, gzip, findings } = file
  const stamp = source.stamp()
  // Whoever reads the rows later stops by itself, and may still have to write down what was not sent.
  let signal = stop?.()
  const content = (): FileBytes => (signal ? untilStopped(source.open(), signal) : source.open())
  const { seen, sum } = await inspectAndSum(packed, file, signal)
  const { encoding, hasMark, evidence, assumed } = await detectEncoding(
    { name: source.name, seen, reread: content, signal },
    asked.encoding,
  )
  const text = await beginningOf(seen.head, encoding)
  const json = jsonFormat({ name: source.name, text, isAll: seen.isAll }, asked.records)
  requireNoRecords(source.name, asked, json?.kind)
  if (json) {
    const { openJsonTable } = await import('../json/json-table.ts')
    const isGzip = gzip ? [{ topic: 'compression', found: 'gzip', evidence: 'it begins with 1F 8B' }] : []
    const opened = {
      name: source.name,
      format: json,
      records: json.kind === 'json' ? asked.records : undefined,
      text: () => unchanged(source, stamp, () => decodeText(content(), encoding)),
      encoded: { encoding, hasMark, assumed, evidence },
      findings: [...isGzip, ...findings],
      sum,
      mode: source.mode,
      folder,
    }
    return openJsonTable(opened, header).finally(source.close)
  }
  requireLineFeeds(text)
  const found = asked.separator
    ? { separator: asked.separator, evidence: [] }
    : detectDelimiter({ text, isAll: seen.isAll, skipLines: asked.skipLines }, header)
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
      ...(findings.length > 0 && { findings }),
      evidence: [...(gzip ? ['gzip: it begins with 1F 8B'] : []), ...evidence, ...found.evidence],
    },
    ...sum,
    rows: () => unchanged(source, stamp, rows),
    mode: source.mode,
    close: source.close,
  }
  const headed = await header.begin(table, false)
  signal = undefined
  return headed
}
