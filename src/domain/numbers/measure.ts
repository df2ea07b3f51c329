import type { AnyRecord } from '../schema.ts'
import { isCurrency } from './affixed-number.ts'
import { scalesOf, type Scale } from './scales.ts'
import { currenciesOf, isSameCurrency, joinedCurrency, mayBeSame, namesPercent, unitBelowHeader } from './unit-words.ts'

/** Lists the words of each unit, in small letters and without full stops; the first of a line names it. */
const UNIT_LINES = [
  'h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren timer timmar godz godziny ч час часов 時間 小时',
  'min mins minute minutes minuten minuto minutos minuti minuut minuten мин 分 m',
  's sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondi сек 秒',
  'd day days tag tage jour jours día días dia dias giorno giorni dag dagen дн 日 天',
  'week weeks wk wks woche wochen semaine semaines semana semanas settimane weken',
  'month months monat monate mois mes meses mesi maand maanden',
  'year years yr yrs jahr jahre an ans année années año años ano anos anni jaar',
  'kwh квтч', 'mwh', 'gwh', 'wh', 'kw', 'mw', 'gw', 'w watt', 'kj', 'mj', 'gj',
  'kg kgs kilo kilos kilogram kilograms кг', 'g gr gram grams gramm grammes г', 'mg',
  't to tonne tonnes tonnen ton tons toneladas tonnellate т', 'lb lbs pound pounds', 'oz ounce ounces',
  'm metre metres meter meters mètre mètres metro metros metri м', 'km kms kilometre kilometres kilometer kilometers км',
  'cm centimetre centimetres centimeter centimeters', 'mm millimetre millimetres millimeter millimeters',
  'mi mile miles', 'ft feet foot', 'yd yard yards', 'in inch inches',
  'l ltr lt litre litres liter liters litro litros litri л', 'ml millilitre millilitres', 'cl', 'hl', 'gal gallon gallons',
  'm² m2 sqm qm', 'm³ m3 cbm', 'sqft ft²', 'ha hectare hectares hektar',
  'pc pcs piece pieces stk stück stueck st unit units ea each pièce pièces pce pces pieza piezas peças pezzi stuks szt шт 個 件 个 qty',
  'person persons people pers personen personne personnes persona personas pessoas persone osób headcount fte чел 人 名',
  '°c °celsius celsius', '°f fahrenheit', 'kb', 'mb', 'gb', 'tb',
] // prettier-ignore

const unitsByWord = new Map<string, string[]>()
for (const line of UNIT_LINES) {
  const [name = '', ...others] = line.split(' ')
  for (const word of new Set([name, ...others])) unitsByWord.set(word, [...(unitsByWord.get(word) ?? []), name])
}

/** Returns the units that a word may name; a word such as `m` names several. */
const unitsNamed = (word: string): readonly string[] => unitsByWord.get(word.toLowerCase().replace(/\.$/, '')) ?? []

/** Describes what a word beside a number may be: scales, units, currencies, and for `T€` a scale and a currency. */
type WordMeanings = {
  readonly word: string
  readonly scales: readonly Scale[]
  readonly units: readonly string[]
  readonly currencies: readonly string[]
}

/** Lists words between a scale and what it counts: `thousands of EUR`. */
const LINKS = new Set(['of', 'de', 'di', 'von', 'der', 'in'])

/** Returns the scales that are written to a currency: `T€` is thousands, and never trillions. */
const joinedScales = (text: string): Scale[] => {
  const scales = scalesOf(text)
  return text === 'T' ? scales.slice(0, 1) : scales
}

const meaningsOfWord = (word: string): WordMeanings => {
  const found = { word, scales: scalesOf(word), units: unitsNamed(word), currencies: [] }
  if (found.scales.length > 0 || found.units.length > 0) return found
  const joined = joinedCurrency(word)
  if (joined) return { ...found, scales: joinedScales(joined.scale), currencies: [joined.currency] }
  const currencies = isCurrency(word) ? [word] : currenciesOf(word)
  return { ...found, currencies }
}

