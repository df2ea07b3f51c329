import Table from 'cli-table3'
import { isPlain, loadWidth, oneLine, shorten, type Width, wrap } from './width.ts'

/**
 * Describes a column of a table: its title, whether it holds numbers, which are aligned right, and whether long texts
 * stay, are cut or are wrapped.
 */
export type TableColumn = {
  readonly title: string
  readonly isNumber: boolean
  readonly whereLong: 'stays' | 'cut' | 'wraps'
}

type TableOptions = {
  /** Sets the width to fit into; without one nothing is cut. */
  readonly width?: number | undefined
  readonly color: boolean
}

/** Describes rows of cells. */
type TableRows = readonly (readonly string[])[]

const GAP = '  '
/** Lists how narrow columns of text may become, and how narrow before titles are wrapped. */
const LEAST = { cut: 10, wraps: 24 }
const COMFORTABLE = { cut: 40, wraps: 40 }
/** Sets how many lines the package draws at a time: it would hold all of a long list several times over. */
const LINES_AT_A_TIME = 200
/**
 * Stands for one column of a text with other characters than ASCII while the package draws: it measures them
 * differently from us, in time that grows with the square of their length.
 */
const STAND_IN = '\ue000'
const STAND_INS = /\ue000+/gu

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))

/** Takes room from the widest columns until the table fits, or each is at its floor. */
const takeRoom = (widths: readonly number[], floors: readonly number[], room: number): number[] => {
  const fitted = [...widths]
  for (let excess = total(widths) - room; excess > 0; excess -= 1) {
    const open = fitted.map((width, at) => (width > (floors[at] ?? 0) ? width : 0))
    const widest = Math.max(...open)
    if (widest === 0) break
    fitted[open.indexOf(widest)] = widest - 1
  }
  return fitted
}

/** Matches the words of a title, each with the sign behind it. */
const WORDS = /[^_\- ]*[_\- ]?/g

/** Returns how wide the longest word of a title is. */
const wordWidth = (title: string, widthOf: Width): number =>
  Math.max(...(title.match(WORDS) ?? []).map((word) => widthOf(word.trimEnd())))

