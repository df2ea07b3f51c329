import { formatDecimal } from '../../domain/decimal.ts'
import { Fault } from '../../domain/errors.ts'
import { type Evidence, type MissingWords, showCell } from '../formats/evidence.ts'
import {
  type DecimalSign,
  faultOfNumber,
  nameOfSign,
  type NumberCell,
  otherSign,
  readAffixedNumber,
  withText,
} from '../formats/number.ts'
import { type AffixedNumber, stripAffixes } from '../../tabular/cells/affixed-number.ts'
import type { Units } from './units.ts'

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

/** Returns a number of a few digits, with or without this decimal sign and nothing else. */
const shortNumber = (text: string, sign: DecimalSign): NumberCell => ({
  value: BigInt(Math.round(Number(sign === '.' ? text : text.replace(',', '.')) * 10_000)),
  rounded: false,
})

/** Reads the cells of a column that are stored as numbers: they have a decimal point, however texts are written. */
const createStoredNumbers = (units: Units) => {
  let first: Evidence | undefined
  let rounded: Evidence | undefined
  return {
    stored: (): Evidence | undefined => first,
    rounded: (): Evidence | undefined => rounded,
    read: (text: string, line: number, kpi: number | undefined, currency: string): NumberCell | Fault => {
      first ??= { text, line }
      const isShort = SHORT['.'].test(text)
      const affixed = isShort ? undefined : stripAffixes(text)
      if (affixed?.isPercent) units.note('%', kpi, text, line)
      else units.note(currency, kpi, currency === '' ? text : `${text} ${currency}`, line)
      if (isShort) return shortNumber(text, '.')
      const cell = (affixed && readAffixedNumber(affixed, '.')) ?? faultOfNumber(text, '.')
      if (!(cell instanceof Fault) && cell.rounded) rounded ??= { text, line }
      return withText(text, cell)
    },
  }
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
) => {
  const short = SHORT[sign]
  const proofs = new Map<DecimalSign, Evidence>()
  const rounded = new Map<DecimalSign, Evidence>()
  let doubtful: Evidence | undefined
  let exponent: Evidence | undefined
  const stored = createStoredNumbers(units)

  const prove = (proved: DecimalSign, text: string, line: number): void => {
    if (!proofs.has(proved)) proofs.set(proved, { text, line })
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
    units.note(affixed.isPercent ? '%' : (affixed.currency ?? ''), kpi, text, line)
  }
  /** Records a number of a few digits, with or without a decimal sign and nothing else. */
  const noteShort = (text: string, line: number, kpi: number | undefined): void => {
    units.note('', kpi, text, line)
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
  /** Records what a cell shows, without reading it. */
  const note = (text: string, line: number, kpi?: number, currency?: string): void => {
    if (currency !== undefined) {
      stored.read(text, line, kpi, currency)
      return
    }
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
    return `has both: ${showCell(point)} with a decimal point, ${showCell(comma)} with a decimal comma. Write all alike, or import the rows of one kind and reject the others: --decimal . or --decimal ,`
  }
  /** Returns why the decimal sign, or else the units, may mean two things. */
  const signDoubt = (): string | undefined => {
    if (isGiven) return units.doubt()
    if (proofs.size === 0 && doubtful)
      return `${showCell(doubtful)} is ${bothReadings(doubtful)}, and no other cell shows which; say it: --decimal . or --decimal ,`
    return contradiction() ?? units.doubt()
  }
  const proven = (): DecimalSign | undefined => {
    if (isGiven) return sign
    const [proved, ...more] = proofs.keys()
    return more.length === 0 ? proved : undefined
  }
  return {
    name,
    /** Holds the decimal sign with which its numbers are read. */
    sign,
    /** Holds for each sign the first cell that can only be read with it. */
    proofs,
    note,
    /** Returns the sign that some cells prove and none contradicts. */
    proven,
    /** Returns the first cell that is stored as a number, which shows nothing of how texts are written. */
    stored: stored.stored,
    /** Returns the first recorded cell with more decimals than are stored. */
    rounded: (): Evidence | undefined => rounded.get(proven() ?? sign) ?? stored.rounded(),
    /**
     * Reads a cell of a row; `kpi` is its KPI, if it is known, and `currency` that of a cell that is stored as a number,
     * `` for none.
     */
    read: (text: string, line: number, kpi?: number, currency?: string): NumberCell | Fault => {
      if (currency !== undefined) return stored.read(text, line, kpi, currency)
      if (!short.test(text)) return readLong(text, line, kpi)
      noteShort(text, line, kpi)
      return shortNumber(text, sign)
    },
    /** Tells whether cells may stand for no value, and the user has not said so. */
    hasWords: (): boolean => words?.isFound() ?? false,
    /** Returns which words may stand for no value; undefined if there are none. */
    wordDoubt: (): string | undefined => words?.doubt(),
    /** Returns all questions about how to read the column; empty if it is clear. */
    doubts: (): readonly string[] => [words?.doubt(), signDoubt()].filter((one) => one !== undefined),
    /** Returns remarks on a column that can be read. */
    remarks: (): string[] => {
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
export type NumberColumn = ReturnType<typeof createNumberColumn>

/** Tells whether a cell has refuted the sign that was assumed for its column, or may stand for no value. */
export const isRefuted = ({ proofs, sign, proven, hasWords }: NumberColumn): boolean =>
  hasWords() || (proven() !== sign && proofs.has(otherSign(sign)))
