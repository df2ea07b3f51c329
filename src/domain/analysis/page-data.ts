import type { Day } from '../day.ts'
import type { Decimal } from '../decimal.ts'
import type { Calendar, DayRange } from '../period.ts'
import type { ReportRow } from '../resources/report-row.ts'
import { FirstSeenOrder } from './first-seen-order.ts'

/** Describes a row of a report as the page shows it; `itemId` is null where all items are taken together. */
export type PageRow = Omit<ReportRow, 'itemId'> & { readonly itemId: number | null }

/** Describes a KPI of a page. */
export type PageKpi = Pick<ReportRow, 'kpiDescription' | 'periodId' | 'labelFormat' | 'direction'> & {
  readonly name: string
}

/** Holds a decimal as JSON can: its ten-thousandths as a number, or as text where a number has too few digits. */
type PackedDecimal = number | string | null

/** Holds the rows of a KPI and item, as columns. KPI and item are places in the lists of the page. */
export type PackedSeries = {
  readonly kpi: number
  readonly item: number
  /** Holds the first day, then the days from each row to the next. */
  readonly days: Day[]
  readonly actuals: PackedDecimal[]
  readonly targets: PackedDecimal[]
  /** Holds pairs: the place of a row, and its notes. */
  readonly notes: [number, string][]
}

/** Describes what a page needs to know of the account and the report. */
export type PageFrame = { readonly range: DayRange; readonly calendar: Calendar }

/** Describes all that a page holds; names of KPIs and items stand once. */
export type PageData = PageFrame & {
  readonly kpis: readonly PageKpi[]
  readonly items: readonly string[]
  readonly series: readonly PackedSeries[]
}

/** Describes a value of a period, as the page reads it from the packed rows. */
export type PageValue = {
  readonly day: Day
  readonly actual: Decimal | null
  readonly target: Decimal | null
  readonly notes: string | null
}

const pack = (value: Decimal | null): PackedDecimal => {
  if (value === null) return null
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

const unpack = (packed: PackedDecimal | undefined): Decimal | null =>
  packed === null || packed === undefined ? null : BigInt(packed)

/** Collects the rows of a report, in the report's order, and holds them as a page does. */
export class PagePacker {
  readonly kpis: PageKpi[] = []
  readonly items: string[] = []
  readonly #kpis = new Map<number, number>()
  readonly #items = new Map<number | null, number>()
  readonly #order = new FirstSeenOrder()
  readonly #series = new Map<string, { readonly packed: PackedSeries; last: Day }>()

  add(row: PageRow): void {
    const series = this.#seriesOf(row)
    const { kpi, days, actuals, targets, notes } = series.packed
    this.#order.see(row.entryDate, kpi)
    if (row.notes !== null) notes.push([days.length, row.notes])
    days.push(row.entryDate - series.last)
    actuals.push(pack(row.actual))
    targets.push(pack(row.target))
    series.last = row.entryDate
  }

  /** Returns the series, KPI by KPI in the order of the report. */
  series(): PackedSeries[] {
    const ofKpi = Map.groupBy([...this.#series.values()], ({ packed }) => packed.kpi)
    return this.#order.list().flatMap((kpi) => (ofKpi.get(kpi) ?? []).map(({ packed }) => packed))
  }

  #seriesOf(row: PageRow): { readonly packed: PackedSeries; last: Day } {
    const key = `${row.kpiId} ${row.itemId}`
    const known = this.#series.get(key)
    if (known) return known
    const packed = { kpi: this.#kpiOf(row), item: this.#itemOf(row), days: [], actuals: [], targets: [], notes: [] }
    const begun = { packed, last: 0 }
    this.#series.set(key, begun)
    return begun
  }

  #kpiOf({ kpiId, kpiName, kpiDescription, periodId, labelFormat, direction }: PageRow): number {
    const known = this.#kpis.get(kpiId)
    if (known !== undefined) return known
    this.#kpis.set(kpiId, this.kpis.length)
    return this.kpis.push({ name: kpiName, kpiDescription, periodId, labelFormat, direction }) - 1
  }

  #itemOf({ itemId, itemName }: PageRow): number {
    const known = this.#items.get(itemId)
    if (known !== undefined) return known
    this.#items.set(itemId, this.items.length)
    return this.items.push(itemName) - 1
  }
}

/** Returns the values of a series, by day. */
export const valuesOf = ({ days, actuals, targets, notes }: PackedSeries): PageValue[] => {
  const noted = new Map(notes)
  let day = 0
  return days.map((step, at) => {
    day += step
    return { day, actual: unpack(actuals[at]), target: unpack(targets[at]), notes: noted.get(at) ?? null }
  })
}
