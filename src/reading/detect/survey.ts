import type { Named } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import type { NameColumn } from '../columns/name-column.ts'
import { roleText } from '../columns/role-text.ts'
import { memoize } from '../formats/date-format.ts'
import type { Evidence } from '../formats/evidence.ts'
import type { NameRole } from '../options/options.ts'
import { hasSurplusCells, type Row, type Table } from '../../tabular/source/table.ts'
import type { DateColumn } from '../formats/date-column.ts'
import type { NumberColumn } from './number-column.ts'
import type { UnitsOfFile } from './number-units.ts'
import type { UnitColumn } from './unit-column.ts'

/** Describes the formats of a file's numbers, dates and names, column by column. */
export type ColumnFormats = {
  readonly numbers: ReadonlyMap<number, NumberColumn>
  /** Lists the formats of numbers, each once: several columns may share one. */
  readonly numberFormats: readonly NumberColumn[]
  /** Holds the columns that only say which unit the values of a row have, and the row that says it of columns. */
  readonly units: readonly UnitColumn[]
  /** Returns the units of a KPI, from signs beside its numbers and cells of units, with the first cell of each. */
  readonly signsOf: UnitsOfFile['signsOf']
  /** Tells whether numbers of a KPI have a percent sign themselves. */
  readonly hasPercentSign: (kpi: number) => boolean
  /** Returns the units that other cells give the numbers of a KPI. */
  readonly unitsOf: (kpi: number) => readonly Evidence[]
  /** Tells whether percent is among them. */
  readonly givesPercent: (kpi: number) => boolean
  /** Holds the columns of names, and the constants that stand for them. */
  readonly names: ReadonlyMap<NameRole, NameColumn>
  /** Holds the column of dates; undefined if one date stands for all rows. */
  readonly date: { readonly at: number; readonly column: DateColumn } | undefined
}

/** Returns the function that finds what a cell of a role names. */
export const nameFinder = ({ names }: ColumnFormats, role: NameRole): ((text: string) => Named | Fault) =>
  memoize(names.get(role)?.find ?? ((text) => new Fault(`there is no ${role} "${text}"`)))

/** Stands for the KPI of all rows, if a constant names it. */
export const THE_KPI = 0

/** Returns the function that finds the KPI of a row's number in a column; undefined if there is no such KPI. */
const kpiReader = (
  plan: ColumnPlan,
  formats: ColumnFormats,
): ((cells: Row['cells'], at: number) => number | undefined) => {
  const { roles, wide } = plan
  const ids = new Map((wide?.columns ?? []).map(({ at, kpi }) => [at, kpi] as const))
  const findKpi = nameFinder(formats, 'kpi')
  const textIn = roleText(plan, 'kpi')
  if (!roles.has('kpi')) return (_, at) => ids.get(at) ?? THE_KPI
  return (cells) => {
    const found = findKpi(textIn(cells))
    return found instanceof Fault ? undefined : found.id
  }
}

/**
 * Reads a whole file, and lets each column record its cells; rows longer than the header are skipped. `valueOf` gives
 * an empty text for a number that stands for no value; `onRow` receives every row below the header.
 */
export const surveyCells = async (
  table: Table,
  plan: ColumnPlan,
  formats: ColumnFormats,
  valueOf: (text: string) => string,
  onProgress: () => void | Promise<void>,
  onRow: (row: Row) => void = () => undefined,
): Promise<void> => {
  const { numbers, names, date, units } = formats
  const kpiOf = kpiReader(plan, formats)
  const named = [...names].flatMap(([role, column]) =>
    plan.roles.has(role) ? [{ textIn: roleText(plan, role), find: memoize(column.find) }] : [],
  )
  const dateIn = roleText(plan, 'date')
  const noteRow = (row: Row): void => {
    const { line, cells, numbers: stored } = row
    const dateText = date ? dateIn(cells).trim() : ''
    if (date && dateText) date.column.note(dateText, line)
    for (const { textIn, find } of named) {
      const text = textIn(cells)
      if (text.trim() !== '') find(text)
    }
    for (const [at, column] of numbers) {
      const text = valueOf(cells[at]?.trim() ?? '')
      if (text === '') continue
      const kpi = kpiOf(cells, at)
      column.note(text, line, kpi, stored?.[at])
      for (const unit of units) unit.note(row, at, kpi)
    }
  }
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader) onRow(row)
      if (!isHeader && !hasSurplusCells(row.cells, plan.header)) noteRow(row)
      isHeader = false
    }
    const turn = onProgress()
    if (turn) await turn
  }
}
