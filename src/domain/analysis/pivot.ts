import { KpiError } from '../errors.ts'
import { type Calendar, periodName } from '../period.ts'
import type { AnyRecord, FieldValue, NamedField } from '../schema.ts'
import { type AnswerRow, answerRow } from './answer-row.ts'
import type { PIVOTS } from './question.ts'

type Dimension = (typeof PIVOTS)[number]

/** Bounds the columns of a pivot. */
const MOST_COLUMNS = 1000

/** Describes a dimension: what tells its values apart, what they are called, and the fields that show it in a row. */
type Described = {
  readonly idOf: (row: AnswerRow) => number | string | null
  readonly nameOf: (row: AnswerRow, calendar: Calendar) => string
  /** Returns what stands behind names that are equal. */
  readonly markOf: (row: AnswerRow) => string
  readonly fields: readonly (keyof AnswerRow)[]
}

const DIMENSIONS: Readonly<Record<Dimension, Described>> = {
  kpi: {
    idOf: ({ kpiId }) => kpiId,
    nameOf: ({ kpiName }) => kpiName ?? '',
    markOf: ({ kpiId }) => String(kpiId),
    fields: ['kpiId', 'kpiName'],
  },
  item: {
    idOf: ({ itemId }) => itemId,
    nameOf: ({ itemName }) => itemName ?? '',
    markOf: ({ itemId }) => String(itemId),
    fields: ['itemId', 'itemName'],
  },
  period: {
    idOf: ({ periodId, entryDate }) => (entryDate === null ? null : `${entryDate} ${periodId}`),
    nameOf: ({ periodId, entryDate }, calendar) =>
      entryDate === null || periodId === null ? 'all' : periodName(periodId, entryDate, calendar),
    markOf: ({ periodId }) => String(periodId),
    fields: ['entryDate', 'periodId'],
  },
}

/** Returns names that are all different: those that are equal, or taken, get their mark behind. */
const uniqueNames = (named: readonly (readonly [name: string, mark: string])[], taken: readonly string[]): string[] => {
  const counts = new Map(taken.map((name) => [name, 1]))
  for (const [name] of named) counts.set(name, (counts.get(name) ?? 0) + 1)
  const used = new Set(counts.keys())
  return named.map(([name, mark]) => {
    if (counts.get(name) === 1) return name
    let unique = `${name} (${mark})`
    // Somebody may be called by the name and id of somebody else.
    while (used.has(unique)) unique += ` (${mark})`
    used.add(unique)
    return unique
  })
}

/** Returns the columns of a dimension's values, by what tells them apart. */
const columnsOf = (rows: readonly AnswerRow[], of: Described, calendar: Calendar): Map<string, string> => {
  const firsts = new Map<string, AnswerRow>()
  for (const row of rows) if (!firsts.has(String(of.idOf(row)))) firsts.set(String(of.idOf(row)), row)
  const named = [...firsts.values()].map((row) => [of.nameOf(row, calendar), of.markOf(row)] as const)
  const names = uniqueNames(named, [...answerRow.shown.map(({ name }) => name), '__proto__'])
  const columns = new Map([...firsts.keys()].map((id, at) => [id, names[at] ?? '']))
  if (columns.size <= MOST_COLUMNS) return columns
  throw new KpiError(
    'invalid',
    `a pivot of ${columns.size} columns is too wide; ask for fewer days, KPIs or users, or for --by M`,
  )
}

/** Returns the fields of the dimensions that stay rows, without those that no row has. */
const fieldsOf = (rows: readonly AnswerRow[], kept: readonly Described[]): NamedField[] => {
  const names = new Set<string>(
    kept
      .filter(({ idOf }) => rows.length === 0 || rows.some((row) => idOf(row) !== null))
      .flatMap(({ fields }) => fields),
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
