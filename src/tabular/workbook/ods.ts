import { isSpreadsheetError } from '../../domain/no-value-words.ts'
import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import { isNumberText, isoDateText, isoTimeText, numberText, percentText } from '../cells/cell-text.ts'
import { LOCAL_CURRENCY } from './number-format.ts'
import type { ZipArchive, ZipEntry } from '../packing/zip.ts'
import { MOST_COLUMNS, MOST_ROWS } from '../source/limits.ts'
import {
  createMeter,
  createRowQueue,
  type MergedRange,
  MOST_RANGES,
  noValueError,
  type QueuedRow,
  requireFewSheets,
  requireFewColumns,
  requireFewRows,
  requireShortRow,
  requireShortText,
  type Sheet,
  type SheetSize,
  unreadableWorkbook,
  type Workbook,
} from './workbook.ts'
import { readXml, type XmlHandlers } from './xml-stream.ts'
import { countText } from '../../domain/count-text.ts'

type Attributes = Readonly<Record<string, string>>

/** Holds a cell while it is read. */
type OpenCell = {
  readonly attributes: Attributes
  readonly isCovered: boolean
  paragraphs: string[]
  depth: number
  /** Counts its characters. */
  length: number
}

const truthText = (stored: string): string => (stored === 'true' ? 'TRUE' : stored === 'false' ? 'FALSE' : stored)

/** Describes in which attribute a cell of a type has its value, and what its text is. */
type ValueKind = { readonly attribute: string; readonly textOf: (stored: string) => string }

const NUMBERS = new Set(['float', 'currency', 'percentage'])

const KINDS: ReadonlyMap<string | undefined, ValueKind> = new Map([
  ['float', { attribute: 'office:value', textOf: numberText }],
  ['currency', { attribute: 'office:value', textOf: numberText }],
  ['percentage', { attribute: 'office:value', textOf: percentText }],
  ['date', { attribute: 'office:date-value', textOf: isoDateText }],
  ['time', { attribute: 'office:time-value', textOf: isoTimeText }],
  ['boolean', { attribute: 'office:boolean-value', textOf: truthText }],
  ['string', { attribute: 'office:string-value', textOf: (stored) => stored }],
])

/** Describes what a cell holds: its text, and if that is stored as a number, the currency of its format or ``. */
type OdsValue = { readonly text: string; readonly currency?: string | undefined }

/** Matches what may be a currency beside a number. */
const BESIDE = /[^\d.,\s-]/

/** Returns the currency of a number: as it is stored, or as the cell shows it. */
const currencyOf = (attributes: Attributes, shown: string): string => {
  const stored = attributes['office:currency'] ?? ''
  if (stored !== '') return stored
  const beside = BESIDE.test(shown) ? stripAffixes(shown)?.currency : undefined
  return beside ?? (attributes['office:value-type'] === 'currency' ? LOCAL_CURRENCY : '')
}

/**
 * Returns the value of a cell by its type; undefined if it is a formula without a value. An error has any type, and a
 * value that is none: only what the cell shows says that it is one.
 */
const odsCellValue = ({ attributes, paragraphs }: OpenCell): OdsValue | undefined => {
  const shown = paragraphs.join('\n')
  const asShown = { text: shown }
  if (attributes['calcext:value-type'] === 'error' || isSpreadsheetError(shown)) return asShown
  const type = attributes['office:value-type'] ?? ''
  const kind = KINDS.get(type)
  const stored = kind && attributes[kind.attribute]
  if (stored !== undefined && (stored !== '' || type === 'string')) {
    const text = kind?.textOf(stored) ?? stored
    return NUMBERS.has(type) && isNumberText(text) ? { text, currency: currencyOf(attributes, shown) } : { text }
  }
  const isUnknown = shown === '' && attributes['table:formula'] !== undefined
  return isUnknown && type !== 'string' ? undefined : asShown
}

/** Bounds how many cells repetition makes: a file of a few hundred bytes may stand for billions. */
const MOST_MADE = 1 << 24

/** Returns how many cells or rows an element stands for. */
const repeated = (attributes: Attributes, name: string, most: number): number => {
  const count = Math.trunc(Number(attributes[name] ?? 1))
  return count >= 1 ? Math.min(count, most) : 1
}

/** Stands for the value of a formula that has none, while sheets are only measured. */
const UNKNOWN: OdsValue = { text: '?' }
const EMPTY: OdsValue = { text: '' }

/** Describes which sheets are read: one, by its place from 1, or all of them, to measure them. */
type Reading = { readonly place?: number; readonly onRows: (place: number, row: QueuedRow) => void }

