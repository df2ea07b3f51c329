import { Fault } from '../../domain/errors.ts'
import {
  agreesWithCurrency,
  countedBy,
  isOfAnything,
  isUnitItself,
  type Measure,
  meaningsOf,
  measureOf,
  scaledUnit,
  unitOfHeading,
} from '../../domain/numbers/measure.ts'
import { currencyOf } from '../../domain/numbers/unit-words.ts'
import { checkDecimal } from '../../domain/numbers/check-decimal.ts'
import { type DecimalSign, type NumberCell, readAffixedNumber } from '../../domain/numbers/read-number.ts'
import { scaleNamed, type Scaling } from '../../domain/numbers/scales.ts'
import {
  disagrees,
  type Hints,
  type Meaning,
  meaningsOfWords,
  scaleCell,
  type WordedNumber,
} from '../../domain/numbers/worded-number.ts'
import { readableNumber } from '../../domain/numbers/readable.ts'
import { type Evidence, showCell } from './evidence.ts'
import { listFlag } from '../options/flag-text.ts'
import { listFirst } from '../../domain/count-text.ts'

/** Sets how many words beside numbers are kept, each with a KPI. */
const MOST_WORDS = 200
/** Sets how many numbers with words are shown of a column. */
const SHOWN = 5

/** Returns what values of a KPI are; undefined if that is not known. */
type MeasureOfKpi = (kpi: number | undefined) => Measure | undefined

/** Describes the first number with certain words of a KPI in a column. */
type Seen = Evidence & { readonly column: string; readonly kpi: number | undefined; readonly number: WordedNumber }

/** Matches digits with one sign and no groups. */
const UNGROUPED = /^\d*([.,])\d+$/

/** Returns what the user says of scales, by their words. */
const saidScales = (scale: ReadonlyMap<string, string> | undefined): Map<string, Scaling> =>
  new Map(
    [...(scale ?? [])].flatMap(([word, text]) => {
      const found = scaleNamed(text)
      return found instanceof Fault ? [] : [[word.replace(/\.$/, ''), found] as const]
    }),
  )

/** Is the measure of what nothing is known of. */
const ANYTHING = measureOf('', undefined)

/**
 * Reads the words beside the numbers of a file, such as `M` and `kWh`: what they mean depends on the units of the KPIs,
 * which are known once they have been asked for.
 */
export class NumberWords {
  readonly #said: ReadonlyMap<string, Scaling>
  readonly #refusesCurrencies: boolean
  readonly #seen = new Map<string, Seen>()
  readonly #headings = new Map<string, Map<number | undefined, Evidence>>()
  #measure: MeasureOfKpi | undefined
  #isComma = false

  /** `refusesCurrencies` says that a currency that is not that of the KPI makes a cell bad. */
  constructor(scale: ReadonlyMap<string, string> | undefined, refusesCurrencies: boolean, measure?: MeasureOfKpi) {
    this.#said = saidScales(scale)
    this.#refusesCurrencies = refusesCurrencies
    this.#measure = measure
  }

  /** Takes what the values of KPIs are. */
  learn(measure: MeasureOfKpi): void {
    this.#measure = measure
  }

  /** Tells whether a column has numbers that cannot be read before the units of their KPIs are known. */
  isOpen(column: string): boolean {
    return this.#measure === undefined && (this.#ofColumn(column).length > 0 || this.#headings.has(column))
  }

  /** Tells whether any number has words, or a column a unit that has a scale. */
  isFound(): boolean {
    return this.#seen.size > 0 || this.#headings.size > 0
  }

