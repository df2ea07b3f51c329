import { type Evidence, showCell } from '../formats/evidence.ts'
import { type GivenUnit, unitByCell, unitByTitle } from '../formats/number-words.ts'
import { listFlag, listValue } from '../options/flag-text.ts'
import { currencyOf, namesPercent } from '../../domain/numbers/unit-words.ts'
import { unitInCell, unitOfCell } from '../../domain/numbers/measure.ts'
import { memoize } from '../formats/date-format.ts'
import type { Row, Table } from '../../tabular/source/table.ts'

/** Maps the signs and words of currencies to their codes. */
const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }),
)
const PERCENT = '%'
const NONE = ''

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

const unitsOfColumn = (column: Noted['column'], first: Map<number, Map<string, Noted>>) => {
  const all = (): Kinds[] => [...first.values()].filter((kinds) => [...kinds.values()][0]?.column === column)
  // Most cells have no unit, and those of a KPI stand together in most files.
  let lastPlain: number | undefined
  return {
    /** Records a number of a KPI, if that is known, with its unit: `%`, a currency or nothing. */
    note: (unit: string, kpi: number | undefined, text: string, line: number): void => {
      if (kpi === undefined || (unit === NONE && kpi === lastPlain)) return
      if (unit === NONE) lastPlain = kpi
      const large = unit.toUpperCase()
      const kind = SAME.get(large) ?? large
      let kinds = first.get(kpi)
      if (!kinds) {
        if (first.size >= MOST_KPIS) return
        kinds = new Map()
        first.set(kpi, kinds)
      }
      if (!kinds.has(kind)) kinds.set(kind, { text, line, column })
    },
    /** Returns why the numbers of one KPI may have different units. */
    doubt: (): string | undefined => {
      const mixed = all().find((kinds) => isMixed([...kinds.keys()]))
      return (
        mixed &&
        `has numbers of several kinds: ${cellsOf(mixed)}; they may not mean the same: write all of them in the same way, or import each kind from a file of its own`
      )
    },
    remark: (): string | undefined => {
      const several = all().find((kinds) => kinds.size > 1)
      return several && `${cellsOf(several)}; the signs are ignored, and the numbers are taken as they are`
    },
  }
}

/** Describes the currency signs and percent signs around the numbers of a column. */
export type Units = ReturnType<typeof unitsOfColumn>

/**
 * Creates a watcher of units. They are watched KPI by KPI, as one column may hold several KPIs and several columns one
 * KPI; a mix across columns is reported by the first of them.
 */
export const createUnits = () => {
  const first = new Map<number, Map<string, Noted>>()
  return {
    watch: (name: string): Units => unitsOfColumn({ name }, first),
    /** Returns the signs beside the numbers of a KPI, with the first cell of each; the empty text stands for none. */
    signsOf: (kpi: number): ReadonlyMap<string, Evidence> => first.get(kpi) ?? new Map(),
  }
}

/** Describes cells that only say which currency or unit values have: a column beside them, or a row above them. */
export type UnitColumn = {
  readonly name: string
  /** Records the unit of the value of a KPI that a row has in a column. */
  readonly note: (row: Pick<Row, 'line' | 'cells'>, at: number, kpi: number | undefined) => void
  /** Returns the unit that a row gives the value in a column; undefined if it gives none that is known. */
  readonly unitIn: (cells: Row['cells'], at: number) => GivenUnit | undefined
  /** Returns why the values of one KPI may have different units. */
  readonly doubt: () => string | undefined
  /** Returns the units of a KPI, each as it is written first. */
  readonly unitsOf: (kpi: number) => readonly Evidence[]
}

/** Sets how many texts of each are remembered. */
const MOST_TEXTS = 20
/** Sets how many units of one KPI are shown. */
const SHOWN = 3

/** Returns what texts of one unit have in common; scales are asked about number by number. */
const keyOf = (text: string): string => {
  if (namesPercent(text)) return '%'
  const [currency = text] = unitOfCell(text)?.currencies ?? []
  return currencyOf(currency).toLowerCase().replace(/\.$/, '')
}

/** Holds how the units of a KPI are written, in the order of the rows. */
type Written = ReadonlyMap<string, Evidence>

/** Returns the first text of each unit, by what all texts of it have in common. */
const firstOf = (written: Written | undefined): Map<string, Evidence> => {
  const first = new Map<string, Evidence>()
  for (const cell of written?.values() ?? []) if (!first.has(keyOf(cell.text))) first.set(keyOf(cell.text), cell)
  return first
}

