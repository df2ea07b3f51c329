import Table from 'cli-table3'
import { loadWidth, oneLine, shorten, type Width, wrap } from './width.ts'

/**
 * Describes a column of a table: its title, whether it holds numbers, which are aligned right, and whether long texts
 * are cut.
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
type Rows = readonly (readonly string[])[]

const GAP = '  '
const LEAST_TITLE = 3
/** Lists how narrow columns of text may become, and how narrow before titles are cut. */
const LEAST = { cut: 10, wraps: 24 }
const COMFORTABLE = { cut: 40, wraps: 40 }
/**
 * Bounds the rows given to the package at a time: its time grows with their square, and with that of the characters and
 * lines of a cell.
 */
const PACKAGE_ROWS = 100
const PACKAGE_LETTERS = 300

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

/** Returns how wide the longest cell of a column is. */
const contentWidth = (rows: Rows, at: number, widthOf: Width): number => {
  let width = 0
  for (const row of rows) width = Math.max(width, widthOf(row[at] ?? ''))
  return width
}

/**
 * Settles how wide the columns are: to fit, long texts are cut first, then titles, then texts; numbers and dates never
 * are.
 */
const settleWidths = (
  columns: readonly TableColumn[],
  rows: Rows,
  widthOf: Width,
  room: number | undefined,
): readonly number[] => {
  const content = columns.map((_, at) => contentWidth(rows, at, widthOf))
  const natural = columns.map(({ title }, at) => Math.max(widthOf(title), content[at] ?? 0))
  if (room === undefined) return natural
  const comfortable = columns.map(({ whereLong }, at) =>
    whereLong === 'stays' ? (natural[at] ?? 0) : COMFORTABLE[whereLong],
  )
  const cutTitles = takeRoom(
    takeRoom(natural, comfortable, room),
    content.map((width) => Math.max(width, LEAST_TITLE)),
    room,
  )
  const floors = columns.map(({ whereLong }, at) => (whereLong === 'stays' ? (cutTitles[at] ?? 0) : LEAST[whereLong]))
  return takeRoom(cutTitles, floors, room)
}

/** Makes room in columns that are not cut for what later rows hold. */
const widen = (widths: readonly number[], columns: readonly TableColumn[], rows: Rows, widthOf: Width): number[] =>
  widths.map((width, at) =>
    columns[at]?.whereLong === 'stays' ? Math.max(width, contentWidth(rows, at, widthOf)) : width,
  )

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((side) => [side, '']),
)

const withPackage = (
  columns: readonly TableColumn[],
  rows: Rows,
  widths: readonly number[],
  color: boolean,
): string => {
  const table = new Table({
    head: columns.map(({ title }) => title),
    colWidths: [...widths],
    colAligns: columns.map(({ isNumber }) => (isNumber ? 'right' : 'left')),
    chars: { ...NO_BORDERS, middle: GAP },
    style: { head: color ? ['bold'] : [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}

/** Counts the first rows that the package can draw in no time. */
const rowsForPackage = (rows: Rows): number => {
  const long = rows.findIndex((row) => row.some(({ length }) => length > PACKAGE_LETTERS))
  return Math.min(PACKAGE_ROWS, long < 0 ? rows.length : long)
}

/** Returns how many lines a row of cells takes. */
const linesOf = (row: readonly string[]): string[][] => {
  const cells = row.map((text) => text.split('\n'))
  const height = Math.max(1, ...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''))
}

const byHand = (columns: readonly TableColumn[], rows: Rows, widths: readonly number[], widthOf: Width): string[] =>
  rows.flatMap(linesOf).map((line) =>
    columns
      .map(({ isNumber }, at) => {
        const text = line[at] ?? ''
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)))
        return isNumber ? space + text : text + space
      })
      .join(GAP),
  )

const asLines = (lines: readonly string[]): string =>
  lines
    .flatMap((line) => line.split('\n'))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')

/**
 * Creates a table of rows that come in blocks. The first block settles the widths of the columns; those of numbers and
 * dates grow where a later one needs it.
 */
export const createTable = (
  columns: readonly TableColumn[],
  options: TableOptions,
): ((rows: Rows) => Promise<string>) => {
  let widths: readonly number[] | undefined
  return async (block) => {
    const all = block.map((row) => row.map(oneLine))
    const widthOf = await loadWidth(all)
    const isFirst = widths === undefined
    const settled = widths ? widen(widths, columns, all, widthOf) : settleWidths(columns, all, widthOf, options.width)
    widths = settled
    const fit = (text: string, at: number): string =>
      columns[at]?.whereLong === 'wraps'
        ? wrap(text, settled[at] ?? 0, widthOf).join('\n')
        : shorten(text, settled[at] ?? 0, widthOf)
    const rows = options.width === undefined ? all : all.map((row) => row.map(fit))
    if (!isFirst) return asLines(byHand(columns, rows, settled, widthOf))
    const count = rowsForPackage(rows)
    const head = withPackage(columns, rows.slice(0, count), settled, options.color)
    return asLines([head, ...byHand(columns, rows.slice(count), settled, widthOf)])
  }
}
