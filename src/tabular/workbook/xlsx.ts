import type { OnRow } from '../cells/cells-table.ts'
import { createSpillFile } from '../../files/spill-file.ts'
import type { FileBytes } from '../source/inspect.ts'
import {
  requireShortText,
  unreadableWorkbook,
  cellName,
  createMeter,
  createRowQueue,
  type MergedRange,
  MOST_RANGES,
  noValueError,
  requireFewColumns,
  requireFewRows,
  requireShortRow,
  type RowQueue,
  type SheetSize,
  requireFewSheets,
  type Sheet,
  type Workbook,
} from './workbook.ts'
import { readXml, type XmlHandlers } from './xml-stream.ts'
import { countText } from '../../domain/count-text.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { builtInFormat, type CellFormat, describeFormat } from './number-format.ts'
import {
  isNumberText,
  isoDateText,
  numberText,
  percentText,
  serialDateText,
  serialTimeText,
} from '../cells/cell-text.ts'
import { posix } from 'node:path'
import type { ZipArchive, ZipEntry } from '../packing/zip.ts'

/** Decodes the escapes that stand for characters which XML cannot hold: `_x000D_`. */
const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Sets how many characters of strings are kept in memory; others go to a temporary file. */
const MOST_IN_MEMORY = 16 * 1024 ** 2
/** Sets what a string takes beside its characters, counted in these. */
const PER_TEXT = 16
/** Bounds how many strings there are: a place of eight bytes is kept for each. */
const MOST_TEXTS = 1 << 24
const BLOCK_BYTES = 1 << 16
const BLOCK_TEXTS = 1 << 12

/** Holds the texts of a workbook, which its cells refer to by their places. */
type SharedStrings = { readonly at: (place: number) => string | undefined; readonly close: () => void }

/** Holds texts by their places: the first in memory, others in a temporary file. */
const createStore = (folder: string): SharedStrings & { readonly add: (text: string) => void } => {
  const texts: string[] = []
  let length = 0
  let file: ReturnType<typeof createSpillFile> | undefined
  /** Holds where each text in the file ends. */
  let ends = new Float64Array(1024)
  let [count, end] = [0, 0]
  let block: Buffer[] = []
  let blockBytes = 0
  const flush = (): void => {
    file?.append(Buffer.concat(block))
    block = []
    blockBytes = 0
  }
  const spill = (text: string): void => {
    file ??= createSpillFile(folder)
    const bytes = Buffer.from(text)
    block.push(bytes)
    blockBytes += bytes.length
    if (blockBytes > BLOCK_BYTES || block.length > BLOCK_TEXTS) flush()
    if (count === ends.length) {
      const longer = new Float64Array(ends.length * 2)
      longer.set(ends)
      ends = longer
    }
    end += bytes.length
    ends[count++] = end
  }
  return {
    add: (text) => {
      length += text.length + PER_TEXT
      if (length <= MOST_IN_MEMORY && count === 0) texts.push(text)
      else spill(text)
    },
    at: (place) => {
      if (place < texts.length || !file) return texts[place]
      if (blockBytes > 0) flush()
      const at = place - texts.length
      if (at >= count) return undefined
      const start = at === 0 ? 0 : (ends[at - 1] ?? 0)
      const bytes = Buffer.allocUnsafe((ends[at] ?? 0) - start)
      file.read(bytes, start)
      return bytes.toString()
    },
    close: () => file?.close(),
  }
}

/** Reads the shared texts of a workbook. Of rich text only the letters count, and phonetic hints are left out. */
const readSharedStrings = async (content: FileBytes, name: string, folder: string): Promise<SharedStrings> => {
  const store = createStore(folder)
  let [text, isText, hints, places] = ['', false, 0, 0]
  await readXml(
    content,
    { name, part: 'sharedStrings.xml' },
    {
      open: (tag) => {
        if (tag === 'si') text = ''
        if (tag === 'rPh') hints += 1
        isText = tag === 't' && hints === 0
      },
      close: (tag) => {
        if (tag === 'si') {
          places += 1
          if (places > MOST_TEXTS)
            throw unreadableWorkbook(
              name,
              `it has more than ${countText(MOST_TEXTS)} different texts; save the sheet as CSV`,
            )
          store.add(decodeEscapes(text))
        }
        if (tag === 'rPh') hints -= 1
        isText = false
      },
      text: (part) => {
        if (!isText) return
        text += part
        requireShortText(text.length, name, `text ${places} of the shared ones`)
      },
    },
  )
  return store
}

