import { Fault } from '../../domain/errors.ts'
import {
  agreesWithCurrency,
  countedBy,
  isOfAnything,
  isUnitItself,
  type Measure,
  meaningsOf,
  measureOf,
  isMeasured,
  type NamedUnit,
  sayMeasure,
  scaledUnit,
  unitOfCell,
  unitOfHeading,
} from '../../domain/numbers/measure.ts'
import { currencyOf } from '../../domain/numbers/unit-words.ts'
import { checkDecimal } from '../../domain/numbers/check-decimal.ts'
import { type DecimalSign, type NumberCell, readAffixedNumber } from '../../domain/numbers/read-number.ts'
import { type Scale, scaleNamed, scalesOf, type Scaling } from '../../domain/numbers/scales.ts'
import {
  disagrees,
  faultOfPercent,
  type Hints,
  type Meaning,
  meaningsOfWords,
  ONES,
  scaleCell,
  scaleOfCurrency,
  type WordedNumber,
} from '../../domain/numbers/worded-number.ts'
import { readableNumber } from '../../domain/numbers/readable.ts'
import { type Evidence, showCell } from './evidence.ts'
import { listFlag } from '../options/flag-text.ts'
import { listFirst } from '../../domain/count-text.ts'

/** Sets how many words beside numbers are kept, each with a KPI. */
const MOST_WORDS = 200
/** Sets of how many KPIs the plain numbers of a column that are given a unit are kept, and of how many units. */
const MOST_KPIS = 10_000
const MOST_UNITS = 1000
/** Sets how many numbers with words are shown of a column. */
const SHOWN = 5

/** Returns what values of a KPI are; undefined if that is not known. */
type MeasureOfKpi = (kpi: number | undefined) => Measure | undefined

/** Describes the first number with certain words of a KPI in a column. */
type Seen = Evidence & { readonly column: string; readonly kpi: number | undefined; readonly number: WordedNumber }

/** Matches digits with one sign and no groups. */
const UNGROUPED = /^\d*([.,])\d+$/

/** Says where words stand: in a column, beside a number of a KPI. */
type Place = { readonly column: string; readonly words: string; readonly kpi: number | undefined }
const keyOf = ({ column, words, kpi }: Place): string => JSON.stringify([column, words, kpi])

/** Holds what the user says of scales, by their words, and which of these a file does not have. */
class SaidScales {
  readonly #scales: ReadonlyMap<string, Scaling>
  readonly unused: Set<string>

  constructor(scale: ReadonlyMap<string, string> | undefined) {
    this.#scales = new Map(
      [...(scale ?? [])].flatMap(([word, text]) => {
        const found = scaleNamed(text)
        return found instanceof Fault ? [] : [[word.replace(/\.$/, ''), found] as const]
      }),
    )
    this.unused = new Set(this.#scales.keys())
  }

  get isEmpty(): boolean {
    return this.#scales.size === 0
  }

  get(word: string): Scaling | undefined {
    this.unused.delete(word)
    return this.#scales.get(word)
  }
}

/** Says that words which may be unlikely ones are in doubt. */
const DOUBTFUL = { hasDoubleM: true, isIndian: false, isComma: true }

/** Is the measure of what nothing is known of. */
const ANYTHING = measureOf('', undefined)

/**
 * Reads the words beside the numbers of a file, such as `M` and `kWh`: what they mean depends on the units of the KPIs,
 * which are known once they have been asked for.
 */
export class NumberWords {
  readonly #said: SaidScales
  readonly #refusesCurrencies: boolean
  readonly #seen = new Map<string, Seen>()
  readonly #given = new Map<string, Map<string, PlainNumbers>>()
  #measure: MeasureOfKpi | undefined
  #isComma = false
  #last: Place | undefined
  #known: Hints | undefined

