import { CsvError, parse } from 'csv-parse/sync'
import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { LONGEST_CELL, LONGEST_ROW, MOST_COLUMNS } from '../source/limits.ts'
import type { Row } from '../source/table.ts'

/**
 * Returns a copy of a text that was cut out of a longer one; otherwise the engine keeps the longer one in memory with
 * it.
 */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** Lists the line ends; a file may mix them, as spreadsheets and scripts add lines to each other's files. */
const LINE_ENDS = ['\r\n', '\n']
const MESSAGES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell is never closed; put a quote where it ends, or leave out the one it begins with',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell continues after its closing quote; double a quote that is part of the cell',
  INVALID_OPENING_QUOTE: 'a quote is inside a cell that is not quoted; double it and quote the cell',
}
/** Sets the length from which the engine keeps the whole text in memory for a part that was cut out of it. */
const CUT_OUT = 13

const linesIn = (cells: readonly string[]): number => {
  let lines = 1
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) lines += 1
  }
  return lines
}

/** Returns a part of a text that does not keep the whole text in memory. */
const cut = (text: string, start: number, end: number): string => {
  const part = text.slice(start, end)
  return part.length < CUT_OUT ? part : copyOf(part)
}

/**
 * Creates a function that cuts the cells out of lines without quotes; lines must be given in their order. Of a line with
 * too many cells it returns one more than there may be.
 */
const createCutter = (text: string, separator: string): ((start: number, end: number) => string[]) => {
  // The place of the next separator, on whatever line, so that nothing is searched twice.
  let next = text.indexOf(separator)
  // Make room for as many cells as the line before had: a list that grows takes three times the memory.
  let width = 0
  return (start, end) => {
    const cells = Array<string>(width)
    let [from, count] = [start, 0]
    while (next >= 0 && next < from) next = text.indexOf(separator, from)
    for (; next >= 0 && next < end && count < MOST_COLUMNS; next = text.indexOf(separator, from)) {
      cells[count++] = cut(text, from, next)
      from = next + 1
    }
    cells[count++] = cut(text, from, end)
    cells.length = width = count
    return cells
  }
}

/**
 * Returns the sign before a quote, or where a formula begins with the quote (`="10"`), the sign before that: such cells are
 * written without the quotes of a cell.
 */
const signBefore = (text: string, quote: number, start: number, separator: string): string => {
  if (quote === start) return '\n'
  const before = text.charAt(quote - 1)
  if (before !== '=') return before
  const first = quote - 1 === start ? '\n' : text.charAt(quote - 2)
  return first === separator || first === '\n' ? first : before
}

/** Returns the place of the quote that ends a quoted text, in which quotes are doubled. */
const closingQuote = (text: string, open: number): number => {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text.charAt(at + 1) !== '"') return at
  return -1
}

/** Puts quotes around cells that are formulas which only hold a text, and were written without: `="10"`. */
const quoteFormulas = (text: string, separator: string): string => {
  if (!text.includes('="')) return text
  const parts: string[] = []
  let from = 0
  for (let open = text.indexOf('"'); open >= 0;) {
    const close = closingQuote(text, open)
    if (close < 0) break
    const isFormula = open > 0 && text.charAt(open - 1) === '=' && signBefore(text, open, 0, separator) !== '='
    if (isFormula) {
      parts.push(text.slice(from, open - 1), `"=${text.slice(open, close + 1).replaceAll('"', '""')}"`)
      from = close + 1
    }
    open = text.indexOf('"', close + 1)
  }
  return from === 0 ? text : parts.join('') + text.slice(from)
}

/**
 * Returns the place after the last complete row, that is after the last line end outside quotes; `start` is the start
 * of a row. A quote within an unquoted cell ends the search, as an error follows anyway.
 */
const endOfRows = (text: string, start: number, separator: string): number => {
  let end = start
  for (let from = start; ;) {
    const open = text.indexOf('"', from)
    // Search only the rest: a text may consist of nothing but quotes.
    const lineEnd = text.slice(from, open < 0 ? text.length : open).lastIndexOf('\n')
    if (lineEnd >= 0) end = from + lineEnd + 1
    if (open < 0) return end
    const before = signBefore(text, open, start, separator)
    if (before !== '\n' && before !== separator && !(before === '"' && open === from)) return open + 1
    const close = text.indexOf('"', open + 1)
    if (close < 0) return end
    from = close + 1
  }
}