const isMeant = ({ scales, units, currencies }: WordMeanings): boolean =>
  scales.length + units.length + currencies.length > 0

/** Returns what each word of a text may be, without the words that only link them; undefined if one is not known. */
export const meaningsOf = (text: string): WordMeanings[] | undefined => {
  const parts = text.split(/\s+/u).filter((part) => part !== '' && !LINKS.has(part.toLowerCase()))
  const found = parts.map(meaningsOfWord)
  return found.length > 0 && found.every(isMeant) ? found : undefined
}

/**
 * Returns the unit or the currency among words beside a number; the empty text if they only scale it, and undefined if they
 * are no such words.
 */
export const countedBy = (text: string): string | undefined => {
  const found = meaningsOf(text)
  const [one] = (found ?? []).flatMap(
    ({ word, scales, units, currencies: [currency] }) =>
      currency ?? (units.length > 0 && scales.length === 0 ? word : []),
  )
  return found && (one ?? '')
}

/** Returns a unit as it is compared: in small letters, of usual width, and with single spaces. */
const comparable = (text: string): string => text.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/gu, ' ')

/** Describes what the values of a KPI are: by its unit, else by its name. */
export type Measure = {
  /** Names the KPI, and its unit. */
  readonly of: string
  readonly unit: string
  /** Lists currencies, and units by their names; both are empty where nothing says what is counted. */
  readonly currencies: readonly string[]
  readonly units: readonly string[]
  /** Holds the power of ten in which values are counted: 3 where the unit is `k€`. */
  readonly power: number
  readonly isPercentage: boolean
  /** Tells whether values may be percentages: by the unit or the name, or because the unit is not known. */
  readonly takesPercent: boolean
  /** Holds the texts that are the unit itself, as they are written and as they are compared. */
  readonly texts: ReadonlySet<string>
  readonly looseTexts: ReadonlySet<string>
}

/** Describes a unit of measure, as far as it says what values are. */
export type MeasuringUnit = {
  readonly name: string
  readonly display_format: string
  readonly is_percentage: boolean
}

/** Returns what a record of a unit says of values. */
export const measuringUnit = (record: AnyRecord): MeasuringUnit => ({
  name: String(record['name'] ?? ''),
  display_format: String(record['display_format'] ?? ''),
  is_percentage: record['is_percentage'] === true,
})

const BRACKETS = /[([]([^()[\]]{1,40})[)\]]/gu
const AFTER_IN = /\b(?:in|en)\s+(\S{1,20}(?:\s+\S{1,10})?)$/u

const LAST_BRACKETS = /^([^()[\]]+)[([]([^()[\]]{1,40})[)\]]$/u

/** Returns a heading without the unit in brackets at its end: `Target` of `Target (k€)`; undefined if it has none. */
export const withoutUnit = (heading: string): string | undefined => {
  const [, name, text = ''] = LAST_BRACKETS.exec(heading.trim()) ?? []
  return name !== undefined && meaningsOf(text) ? name.trim() : undefined
}

/** Lists words before which no unit says what is counted: `Sales per hour`. */
const RATES = new Set(['per', 'pro', 'je', 'par', 'por', 'a', 'last'])

/** Returns the parts of a name or heading that may give its unit: in brackets, after `in`, or its last word. */
const unitTexts = (name: string): { readonly clear: readonly string[]; readonly last: string | undefined } => {
  const bracketed = [...name.matchAll(BRACKETS)].map(([, text = '']) => text.trim())
  const after = AFTER_IN.exec(name)?.[1]
  const words = name.trim().split(/\s+/u)
  const [before = '', last = ''] = words.slice(-2)
  // Words that are short mean something else too often, and so do those after a rate.
  const isUnit = words.length > 1 && !RATES.has(before.toLowerCase()) && (last.length > 2 || joinedCurrency(last))
  return { clear: [...bracketed, ...(after === undefined ? [] : [after])], last: isUnit ? last : undefined }
}