/** Bounds the formats of numbers, and the styles of cells: no spreadsheet program writes more. */
const MOST_STYLES = 1 << 16
/** Bounds the characters of a number format, of which Excel writes 255 at most. */
const LONGEST_FORMAT = 1024

/** Sets how many styles are described in one turn. */
const STYLES_PER_TURN = 1000

const requireFew = (count: number, name: string): void => {
  if (count <= MOST_STYLES) return
  throw unreadableWorkbook(
    name,
    `it has more than ${countText(MOST_STYLES)} styles of cells; copy its values to a new workbook, or save the sheet as CSV`,
  )
}

const requireShortFormat = (code: string, name: string): void => {
  if (code.length <= LONGEST_FORMAT) return
  throw unreadableWorkbook(
    name,
    `a number format in it has ${countText(code.length)} characters, and at most ${countText(LONGEST_FORMAT)} are read; choose another format for these cells, or save the sheet as CSV`,
  )
}

/** Reads what the styles of cells make of numbers, by the places of the styles. */
const readStyles = async (content: FileBytes, name: string, signal?: AbortSignal): Promise<readonly CellFormat[]> => {
  const formats = new Map<number, string>()
  const ids: number[] = []
  let isOfCells = false
  await readXml(
    content,
    { name, part: 'styles.xml' },
    {
      open: (tag, attributes) => {
        if (tag === 'cellXfs') isOfCells = true
        if (tag === 'numFmt') {
          const code = attributes['formatCode'] ?? ''
          requireShortFormat(code, name)
          formats.set(Number(attributes['numFmtId']), code)
          requireFew(formats.size, name)
        }
        if (tag === 'xf' && isOfCells) {
          ids.push(Number(attributes['numFmtId'] ?? 0))
          requireFew(ids.length, name)
        }
      },
      close: (tag) => {
        if (tag === 'cellXfs') isOfCells = false
      },
      text: () => undefined,
    },
  )
  const described = new Map<number, CellFormat>()
  const styles: CellFormat[] = []
  for (const id of ids) {
    const code = formats.get(id)
    const format = described.get(id) ?? (code === undefined ? builtInFormat(id) : describeFormat(code))
    described.set(id, format)
    styles.push(format)
    if (styles.length % STYLES_PER_TURN === 0) await nextTurn(signal)
  }
  return styles
}

