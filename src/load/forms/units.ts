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

/** What stands around the numbers of a column, KPI by KPI, as those of several may stand in one column. */
export type Units = {
  /** Notes a number with what stands around it, `%`, a currency or nothing, and the KPI as the row names it. */
  readonly note: (unit: string, kpi: string, text: string, line: number) => void
  /** Why numbers of one KPI may not mean the same. */
  readonly doubt: () => string | undefined
  readonly remark: () => string | undefined
}

/** So many KPIs are looked at by themselves, for memory's sake. */
const MOST_KPIS = 10_000

const isMixed = (kinds: readonly string[]): boolean =>
  kinds.length > 1 && (kinds.includes(PERCENT) || kinds.filter((kind) => kind !== NONE).length > 1)

/** Watches the units of a column. */
export const createUnits = (): Units => {
  const first = new Map<string, Map<string, Evidence>>()
  const all = (): Map<string, Evidence>[] => [...first.values()]
  const cellsOf = (kinds: Map<string, Evidence>): string =>
    [...kinds.values()]
      .toSorted((one, other) => one.line - other.line)
      .map(shown)
      .join(', ')
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
      if (!kinds.has(kind)) kinds.set(kind, { text, line })
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
