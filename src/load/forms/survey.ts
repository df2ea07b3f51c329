import type { Plan } from '../columns/columns.ts'
import { hasSurplus, type Row } from '../reading/rows.ts'
import type { Table } from '../reading/table.ts'
import type { Forms } from './forms.ts'

const noteRow = ({ numbers, date }: Forms, kpiAt: number | undefined, { line, cells }: Row): void => {
  const kpi = kpiAt === undefined ? '' : cells[kpiAt]?.trim()
  const dateText = date ? cells[date.at]?.trim() : ''
  if (date && dateText) date.column.note(dateText, line)
  for (const [at, column] of numbers) {
    const text = cells[at]?.trim()
    if (text) column.note(text, line, kpi)
  }
}

/** Goes through a whole file and has each column look at its cells; rows longer than the header say nothing. */
export const survey = async (
  table: Table,
  { header, roles }: Plan,
  forms: Forms,
  onProgress: () => void,
): Promise<void> => {
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader && !hasSurplus(row.cells, header)) noteRow(forms, roles.get('kpi'), row)
      isHeader = false
    }
    onProgress()
  }
}