/** Holds what the cells of all sheets refer to. */
type CellContext = {
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

const TRUTH: ReadonlyMap<string, string> = new Map(
  Object.entries({ 1: 'TRUE', true: 'TRUE', 0: 'FALSE', false: 'FALSE' }),
)

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
      return TRUTH.get(value.trim())
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
const readXlsxSheet = async ({ content, sheet, context }: SheetPart, onRow: OnRow): Promise<readonly MergedRange[]> => {
  const { add, drain } = createRowQueue(onRow)
  const reader = new SheetReader(sheet, context, add, false)
  await readXml(content(), { name: context.name, part: `the sheet ${sheet}` }, reader, drain)
  return reader.merged
}

/** Returns the size of a sheet, or a part that is enough. */
const measureXlsxSheet = async (
  { content, sheet, context }: SheetPart,
  isEnough: Parameters<Sheet['measure']>[0],
): Promise<SheetSize> => {
  const { size, add } = createMeter()
  const reader = new SheetReader(sheet, context, add, true)
  const part = `the sheet ${sheet}`
  await readXml(content(), { name: context.name, part }, reader, undefined, () => isEnough?.(size()) === true)
  return size()
}

/** Finds a file of an archive by its path; programs differ in upper and lower case. */
type FindEntry = (path: string) => ZipEntry | undefined

const finder = ({ entries }: ZipArchive): FindEntry => {
  const byPath = new Map(entries.map((entry) => [entry.path.toLowerCase(), entry]))
  return (path) => byPath.get(path.toLowerCase())
}

/** Describes what one part of a workbook says of another: its kind, and where it is. */
type Relation = { readonly id: string; readonly kind: string; readonly path: string }

/** Reads the relations of a part; `''` is the package itself. */
const readRelations = async (find: FindEntry, part: string, name: string): Promise<readonly Relation[]> => {
  const entry = find(posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`))
  const relations: Relation[] = []
  if (!entry) return relations
  await readXml(
    entry.content(),
    { name, part: entry.path },
    {
      open: (tag, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) => {
        if (tag !== 'Relationship' || mode === 'External') return
        const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target)
        relations.push({ id, kind: type.slice(type.lastIndexOf('/') + 1), path })
      },
      close: () => undefined,
      text: () => undefined,
    },
  )
  return relations
}

/** Describes a sheet as the workbook lists it. */
type ListedSheet = { readonly name: string; readonly relation: string; readonly isHidden: boolean }

const readSheetList = async (entry: ZipEntry, name: string): Promise<{ sheets: ListedSheet[]; is1904: boolean }> => {
  const sheets: ListedSheet[] = []
  let is1904 = false
  await readXml(
    entry.content(),
    { name, part: entry.path },
    {
      open: (tag, attributes) => {
        if (tag === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
        if (tag !== 'sheet') return
        // Accept any prefix before the id, as programs choose their own.
        const [, relation = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
        const state = attributes['state'] ?? 'visible'
        sheets.push({ name: attributes['name'] ?? '', relation, isHidden: state !== 'visible' })
        requireFewSheets(sheets.length, name)
      },
      close: () => undefined,
      text: () => undefined,
    },
  )
  return { sheets, is1904 }
}

const openPart = (find: FindEntry, relations: readonly Relation[], kind: string): ZipEntry | undefined => {
  const relation = relations.find((one) => one.kind === kind)
  return relation && find(relation.path)
}

const BINARY = 'it is a binary workbook (.xlsb); open it in a spreadsheet program, and save it as .xlsx or as CSV'

/** Opens a workbook of Excel; undefined if the archive holds something else. */
export const openXlsx = async (
  archive: ZipArchive,
  name: string,
  folder: string,
  signal?: AbortSignal,
): Promise<(Workbook & { readonly close: () => void }) | undefined> => {
  const find = finder(archive)
  if (find('xl/workbook.bin')) throw unreadableWorkbook(name, BINARY)
  const entry = openPart(find, await readRelations(find, '', name), 'officeDocument') ?? find('xl/workbook.xml')
  if (!entry || /^(?:word|ppt)\//i.test(entry.path)) return undefined
  const relations = await readRelations(find, entry.path, name)
  const { sheets: listed, is1904 } = await readSheetList(entry, name)
  const [styles, strings] = ['styles', 'sharedStrings'].map((kind) => openPart(find, relations, kind))
  const context: CellContext = {
    name,
    is1904,
    styles: styles ? await readStyles(styles.content(), name, signal) : [],
    strings: strings && (await readSharedStrings(strings.content(), name, folder)),
  }
  const paths = new Map(relations.flatMap(({ id, kind, path }) => (kind === 'worksheet' ? [[id, path]] : [])))
  const sheets = listed.flatMap((sheet): Sheet[] => {
    const path = paths.get(sheet.relation)
    const content = path === undefined ? undefined : find(path)
    if (!content) return []
    const part = { content: content.content, sheet: sheet.name, context }
    return [
      {
        ...sheet,
        measure: (isEnough) => measureXlsxSheet(part, isEnough),
        read: (onRow) => readXlsxSheet(part, onRow),
      },
    ]
  })
  return { kind: 'xlsx', evidence: `it holds ${entry.path}`, sheets, close: () => context.strings?.close() }
}
