import { type Evidence, shown } from './evidence.ts'

/** Signs and words of currencies that say the same as a code. */
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

/** What stands around the numbers of a column. */
export type Units = {
  /** Notes a number of a KPI with what stands around it: `%`, a currency or nothing. */
  readonly note: (unit: string, kpi: number, text: string, line: number) => void
  /** Why numbers of one KPI may not mean the same. */
  readonly doubt: () => string | undefined
  readonly remark: () => string | undefined
}

/** So many KPIs are looked at by themselves, for memory's sake. */
const MOST_KPIS = 10_000

const isMixed = (kinds: readonly string[]): boolean =>
  kinds.length > 1 && (kinds.includes(PERCENT) || kinds.filter((kind) => kind !== NONE).length > 1)

/** A cell, and the name of its column, as an object of its own for each column. */
type Noted = Evidence & { readonly column: { readonly name: string } }
type Kinds = ReadonlyMap<string, Noted>

/** The first cells of each kind, with their columns where these differ. */
const cellsOf = (kinds: Kinds): string => {
  const cells = [...kinds.values()].toSorted((one, other) => one.line - other.line)
  const isOfOne = cells.every(({ column }) => column === cells[0]?.column)
  return cells.map((cell) => (isOfOne ? shown(cell) : `${shown(cell)} (${cell.column.name})`)).join(', ')
}

const unitsOfColumn = (column: Noted['column'], first: Map<number, Map<string, Noted>>): Units => {
  const all = (): Kinds[] => [...first.values()].filter((kinds) => [...kinds.values()][0]?.column === column)
  return {
    note: (unit, kpi, text, line) => {
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
        `has numbers of several kinds: ${cellsOf(mixed)}; they may not mean the same: write all of them alike, or load those of each kind from a file of their own`
      )
    },
    remark: () => {
      const several = all().find((kinds) => kinds.size > 1)
      return several && `${cellsOf(several)}; signs are left out and numbers taken as they are`
    },
  }
}

/**
 * Watches the units of a file KPI by KPI: numbers of several may stand in one column, and those of one in several. Gives
 * what watches a column; of what is in several columns, the one that shows it first tells.
 */
export const createUnits = (): ((name: string) => Units) => {
  const first = new Map<number, Map<string, Noted>>()
  return (name) => unitsOfColumn({ name }, first)
}
