import {
  isNumberText,
  isoDateText,
  numberText,
  percentText,
  serialDateText,
  serialTimeText,
} from '../cells/cell-text.ts'
import type { FileBytes } from '../source/inspect.ts'
import type { CellFormat } from './number-format.ts'
import type { SharedStrings } from './shared-strings.ts'
import {
  cellName,
  createMeter,
  createRowQueue,
  type MergedRange,
  MOST_RANGES,
  noValueError,
  type OnRow,
  requireFewColumns,
  requireFewRows,
  requireShortRow,
  requireShortText,
  type RowQueue,
  type SheetSize,
  unreadableWorkbook,
} from './workbook.ts'
import { decodeEscapes } from './xlsx-text.ts'
import { readXml, type XmlHandlers } from './xml-stream.ts'

/** Holds what the cells of all sheets refer to. */
export type CellContext = {
  readonly name: string
  readonly strings: SharedStrings | undefined
  readonly styles: readonly CellFormat[]
  readonly is1904: boolean
}

/** Stands for the value of a formula that has none, while a sheet is only measured. */
const UNKNOWN = '?'

/** Holds a cell while it is read. */
type OpenCell = {
  readonly column: number
  readonly type: string
  readonly style: number
  hasFormula: boolean
  value: string | undefined
  inline: string
}

