import { formatDecimal } from '../../domain/decimal.ts'
import { Fault } from '../../domain/errors.ts'
import { type Evidence, type MissingWords, showCell } from '../formats/evidence.ts'
import { type DecimalSign, type NumberCell, readAffixedNumber } from '../../domain/numbers/read-number.ts'
import { faultOfNumber, nameOfSign, otherSign, withText } from '../formats/number.ts'
import { type AffixedNumber, stripAffixes } from '../../domain/numbers/affixed-number.ts'
import { stripWords, type WordedNumber } from '../../domain/numbers/worded-number.ts'
import { type GivenUnit, type NumberWords, scaleWithinLimits, unitByHeading } from '../formats/number-words.ts'
import type { Scaling } from '../../domain/numbers/scales.ts'
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
  const affixed = stripAffixes(text) ?? stripWords(text)?.number
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

/** Holds the words in a column: those for no value, if the user has not said which there are, and those beside numbers. */
type ColumnWords = {
  readonly missing?: MissingWords | undefined
  readonly words: NumberWords
  /** Tells whether it holds targets: of these a percentage is refused where the KPI is none, as `+5 %` may be a raise. */
  readonly isTarget?: boolean
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
  { missing, words, isTarget }: ColumnWords,
) => {
  const short = SHORT[sign]
  const headed = unitByHeading(name)
  /** Returns the unit of a plain number: that of its own cell, unless only the heading gives a scale; else that of the table. */
  const unitOf = (own: GivenUnit | undefined): GivenUnit | undefined =>
    own && (headed === undefined || (own.of === 'cell' && (own.power > 0 || headed.power === 0))) ? own : headed
  words.settle(sign)
  const proofs = new Map<DecimalSign, Evidence>()
  const rounded = new Map<DecimalSign, Evidence>()
  let doubtful: Evidence | undefined
  let scaled: Evidence | undefined
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
  /**
   * Records the sign of a number with words. The point of a scaled one is its own, and proves nothing of others, as `1.2M` is written
   * everywhere; `1,2 Mio.` only where decimals have commas.
   */
  const noteWorded = (worded: WordedNumber, text: string, line: number): void => {
    const own = words.ownSign(worded)
    if (own === undefined) return noteSign(worded.number, text, line)
    if (own === ',') prove(own, text, line)
    scaled ??= { text, line }
    words.settle(own)
  }
  /** Records a target with a percent sign, and returns why its KPI has no such; undefined if it may. */
  const notePercent = (text: string, line: number, kpi: number | undefined): Fault | undefined => {
    const number = isTarget && text.includes('%') ? stripAffixes(text) : undefined
    if (!number) return undefined
    words.note(name, { number, words: '%' }, text, line, kpi)
    return words.faultOfPercent(kpi)
  }
  const noteAffixed = (
    affixed: AffixedNumber,
    text: string,
    line: number,
    kpi: number | undefined,
  ): Fault | undefined => {
    noteSign(affixed, text, line)
    if (/e/i.test(affixed.body)) exponent ??= { text, line }
    const { isPercent, currency } = affixed
    const notPercent = notePercent(text, line, kpi)
    if (!notPercent || words.isOpen(name)) units.note(isPercent ? '%' : (currency ?? ''), kpi, text, line)
    if (currency !== undefined) words.note(name, { number: affixed, words: currency }, text, line, kpi)
    return notPercent
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
  const notePlain = (text: string, line: number, kpi: number | undefined, own: GivenUnit | undefined): void => {
    const unit = unitOf(own)
    if (unit) words.notePlain(name, unit, text, line, kpi)
  }
  /** Records a text that is a number with words, and returns it, or else one that may stand for no value. */
  const noteOther = (text: string, line: number, kpi: number | undefined): WordedNumber | undefined => {
    const worded = stripWords(text)
    const counted = worded && words.countedBy(worded.words)
    if (worded && counted !== undefined) {
      noteWorded(worded, text, line)
      words.note(name, worded, text, line, kpi)
      if (counted !== '') units.note(counted, kpi, text, line)
      return worded
    }
    missing?.note(text, line)
    return worded
  }
  /** Records the currency of a number that is stored as one, which its format gives, where no unit says more than that. */
  const noteStored = (text: string, line: number, kpi: number | undefined, currency: string): void => {
    const number = currency === '' ? undefined : stripAffixes(text)
    if (number) words.note(name, { number: { ...number, currency }, words: currency }, `${text} ${currency}`, line, kpi)
  }
  /** Records what a cell shows, without reading it; `own` is the unit that cells of units give it. */
  const note = (text: string, line: number, kpi?: number, currency?: string, own?: GivenUnit): void => {
    if (currency !== undefined) {
      notePlain(text, line, kpi, own)
      notePercent(text, line, kpi)
      stored.read(text, line, kpi, currency)
      if (!unitOf(own)) noteStored(text, line, kpi, currency)
      return
    }
    if (SHORT['.'].test(text) || SHORT[','].test(text)) {
      notePlain(text, line, kpi, own)
      noteShort(text, line, kpi)
      return
    }
    const affixed = stripAffixes(text)
    if (!affixed) {
      noteOther(text, line, kpi)
      return
    }
    if (affixed.currency === undefined) notePlain(text, line, kpi, own)
    noteAffixed(affixed, text, line, kpi)
    noteRounding(affixed, text, line)
  }
  const scaledBy = (cell: NumberCell | Fault, scale: Scaling | Fault | undefined): NumberCell | Fault => {
    if (scale instanceof Fault) return scale
    return scale && !(cell instanceof Fault) ? scaleWithinLimits(cell, scale) : cell
  }
  /** Returns a number without words as its unit scales it. */
  const asGiven = (
    cell: NumberCell | Fault,
    kpi: number | undefined,
    unit: GivenUnit | undefined,
  ): NumberCell | Fault => (unit ? scaledBy(cell, words.plainScale(unit, kpi)) : cell)
  const readLong = (
    text: string,
    line: number,
    kpi: number | undefined,
    unit: GivenUnit | undefined,
  ): NumberCell | Fault => {
    const affixed = stripAffixes(text)
    if (!affixed) {
      const worded = noteOther(text, line, kpi)
      return withText(text, (worded && words.read(name, worded, sign, kpi)) ?? faultOfNumber(text, sign))
    }
    const notPercent = noteAffixed(affixed, text, line, kpi)
    if (notPercent) return withText(text, notPercent)
    const cell = readAffixedNumber(affixed, sign) ?? faultOfNumber(text, sign)
    const { currency } = affixed
    // A number that says its own currency is not that of a heading, or of a cell of units.
    const read =
      currency === undefined
        ? asGiven(cell, kpi, unit)
        : (words.faultOfCurrency(currency, kpi) ?? scaledBy(cell, words.currencyScale(currency, kpi)))
    return withText(text, read)
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
    /** Returns the first number with a scale that has a sign of its own. */
    scaled: (): Evidence | undefined => scaled,
    /** Returns the first cell that is stored as a number, which shows nothing of how texts are written. */
    stored: stored.stored,
    /** Returns the first recorded cell with more decimals than are stored. */
    rounded: (): Evidence | undefined => rounded.get(proven() ?? sign) ?? stored.rounded(),
    /**
     * Reads a cell of a row; `kpi` is its KPI, if it is known, `currency` that of a cell that is stored as a number,
     * `` for none, and `own` the unit that cells of units give it.
     */
    read: (text: string, line: number, kpi?: number, currency?: string, own?: GivenUnit): NumberCell | Fault => {
      const unit = own ? unitOf(own) : headed
      if (currency !== undefined) {
        const other =
          notePercent(text, line, kpi) ?? (currency === '' ? undefined : words.faultOfCurrency(currency, kpi))
        if (other) return withText(text, other)
        const cell = stored.read(text, line, kpi, currency)
        if (!unit) noteStored(text, line, kpi, currency)
        return withText(
          text,
          currency === '' || unit ? asGiven(cell, kpi, unit) : scaledBy(cell, words.currencyScale(currency, kpi)),
        )
      }
      if (!short.test(text)) return readLong(text, line, kpi, unit)
      noteShort(text, line, kpi)
      const cell = shortNumber(text, sign)
      return unit ? withText(text, asGiven(cell, kpi, unit)) : cell
    },
    /** Tells whether cells may stand for no value, and the user has not said so. */
    hasWords: (): boolean => missing?.isFound() ?? false,
    /** Returns which words may stand for no value; undefined if there are none. */
    wordDoubt: (): string | undefined => missing?.doubt(),
    /** Returns all questions about how to read the column; empty if it is clear. */
    doubts: (): readonly string[] => [
      ...[missing?.doubt(), signDoubt()].filter((one) => one !== undefined),
      ...words.doubts(name, proven() ?? sign),
    ],
    /** Tells whether it has numbers whose words mean what the units of their KPIs say, which are not known yet. */
    isOpen: (): boolean => words.isOpen(name),
    /** Returns remarks on a column that can be read. */
    remarks: (): string[] => {
      const remark = units.remark()
      return [
        ...(remark === undefined ? [] : [`${name} has numbers with signs and without: ${remark}`]),
        ...words.remarks(name, proven() ?? sign),
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

/**
 * Tells whether a cell has refuted the sign that was assumed for its column, may stand for no value, or has words that
 * cannot be read yet.
 */
export const isRefuted = ({ proofs, sign, proven, hasWords, isOpen }: NumberColumn): boolean =>
  hasWords() || isOpen() || (proven() !== sign && proofs.has(otherSign(sign)))
