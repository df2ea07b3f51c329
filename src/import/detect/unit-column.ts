import { listValue } from '../flag-text.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import { currencyOf } from '../formats/units.ts'

/** Describes a column that only says which currency or unit the values of its row have. */
export type UnitColumn = {
  readonly at: number
  readonly name: string
  /** Records the unit of a value of a KPI. */
  readonly note: (text: string, line: number, kpi: number | undefined) => void
  /** Returns why the values of one KPI may have different units. */
  readonly doubt: () => string | undefined
  /** Returns the units of a KPI, each as it is written first. */
  readonly unitsOf: (kpi: number) => readonly Evidence[]
}

/** Sets how many KPIs, and units of each, are remembered, to bound the memory. */
const MOST_KPIS = 10_000
const MOST_UNITS = 3

const keyOf = (text: string): string => currencyOf(text).toLowerCase().replace(/\.$/, '')

/** Creates such a column; `wayOut` are the flags that make a KPI for each unit, if there are any. */
export const createUnitColumn = (at: number, name: string, wayOut: string | undefined): UnitColumn => {
  const units = new Map<number, Map<string, Evidence>>()
  let last: { readonly text: string; readonly kpi: number } | undefined
  return {
    at,
    name,
    note: (text, line, kpi) => {
      if (text === '' || kpi === undefined || (last?.text === text && last.kpi === kpi)) return
      last = { text, kpi }
      const known = units.get(kpi) ?? new Map<string, Evidence>()
      if (known.size >= MOST_UNITS || (known.size === 0 && units.size >= MOST_KPIS)) return
      units.set(kpi, known)
      const key = keyOf(text)
      if (!known.has(key)) known.set(key, { text, line })
    },
    doubt: () => {
      const mixed = [...units.values()].find((known) => known.size > 1)
      if (!mixed) return undefined
      const cells = [...mixed.values()].map(showCell).join(', ')
      return `says that values of one KPI have different units: ${cells}; import each from a file of its own${wayOut === undefined ? '' : `, or make a KPI for each with ${wayOut}`}; --ignore ${listValue(name)} takes the numbers as they are`
    },
    unitsOf: (kpi) => [...(units.get(kpi)?.values() ?? [])],
  }
}
