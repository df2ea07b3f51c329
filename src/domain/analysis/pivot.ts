import { civil, formatDay } from '../day.ts'
import { KpiError } from '../errors.ts'
import { type Calendar, type Frequency, periodStart } from '../period.ts'
import type { AnyRecord, FieldValue, NamedField } from '../schema.ts'
import { type AnswerRow, answerRow } from './answer-row.ts'
import type { PIVOTS } from './question.ts'

type Dimension = (typeof PIVOTS)[number]

/** Bounds the columns of a pivot. */
const MOST_COLUMNS = 1000

/** Returns the name of a period: `2026-10-01` for days and weeks, `2026-10`, `2026-Q4`, `2026` for longer ones. */
export const periodName = (frequency: Frequency, start: number, calendar: Calendar): string => {
  const { year, month } = civil(start)
  if (frequency === 'D' || frequency === 'W') return formatDay(start)
  if (frequency === 'M') return formatDay(start).slice(0, 'YYYY-MM'.length)
  if (frequency === 'Y') return String(year)
  // Quarters have the year in which their fiscal year begins.
  const first = civil(periodStart('Y', start, calendar))
  return `${first.year}-Q${Math.floor((((month - first.month + 12) % 12) + 3) / 3)}`
}

/** Describes a dimension: what tells its values apart, what they are called, and the fields that show it in a row. */
type Described = {
  readonly idOf: (row: AnswerRow) => number | string | null
  readonly nameOf: (row: AnswerRow, calendar: Calendar) => string
  readonly fields: readonly (keyof AnswerRow)[]
}

const DIMENSIONS: Readonly<Record<Dimension, Described>> = {
  kpi: { idOf: ({ kpiId }) => kpiId, nameOf: ({ kpiName }) => kpiName ?? '', fields: ['kpiId', 'kpiName'] },
  item: { idOf: ({ itemId }) => itemId, nameOf: ({ itemName }) => itemName ?? '', fields: ['itemId', 'itemName'] },
  period: {
    idOf: ({ periodId, entryDate }) => (entryDate === null ? null : `${entryDate} ${periodId}`),
    nameOf: ({ periodId, entryDate }, calendar) =>
      entryDate === null || periodId === null ? 'all' : periodName(periodId, entryDate, calendar),
    fields: ['entryDate', 'periodId'],
  },
}

/** Returns the columns of a dimension's values, by what tells them apart; names that are taken get the id behind. */
const columnsOf = (rows: readonly AnswerRow[], of: Described, calendar: Calendar): Map<string, string> => {
  const taken = new Set<string>([...answerRow.shown.map(({ name }) => name), '__proto__'])
  const columns = new Map<string, string>()
  for (const row of rows) {
    const id = String(of.idOf(row))
    if (columns.has(id)) continue
    const name = of.nameOf(row, calendar)
    const free = taken.has(name) ? `${name} (${id})` : name
    taken.add(free)
    columns.set(id, free)
  }
  if (columns.size <= MOST_COLUMNS) return columns
  throw new KpiError(
    'invalid',
    `a pivot of ${columns.size} columns is too wide; ask for fewer days, KPIs or users, or for --by M`,
  )
}

/** Returns the fields of the dimensions that stay rows, without those that no row has. */
const fieldsOf = (rows: readonly AnswerRow[], kept: readonly Described[]): NamedField[] => {
  const names = new Set<string>(
    kept.filter(({ idOf }) => rows.some((row) => idOf(row) !== null)).flatMap(({ fields }) => fields),
  )
  return answerRow.shown.filter(({ name }) => names.has(name))
}

/** Returns a table with a column of actuals for each value of a dimension, and a row for all else that differs. */
export const pivotTable = (
  rows: readonly AnswerRow[],
  dimension: Dimension,
  calendar: Calendar,
): { readonly columns: readonly NamedField[]; readonly records: readonly AnyRecord[] } => {
  const across = DIMENSIONS[dimension]
  const kept = (['period', 'kpi', 'item'] as const).filter((one) => one !== dimension).map((one) => DIMENSIONS[one])
  const byName =
    dimension === 'period' ? rows.toSorted((one, other) => (one.entryDate ?? 0) - (other.entryDate ?? 0)) : rows
  const names = columnsOf(byName, across, calendar)
  const fields = fieldsOf(rows, kept)
  const records = [...Map.groupBy(rows, (row) => kept.map(({ idOf }) => idOf(row)).join(' ')).values()].map((group) => {
    const own = Object.entries(group[0] ?? {}).filter(([name]) => fields.some((field) => field.name === name))
    const cells = group.map((row): [string, FieldValue] => [names.get(String(across.idOf(row))) ?? '', row.actual])
    return Object.fromEntries<FieldValue>([...own, ...cells])
  })
  const values = [...names.values()].map((name) => ({
    name,
    field: { kind: 'decimal', about: 'Actual', nullable: true } as const,
  }))
  return { columns: [...fields, ...values], records }
}