  /** `refusesCurrencies` says that a currency that is not that of the KPI makes a cell bad. */
  constructor(scale: ReadonlyMap<string, string> | undefined, refusesCurrencies: boolean, measure?: MeasureOfKpi) {
    this.#said = new SaidScales(scale)
    this.#refusesCurrencies = refusesCurrencies
    this.#measure = measure
  }

  /** Takes what the values of KPIs are. */
  learn(measure: MeasureOfKpi): void {
    this.#measure = measure
  }

  /** Returns the words that the user gave a scale and that no number has. */
  unusedScales(): readonly string[] {
    return [...this.#said.unused]
  }

  /** Tells whether a column has numbers that cannot be read before the units of their KPIs are known. */
  isOpen(column: string): boolean {
    return this.#measure === undefined && (this.#given.has(column) || this.#ofColumn(column).length > 0)
  }

  /** Tells whether any number has words, or is given a unit that may have a scale. */
  isFound(): boolean {
    return this.#seen.size > 0 || this.#given.size > 0
  }

  /** Returns what words beside a number count, or that they only scale it; undefined if they mean nothing that is known. */
  countedBy(text: string): string | undefined {
    return countedBy(text) ?? (this.#said.get(text.replace(/\.$/, '')) ? '' : undefined)
  }

  /**
   * Returns the only sign by which a number with a scale can be read, such as the point of `1.2M`; undefined if there is none.
   * A point says nothing of numbers without scales, as `1.2M` stands beside `5.500` where that has a decimal comma as well.
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

  /** Records a number with words, or with a currency. */
  note(column: string, number: WordedNumber, text: string, line: number, kpi: number | undefined): void {
    if (this.#last?.column === column && this.#last.words === number.words && this.#last.kpi === kpi) return
    this.#last = { column, words: number.words, kpi }
    const key = keyOf(this.#last)
    if (this.#seen.has(key) || this.#seen.size >= MOST_WORDS) return
    this.#known = undefined
    this.#seen.set(key, { column, number, text, line, kpi })
  }

  /** Records that a number without words is given a unit by a heading, or by a cell of units. */
  notePlain(column: string, unit: GivenUnit, text: string, line: number, kpi: number | undefined): void {
    const units = this.#given.get(column) ?? new Map<string, PlainNumbers>()
    const { numbers } = units.get(unit.text) ?? { unit, numbers: new Map<number | undefined, Evidence>() }
    if (numbers.has(kpi) || numbers.size >= MOST_KPIS || (numbers.size === 0 && units.size >= MOST_UNITS)) return
    this.#given.set(column, units.set(unit.text, { unit, numbers: numbers.set(kpi, { text, line }) }))
  }

  /** Takes the decimal sign with which a column is read. */
  settle(sign: DecimalSign): void {
    if (this.#isComma || sign !== ',') return
    this.#isComma = true
    this.#known = undefined
  }

  #ofColumn(column: string): Seen[] {
    return [...this.#seen.values()].filter((one) => one.column === column)
  }

  #hints(): Hints {
    this.#known ??= this.#hintsOfSeen()
    return this.#known
  }

  #hintsOfSeen(): Hints {
    const words = new Set([...this.#seen.values()].flatMap(({ number }) => number.words.split(/\s+/)))
    const plain = [...words].map((word) => word.replace(/\.$/, ''))
    return {
      said: this.#said,
      hasDoubleM: plain.includes('MM'),
      isIndian: plain.some((word) => /^(?:lakhs?|lacs?|crores?)$/i.test(word)),
      isComma: this.#isComma,
    }
  }

  #meanings(
    { words, number }: WordedNumber,
    kpi: number | undefined,
    hints = this.#hints(),
  ): ReturnType<typeof meaningsOfWords> {
    if (number.isPercent) return undefined
    const measure = this.#measure?.(kpi) ?? ANYTHING
    if (number.currency === undefined) return meaningsOfWords(words, measure, hints)
    const scale = scaleOfCurrency(number.currency, measure, hints)
    return scale && [scale]
  }

  /** Reads a number with words; undefined if they mean nothing that is known, or the units of KPIs are not known yet. */
  read(
    column: string,
    worded: WordedNumber,
    sign: DecimalSign,
    kpi: number | undefined,
  ): NumberCell | Fault | undefined {
    if (!this.#measure) return undefined
    const cell = this.#plain(worded, sign)
    const isKept = this.#seen.has(keyOf({ column, words: worded.words, kpi }))
    // Guess nothing for words that were not kept: nobody was asked about them.
    const meanings = this.#meanings(worded, kpi, isKept ? undefined : { ...this.#hints(), ...DOUBTFUL })
    if (cell === undefined || meanings === undefined) return undefined
    if (cell instanceof Fault) return cell
    if (meanings instanceof Fault) return meanings
    const [first, ...others] = meanings
    if (others.length > 0 && !isKept) return Fault.is(meanings.map((one) => sayReading(cell, one)).join(' or '))
    return first && scaleWithinLimits(cell, first)
  }

  /** Returns why a currency beside a number is not that of its KPI; undefined if it may be, or others judge it. */
  faultOfCurrency(currency: string, kpi: number | undefined): Fault | undefined {
    const measure = this.#refusesCurrencies ? this.#measure?.(kpi) : undefined
    const own = measure && currency !== '¤' && !agreesWithCurrency(measure, currency)
    return own ? disagrees(currencyOf(currency), measure) : undefined
  }

  /** Returns why a percent sign beside a number is not that of its KPI; undefined if it may be, a fault before that is known. */
  faultOfPercent(kpi: number | undefined): Fault | undefined {
    if (!this.#measure) return Fault.is('a percentage, and the unit of its KPI is not known yet')
    const measure = this.#measure(kpi)
    return measure && faultOfPercent(measure)
  }

  /** Returns how a currency beside a number scales it: one of euros is a thousandth where its KPI is counted in `k€`. */
  currencyScale(currency: string, kpi: number | undefined): Scaling | undefined {
    const measure = this.#measure?.(kpi)
    return measure && scaleOfCurrency(currency, measure, { said: this.#said })
  }

  /**
   * Returns the scale of numbers without words that are given a unit, or why they are not of their KPI; undefined if the unit
   * changes nothing.
   */
  plainScale(unit: GivenUnit, kpi: number | undefined): Scaling | Fault | undefined {
    const meant = this.#unitMeans(unit, kpi)
    return meant?.fault ?? meant?.scaling
  }

  /** Returns what a unit says of the plain numbers of a KPI; undefined if it says the same as the KPI. */
  #unitMeans(unit: GivenUnit, kpi: number | undefined): UnitMeaning | undefined {
    const measure = this.#measure?.(kpi)
    if (!measure || isUnitItself(measure, unit.text)) return undefined
    const said = this.#said.get(unit.text.replace(/\.$/, ''))
    const { power, isNegated } = said ?? { power: 0, isNegated: false }
    if (said && power === 0) return isNegated ? { scaling: said } : undefined
    const other = faultOfUnit(unit, measure)
    // Leave currencies of cells to the check that compares them with those of the KPIs, if there is one.
    if (unit.of === 'table' && (measure.isPercentage || (other && measure.currencies.length === 0))) return undefined
    if (other && unit.of === 'cell' && unit.power === 0 && unit.currencies.length > 0 && !this.#refusesCurrencies)
      return undefined
    if (other) return said ? { fault: other } : { question: askWhetherSame(unit, measure) }
    if (said && unit.power !== measure.power) return { scaling: { power: power - measure.power, isNegated } }
    const scales = scalesOfUnit(unit, measure)
    if (scales.length > 0)
      return said
        ? { scaling: { power: power - measure.power, isNegated } }
        : { question: askWhetherScale(unit, scales) }
    if (unit.power === measure.power) return undefined
    if (unit.power > 0) return { question: askWhetherScaled(unit, measure) }
    return unit.currencies.length > 0 ? { scaling: { power: -measure.power, isNegated: false } } : undefined
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
    const ofUnits = this.#plainNumbers(column).flatMap(({ unit, kpi, cell }) => {
      const { question } = this.#unitMeans(unit, kpi) ?? {}
      if (!question || asked.has(question.of)) return []
      asked.add(question.of)
      return question.ask(showCell(cell))
    })
    return [...ofWords, ...ofUnits]
  }

  /** Returns the first number without words of each KPI in a column, by the units that such numbers are given. */
  #plainNumbers(
    column: string,
  ): { readonly unit: GivenUnit; readonly kpi: number | undefined; readonly cell: Evidence }[] {
    return [...(this.#given.get(column)?.values() ?? [])].flatMap(({ unit, numbers }) =>
      [...numbers].map(([kpi, cell]) => ({ unit, kpi, cell })),
    )
  }

  /** Returns how the numbers with words of a column are read. */
  remarks(column: string, sign: DecimalSign): string[] {
    const shown = new Map<string, string>()
    for (const one of this.#measure ? this.#ofColumn(column) : []) {
      const meanings = this.#meanings(one.number, one.kpi)
      const plain = this.#plain(one.number, sign)
      if (!Array.isArray(meanings) || plain === undefined || plain instanceof Fault) continue
      const [meaning, ...others] = meanings as readonly Meaning[]
      const read = meaning && others.length === 0 ? scaleWithinLimits(plain, meaning) : undefined
      if (read === undefined || read instanceof Fault) continue
      const measure = this.#measure?.(one.kpi) ?? ANYTHING
      const isSame = read.value === plain.value && measure.power === 0 && !isOfAnything(measure)
      const settled =
        meaning?.name === ONES ? `; ${listFlag('--scale', [meaning.said])} takes such numbers as they are` : ''
      if (!isSame && !shown.has(one.number.words))
        shown.set(
          one.number.words,
          `${showCell(one)} is read as ${readableNumber(read.value)}${scaledUnit(measure)}${settled}`,
        )
    }
    for (const { unit, kpi, cell } of this.#plainNumbers(column)) {
      const { scaling } = this.#unitMeans(unit, kpi) ?? {}
      if (!scaling || !this.#said.isEmpty || shown.has(unit.text)) continue
      const measure = this.#measure?.(kpi) ?? ANYTHING
      shown.set(
        unit.text,
        `numbers such as ${showCell(cell)} are divided, as ${unit.by} gives ${unit.text} and ${sayCounted(measure)}; ${listFlag('--scale', [`${unit.text}=1`])} takes them as they are`,
      )
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

/**
 * Describes the unit that plain numbers are given: by what, and how a question about them begins. One of the whole table is only
 * that of the numbers that may have it.
 */
export type GivenUnit = NamedUnit & {
  readonly by: string
  readonly says: string
  readonly of: 'column' | 'cell' | 'table'
}

/** Holds a unit, and for each KPI the first number without words that is given it. */
type PlainNumbers = { readonly unit: GivenUnit; readonly numbers: Map<number | undefined, Evidence> }

/** Describes a question: what it is about, and its words, which show a cell. */
type Question = { readonly of: string; readonly ask: (cell: string) => string }

/** Describes what a unit says of numbers of a KPI: how it scales them, why it is not of the KPI, or what must be asked. */
type UnitMeaning = {
  readonly scaling?: Scaling
  readonly fault?: Fault
  readonly question?: Question
}

/** Says in what the values of a KPI are counted. */
const sayCounted = ({ of, power }: Measure): string =>
  `${of === '' ? 'its KPI' : of} is counted ${power === 0 ? 'in ones' : `in ${readableNumber(10n ** BigInt(power + 4))}s`}`

const askWhetherScaled = (unit: GivenUnit, measure: Measure): Question => ({
  of: unit.text,
  ask: (cell) =>
    `${unit.says}, and ${sayCounted(measure)}: are its numbers, such as ${cell}, to be multiplied (${listFlag('--scale', [`${unit.text}=1${'0'.repeat(unit.power)}`])}), or taken as they are (${asItIs(unit)})?`,
})

const askWhetherScale = (unit: GivenUnit, scales: readonly Scale[]): Question => ({
  of: unit.text,
  ask: (cell) =>
    `${unit.says}: is each of its numbers, such as ${cell}, a ${scales.map(({ name }) => `${name} (${listFlag('--scale', [`${unit.text.replace(/\.$/, '')}=${name}`])})`).join(' or a ')}, or taken as it is (${asItIs(unit)})?`,
})

const askWhetherSame = (unit: GivenUnit, measure: Measure): Question => ({
  of: `${unit.text} for another unit`,
  ask: (cell) =>
    `${unit.says}, and ${sayMeasure(measure)}: correct ${unit.by} or the unit of the KPI, or take its numbers, such as ${cell}, as they are (${asItIs(unit)})`,
})

const asItIs = ({ text }: GivenUnit): string => listFlag('--scale', [`${text.replace(/\.$/, '')}=1`])

/** Returns why numbers that are given a unit are not those of a KPI; undefined if they may be. */
const faultOfUnit = ({ currencies, units, text }: GivenUnit, measure: Measure): Fault | undefined => {
  if (isOfAnything(measure)) return undefined
  const isOther =
    currencies.length > 0
      ? !currencies.some((one) => agreesWithCurrency(measure, one))
      : units.length > 0 &&
        !units.some((one) => measure.units.includes(one)) &&
        (isMeasured(measure) || scalesOf(text).length === 0)
  return isOther ? disagrees(text, measure) : undefined
}

/** Returns the scales that a unit may give by a letter alone, which may mean something else. */
const scalesOfUnit = ({ text, power, units }: GivenUnit, measure: Measure): readonly Scale[] =>
  power > 0 || units.some((one) => measure.units.includes(one)) ? [] : scalesOf(text)

/** Lists words for periods, which say in a heading over which time numbers are. */
const PERIODS = new Set(
  'day week month year tag woche monat jahr jour semaine mois année día semana mes año'.split(' '),
)

/** Returns the unit that a heading gives numbers, in brackets if it is no currency and has no scale; else undefined. */
export const measuredHeading = (heading: string): NamedUnit | undefined => {
  const unit = unitOfHeading(heading)
  if (!unit || unit.power > 0 || unit.currencies.length > 0) return unit
  const isBracketed = ['(', '['].some((bracket) => heading.includes(bracket + unit.text))
  return isBracketed && !PERIODS.has(unit.text.toLowerCase()) ? unit : undefined
}

/** Returns the unit that the heading of a column gives its numbers; undefined if it gives none. */
export const unitByHeading = (heading: string): GivenUnit | undefined => {
  const unit = measuredHeading(heading)
  return unit && { ...unit, by: 'the heading', says: `is headed ${JSON.stringify(unit.text)}`, of: 'column' }
}

const sayGiven = (unit: string, by: string): string => `is given the unit ${JSON.stringify(unit)} by ${by}`

/** Returns the unit that a cell of units gives numbers; `by` names its column, or its line. */
export const unitByCell = (text: string, by: string): GivenUnit | undefined => {
  const unit = unitOfCell(text)
  return unit && !PERIODS.has(text.toLowerCase()) ? { ...unit, by, says: sayGiven(text, by), of: 'cell' } : undefined
}

/** Returns the scaled unit that a title gives all numbers of a table, such as `All values in T€`; undefined if it gives none. */
export const unitByTitle = (text: string, by: string): GivenUnit | undefined => {
  const unit = [unitOfHeading(text), unitOfCell(text)].find((one) => one && one.power > 0)
  return unit ? { ...unit, by, says: sayGiven(unit.text, by), of: 'table' } : undefined
}
