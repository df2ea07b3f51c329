import { createTable } from '../../output/table.ts'
import { loadWidth, shorten, type Width } from '../../output/width.ts'
import type { NamedField } from '../../../domain/schema.ts'
import { overview, type OverviewRow } from './overview.ts'

type Name = keyof OverviewRow

/** Describes a column that is asked for, and its head. */
export type HeadedColumn = NamedField & { readonly head: string }

/** Lists the columns of the overview as they are, unless others are asked for. */
export const OVERVIEW_COLUMNS: readonly HeadedColumn[] = overview.shown.map((one) => ({ ...one, head: one.name }))

/** Describes how the overview is drawn: the width to fit into, whether in colour, and its columns. */
type TableOptions = {
  readonly width: number | undefined
  readonly color: boolean
  readonly columns?: readonly HeadedColumn[]
}

const GAP = 2
const NUMBERS: ReadonlySet<Name> = new Set(['actual', 'target', 'progress', 'change', 'percent'])
/** Sets how short names and the trend may become. */
const LEAST: Partial<Record<Name, number>> = { kpi: 12, item: 10, trend: 8 }
/** Lists what is left out first if there is no room; the words beside the signs are left out before the last ones. */
const LEFT_OUT: readonly Name[] = ['percent', 'trend', 'change', 'period', 'target']

const COLORS: Readonly<Record<string, string>> = { '✓': '32', '~': '33', '✗': '31' }

/** Describes the columns that are asked for, in order, and their titles. */
type Titles = ReadonlyMap<Name, string>

const isName = (name: string): name is Name => Object.hasOwn(overview.fields, name)

/** Returns the titles of columns; that of signs alone has none, as it would be wider than they are. */
const titlesOf = (columns: readonly HeadedColumn[], isNarrow: boolean): Titles =>
  new Map(
    columns.flatMap(({ name, head }) =>
      isName(name) ? [[name, isNarrow && name === 'state' && head === name ? '' : head] as const] : [],
    ),
  )

/** Returns how wide a column is if nothing is cut. */
const fullWidth = (rows: readonly OverviewRow[], name: Name, title: string, widthOf: Width): number =>
  rows.reduce((most, row) => Math.max(most, widthOf(row[name] ?? '')), widthOf(title))

/** Holds the columns that fit, and how wide each may be. */
type Widths = ReadonlyMap<Name, number>

/** Returns the columns that hold anything, and how wide each is if nothing is cut. */
const fullWidths = (rows: readonly OverviewRow[], widthOf: Width, titles: Titles): Widths => {
  const used = new Set(
    rows.flatMap((row) => Object.entries(row).flatMap(([name, cell]) => (cell === null || cell === '' ? [] : [name]))),
  )
  return new Map(
    [...titles]
      .filter(([name]) => used.has(name))
      .map(([name, title]) => [name, fullWidth(rows, name, title, widthOf)]),
  )
}

/** Returns how wide columns are at least, as names and the trend may be cut. */
const leastWidths = (full: Widths): Map<Name, number> =>
  new Map([...full].map(([name, width]) => [name, Math.min(width, LEAST[name] ?? width)]))

const total = (widths: Widths): number => [...widths.values()].reduce((sum, width) => sum + width + GAP, -GAP)

/** Returns the columns that fit the room, of all that there are; names and then the trend get what is left. */
const fittingColumns = (full: Widths, room: number): Widths => {
  const widths = leastWidths(full)
  const left = (): number => room - total(widths)
  for (const name of LEFT_OUT) if (left() < 0) widths.delete(name)
  for (const name of ['kpi', 'item', 'trend'] as const) {
    const width = widths.get(name)
    if (width !== undefined) widths.set(name, Math.min(full.get(name) ?? width, width + Math.max(0, left())))
  }
  return widths
}

/** Returns the rows with signs alone, without words beside them. */
const withSigns = (rows: readonly OverviewRow[]): OverviewRow[] =>
  rows.map((row) => ({ ...row, state: row.state.slice(0, 1) }))

/** Returns the newest end of a trend. */
const newest = (trend: string, length: number): string => trend.slice(Math.max(0, trend.length - length))

/** Returns a cell as it fits its column. */
const cellOf = (row: OverviewRow, name: Name, width: number, widthOf: Width): string => {
  if (name === 'trend') return newest(row.trend, width)
  return LEAST[name] === undefined ? (row[name] ?? '') : shorten(row[name] ?? '', width, widthOf)
}

/** Colours the state at the beginning of a line. */
const paint = (line: string, state: string): string => {
  const color = COLORS[state.slice(0, 1)]
  return color === undefined || !line.startsWith(state)
    ? line
    : `\u001b[${color}m${state}\u001b[0m${line.slice(state.length)}`
}

/** Sets the room from which on words stand beside the signs. */
const ROOM_FOR_WORDS = 100

/** Describes a table that fits: its text, the columns that had no room, and how wide a terminal has room for all. */
type FittedTable = { readonly text: string; readonly leftOut: readonly Name[]; readonly needed: number }

/** Draws the columns that fit. */
const drawColumns = async (
  rows: readonly OverviewRow[],
  widths: Widths,
  widthOf: Width,
  { titles, color }: { readonly titles: Titles; readonly color: boolean },
): Promise<string> => {
  const columns = [...widths.keys()].map((name) => ({
    title: titles.get(name) ?? name,
    isNumber: NUMBERS.has(name),
    whereLong: 'stays' as const,
  }))
  const cells = rows.map((row) => [...widths].map(([name, most]) => cellOf(row, name, most, widthOf)))
  const text = await createTable(columns, { color })(cells)
  if (!color || [...widths.keys()][0] !== 'state') return text
  const [head = '', ...lines] = text.split('\n')
  return [head, ...lines.map((line, at) => paint(line, rows[at]?.state ?? ''))].join('\n')
}

/**
 * Returns the overview as a table that fits a width: first columns are left out, then the trend loses its oldest end,
 * then names are cut; numbers never.
 */
export const overviewTable = async (
  all: readonly OverviewRow[],
  { width, color, columns = OVERVIEW_COLUMNS }: TableOptions,
): Promise<FittedTable> => {
  const isNarrow = width !== undefined && width < ROOM_FOR_WORDS
  const rows = isNarrow ? withSigns(all) : all
  const widthOf = await loadWidth(rows.map((row) => Object.values(row).map((cell) => cell ?? '')))
  const titles = titlesOf(columns, isNarrow)
  const full = fullWidths(rows, widthOf, titles)
  const widths = fittingColumns(full, width ?? Infinity)
  return {
    text: await drawColumns(rows, widths, widthOf, { titles, color }),
    leftOut: [...full.keys()].filter((name) => !widths.has(name)),
    needed: total(leastWidths(fullWidths(all, widthOf, titlesOf(columns, false)))),
  }
}