  /** Returns what words beside a number count, or that they only scale it; undefined if they mean nothing that is known. */
  countedBy(text: string): string | undefined {
    return countedBy(text) ?? (this.#said.has(text.replace(/\.$/, '')) ? '' : undefined)
  }

  /**
   * Returns the only sign by which a number with a scale can be read, such as the point of `1.2M`; undefined if there is none.
   * It says nothing of numbers without scales, as `1.2M` stands beside `5.500` where that has a decimal comma as well.
   */
  ownSign({ number, words }: WordedNumber): DecimalSign | undefined {
    const used = UNGROUPED.exec(number.body)?.[1] === ',' ? ',' : '.'
    const isOnly = UNGROUPED.test(number.body) && readAffixedNumber(number, used === ',' ? '.' : ',') === undefined
    const scales = [...(meaningsOf(words) ?? []).flatMap((one) => one.scales), this.#said.get(words.replace(/\.$/, ''))]
    return isOnly && scales.some((scale) => scale !== undefined && scale.power > 0) ? used : undefined
  }

  #plain(worded: WordedNumber, sign: DecimalSign): NumberCell | Fault | undefined {
    return readAffixedNumber(worded.number, this.ownSign(worded) ?? sign)
  }

  /** Records a number with words, and the sign with which its column is read. */
  note(column: string, number: WordedNumber, text: string, line: number, kpi: number | undefined): void {
    const key = JSON.stringify([column, number.words, kpi])
    if (this.#seen.has(key) || this.#seen.size >= MOST_WORDS) return
    this.#seen.set(key, { column, number, text, line, kpi })
  }

  /** Records that numbers without words stand below a heading that may give them a scale. */
  notePlain(column: string, text: string, line: number, kpi: number | undefined): void {
    const known = this.#headings.get(column) ?? new Map<number | undefined, Evidence>()
    if (known.has(kpi) || known.size >= MOST_WORDS) return
    this.#headings.set(column, known.set(kpi, { text, line }))
  }

  /** Takes the decimal sign with which a column is read. */
  settle(sign: DecimalSign): void {
    this.#isComma ||= sign === ','
  }

  #ofColumn(column: string): Seen[] {
    return [...this.#seen.values()].filter((one) => one.column === column)
  }

  #hints(): Hints {
    const words = new Set([...this.#seen.values()].flatMap(({ number }) => number.words.split(/\s+/)))
    const plain = [...words].map((word) => word.replace(/\.$/, ''))
    return {
      said: this.#said,
      hasDoubleM: plain.includes('MM'),
      isIndian: plain.some((word) => /^(?:lakhs?|lacs?|crores?)$/i.test(word)),
      isComma: this.#isComma,
    }
  }

  #meanings({ words }: WordedNumber, kpi: number | undefined): ReturnType<typeof meaningsOfWords> {
    return meaningsOfWords(words, this.#measure?.(kpi) ?? ANYTHING, this.#hints())
  }

  /** Reads a number with words; undefined if they mean nothing that is known, or the units of KPIs are not known yet. */
  read(worded: WordedNumber, sign: DecimalSign, kpi: number | undefined): NumberCell | Fault | undefined {
    if (!this.#measure) return undefined
    const cell = this.#plain(worded, sign)
    const meanings = this.#meanings(worded, kpi)
    if (cell === undefined || meanings === undefined) return undefined
    if (cell instanceof Fault) return cell
    if (meanings instanceof Fault) return meanings
    const [first] = meanings
    return first && scaleWithinLimits(cell, first)
  }

  /** Returns why a currency beside a number is not that of its KPI; undefined if it may be, or others judge it. */
  faultOfCurrency(currency: string, kpi: number | undefined): Fault | undefined {
    const measure = this.#refusesCurrencies ? this.#measure?.(kpi) : undefined
    const own = measure && currency !== '¤' && !agreesWithCurrency(measure, currency)
    return own ? disagrees(currencyOf(currency), measure) : undefined
  }

  /** Returns the scale of numbers without words below a heading that gives them one; undefined if it changes nothing. */
  plainScale(column: string, kpi: number | undefined): Scaling | undefined {
    const meant = this.#headingMeans(column, kpi)
    return meant?.said && meant.said.power !== 0 ? { ...meant.said, power: meant.said.power - meant.below } : undefined
  }

  /** Returns what the heading of a column says of the numbers of a KPI; undefined if it says the same as the KPI. */
  #headingMeans(column: string, kpi: number | undefined) {
    const measure = this.#measure?.(kpi)
    const unit = scaledHeading(column)
    if (!measure || !unit || measure.power === unit.power || isUnitItself(measure, unit.text)) return undefined
    return { unit, said: this.#said.get(unit.text.replace(/\.$/, '')), below: measure.power, of: measure.of }
  }

  /** Returns the questions about the words of a column. */
  doubts(column: string, sign: DecimalSign): string[] {
    if (!this.#measure) return []
    const asked = new Set<string>()
    const ofWords = this.#ofColumn(column).flatMap((one) => {
      const meanings = this.#meanings(one.number, one.kpi)
      const cell = this.#plain(one.number, sign)
      if (!meanings || meanings instanceof Fault || meanings.length < 2 || asked.has(one.number.words)) return []
      asked.add(one.number.words)
      const readings = meanings.map((meaning) => sayReading(cell, meaning)).join(' or ')
      return `${showCell(one)} is ${readings}; say it`
    })
    const ofHeading = [...(this.#headings.get(column) ?? [])].flatMap(([kpi, cell]) => {
      const meant = this.#headingMeans(column, kpi)
      if (!meant || meant.said || asked.has(meant.unit.text)) return []
      asked.add(meant.unit.text)
      const { unit, below, of } = meant
      const scaled = `1${'0'.repeat(unit.power)}`
      return `is headed ${JSON.stringify(unit.text)}, and ${of === '' ? 'its KPI' : of} is counted ${below === 0 ? 'in ones' : `in ${readableNumber(10n ** BigInt(below + 4))}s`}: are its numbers, such as ${showCell(cell)}, to be multiplied (${listFlag('--scale', [`${unit.text}=${scaled}`])}), or taken as they are (${listFlag('--scale', [`${unit.text}=1`])})?`
    })
    return [...ofWords, ...ofHeading]
  }

  /** Returns how the numbers with words of a column are read. */
  remarks(column: string, sign: DecimalSign): string[] {
    const shown = new Map<string, string>()
    for (const one of this.#measure ? this.#ofColumn(column) : []) {
      const [read, plain] = [this.read(one.number, sign, one.kpi), this.#plain(one.number, sign)]
      const meanings = this.#meanings(one.number, one.kpi)
      if (Array.isArray(meanings) && meanings.length > 1) continue
      if (read === undefined || plain === undefined || read instanceof Fault || plain instanceof Fault) continue
      const measure = this.#measure?.(one.kpi) ?? ANYTHING
      const isSame = read.value === plain.value && measure.power === 0 && !isOfAnything(measure)
      if (!isSame && !shown.has(one.number.words))
        shown.set(one.number.words, `${showCell(one)} is read as ${readableNumber(read.value)}${scaledUnit(measure)}`)
    }
    return shown.size === 0 ? [] : [`${column}: ${listFirst([...shown.values()], SHOWN)}`]
  }
}

/** Returns a number as it is scaled; a fault if that is too large to be stored. */
export const scaleWithinLimits = (cell: NumberCell, scaling: Scaling): NumberCell | Fault => {
  const scaled = scaleCell(cell, scaling)
  const value = checkDecimal(scaled)
  return value instanceof Fault ? value : scaled
}

/** Returns one meaning of a number, and the flag that says it. */
const sayReading = (cell: NumberCell | Fault | undefined, meaning: Meaning): string => {
  const value = cell === undefined || cell instanceof Fault ? undefined : readableNumber(scaleCell(cell, meaning).value)
  return `${value ?? 'too large'} (${meaning.name}: ${listFlag('--scale', [meaning.said])})`
}

/** Returns the unit that a heading gives numbers, where that has a scale; else undefined. */
export const scaledHeading = (heading: string): ReturnType<typeof unitOfHeading> => {
  const unit = unitOfHeading(heading)
  return unit && unit.power > 0 ? unit : undefined
}
