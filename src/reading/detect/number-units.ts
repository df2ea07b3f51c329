import { type Evidence, showCell } from '../formats/evidence.ts'

/** Maps the signs and words of currencies to their codes. */
const SAME: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  ZŁ: 'PLN',
  KČ: 'CZK',
  FT: 'HUF',
  R$: 'BRL',
  US$: 'USD',
  'SFR.': 'CHF',
  'FR.': 'CHF',
  KR: 'kr',
  'KR.': 'kr',
}
const PERCENT = '%'
const NONE = ''

/** Describes the currency signs and percent signs around the numbers of a column. */
export type Units = {
  /** Records a number of a KPI, if that is known, with its unit: `%`, a currency or nothing. */
  readonly note: (unit: string, kpi: number | undefined, text: string, line: number) => void
  /** Returns why the numbers of one KPI may have different units. */
  readonly doubt: () => string | undefined
  readonly remark: () => string | undefined
}

/** Sets how many KPIs are watched separately, to bound the memory. */
const MOST_KPIS = 10_000

const isMixed = (kinds: readonly string[]): boolean =>
  kinds.length > 1 && (kinds.includes(PERCENT) || kinds.filter((kind) => kind !== NONE).length > 1)

/** Describes a cell, and the name of its column; columns are told apart by this object. */
type Noted = Evidence & { readonly column: { readonly name: string } }
type Kinds = ReadonlyMap<string, Noted>

/** Returns the first cells of each kind as text, with their columns if these differ. */
const cellsOf = (kinds: Kinds): string => {
  const cells = [...kinds.values()].toSorted((one, other) => one.line - other.line)
  const isOfOne = cells.every(({ column }) => column === cells[0]?.column)
  return cells.map((cell) => (isOfOne ? showCell(cell) : `${showCell(cell)} (${cell.column.name})`)).join(', ')
}

const unitsOfColumn = (column: Noted['column'], first: Map<number, Map<string, Noted>>): Units => {
  const all = (): Kinds[] => [...first.values()].filter((kinds) => [...kinds.values()][0]?.column === column)
  // Most cells have no unit, and those of a KPI stand together in most files.
  let lastPlain: number | undefined
  return {
    note: (unit, kpi, text, line) => {
      if (kpi === undefined || (unit === NONE && kpi === lastPlain)) return
      if (unit === NONE) lastPlain = kpi
      const large = unit.toUpperCase()
      const kind = SAME[large] ?? large
      let kinds = first.get(kpi)
      if (!kinds) {
        if (first.size >= MOST_KPIS) return
        kinds = new Map()
        first.set(kpi, kinds)
      }
      if (!kinds.has(kind)) kinds.set(kind, { text, line, column })
    },
    doubt: () => {
      const mixed = all().find((kinds) => isMixed([...kinds.keys()]))
      return (
        mixed &&
        `has numbers of several kinds: ${cellsOf(mixed)}; they may not mean the same: write all of them in the same way, or import each kind from a file of its own`
      )
    },
    remark: () => {
      const several = all().find((kinds) => kinds.size > 1)
      return several && `${cellsOf(several)}; the signs are ignored, and the numbers are taken as they are`
    },
  }
}

/** Watches the units of all columns of a file. */
export type UnitsOfFile = {
  /** Creates the watcher of a column's units. */
  readonly watch: (name: string) => Units
  /** Returns the signs beside the numbers of a KPI, with the first cell of each; the empty text stands for none. */
  readonly signsOf: (kpi: number) => ReadonlyMap<string, Evidence>
}

/**
 * Creates a watcher of units. They are watched KPI by KPI, as one column may hold several KPIs and several columns one
 * KPI; a mix across columns is reported by the first of them.
 */
export const createUnits = (): UnitsOfFile => {
  const first = new Map<number, Map<string, Noted>>()
  return { watch: (name) => unitsOfColumn({ name }, first), signsOf: (kpi) => first.get(kpi) ?? new Map() }
}
