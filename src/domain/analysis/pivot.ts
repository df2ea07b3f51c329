import type { Decimal } from '../decimal.ts'
import { KpiError } from '../errors.ts'
import { type Calendar, periodName } from '../period.ts'
import type { AnyRecord, FieldValue } from '../schema.ts'
import { type ExactValues, totalOf } from './aggregate.ts'
import { type AnswerRow, answerRow } from './answer-row.ts'
import type { Facts, PIVOTS, Question } from './question.ts'
import { IS_TOTAL, type ReportColumn } from './report-table.ts'

type Dimension = (typeof PIVOTS)[number]

/** Names the column of totals. */
export const TOTAL_COLUMN = 'total'

/** Names what stands for all items, KPIs or periods together. */
const TOTAL = 'Total'

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
    // Say the unit of each column, if units are asked for.
    nameOf: ({ kpiName, unit }) => `${kpiName ?? ''}${unit === null ? '' : ` (${unit})`}`,
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
  const names = uniqueNames(named, [...answerRow.shown.map(({ name }) => name), TOTAL_COLUMN, IS_TOTAL, '__proto__'])
  const columns = new Map([...firsts.keys()].map((id, at) => [id, names[at] ?? '']))
  if (columns.size <= MOST_COLUMNS) return columns
  throw new KpiError(
    'invalid',
    `a pivot of ${columns.size} columns is too wide; ask for fewer days, KPIs or users, or for --by M`,
  )
}

/** Returns the fields of the dimensions that stay rows, without those that no row has. */
const fieldsOf = (rows: readonly AnswerRow[], kept: readonly Described[]): ReportColumn[] => {
  const names = new Set<string>(
    kept
      .filter(({ idOf }) => rows.length === 0 || rows.some((row) => idOf(row) !== null))
      .flatMap(({ fields }) => fields),
  )
  return answerRow.shown.filter(({ name }) => names.has(name))
}

/** Holds the column of units. */
const UNIT: readonly ReportColumn[] = answerRow.shown.filter(({ name }) => name === 'unit')

/** Returns the number pattern that all rows have in common; undefined if they have several. */
const commonPattern = (rows: readonly AnswerRow[]): string | undefined => {
  const [pattern, ...others] = new Set(rows.map(({ labelFormat }) => labelFormat))
  return others.length === 0 ? pattern : undefined
}

/** Returns a column of values; it has the pattern that `rows` have in common, if any. */
const valueColumn = (name: string, rows: readonly AnswerRow[]): ReportColumn => {
  const labelFormat = commonPattern(rows)
  const field = { kind: 'decimal', about: 'Actual', nullable: true } as const
  return { name, field, ...(labelFormat === undefined ? {} : { labelFormat }) }
}

/** Describes a pivot: its columns, and what is added to them. */
type Pivot = Pick<Question, 'by' | 'totals' | 'units'> & { readonly dimension: Dimension }

/** Describes rows of an answer that make a row of a pivot, and what it shows of them. */
type PivotRow = { readonly group: readonly AnswerRow[]; readonly shown: Partial<AnswerRow> }

const ALL_OF: Readonly<Record<Dimension, Partial<AnswerRow>>> = {
  kpi: { kpiId: null, kpiName: TOTAL },
  item: { itemId: null, itemName: TOTAL },
  period: { entryDate: null, periodId: null },
}

/**
 * Returns the rows of totals, below the others: of each KPI, as far as it has several rows, and of all KPIs where these can
 * be added up.
 */
const totalRows = (
  rows: readonly AnswerRow[],
  dimension: Dimension,
  rowKey: (row: AnswerRow) => string,
  sum: (group: readonly AnswerRow[]) => Decimal | null,
): PivotRow[] => {
  const isSeveral = (group: readonly AnswerRow[]): boolean => new Set(group.map(rowKey)).size > 1
  const others = (['period', 'item'] as const).filter((one) => one !== dimension)
  const shown: Partial<AnswerRow> = Object.assign({}, ...others.map((one) => ALL_OF[one]))
  if (dimension === 'kpi') return isSeveral(rows) ? [{ group: rows, shown }] : []
  const groups = [...Map.groupBy(rows, ({ kpiId }) => kpiId).values()]
  const ofKpis = groups.filter(isSeveral).map((group) => ({ group, shown: { ...group[0], ...shown } }))
  const isAll = groups.length > 1 && sum(rows) !== null
  return [...ofKpis, ...(isAll ? [{ group: rows, shown: { ...rows[0], ...shown, ...ALL_OF.kpi } }] : [])]
}

/**
 * Returns a table with a column of actuals for each value of a dimension, and a row for all else that differs. Totals are
 * by the functions of KPIs, as those of `--group-by` are; where values cannot be put together, there is none.
 */
export const pivotTable = (
  rows: readonly AnswerRow[],
  { dimension, by, totals, units }: Pivot,
  facts: Facts,
  exact: ExactValues,
): { readonly columns: readonly ReportColumn[]; readonly records: readonly AnyRecord[] } => {
  const across = DIMENSIONS[dimension]
  const idAcross = (row: AnswerRow): string => String(across.idOf(row))
  const kept = (['period', 'kpi', 'item'] as const).filter((one) => one !== dimension).map((one) => DIMENSIONS[one])
  const byName =
    dimension === 'period' ? rows.toSorted((one, other) => (one.entryDate ?? 0) - (other.entryDate ?? 0)) : rows
  const names = columnsOf(byName, across, facts.calendar)
  const isOfOneKpi = dimension !== 'kpi'
  const fields = [...fieldsOf(rows, kept), ...(units && isOfOneKpi ? UNIT : [])]
  const sum = (group: readonly AnswerRow[]): Decimal | null => totalOf(group, facts, { by, exact })
  const record = (
    { group, shown }: PivotRow,
    cellOf: (cell: readonly AnswerRow[]) => FieldValue,
  ): Record<string, FieldValue> => {
    const own = fields.map(({ name }) => [name, Reflect.get(shown, name) ?? null] as const)
    const cells = [...Map.groupBy(group, idAcross)].map(([id, cell]) => [names.get(id) ?? '', cellOf(cell)] as const)
    // People read the values of a row of one KPI by its pattern, which no column shows.
    const pattern = isOfOneKpi ? ([['labelFormat', commonPattern(group) ?? null]] as const) : []
    const total = totals ? ([[TOTAL_COLUMN, sum(group)]] as const) : []
    return Object.fromEntries<FieldValue>([...own, ...pattern, ...cells, ...total])
  }
  const rowKey = (row: AnswerRow): string => kept.map(({ idOf }) => idOf(row)).join(' ')
  const records = [...Map.groupBy(rows, rowKey).values()].map((group) =>
    record({ group, shown: group[0] ?? {} }, (cell) => cell.at(-1)?.actual ?? null),
  )
  const below = totals
    ? totalRows(rows, dimension, rowKey, sum).map((one) => ({ ...record(one, sum), [IS_TOTAL]: true }))
    : []
  const byColumn = Map.groupBy(rows, idAcross)
  const values = [...names].map(([id, name]) => valueColumn(name, isOfOneKpi ? [] : (byColumn.get(id) ?? [])))
  const hasTotals = totals && (isOfOneKpi || sum(rows) !== null)
  return {
    columns: [
      ...fields.map((one) => (totals && one.name === 'entryDate' ? { ...one, blank: TOTAL } : one)),
      ...values,
      ...(hasTotals ? [valueColumn(TOTAL_COLUMN, isOfOneKpi ? [] : rows)] : []),
    ],
    records: [...records, ...below],
  }
}