/** Matches a formula that only holds a text, as exports write numbers and dates that spreadsheets are to leave alone. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/

/** Returns the text of a formula that only holds one; any other cell as it is. */
const withoutFormula = (cell: string): string =>
  cell.startsWith('="') ? (TEXT_FORMULA.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell) : cell

/** Splits a text that comes in parts into rows. */
type Splitter = {
  /** Adds the rows that this part of the text completes. */
  readonly add: (text: string, rows: Row[]) => void
  /** Adds the last row, if it has no line end. */
  readonly end: (rows: Row[]) => void
}

/**
 * Creates a splitter of rows (RFC 4180, LF or CRLF), which skips blank lines. Lines without quotes are split here; from
 * the first quote in a part on, the CSV parser takes over. A text that cannot be parsed is a `malformed` error with the
 * file and the line.
 */
export const createSplitter = (separator: string, name: string): Splitter => {
  let [rest, held, line] = ['', '', 1]
  const unreadable = (why: string, cause?: unknown): KpiError =>
    new KpiError('malformed', `cannot read ${name}: line ${line}: ${why}`, { cause })
  /** Adds a row, and refuses it if it has too many cells: who only tries a separator still sees where it begins. */
  const addRow = (rows: Row[], cells: string[], length: number): void => {
    rows.push({ line, cells: cells.length > MOST_COLUMNS ? cells.slice(0, MOST_COLUMNS + 1) : cells })
    if (cells.length > MOST_COLUMNS) {
      throw unreadable(
        `the row has more than ${countText(MOST_COLUMNS)} cells, the most columns that a table may have; leave some out in the file, or say how cells are separated (--separator)`,
      )
    }
    if (length > LONGEST_CELL && cells.some((cell) => cell.length > LONGEST_CELL)) {
      throw unreadable(
        `a cell has more than ${countText(LONGEST_CELL)} characters; shorten it, or is a quote never closed?`,
      )
    }
  }
  const addQuoted = (text: string, rows: Row[]): void => {
    const take = (cells: string[]): null => {
      if (cells.length > 1 || cells[0] !== '') addRow(rows, cells.map(withoutFormula), text.length)
      line += linesIn(cells)
      return null
    }
    try {
      parse(quoteFormulas(text, separator), {
        delimiter: separator,
        relax_column_count: true,
        record_delimiter: LINE_ENDS,
        on_record: take,
      })
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw unreadable(MESSAGES[error.code] ?? error.message, error)
    }
  }
  /** Adds the lines before the first quote, and returns where the next line begins. */
  const addPlain = (text: string, quote: number, rows: Row[]): number => {
    let start = 0
    const cellsOf = createCutter(text, separator)
    for (let end = text.indexOf('\n', start); end >= 0 && end < quote; end = text.indexOf('\n', start)) {
      const stop = text.charCodeAt(end - 1) === 0x0d && end > start ? end - 1 : end
      if (stop > start) addRow(rows, cellsOf(start, stop), stop - start)
      line += 1
      start = end + 1
    }
    return start
  }
  return {
    add: (part, rows) => {
      held += part
      // A row that does not end is searched again only once it is twice as long, so that each sign is seen a few times.
      if (held.length < rest.length && rest.length + held.length <= LONGEST_ROW) return
      const text = rest + held
      held = ''
      const found = text.indexOf('"')
      let start = addPlain(text, found < 0 ? text.length : found, rows)
      if (found >= 0) {
        const end = endOfRows(text, start, separator)
        if (end > start) addQuoted(text.slice(start, end), rows)
        start = end
      }
      rest = text.slice(start)
      if (rest.length > LONGEST_ROW) {
        throw unreadable(
          `the row has more than ${countText(LONGEST_ROW)} characters; is a quote never closed? Else split it into several rows`,
        )
      }
    },
    end: (rows) => {
      const text = rest + held
      rest = held = ''
      if (text.includes('"')) return addQuoted(text, rows)
      const start = addPlain(text, text.length, rows)
      if (start < text.length) addRow(rows, createCutter(text, separator)(start, text.length), text.length)
    },
  }
}

/** Yields the rows of a text, some thousand at a time, in constant memory; `name` is the file's name for errors. */
export async function* readRows(
  parts: AsyncIterable<string>,
  separator: string,
  name: string,
): AsyncGenerator<readonly Row[]> {
  const splitter = createSplitter(separator, name)
  for await (const part of parts) {
    const rows: Row[] = []
    splitter.add(part, rows)
    yield rows
  }
  const rows: Row[] = []
  splitter.end(rows)
  yield rows
}