/** Returns a title on as many lines as its words need. */
const titleLines = (title: string, room: number, widthOf: Width): string[] => {
  const lines: string[] = []
  for (const word of title.match(WORDS) ?? []) {
    const line = `${lines.at(-1) ?? ''}${word}`
    if (lines.length > 0 && widthOf(line.trimEnd()) <= room) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return lines.filter((line) => line !== '').map((line) => line.trimEnd())
}

/** Returns how wide the longest cell of a column is. */
const contentWidth = (rows: TableRows, at: number, widthOf: Width): number => {
  let width = 0
  for (const row of rows) width = Math.max(width, widthOf(row[at] ?? ''))
  return width
}

/** Returns how wide the longest word of a column's cells is. */
const longestWord = (rows: TableRows, at: number, widthOf: Width): number => {
  let width = 0
  for (const row of rows) for (const word of (row[at] ?? '').split(' ')) width = Math.max(width, widthOf(word))
  return width
}

/** Sets how many columns can be too many for a screen. */
const MANY_COLUMNS = 3

/** Returns the least widths of columns: `wrapped` of what stays, and of what wraps that of its words, up to a bound. */
const leastWidths = (
  columns: readonly TableColumn[],
  wrapped: readonly number[],
  titles: readonly number[],
  wordsOf: (at: number) => number,
): number[] =>
  columns.map(({ whereLong }, at) => {
    if (whereLong === 'stays') return wrapped[at] ?? 0
    return Math.max(LEAST[whereLong], titles[at] ?? 0, whereLong === 'wraps' ? wordsOf(at) : 0)
  })

/**
 * Returns the widths of the columns. To fit the room, cuts long texts first, then wraps titles between their words, then
 * cuts other texts; never numbers or dates, nor words of titles. Words of sentences stay whole as long as there is room.
 */
const settleWidths = (
  columns: readonly TableColumn[],
  rows: TableRows,
  widthOf: Width,
  room: number | undefined,
): readonly number[] => {
  const content = columns.map((_, at) => contentWidth(rows, at, widthOf))
  const natural = columns.map(({ title }, at) => Math.max(widthOf(title), content[at] ?? 0))
  if (room === undefined || total(natural) <= room) return natural
  const titles = columns.map(({ title }) => wordWidth(title, widthOf))
  const words = columns.map(({ whereLong }, at) => (whereLong === 'wraps' ? longestWord(rows, at, widthOf) : 0))
  const comfortable = columns.map(({ whereLong }, at) =>
    whereLong === 'stays' ? (natural[at] ?? 0) : Math.max(COMFORTABLE[whereLong], words[at] ?? 0),
  )
  const wrapped = takeRoom(
    takeRoom(natural, comfortable, room),
    titles.map((title, at) => Math.max(title, content[at] ?? 0)),
    room,
  )
  const least = (wordsOf: (at: number) => number): number[] => leastWidths(columns, wrapped, titles, wordsOf)
  const whole = takeRoom(
    wrapped,
    least((at) => words[at] ?? 0),
    room,
  )
  const fitted = takeRoom(
    whole,
    least((at) => Math.min(words[at] ?? 0, COMFORTABLE.wraps)),
    room,
  )
  return columns.length < MANY_COLUMNS
    ? takeRoom(
        fitted,
        least(() => 0),
        room,
      )
    : fitted
}

/**
 * Widens the columns that are never cut to what later rows hold, all columns if there is no room to fit into; the others
 * give what that takes.
 */
const widen = (
  widths: readonly number[],
  columns: readonly TableColumn[],
  rows: TableRows,
  widthOf: Width,
  room: number | undefined,
): readonly number[] => {
  const widened = widths.map((width, at) =>
    room === undefined || columns[at]?.whereLong === 'stays' ? Math.max(width, contentWidth(rows, at, widthOf)) : width,
  )
  return room === undefined
    ? widened
    : takeRoom(
        widened,
        leastWidths(columns, widened, [], () => 0),
        room,
      )
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((side) => [side, '']),
)

/** Describes how a table is laid out: its columns, how wide each is, and how texts are measured. */
type Layout = {
  readonly columns: readonly TableColumn[]
  readonly widths: readonly number[]
  readonly widthOf: Width
  readonly color: boolean
}

/** Returns each column's cells as one cell of many lines: the package takes time over each cell, and little over a line. */
const asColumns = (lines: TableRows, count: number): string[] =>
  Array.from({ length: count }, (_, at) => lines.map((line) => line[at] ?? '').join('\n'))

/** Draws lines of cells, none of which has a line end; the first ones are a head. */
const draw = ({ columns, widths, widthOf, color }: Layout, lines: TableRows, head: readonly string[]): string => {
  const texts: string[] = []
  const standIn = (text: string): string => {
    if (isPlain(text)) return text
    texts.push(text)
    return STAND_IN.repeat(Math.max(1, widthOf(text)))
  }
  const table = new Table({
    head: head.map(standIn),
    colWidths: [...widths],
    colAligns: columns.map(({ isNumber }) => (isNumber ? 'right' : 'left')),
    chars: { ...NO_BORDERS, middle: GAP },
    style: { head: color ? ['bold'] : [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  if (lines.length > 0) {
    const plain = lines.map((line) => line.map(standIn))
    table.push(asColumns(plain, columns.length))
  }
  const drawn = texts.values()
  return table.toString().replaceAll(STAND_INS, ({ length }) => {
    const text = drawn.next().value ?? ''
    return text + ' '.repeat(Math.max(0, length - widthOf(text)))
  })
}

/** Returns the lines of a row of cells: the package takes long over cells of many lines. */
const linesOf = (row: readonly string[]): string[][] => {
  const cells = row.map((text) => text.split('\n'))
  const height = Math.max(1, ...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''))
}

/** Returns the lines of the head, which all titles end on. */
const headOf = ({ columns, widths, widthOf }: Layout): string[][] => {
  const titles = columns.map(({ title }, at) => titleLines(title, widths[at] ?? 0, widthOf))
  const height = Math.max(0, ...titles.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => titles.map((lines) => lines[line - height + lines.length] ?? ''))
}

/** Draws rows in blocks of a size at which the package is fastest. */
const drawAll = (layout: Layout, rows: TableRows, hasHead: boolean): string => {
  const lines = rows.flatMap(linesOf)
  const drawn = hasHead ? headOf(layout).map((head) => draw(layout, [], head)) : []
  for (let at = 0; at < lines.length; at += LINES_AT_A_TIME) {
    drawn.push(draw(layout, lines.slice(at, at + LINES_AT_A_TIME), []))
  }
  return drawn
    .flatMap((block) => block.split('\n'))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** Returns a row as lines of its fields, each behind its title, and a blank line. */
const fieldLines = (columns: readonly TableColumn[], row: readonly string[], room: number, widthOf: Width): string => {
  const indent = Math.max(...columns.map(({ title }) => widthOf(title))) + GAP.length
  const lines = columns.flatMap(({ title, whereLong }, at) => {
    const text = row[at] ?? ''
    const parts = whereLong === 'stays' ? [text] : wrap(text, Math.max(LEAST.cut, room - indent), widthOf)
    const heads = [title, ...parts.slice(1).map(() => '')]
    return heads.map((head, line) => `${head}${' '.repeat(indent - widthOf(head))}${parts[line] ?? ''}`.trimEnd())
  })
  return `${lines.join('\n')}\n\n`
}

/**
 * Creates a table of rows that come in blocks. The first block settles the widths of the columns; those of numbers and
 * dates grow where a later one needs it. Where the room does not hold them, this row and all later ones are lists of their
 * fields instead.
 */
export const createTable = (
  columns: readonly TableColumn[],
  options: TableOptions,
): ((rows: TableRows) => Promise<string>) => {
  const { width: room, color } = options
  let widths: readonly number[] | undefined
  let isTooWide = false
  return async (block) => {
    const all = block.map((row) => row.map(oneLine))
    const widthOf = await loadWidth([columns.map(({ title }) => title), ...all])
    const isFirst = widths === undefined
    const settled = widths ? widen(widths, columns, all, widthOf, room) : settleWidths(columns, all, widthOf, room)
    widths = settled
    if (room === undefined) return drawAll({ columns, widths, widthOf, color }, all, isFirst)
    // A head alone tells nothing that is worth broken lines.
    if (all.length === 0 && total(widths) > room) return ''
    isTooWide ||= all.length > 0 && columns.length >= MANY_COLUMNS && total(widths) > room
    if (isTooWide) return all.map((row) => fieldLines(columns, row, room, widthOf)).join('')
    const fit = (text: string, at: number): string =>
      columns[at]?.whereLong === 'wraps'
        ? wrap(text, settled[at] ?? 0, widthOf).join('\n')
        : shorten(text, settled[at] ?? 0, widthOf)
    const rows = all.map((row) => row.map(fit))
    return drawAll({ columns, widths, widthOf, color }, rows, isFirst)
  }
}
