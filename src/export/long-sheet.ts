import { formatDay } from '../domain/day.ts'
import type { Entry } from '../domain/resources/entry.ts'
import { exportedColumns } from '../reading/columns/header.ts'
import type { Labels } from './labels.ts'
import type { Sheet } from './sheet.ts'
import { notesText, numberText, type SheetFormat } from './text-format.ts'

/**
 * Returns the cells for an entry's owner: a user, or, in the column beside it, a breakdown item other than a person.
 */
export const ownerCells = ({ user_id, source_id }: Entry, labels: Labels, hasSources: boolean): string[] => {
  const user = user_id === null ? '' : labels.user(user_id)
  if (!hasSources) return [user]
  return [user, user_id !== null || source_id === null ? '' : labels.source(source_id)]
}

/** Returns a sheet with a row for each entry. */
export const longSheet = (form: SheetFormat, labels: Labels, hasSources: boolean): Sheet => ({
  header: exportedColumns(hasSources),
  rows: function* (day, leftOut) {
    for (const entry of day) {
      if (entry.user_id === null && !hasSources) {
        leftOut.ofItems += 1
        continue
      }
      const { kpi_id, entry_date, actual, target, notes } = entry
      yield [
        ...ownerCells(entry, labels, hasSources),
        labels.kpi(kpi_id),
        formatDay(entry_date),
        numberText(form, actual),
        numberText(form, target),
        notesText(form, notes),
      ]
    }
  },
})
