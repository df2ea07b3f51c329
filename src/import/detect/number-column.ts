import { formatDecimal } from '../../domain/decimal.ts'
import { Fault } from '../../domain/errors.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import type { MissingWords } from '../formats/missing-words.ts'
import {
  type DecimalSign,
  type AffixedNumber,
  faultOfNumber,
  nameOfSign,
  type NumberCell,
  otherSign,
  readAffixedNumber,
  withText,
  stripAffixes,
} from '../formats/number.ts'

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
type Units = {
  /** Records a number of a KPI with its unit: `%`, a currency or nothing. */
  readonly note: (unit: string, kpi: number, text: string, line: number) => void
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

/** Describes a column of numbers: how they are read, and what its cells have shown. */
export type NumberColumn = {
  readonly name: string
  /** Holds the decimal sign with which its numbers are read. */
  readonly sign: DecimalSign
  /** Reads a cell of a row; `kpi` is its KPI, if it is known. */
  readonly read: (text: string, line: number, kpi?: number) => NumberCell | Fault
  /** Records what a cell shows, without reading it. */
  readonly note: (text: string, line: number, kpi?: number) => void
  /** Holds for each sign the first cell that can only be read with it. */
  readonly proofs: ReadonlyMap<DecimalSign, Evidence>
  /** Returns the sign that some cells prove and none contradicts. */
  readonly proven: () => DecimalSign | undefined
  /** Returns the first recorded cell with more decimals than are stored. */
  readonly rounded: () => Evidence | undefined
  /** Tells whether cells may stand for no value, and the user has not said so. */
  readonly hasWords: () => boolean
  /** Returns why it is in doubt how to read the column; undefined if it is not. */
  readonly doubt: () => string | undefined
  /** Returns remarks on a column that can be read. */
  readonly remarks: () => readonly string[]
}

const SHORT: Readonly<Record<DecimalSign, RegExp>> = {
  '.': /^-?\d{1,9}(?:\.\d{1,4})?$/,
  ',': /^-?\d{1,9}(?:,\d{1,4})?$/,
}

/** Matches a number whose sign may separate decimals or thousands. */
const THOUSANDS = /^-?[1-9]\d{0,2}[.,]\d{3}$/

/** Matches a number with more decimals than are stored. */
const DEEP = /([.,])\d{4}\d*[1-9]/

type ReadNumber = NumberCell | Fault | undefined

const isSame = (one: NumberCell | Fault, other: NumberCell | Fault): boolean =>
  one instanceof Fault || other instanceof Fault
    ? one instanceof Fault && other instanceof Fault
    : one.value === other.value && one.rounded === other.rounded

const valueText = (reading: ReadNumber): string =>
  reading instanceof Fault || reading === undefined ? 'too large' : formatDecimal(reading.value)

/** Returns a cell's two values, with either decimal sign. */
const bothReadings = ({ text }: Evidence): string => {
  const affixed = stripAffixes(text)
  const readingWith = (sign: DecimalSign): string =>
    `${valueText(affixed && readAffixedNumber(affixed, sign))} (with ${nameOfSign(sign)})`
  return `${readingWith('.')} or ${readingWith(',')}`
}

/**
 * Creates a column that is read with a decimal sign; unless the user gave it, it is an assumption that cells may
 * refute.
 */
export const createNumberColumn = (
  name: string,
  sign: DecimalSign,
  isGiven: boolean,
  units: Units,
  words?: MissingWords,
): NumberColumn => {
  const short = SHORT[sign]
  const proofs = new Map<DecimalSign, Evidence>()
  const rounded = new Map<DecimalSign, Evidence>()
  let doubtful: Evidence | undefined
  let exponent: Evidence | undefined
  // Most cells have no unit, and those of a KPI stand together in most files.
  let lastPlain: number | undefined

  const prove = (proved: DecimalSign, text: string, line: number): void => {
    if (!proofs.has(proved)) proofs.set(proved, { text, line })
  }
  const notePlain = (text: string, line: number, kpi: number | undefined): void => {
    if (kpi === lastPlain || kpi === undefined) return
    lastPlain = kpi
    units.note('', kpi, text, line)
  }
  const noteSign = (affixed: AffixedNumber, text: string, line: number): void => {
    const [known] = proofs.keys()
    // Once a sign is proven, only cells that do not fit it add anything.
    if (known && readAffixedNumber(affixed, known) !== undefined) return
    const [point, comma] = [readAffixedNumber(affixed, '.'), readAffixedNumber(affixed, ',')]
    if (point === undefined && comma === undefined) return
    if (point === undefined || comma === undefined) prove(point === undefined ? ',' : '.', text, line)
    else if (!isSame(point, comma)) doubtful ??= { text, line }
  }
  const noteAffixed = (affixed: AffixedNumber, text: string, line: number, kpi: number | undefined): void => {
    noteSign(affixed, text, line)
    if (/e/i.test(affixed.body)) exponent ??= { text, line }
    const unit = affixed.isPercent ? '%' : affixed.currency
    if (unit === undefined) notePlain(text, line, kpi)
    else if (kpi !== undefined) units.note(unit, kpi, text, line)
  }
  /** Records a number of a few digits, with or without a decimal sign and nothing else. */
  const noteShort = (text: string, line: number, kpi: number | undefined): void => {
    notePlain(text, line, kpi)
    const used = text.includes('.') ? '.' : ','
    if (proofs.has(used) || !text.includes(used)) return
    if (THOUSANDS.test(text)) doubtful ??= { text, line }
    else prove(used, text, line)
  }
  const noteRounding = (affixed: AffixedNumber, text: string, line: number): void => {
    const used = DEEP.exec(affixed.body)?.[1]
    if ((used !== '.' && used !== ',') || rounded.has(used)) return
    const cell = readAffixedNumber(affixed, used)
    if (cell && !(cell instanceof Fault) && cell.rounded) rounded.set(used, { text, line })
  }
  const note = (text: string, line: number, kpi?: number): void => {
    if (SHORT['.'].test(text) || SHORT[','].test(text)) {
      noteShort(text, line, kpi)
      return
    }
    const affixed = stripAffixes(text)
    if (!affixed) {
      words?.note(text, line)
      return
    }
    noteAffixed(affixed, text, line, kpi)
    noteRounding(affixed, text, line)
  }
  const readLong = (text: string, line: number, kpi: number | undefined): NumberCell | Fault => {
    const affixed = stripAffixes(text)
    if (affixed) noteAffixed(affixed, text, line, kpi)
    else words?.note(text, line)
    const cell = affixed && readAffixedNumber(affixed, sign)
    return withText(text, cell ?? faultOfNumber(text, sign))
  }
  const contradiction = (): string | undefined => {
    const [point, comma] = [proofs.get('.'), proofs.get(',')]
    if (!point || !comma) return undefined
    return `has both: ${showCell(point)} with a decimal point, ${showCell(comma)} with a decimal comma; rows of the other kind are rejected with --decimal . or --decimal ,`
  }
  const proven = (): DecimalSign | undefined => {
    if (isGiven) return sign
    const [proved, ...more] = proofs.keys()
    return more.length === 0 ? proved : undefined
  }
  return {
    name,
    sign,
    proofs,
    note,
    proven,
    rounded: () => rounded.get(proven() ?? sign),
    read: (text, line, kpi) => {
      if (!short.test(text)) return readLong(text, line, kpi)
      noteShort(text, line, kpi)
      return {
        value: BigInt(Math.round(Number(sign === '.' ? text : text.replace(',', '.')) * 10_000)),
        rounded: false,
      }
    },
    hasWords: () => words?.isFound() ?? false,
    doubt: () => {
      const missing = words?.doubt()
      if (missing !== undefined) return missing
      if (isGiven) return units.doubt()
      if (proofs.size === 0 && doubtful) {
        return `${showCell(doubtful)} is ${bothReadings(doubtful)}, and no other cell shows which; say it: --decimal . or --decimal ,`
      }
      return contradiction() ?? units.doubt()
    },
    remarks: () => {
      const remark = units.remark()
      return [
        ...(remark === undefined ? [] : [`${name} has numbers with signs and without: ${remark}`]),
        ...(exponent
          ? [
              `${name} has numbers with exponents, such as ${showCell(exponent)}, which spreadsheets shorten; they are taken as they are written`,
            ]
          : []),
      ]
    },
  }
}

/** Tells whether a cell has refuted the sign that was assumed for its column, or may stand for no value. */
export const isRefuted = ({ proofs, sign, proven, hasWords }: NumberColumn): boolean =>
  hasWords() || (proven() !== sign && proofs.has(otherSign(sign)))