/** Holds what texts say of a unit. */
type SaidUnit = Pick<Measure, 'currencies' | 'units' | 'power'>

/** Holds what a text says of a unit, and the words that say it. */
export type NamedUnit = SaidUnit & { readonly text: string }

/** Lists words that are scales beside a currency only: `Milk (Bio)` is organic. */
const ALSO_WORDS = new Set(['bio', 'mia', 'lac', 'mil'])

/** Returns what the words of a text say of a unit; undefined if it has other words than those of units. */
const saidBy = (text: string): SaidUnit | undefined => {
  const found = meaningsOf(text)
  if (!found) return undefined
  const currencies = found.flatMap((one) => one.currencies)
  // A letter that may be a unit or a scale is a scale beside a currency, or beside another unit.
  const isBeside = currencies.length > 0 || found.length > 1
  const isScale = ({ word, units, scales }: WordMeanings): boolean =>
    isBeside || (units.length === 0 && scales.length === 1 && word.length > 2 && !ALSO_WORDS.has(word.toLowerCase()))
  const scales = found.flatMap((one) => (isScale(one) ? one.scales.slice(0, 1) : []))
  const units = found.flatMap(({ units: of, scales: own }) => (isBeside && own.length > 0 ? [] : of))
  return { currencies, units, power: scales.reduce((sum, { power }) => sum + power, 0) }
}

/** Returns what the heading of a column, or the name of a KPI, says of the unit of its numbers; undefined for nothing. */
export const unitOfHeading = (heading: string): NamedUnit | undefined => {
  const { clear, last } = unitTexts(heading)
  for (const text of clear) {
    const said = saidBy(text)
    if (said) return { ...said, text }
  }
  const said = last === undefined ? undefined : saidBy(last)
  // A last word that is only a scale may mean something else.
  if (last !== undefined && said && said.currencies.length + said.units.length > 0) return { ...said, text: last }
  const [currency] = currenciesOf(heading)
  return currency === undefined ? undefined : { currencies: [currency], units: [], power: 0, text: currency }
}

const LONGEST_UNIT = 40

/** Returns the unit that a cell gives, which may be in brackets, or partly: `EUR (thousands)`; undefined if it has other words. */
export const unitOfCell = (text: string): NamedUnit | undefined => {
  const said = text.length <= LONGEST_UNIT ? saidBy(text.replaceAll(/[()[\]]/gu, ' ')) : undefined
  return said && { ...said, text }
}

/** Returns the unit that a cell beside or below a header gives, with or without a scale: `T €`, `€000`; undefined if it gives none that is known. */
export const unitInCell = (text: string): string | undefined => {
  const scaled = /\p{L}|\p{Sc}/u.test(text) ? unitOfCell(text) : undefined
  return unitBelowHeader(text) ?? (scaled && scaled.power > 0 ? text : undefined)
}

const saysNothing = ({ currencies, units, power }: SaidUnit): boolean =>
  currencies.length + units.length === 0 && power === 0