/** Collects the rows of sheets from the elements of the whole document. */
class OdsReader implements XmlHandlers {
  readonly names: string[] = []
  readonly merged: MergedRange[] = []
  readonly #name: string
  readonly #place: number | undefined
  readonly #onRows: Reading['onRows']
  /** Counts the tables around what is read: cells may hold further ones. */
  #depth = 0
  #row = 1
  #rowCount = 1
  #cells: string[] = []
  #numbers: (string | undefined)[] = []
  #column = 0
  #length = 0
  /** Counts the cells that repetition makes. */
  #made = 0
  #cell: OpenCell | undefined

  constructor(name: string, { place, onRows }: Reading) {
    this.#name = name
    this.#place = place
    this.#onRows = onRows
  }

  readonly open: XmlHandlers['open'] = (tag, attributes) => {
    if (tag === 'table') {
      this.#depth += 1
      if (this.#depth === 1) this.#beginSheet(attributes)
    }
    if (!this.#isWithin()) return
    if (this.#cell) this.#openWithin(this.#cell, tag, attributes)
    else if (tag === 'table-cell' || tag === 'covered-table-cell') {
      this.#cell = { attributes, isCovered: tag !== 'table-cell', paragraphs: [], depth: 0, length: 0 }
    } else if (tag === 'table-row') {
      this.#rowCount = repeated(attributes, 'table:number-rows-repeated', MOST_ROWS)
      this.#cells = []
      this.#numbers = []
      this.#column = 0
      this.#length = 0
    }
  }

  readonly text: XmlHandlers['text'] = (text) => {
    if (this.#cell && this.#isInParagraph(this.#cell)) this.#append(this.#cell, text)
  }

  readonly close: XmlHandlers['close'] = (tag) => {
    if (this.#isWithin()) {
      if (this.#cell && this.#cell.depth > 0) this.#closeWithin(this.#cell)
      else if (this.#cell) this.#endCell(this.#cell)
      else if (tag === 'table-row') this.#endRow()
    }
    if (tag === 'table') this.#depth -= 1
  }

  #beginSheet(attributes: Attributes): void {
    this.names.push(attributes['table:name'] ?? '')
    requireFewSheets(this.names.length, this.#name)
    this.#row = 1
  }

  #isWithin(): boolean {
    return this.#depth > 0 && (this.#place === undefined || this.names.length === this.#place)
  }

  get #sheet(): string {
    return this.names.at(-1) ?? ''
  }

  /** Holds the elements between a cell and what is read, and whether each adds to its text. */
  #path: ('paragraph' | 'part' | 'other')[] = []

  #isInParagraph(cell: OpenCell): boolean {
    return cell.depth > 0 && !this.#path.includes('other')
  }

  #openWithin(cell: OpenCell, tag: string, attributes: Attributes): void {
    const isParagraph = cell.depth === 0 && tag === 'p'
    const isPart = cell.depth > 0 && ['span', 'a', 's', 'tab', 'line-break'].includes(tag)
    this.#path.push(isParagraph ? 'paragraph' : isPart ? 'part' : 'other')
    cell.depth += 1
    if (isParagraph) {
      cell.paragraphs.push('')
      this.#lengthen(cell, 1)
    }
    if (!this.#isInParagraph(cell)) return
    if (tag === 's') this.#append(cell, ' '.repeat(repeated(attributes, 'text:c', MOST_COLUMNS)))
    if (tag === 'tab') this.#append(cell, '\t')
    if (tag === 'line-break') this.#append(cell, '\n')
  }

  #append(cell: OpenCell, text: string): void {
    cell.paragraphs[cell.paragraphs.length - 1] += text
    this.#lengthen(cell, text.length)
  }

  #lengthen(cell: OpenCell, by: number): void {
    cell.length += by
    requireShortText(cell.length, this.#name, `row ${this.#row} of the sheet ${this.#sheet}`)
  }

  #closeWithin(cell: OpenCell): void {
    cell.depth -= 1
    this.#path.pop()
  }

  #endCell(cell: OpenCell): void {
    this.#cell = undefined
    const { attributes, isCovered } = cell
    const count = repeated(attributes, 'table:number-columns-repeated', MOST_COLUMNS)
    const found = isCovered ? EMPTY : odsCellValue(cell)
    const value = this.#place === undefined ? (found ?? UNKNOWN) : found
    if (value === undefined) throw noValueError(this.#name, this.#sheet, this.#row, this.#column)
    this.#noteSpan(attributes)
    if (value.text !== '') this.#addCells(value, count)
    this.#column += count
  }

  #addCells({ text, currency }: OdsValue, count: number): void {
    requireFewColumns(this.#column + count, this.#name, this.#sheet, this.#row)
    this.#length += text.length * count
    requireShortRow(this.#length, this.#name, this.#sheet, this.#row)
    if (count > 1) this.#countMade(count)
    while (this.#cells.length < this.#column) this.#cells.push('')
    const isNoted = currency !== undefined && (currency !== '' || text.includes('.'))
    for (let at = 0; at < count; at += 1) {
      if (isNoted) this.#numbers[this.#cells.length] = currency
      this.#cells.push(text)
    }
  }

  /** Refuses a sheet that stands for far more cells than its document holds; it may still be measured. */
  #countMade(count: number): void {
    this.#made += count
    if (this.#place === undefined || this.#made <= MOST_MADE) return
    throw unreadableWorkbook(
      this.#name,
      `the sheet ${this.#sheet} repeats cells, which makes more than ${countText(MOST_MADE)} of them up to row ${this.#row}; delete what is below and beside its table, and save it`,
    )
  }

  #noteSpan(attributes: Attributes): void {
    const columns = repeated(attributes, 'table:number-columns-spanned', MOST_COLUMNS)
    const rows = repeated(attributes, 'table:number-rows-spanned', MOST_ROWS)
    if ((columns === 1 && rows === 1) || this.merged.length === MOST_RANGES) return
    this.merged.push({
      firstRow: this.#row,
      lastRow: this.#row + rows - 1,
      firstColumn: this.#column,
      lastColumn: this.#column + columns - 1,
    })
  }

  #endRow(): void {
    if (this.#cells.length > 0) {
      requireFewRows(this.#row + this.#rowCount - 1, this.#name, this.#sheet)
      if (this.#rowCount > 1) this.#countMade(this.#cells.length * this.#rowCount)
      const [line, cells, numbers, count] = [this.#row, this.#cells, this.#numbers, this.#rowCount]
      this.#onRows(this.names.length, { line, cells, numbers, count })
    }
    this.#row += this.#rowCount
  }
}

const PART = 'content.xml'

/** Lists the sheets with their sizes, in one pass over all of them. */
const measureSheets = async (
  content: ZipEntry,
  name: string,
): Promise<readonly (SheetSize & { readonly sheet: string })[]> => {
  const meters: ReturnType<typeof createMeter>[] = []
  const meterOf = (place: number): ReturnType<typeof createMeter> => (meters[place - 1] ??= createMeter())
  const reader = new OdsReader(name, { onRows: (place, row) => meterOf(place).add(row) })
  await readXml(content.content(), { name, part: PART }, reader)
  return reader.names.map((sheet, at) => ({ sheet, ...meterOf(at + 1).size() }))
}

const MOST_TYPE_LENGTH = 200

const textIn = async (entry: ZipEntry): Promise<string> => {
  let text = ''
  for await (const chunk of entry.content()) {
    text += chunk.toString('latin1')
    if (text.length > MOST_TYPE_LENGTH) break
  }
  return text.trim()
}

/** Tells whether the files of a document are encrypted, as its list of them says. */
const isProtected = async ({ entries }: ZipArchive, name: string): Promise<boolean> => {
  const list = entries.find(({ path }) => path === 'META-INF/manifest.xml')
  if (entries.some(({ path }) => path === 'encrypted-package')) return true
  let found = false
  if (!list) return found
  await readXml(
    list.content(),
    { name, part: list.path },
    {
      open: (tag) => {
        found ||= tag === 'encryption-data'
      },
      close: () => undefined,
      text: () => undefined,
    },
  )
  return found
}

const SPREADSHEET = /^application\/vnd\.oasis\.opendocument\.spreadsheet(?:-template)?$/

/** Opens an OpenDocument spreadsheet; undefined if the archive holds something else. */
export const openOds = async (archive: ZipArchive, name: string): Promise<Workbook | undefined> => {
  const { entries } = archive
  const [type, content] = ['mimetype', PART].map((path) => entries.find((entry) => entry.path === path))
  const isSpreadsheet = type !== undefined && SPREADSHEET.test(await textIn(type))
  if (!isSpreadsheet && type !== undefined) return undefined
  if (await isProtected(archive, name)) {
    throw unreadableWorkbook(
      name,
      'the workbook is protected by a password; save it without one (in LibreOffice: Save As, without "Save with password"), or save the sheet as CSV',
    )
  }
  if (!content) return undefined
  const sheets = (await measureSheets(content, name)).map(({ sheet, ...size }, at): Sheet => {
    return {
      name: sheet,
      isHidden: false,
      measure: () => Promise.resolve(size),
      read: async (onRow) => {
        const { add, drain } = createRowQueue(onRow)
        const reader = new OdsReader(name, { place: at + 1, onRows: (_, row) => add(row) })
        await readXml(content.content(), { name, part: PART }, reader, drain)
        return reader.merged
      },
    }
  })
  return { kind: 'ods', evidence: 'its mimetype is that of an OpenDocument spreadsheet', sheets }
}
