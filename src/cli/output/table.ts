import Table from 'cli-table3'
import { loadWidth, oneLine, shorten, type Width } from './width.ts'

/** A column of a table: its title, and whether it holds numbers, which stand to the right. */
export type TableColumn = { readonly title: string; readonly isNumber: boolean }

export type TableOptions = {
  /** The terminal's width, which a table must fit into; nothing is cut where there is none. */
  readonly width?: number | undefined
  readonly color: boolean
}

/** Rows of cells. */
type Rows = readonly (readonly string[])[]

const GAP = '  '
const LEAST_WIDTH = 6
/** The package's time grows with the square of the rows. */
const PACKAGE_ROWS = 100

const naturalWidths = (columns: readonly TableColumn[], rows: Rows, widthOf: Width): number[] =>
  columns.map(({ title }, at) => {
    let width = widthOf(title)
    for (const row of rows) width = Math.max(width, widthOf(row[at] ?? ''))
    return width
  })

/** Takes room from the widest columns until the table fits. */
const fitWidths = (natural: readonly number[], room: number): number[] => {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - room
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= LEAST_WIDTH) break
    const next = Math.max(LEAST_WIDTH, ...widths.filter((width) => width < widest))
    const cut = Math.min(excess, widest - next)
    widths[widths.indexOf(widest)] = widest - cut
    excess -= cut
  }
  return widths
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((side) => [side, '']),
)

const withPackage = (columns: readonly TableColumn[], rows: Rows, widths: number[], color: boolean): string => {
  const table = new Table({
    head: columns.map(({ title }) => title),
    colWidths: widths,
    colAligns: columns.map(({ isNumber }) => (isNumber ? 'right' : 'left')),
    chars: { ...NO_BORDERS, middle: GAP },
    style: { head: color ? ['bold'] : [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  table.push(...rows.map((row) => [...row]))
  return table.toString()
}

const byHand = (columns: readonly TableColumn[], rows: Rows, widths: readonly number[], widthOf: Width): string[] =>
  rows.map((row) =>
    columns
      .map(({ isNumber }, at) => {
        const text = row[at] ?? ''
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)))
        return isNumber ? space + text : text + space
      })
      .join(GAP),
  )

const asLines = (lines: readonly string[]): string => lines.map((line) => `${line.replaceAll(/ +$/gm, '')}\n`).join('')

/**
 * Makes a table of rows that come a block at a time: a line of titles, then a line a row. The first block settles how
 * wide the columns are.
 */
export const createTable = (
  columns: readonly TableColumn[],
  options: TableOptions,
): ((rows: Rows) => Promise<string>) => {
  let widths: number[] | undefined
  return async (block) => {
    const all = block.map((row) => row.map(oneLine))
    const widthOf = await loadWidth(all)
    const natural = naturalWidths(columns, all, widthOf)
    const isFirst = widths === undefined
    const settled = (widths ??= options.width === undefined ? natural : fitWidths(natural, options.width))
    const rows =
      options.width === undefined
        ? all
        : all.map((row) => row.map((text, at) => shorten(text, settled[at] ?? 0, widthOf)))
    if (!isFirst) return asLines(byHand(columns, rows, settled, widthOf))
    const head = withPackage(columns, rows.slice(0, PACKAGE_ROWS), settled, options.color)
    return asLines([head, ...byHand(columns, rows.slice(PACKAGE_ROWS), settled, widthOf)])
  }
}
