import type { Day } from '../day.ts'

/**
 * Finds the order of KPIs from rows that have it day by day, where no day needs to have all KPIs: one that has no place
 * among others comes where it was seen first.
 */
export class FirstSeenOrder {
  /** Holds the KPIs that were seen right before each KPI on some day. */
  readonly #before = new Map<number, Set<number>>()
  #day: Day | undefined
  #last: number | undefined

  see(day: Day, kpi: number): void {
    if (day === this.#day && kpi === this.#last) return
    const before = this.#before.get(kpi) ?? new Set()
    this.#before.set(kpi, before)
    if (day === this.#day && this.#last !== undefined) before.add(this.#last)
    this.#day = day
    this.#last = kpi
  }

  /** Returns the KPIs in order. */
  list(): number[] {
    const waiting = new Map(this.#before)
    const order: number[] = []
    const isFree = (kpi: number): boolean => ![...(waiting.get(kpi) ?? [])].some((before) => waiting.has(before))
    while (waiting.size > 0) {
      const kpis = [...waiting.keys()]
      // Where rows are in no order at all, each is as good as the other.
      const next = kpis.find(isFree) ?? kpis[0]
      if (next === undefined) break
      waiting.delete(next)
      order.push(next)
    }
    return order
  }
}
