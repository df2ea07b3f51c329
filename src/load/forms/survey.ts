import { Fault } from '../../domain/errors.ts'
import type { Plan } from '../columns/columns.ts'
import { hasSurplus, type Row } from '../reading/rows.ts'
import type { Table } from '../reading/table.ts'
import type { Forms } from './file-forms.ts'

/** Finds a KPI by what a cell calls it. */
export type FindKpi = (text: string) => { readonly id: number } | Fault

/** Stands for the KPI of all rows, where a constant names it. */
const THE_KPI = 0

/** Finds the KPI of the number in a column of a row, as far as there is such a KPI. */
const kpiReader = ({ roles, wide }: Plan, find: FindKpi): ((cells: Row['cells'], at: number) => number | undefined) => {
  const ids = new Map(wide?.of === 'kpi' ? wide.columns.map(({ at, id }) => [at, id] as const) : [])
  const kpiAt = roles.get('kpi')
  return (cells, at) => {
    if (kpiAt === undefined) return ids.get(at) ?? THE_KPI
    const found = find(cells[kpiAt] ?? '')
    return found instanceof Fault ? undefined : found.id
  }
}

/** Goes through a whole file and has each column look at its cells; rows longer than the header say nothing. */
export const survey = async (
  table: Table,
  plan: Plan,
  { numbers, date }: Forms,
  findKpi: FindKpi,
  onProgress: () => void,
): Promise<void> => {
  const kpiOf = kpiReader(plan, findKpi)
  const noteRow = ({ line, cells }: Row): void => {
    const dateText = date ? cells[date.at]?.trim() : ''
    if (date && dateText) date.column.note(dateText, line)
    for (const [at, column] of numbers) {
      const text = cells[at]?.trim()
      if (text) column.note(text, line, kpiOf(cells, at))
    }
  }
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader && !hasSurplus(row.cells, plan.header)) noteRow(row)
      isHeader = false
    }
    onProgress()
  }
}