/** Returns what a number pattern shows beside the number. */
const shownBeside = (pattern: string): string => pattern.replaceAll(/[#0.,"\\]+/g, ' ').trim()

/** Returns what the values of a KPI are, by its name and its unit as far as they are known. */
export const measureOf = (name: string, unit: MeasuringUnit | undefined): Measure => {
  const shown = shownBeside(unit?.display_format ?? '')
  const named = unitOfHeading(name)
  const texts = [unit?.name ?? '', shown, named?.text ?? '', name].filter((text) => text !== '')
  const byUnit = [unit?.name ?? '', shown].flatMap((text) => saidBy(text) ?? unitOfHeading(text) ?? [])
  const own = byUnit.find((said) => !saysNothing(said))
  // Add what the KPI's name says: it tells more than a unit such as Number, and the scale of a currency.
  const said = [own, named].flatMap((one) => one ?? [])
  const currencies = said.flatMap((one) => one.currencies)
  return {
    of: name,
    unit: unit?.name ?? named?.text ?? '',
    currencies,
    units: own && own.units.length > 0 ? own.units : currencies.length > 0 ? [] : (named?.units ?? []),
    power: own?.power || (named?.power ?? 0),
    isPercentage: unit?.is_percentage ?? false,
    takesPercent: unit?.is_percentage !== false || texts.some(namesPercent),
    texts: new Set(texts),
    looseTexts: new Set(texts.map(comparable)),
  }
}

/** Returns what a unit is by its whole name, else by what its pattern shows; undefined if neither says it. */
const saidByUnit = ({ name, display_format }: Pick<MeasuringUnit, 'name' | 'display_format'>): SaidUnit | undefined =>
  saidBy(name) ?? saidBy(shownBeside(display_format))

/**
 * Tells whether a text is a unit in another spelling, such as `EUR` or `Euro` for `€` and `hours` for `h`, or may be: `$` for `USD`;
 * what only counts things has a unit of its own.
 */
export const spellingOf = (
  text: string,
  unit: Pick<MeasuringUnit, 'name' | 'display_format'>,
): 'same' | 'maybe' | undefined => {
  const [one, other] = [saidBy(text), saidByUnit(unit)]
  if (!one || !other || one.power !== other.power) return undefined
  const [currency, ownCurrency] = [one.currencies, other.currencies].map((all) =>
    all.length === 1 ? all[0] : undefined,
  )
  if (currency !== undefined && ownCurrency !== undefined) {
    if (isSameCurrency(currency, ownCurrency)) return 'same'
    return mayBeSame(currency, ownCurrency) ? 'maybe' : undefined
  }
  const [measured, ownMeasured] = [one, other].map(({ currencies, units }) =>
    currencies.length === 0 && units.length === 1 && isMeasured({ currencies, units }) ? units[0] : undefined,
  )
  return measured !== undefined && measured === ownMeasured ? 'same' : undefined
}

/** Tells whether words are the unit itself: of letters that are scales as well, large ones are others than small ones. */
export const isUnitItself = ({ texts, looseTexts }: Measure, words: string): boolean =>
  texts.has(words) || (scalesOf(words).length === 0 && looseTexts.has(comparable(words)))

/** Tells whether nothing says what the values of a KPI are. */
export const isOfAnything = ({ currencies, units, isPercentage }: Measure): boolean =>
  currencies.length + units.length === 0 && !isPercentage

/** Lists units that only count things, as plain numbers do. */
const COUNTS = new Set(['pc', 'person'])

/** Tells whether the values of a KPI are measured in a unit, and neither money nor plain counts. */
export const isMeasured = ({ currencies, units }: Pick<Measure, 'currencies' | 'units'>): boolean =>
  currencies.length === 0 && units.some((unit) => !COUNTS.has(unit))

/** Tells whether a currency can be that of a measure. */
export const agreesWithCurrency = (measure: Measure, currency: string): boolean =>
  isOfAnything(measure) || measure.currencies.some((own) => mayBeSame(own, currency))

/** Returns the unit behind a value, where that is not counted in ones; else nothing. */
export const scaledUnit = ({ power, unit }: Measure): string => (power === 0 ? '' : ` (${unit})`)

/** Says which unit a measure is in. */
export const sayMeasure = ({ of, unit, currencies, units, isPercentage }: Measure): string => {
  const known = [...new Set([...currencies, ...units])]
  const isSaid =
    isPercentage || unit === '' || known.some((one) => one.toLowerCase() === unit.toLowerCase()) || unit === of
  const what = isPercentage
    ? 'a percentage'
    : `in ${known.length === 1 && isSaid && unit !== '' ? unit : known.join(' or ')}`
  return `${of} is ${what}${isSaid ? '' : ` (unit ${unit})`}`
}