/** Creates a record of the units of KPIs. */
const createUnitRecord = () => {
  const units = new Map<number, Map<string, Evidence>>()
  let last: { readonly text: string; readonly kpi: number } | undefined
  return {
    note: (text: string, line: number, kpi: number | undefined): void => {
      if (text === '' || kpi === undefined || (last?.text === text && last.kpi === kpi)) return
      last = { text, kpi }
      const known = units.get(kpi) ?? new Map<string, Evidence>()
      if (known.has(text) || known.size >= MOST_TEXTS || (known.size === 0 && units.size >= MOST_KPIS)) return
      units.set(kpi, known.set(text, { text, line }))
    },
    /** Returns how the units of the first KPI that has several are written; undefined if none has. */
    mixed: (): Written | undefined => [...units.values()].find((known) => firstOf(known).size > 1),
    unitsOf: (kpi: number): Evidence[] => [...firstOf(units.get(kpi)).values()],
  }
}

const doubtOf = (mixed: Written): string =>
  `says that values of one KPI have different units: ${[...firstOf(mixed).values()].slice(0, SHOWN).map(showCell).join(', ')}; import each from a file of its own`

/**
 * Returns the flags that make a KPI for each unit; undefined if none do. `units` are all texts in the column, each with
 * the unit that it means; undefined if rows have none, or texts that a flag cannot name.
 */
export type FlagsForUnits = (
  units: readonly (readonly [text: string, unit: string])[] | undefined,
) => string | undefined

/** Returns all texts of the units of a KPI, each with the first one of its unit; undefined if a flag cannot name all. */
const textsIn = (mixed: Written): [text: string, unit: string][] | undefined => {
  if (mixed.size >= MOST_TEXTS || [...mixed.keys()].some((text) => text.includes('='))) return undefined
  const first = firstOf(mixed)
  return [...mixed.keys()].map((text) => [text, first.get(keyOf(text))?.text ?? text])
}

/** Creates a column of units; `flagsFor` returns flags that make a KPI for each. */
export const createUnitColumn = (at: number, name: string, flagsFor: FlagsForUnits): UnitColumn => {
  const { note, mixed, unitsOf } = createUnitRecord()
  const unitBy = memoize((text) => unitByCell(text, `the column ${JSON.stringify(name)}`))
  let hasGaps = false
  return {
    name,
    note: ({ line, cells }, _, kpi) => {
      const text = cells[at]?.trim() ?? ''
      hasGaps ||= text === ''
      note(text, line, kpi)
    },
    unitIn: (cells) => unitBy(cells[at]?.trim() ?? ''),
    doubt: () => {
      const several = mixed()
      if (!several) return undefined
      const flags = flagsFor(hasGaps ? undefined : textsIn(several))
      return `${doubtOf(several)}${flags === undefined ? '' : `, or make a KPI for each with ${flags}`}; --ignore ${listValue(name)} takes the numbers as they are`
    },
    unitsOf,
  }
}

/** Creates the units of columns from the row below the header that holds them. */
export const createUnitRow = ({ line, cells }: Pick<Row, 'line' | 'cells'>): UnitColumn => {
  const { note, mixed, unitsOf } = createUnitRecord()
  const units = cells.map((cell) => unitInCell(cell.trim()) ?? '')
  const given = units.map((text) => (text === '' ? undefined : unitByCell(text, `line ${line}`)))
  return {
    name: `line ${line}`,
    note: (_, at, kpi) => note(units[at] ?? '', line, kpi),
    unitIn: (_, at) => given[at],
    doubt: () => {
      const several = mixed()
      const cell = cells.find((one) => one.trim() !== '')?.trim() ?? ''
      if (!several) return undefined
      return `${doubtOf(several)}; ${listFlag('--ignore-rows', [cell])} takes the numbers as they are`
    },
    unitsOf,
  }
}

/** Returns the scaled unit that the lines above a header give all numbers; undefined if they give none. */
export const tableUnitOf = ({ above, upper }: Pick<Table, 'above' | 'upper'>): GivenUnit | undefined =>
  (upper ? above.slice(0, -1) : above).flatMap(({ line, cells }) =>
    cells.flatMap((cell) => unitByTitle(cell.trim(), `line ${line}`) ?? []),
  )[0]

/** Creates the units of columns of which all have the same one. */
export const createTableUnit = (unit: GivenUnit): UnitColumn => ({
  name: unit.by,
  note: () => {},
  unitIn: () => unit,
  doubt: () => undefined,
  unitsOf: () => [],
})
