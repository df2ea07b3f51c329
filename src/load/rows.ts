import { isAscii } from 'node:buffer'
import type { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { KpiError } from '../domain/errors.ts'

/** One row of a file: the line it begins on, from 1, and its cells. */
export type Row = { readonly line: number; readonly cells: readonly string[] }

const QUOTE = 0x22
/** Whichever a line has: spreadsheets and scripts add lines to each other's files. */
const LINE_ENDS = ['\r\n', '\n']
const MESSAGES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell goes on after its closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell that is not quoted; double it and quote the cell',
}

const unreadable = (error: CsvError, line: number): KpiError =>
  new KpiError('malformed', `line ${line}: ${MESSAGES[error.code] ?? error.message}`, { cause: error })

const linesIn = (cells: readonly string[]): number => {
  let lines = 1
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) lines += 1
  }
  return lines
}

/** Refuses bytes that are not UTF-8, whatever chunks they come in. */
const createUtf8Check = (): ((chunk: Uint8Array | undefined) => void) => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let plain = true
  return (chunk) => {
    plain &&= chunk === undefined || isAscii(chunk)
    if (plain) return
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
    } catch (error) {
      throw new KpiError('malformed', 'the file is not UTF-8; save it as CSV UTF-8', { cause: error })
    }
  }
}

/**
 * Reads comma-separated rows (RFC 4180, LF or CRLF, with or without a byte order mark), a few thousand at a time; blank
 * lines are left out. Memory does not grow with the file. A file that cannot be read is a `malformed` error that names
 * the line.
 */
export async function* readRows(stream: Readable): AsyncGenerator<readonly Row[]> {
  const parser = parse({ bom: true, relax_column_count: true, record_delimiter: LINE_ENDS })
  const checkUtf8 = createUtf8Check()
  let failure: CsvError | undefined
  let rows: Row[] = []
  let line = 1
  // A row can span lines only where there are quotes.
  let quoted = false
  parser.on('error', (error: CsvError) => {
    failure = error
  })
  parser.on('data', (cells: string[]) => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line, cells })
    line += quoted ? linesIn(cells) : 1
  })
  const take = (): readonly Row[] => {
    if (failure) throw unreadable(failure, line)
    const taken = rows
    rows = []
    return taken
  }
  const finished = (send: (done: () => void) => void): Promise<void> => new Promise((resolve) => send(resolve))

  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    checkUtf8(chunk)
    quoted ||= chunk.includes(QUOTE)
    await finished((done) => parser.write(chunk, () => done()))
    yield take()
  }
  checkUtf8(undefined)
  await finished((done) => parser.end(() => done()))
  yield take()
}
