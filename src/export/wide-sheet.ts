import { formatDay } from '../domain/day.ts'
import type { Entry } from '../domain/resources/entry.ts'
import { ownerOf } from '../domain/entry-key.ts'
import type { Label, Labels } from './labels.ts'
import { ownerColumns } from '../reading/columns/header.ts'
import { ownerCells } from './long-sheet.ts'
import type { OmittedCounts, Sheet } from './sheet.ts'
import { numberText, type SheetFormat } from './text-format.ts'

/** Describes the columns of a wide file, and their headings. */
export type WideColumns = { readonly ids: readonly number[]; readonly heading: Label }

/** Yields the entries that have an actual, and counts the values that wide files cannot hold. */
const actualsOf = (day: readonly Entry[], leftOut: OmittedCounts): Entry[] => {
  for (const { target, notes } of day) leftOut.values += Number(target !== null) + Number(notes !== null)
  return day.filter(({ actual }) => actual !== null)
}

const cellsOf = (
  form: SheetFormat,
  entries: readonly Entry[],
  ids: readonly number[],
  idOf: (one: Entry) => number | null,
) => {
  const actuals = new Map(entries.map((entry) => [idOf(entry), entry.actual]))
  return ids.map((id) => numberText(form, actuals.get(id) ?? null))
}

/** Returns a sheet with a row for each owner and day, and a column for each KPI. */
export const sheetByKpi = (
  form: SheetFormat,
  labels: Labels,
  hasSources: boolean,
  { ids, heading }: WideColumns,
): Sheet => ({
  header: [...ownerColumns(hasSources), 'date', ...ids.map(heading)],
  rows: function* (day, leftOut) {
    const kept = actualsOf(day, leftOut).filter(({ user_id }) => user_id !== null || hasSources)
    leftOut.ofItems += hasSources ? 0 : day.filter(({ user_id }) => user_id === null).length
    for (const own of Map.groupBy(kept, ownerOf).values()) {
      const [first] = own
      if (!first) continue
      yield [
        ...ownerCells(first, labels, hasSources),
        formatDay(first.entry_date),
        ...cellsOf(form, own, ids, ({ kpi_id }) => kpi_id),
      ]
    }
  },
})

/** Returns a sheet with a row for each day of one KPI, and a column for each user. */
export const sheetByUser = (form: SheetFormat, labels: Labels, { ids, heading }: WideColumns): Sheet => ({
  header: ['kpi', 'date', ...ids.map(heading)],
  rows: function* (day, leftOut) {
    const kept = actualsOf(day, leftOut).filter(({ user_id }) => user_id !== null)
    leftOut.ofItems += day.filter(({ user_id }) => user_id === null).length
    const [first] = kept
    if (!first) return
    const cells = cellsOf(form, kept, ids, ({ user_id }) => user_id)
    yield [labels.kpi(first.kpi_id), formatDay(first.entry_date), ...cells]
  },
})