/** Returns the column of a reference such as `B12`, from 0, and its row; undefined if it is none. */
const parseReference = (reference: string): { column: number; row: number } | undefined => {
  const [, letters = '', digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? []
  if (digits === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return { column: column - 1, row: Number(digits) }
}

/** Returns the range of a reference such as `B1:D2`. */
const parseRange = (reference: string): MergedRange | undefined => {
  const [from, to] = reference.split(':').map(parseReference)
  return from && to
    ? { firstRow: from.row, lastRow: to.row, firstColumn: from.column, lastColumn: to.column }
    : undefined
}

const PLAIN: CellFormat = { kind: 'number', currency: '' }

const byFormat = (stored: string, { kind }: CellFormat, is1904: boolean): string => {
  if (kind === 'date') return serialDateText(stored, is1904)
  if (kind === 'time') return serialTimeText(stored)
  if (kind === 'boolean') return Number(stored) === 0 ? 'FALSE' : 'TRUE'
  if (kind === 'percent') return percentText(stored)
  return kind === 'sign' ? `${numberText(stored)}%` : numberText(stored)
}

const TRUTH: Readonly<Record<string, string>> = { 1: 'TRUE', true: 'TRUE', 0: 'FALSE', false: 'FALSE' }

/** Returns the shared text at a place, which has to be a whole number. */
const sharedText = (place: string, { strings }: CellContext): string | undefined =>
  /^\d{1,10}$/.test(place) ? strings?.at(Number(place)) : undefined

/**
 * Returns the text of a cell by its type and format; undefined if its value is none of that type. A cell without a
 * value is empty, whatever its type.
 */
const textOf = ({ type, style, value, inline }: OpenCell, context: CellContext): string | undefined => {
  if (value === undefined) return decodeEscapes(inline)
  switch (type) {
    case 's':
      return sharedText(value.trim(), context)
    case 'inlineStr':
      return decodeEscapes(inline === '' ? value : inline)
    case 'str':
      return decodeEscapes(value)
    case 'b':
      return TRUTH[value.trim()]
    case 'e':
      return value
    case 'd':
      return isoDateText(value.trim())
    default:
      return value.trim() === '' ? '' : byFormat(value.trim(), context.styles[style] ?? PLAIN, context.is1904)
  }
}

/** Returns the currency of a cell that is stored as a number; undefined if it is none, or is whole and has none. */
const currencyOf = ({ type, value, style }: OpenCell, text: string, { styles }: CellContext): string | undefined => {
  if (type !== 'n' || value === undefined || !isNumberText(text)) return undefined
  const currency = styles[style]?.currency ?? ''
  return currency !== '' || text.includes('.') ? currency : undefined
}

/** Collects the rows of a sheet from its elements. */
class SheetReader implements XmlHandlers {
  readonly merged: MergedRange[] = []
  readonly #sheet: string
  readonly #context: CellContext
  readonly #onRow: RowQueue['add']
  readonly #isMeasured: boolean
  #row = 0
  #cells: string[] = []
  #numbers: (string | undefined)[] = []
  #column = -1
  #length = 0
  #cell: OpenCell | undefined
  #takes: 'value' | 'inline' | undefined
  #hints = 0

  constructor(sheet: string, context: CellContext, onRow: RowQueue['add'], isMeasured: boolean) {
    this.#isMeasured = isMeasured
    this.#sheet = sheet
    this.#context = context
    this.#onRow = onRow
  }

  readonly open: XmlHandlers['open'] = (tag, attributes) => {
    this.#takes = undefined
    if (tag === 'c') this.#beginCell(attributes)
    else if (tag === 'row') this.#beginRow(attributes)
    else if (tag === 'mergeCell') this.#addRange(attributes['ref'] ?? '')
    else if (this.#cell) this.#beginPart(this.#cell, tag)
  }

  readonly text: XmlHandlers['text'] = (text) => {
    if (!this.#cell || !this.#takes) return
    if (this.#takes === 'value') this.#cell.value = (this.#cell.value ?? '') + text
    else this.#cell.inline += text
    const { value = '', inline } = this.#cell
    requireShortText(value.length + inline.length, this.#context.name, `row ${this.#row} of the sheet ${this.#sheet}`)
  }

  readonly close: XmlHandlers['close'] = (tag) => {
    this.#takes = undefined
    if (tag === 'rPh') this.#hints -= 1
    if (tag === 'c') this.#endCell()
    if (tag === 'row' && this.#cells.length > 0) {
      this.#onRow({ line: this.#row, cells: this.#cells, numbers: this.#numbers, count: 1 })
    }
  }

  #beginRow(attributes: Readonly<Record<string, string>>): void {
    const row = Number(attributes['r'] ?? this.#row + 1)
    requireFewRows(row, this.#context.name, this.#sheet)
    if (!(row > this.#row)) {
      throw unreadableWorkbook(
        this.#context.name,
        `the rows of the sheet ${this.#sheet} are not in order after ${this.#row}; open the workbook in a spreadsheet program and save it`,
      )
    }
    this.#row = row
    this.#cells = []
    this.#numbers = []
    this.#column = -1
    this.#length = 0
  }

  #beginCell(attributes: Readonly<Record<string, string>>): void {
    const { r: reference, s: style, t: type } = attributes
    const column = reference === undefined ? this.#column + 1 : parseReference(reference)?.column
    if (column === undefined) {
      throw unreadableWorkbook(
        this.#context.name,
        `the sheet ${this.#sheet} has a cell at ${reference}, which is no place; open the workbook in a spreadsheet program and save it`,
      )
    }
    requireFewColumns(column + 1, this.#context.name, this.#sheet, this.#row)
    this.#column = column
    this.#cell = {
      column,
      type: type ?? 'n',
      style: Number(style ?? 0),
      hasFormula: false,
      value: undefined,
      inline: '',
    }
  }

  #beginPart(cell: OpenCell, tag: string): void {
    if (tag === 'rPh') this.#hints += 1
    else if (tag === 'f') cell.hasFormula = true
    else if (tag === 'v') {
      this.#takes = 'value'
      cell.value ??= ''
    } else if (tag === 't' && this.#hints === 0) this.#takes = 'inline'
  }

  #endCell(): void {
    const cell = this.#cell
    this.#cell = undefined
    if (!cell) return
    const { column, hasFormula, type, value, inline } = cell
    // A formula may have an empty text as its value, but no empty number.
    const isUnknown = hasFormula && inline === '' && (value === undefined || (value === '' && type !== 'str'))
    if (isUnknown && !this.#isMeasured) {
      throw noValueError(this.#context.name, this.#sheet, this.#row, column)
    }
    const text = isUnknown ? UNKNOWN : (textOf(cell, this.#context) ?? this.#withoutText(cell))
    if (text === '') return
    this.#length += text.length
    requireShortRow(this.#length, this.#context.name, this.#sheet, this.#row)
    while (this.#cells.length < column) this.#cells.push('')
    this.#cells[column] = text
    const currency = currencyOf(cell, text, this.#context)
    if (currency !== undefined) this.#numbers[column] = currency
  }

  /** Refuses a cell whose value is none of its type, unless the sheet is only measured. */
  #withoutText({ column, type, value = '' }: OpenCell): string {
    if (this.#isMeasured) return UNKNOWN
    const what = type === 's' ? 'refers to a text that is not there' : 'is no truth value'
    throw unreadableWorkbook(
      this.#context.name,
      `cell ${cellName(this.#row, column)} of the sheet ${this.#sheet} ${what}: ${JSON.stringify(value)}; open the workbook in a spreadsheet program, put it right, and save it`,
    )
  }

  #addRange(reference: string): void {
    const range = parseRange(reference)
    if (range && this.merged.length < MOST_RANGES) this.merged.push(range)
  }
}

/** Holds where a sheet is in a workbook, and its name. */
type SheetPart = { readonly content: () => FileBytes; readonly sheet: string; readonly context: CellContext }

/** Reads the rows of a sheet, and returns its ranges of merged cells. */
export const readXlsxSheet = async (
  { content, sheet, context }: SheetPart,
  onRow: OnRow,
): Promise<readonly MergedRange[]> => {
  const { add, drain } = createRowQueue(onRow)
  const reader = new SheetReader(sheet, context, add, false)
  await readXml(content(), { name: context.name, part: `the sheet ${sheet}` }, reader, drain)
  return reader.merged
}

/** Returns the size of a sheet. */
export const measureXlsxSheet = async ({ content, sheet, context }: SheetPart): Promise<SheetSize> => {
  const { size, add } = createMeter()
  const reader = new SheetReader(sheet, context, add, true)
  await readXml(content(), { name: context.name, part: `the sheet ${sheet}` }, reader)
  return size()
}
