import type { ReportRequest } from '../../src/client/operations/queries.ts'
import type { Frequency } from '../../src/domain/period.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { users } from '../../src/store/tables/users.ts'
import { day } from './calendar.ts'
import type { Service } from './service.ts'
import { entryRow, kpiRecord, userRecord, insertEntries } from './store.ts'

/** The first day of every shape. */
export const START = day('2026-01-01')
/** How many days a shape has, unless it says otherwise. */
export const YEAR = 365

/** Tells how many rows a day has, counted from the first. */
type RowsOf = (at: number) => number

/** Data of a shape: rows by day, spread over so many KPIs, with as many users as it takes. */
export type Shape = {
  readonly name: string
  readonly days?: number
  readonly kpis?: number
  readonly rows: RowsOf
  readonly frequencies?: readonly Frequency[]
  readonly request?: Partial<ReportRequest>
  /** The most requests for it, as a multiple of the least number. */
  readonly most: number
}

/** Returns the numbers from 0. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

/** Puts all rows on one day. */
export const only =
  (first: number, rows: number): RowsOf =>
  (at) =>
    at === first ? rows : 0

/** Keeps the rows of a shape: a day's rows go from KPI to KPI, each of another user. */
export const fillShape = (
  { db }: Pick<Service, 'db'>,
  { days = YEAR, kpis: count = 1, rows, frequencies = ['D'] }: Omit<Shape, 'name' | 'most'>,
): Promise<void> =>
  db.write(async (tx) => {
    for (const at of upTo(count)) {
      const frequency_id = frequencies[at % frequencies.length] ?? 'D'
      await kpis.insert(tx, 1, kpiRecord({ id: at + 1, name: `KPI ${at}`, sort_order: -at, frequency_id }))
    }
    const most = Math.ceil(Math.max(...upTo(days).map(rows)) / count)
    for (const at of upTo(most)) await users.insert(tx, 1, userRecord({ id: at + 2, email: `user${at}@example.com` }))
    const list = upTo(days).flatMap((at) =>
      upTo(rows(at)).map((row) => ({
        item_id: Math.floor(row / count) + 2,
        kpi_id: (row % count) + 1,
        entry_date: START + at,
      })),
    )
    await insertEntries(
      tx,
      1,
      list.map((one, at) => entryRow({ ...one, id: at + 1, actual: BigInt(at) })),
    )
  })

/** What tells the rows of a report apart. */
export const rowKey = ({ entryDate, kpiId, itemId }: ReportRow): string => `${entryDate} ${kpiId} ${itemId}`

/** Tells whether rows are in the report's order, each once; later KPIs are sorted first. */
export const isInOrder = (rows: readonly ReportRow[]): boolean =>
  rows.every((row, at) => {
    const before = rows[at - 1]
    if (!before) return true
    return (row.entryDate - before.entryDate || before.kpiId - row.kpiId || row.itemId - before.itemId) > 0
  })
