import { hash } from 'node:crypto'
import { type Day } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import type { ReportKpi, RowTaker } from '../domain/report.ts'
import { type ReportDay, reportRow } from '../domain/resources/report-row.ts'
import type { AnyRecord } from '../domain/schema.ts'
import { cellText } from './cell-text.ts'

/** Returns the texts of a row's values, as a CSV file has them. */
export const rowCells = (row: AnyRecord): string[] =>
  reportRow.shown.map(({ name, field }) => cellText(field, row[name] ?? null))

/** Holds the rows of one KPI on one day: the sum of their digests does not depend on the order in which they came. */
type KpiRows = { readonly kpiId: number; rows: number; sum: bigint }

const BITS = 256

const addRow = (of: KpiRows, cells: readonly string[]): void => {
  of.rows += 1
  of.sum = BigInt.asUintN(BITS, of.sum + BigInt(`0x${hash('sha256', JSON.stringify(cells))}`))
}

/** Returns the digest of a day; its KPIs are in the order of the report, in which items are always in that of their ids. */
const digestDay = (entryDate: Day, kpis: readonly KpiRows[]): ReportDay => ({
  entryDate,
  rows: kpis.reduce((sum, { rows }) => sum + rows, 0),
  digest: hash('sha256', kpis.map(({ kpiId, rows, sum }) => `${kpiId} ${rows} ${sum.toString(16)}`).join('\n')),
})

/** Bounds what is kept for the digests of one answer: KPIs, once for each day on which they have rows. */
const MOST_KPI_DAYS = 100_000

type Ordered = KpiRows & { readonly kpi: ReportKpi }

const inReportOrder = ({ kpi: left }: Ordered, { kpi: right }: Ordered): number =>
  left.sort_order - right.sort_order || left.id - right.id

/** Takes the rows of a report in any order, and returns the digests of its days. */
export const createDayDigests = (most = MOST_KPI_DAYS): RowTaker<Iterable<ReportDay>> => {
  const days = new Map<Day, Map<number, Ordered>>()
  let count = 0
  const begin = (day: Map<number, Ordered>, kpi: ReportKpi): Ordered => {
    count += 1
    const begun: Ordered = { kpiId: kpi.id, rows: 0, sum: 0n, kpi }
    if (count <= most) day.set(kpi.id, begun)
    return begun
  }
  return {
    take: (row, kpi) => {
      const day = days.get(row.entryDate) ?? new Map<number, Ordered>()
      days.set(row.entryDate, day)
      addRow(day.get(kpi.id) ?? begin(day, kpi), rowCells(row))
    },
    finish: () => {
      if (count > most) {
        throw new KpiError('too_large', `these days have over ${most} KPIs in all; ask for fewer at a time`)
      }
      return (function* () {
        for (const day of [...days.keys()].toSorted((left, right) => left - right)) {
          yield digestDay(day, [...(days.get(day)?.values() ?? [])].toSorted(inReportOrder))
        }
      })()
    },
  }
}

/** Takes the texts of rows in the order of a report, and returns the digests of their days. */
export const createFileDigests = () => {
  const days = new Map<Day, ReportDay>()
  let [day, kpis]: [Day | undefined, KpiRows[]] = [undefined, []]
  const close = (): void => {
    if (day !== undefined) days.set(day, digestDay(day, kpis))
    kpis = []
  }
  return {
    take: (of: Day, kpiId: number, cells: readonly string[]): void => {
      if (of !== day) close()
      day = of
      const last = kpis.at(-1)
      const rows = last?.kpiId === kpiId ? last : { kpiId, rows: 0, sum: 0n }
      if (rows !== last) kpis.push(rows)
      addRow(rows, cells)
    },
    finish: (): ReadonlyMap<Day, ReportDay> => {
      close()
      return days
    },
  }
}
