import { listFlag, listValue } from '../flag-text.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import { currencyOf, unitBelowHeader } from '../formats/units.ts'
import { namesPercent } from '../missing/kpi-words.ts'
import type { Row } from '../parse/rows.ts'

/** Describes cells that only say which currency or unit values have: a column beside them, or a row above them. */
export type UnitColumn = {
  readonly name: string
  /** Records the unit of the value of a KPI that a row has in a column. */
  readonly note: (row: Pick<Row, 'line' | 'cells'>, at: number, kpi: number | undefined) => void
  /** Returns why the values of one KPI may have different units. */
  readonly doubt: () => string | undefined
  /** Returns the units of a KPI, each as it is written first. */
  readonly unitsOf: (kpi: number) => readonly Evidence[]
}

/** Sets how many KPIs, and units of each, are remembered, to bound the memory. */
const MOST_KPIS = 10_000
const MOST_UNITS = 3

const keyOf = (text: string): string => (namesPercent(text) ? '%' : currencyOf(text).toLowerCase().replace(/\.$/, ''))

/** Creates a record of the units of KPIs. */
const createUnitRecord = () => {
  const units = new Map<number, Map<string, Evidence>>()
  let last: { readonly text: string; readonly kpi: number } | undefined
  return {
    note: (text: string, line: number, kpi: number | undefined): void => {
      if (text === '' || kpi === undefined || (last?.text === text && last.kpi === kpi)) return
      last = { text, kpi }
      const known = units.get(kpi) ?? new Map<string, Evidence>()
      if (known.size >= MOST_UNITS || (known.size === 0 && units.size >= MOST_KPIS)) return
      units.set(kpi, known)
      const key = keyOf(text)
      if (!known.has(key)) known.set(key, { text, line })
    },
    /** Returns the units of the first KPI that has several; empty if none has. */
    mixed: (): Evidence[] => [...([...units.values()].find((known) => known.size > 1)?.values() ?? [])],
    unitsOf: (kpi: number): Evidence[] => [...(units.get(kpi)?.values() ?? [])],
  }
}

const doubtOf = (mixed: readonly Evidence[]): string =>
  `says that values of one KPI have different units: ${mixed.map(showCell).join(', ')}; import each from a file of its own`

/** Creates a column of units; `wayOut` are the flags that make a KPI for each unit, if there are any. */
export const createUnitColumn = (at: number, name: string, wayOut: string | undefined): UnitColumn => {
  const { note, mixed, unitsOf } = createUnitRecord()
  return {
    name,
    note: ({ line, cells }, _, kpi) => note(cells[at]?.trim() ?? '', line, kpi),
    doubt: () => {
      const several = mixed()
      if (several.length === 0) return undefined
      return `${doubtOf(several)}${wayOut === undefined ? '' : `, or make a KPI for each with ${wayOut}`}; --ignore ${listValue(name)} takes the numbers as they are`
    },
    unitsOf,
  }
}

/** Creates the units of columns from the row below the header that holds them. */
export const createUnitRow = ({ line, cells }: Pick<Row, 'line' | 'cells'>): UnitColumn => {
  const { note, mixed, unitsOf } = createUnitRecord()
  const units = cells.map((cell) => unitBelowHeader(cell.trim()) ?? '')
  return {
    name: `line ${line}`,
    note: (_, at, kpi) => note(units[at] ?? '', line, kpi),
    doubt: () => {
      const several = mixed()
      const cell = cells.find((one) => one.trim() !== '')?.trim() ?? ''
      if (several.length === 0) return undefined
      return `${doubtOf(several)}; ${listFlag('--ignore-rows', [cell])} takes the numbers as they are`
    },
    unitsOf,
  }
}
