import { civil, type Day, formatDay, weekday } from '../../domain/day.ts'
import { CIVIL_CALENDAR, type Frequency, nextPeriod, periodStart } from '../../domain/period.ts'
import { findUnitBy } from '../directory/percentages.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { Issue } from '../../domain/errors.ts'
import { nameForm, newName } from '../../domain/name-form.ts'
import { frequencyNames, type Unit } from '../../domain/resources/catalog.ts'
import { PERIOD_WORDS } from '../directory/kpi-periods.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import { isCurrency } from '../../domain/numbers/affixed-number.ts'
import {
  codeFor,
  currenciesIn,
  currenciesOf,
  currencyOf,
  isPercent,
  isSharedSign,
  mayBeSame,
  namesPercent,
} from '../../domain/numbers/unit-words.ts'
import type { ShownByRows } from '../directory/missing.ts'
import type { MissingKpi, UnitChoice } from './plan-missing.ts'

/** Describes the frequency that days show, and the evidence; several if they fit more than one. */
type FoundFrequency = { readonly fits: readonly Frequency[]; readonly why: string }

/** Returns a frequency in words. */
export const frequencyName = (frequency: Frequency): string => frequencyNames[frequency].toLowerCase()

/** Returns the frequency that a date format shows: one of periods has no days. */
export const frequencyOfFormat = (format: string): Frequency | undefined => {
  const tokens = format.replaceAll(/\[[^[\]]*\]/g, '')
  if (/[DE]|UNIX/.test(tokens)) return undefined
  if (tokens.includes('W')) return 'W'
  if (tokens.includes('Q')) return 'Q'
  if (tokens.includes('M')) return 'M'
  return 'Y'
}

const WEEK = 7
/** Sets the least days between entries of different weeks and months: a holiday moves the day of the entry. */
const LEAST: Readonly<Record<'W' | 'M' | 'Q' | 'Y', number>> = { W: 5, M: 26, Q: 85, Y: 350 }
/** Sets how many days are needed to tell a frequency whose days vary. */
const ENOUGH = 4

const isFirst = (frequency: Frequency, day: Day): boolean => periodStart(frequency, day, CIVIL_CALENDAR) === day
const isLast = (frequency: Frequency, day: Day): boolean =>
  nextPeriod(frequency, periodStart(frequency, day, CIVIL_CALENDAR)) - 1 === day

const gapsOf = (days: readonly Day[]): number[] => days.slice(1).map((day, at) => day - (days[at] ?? day))

/** Tells whether all days are at the same end of their periods, such as the first of a month. */
const areAtEnd = (frequency: Frequency, days: readonly Day[]): 'first' | 'last' | undefined => {
  if (days.every((day) => isFirst(frequency, day))) return 'first'
  return days.every((day) => isLast(frequency, day)) ? 'last' : undefined
}

/** Returns the longest of the periods of months whose ends all days are at; shorter ones then fit as well. */
const byEnds = (days: readonly Day[]): { frequency: 'M' | 'Q' | 'Y'; end: string } | undefined => {
  for (const frequency of ['Y', 'Q', 'M'] as const) {
    const end = areAtEnd(frequency, days)
    if (end) return { frequency, end }
  }
  return undefined
}

/** Tells whether no two days are in one period. */
const areApart = (frequency: Frequency, days: readonly Day[]): boolean =>
  new Set(days.map((day) => periodStart(frequency, day, CIVIL_CALENDAR))).size === days.length

const example = (days: readonly Day[]): string => `such as ${formatDay(days[0] ?? 0)}`

/** Returns the frequency of days by their distances, when they are at no end of a period. */
const byGaps = (days: readonly Day[]): FoundFrequency => {
  const gaps = gapsOf(days)
  const least = Math.min(...gaps)
  const count = `${days.length} days`
  if (days.length >= ENOUGH) {
    for (const frequency of ['Y', 'Q', 'M'] as const) {
      if (least >= LEAST[frequency] && areApart(frequency, days))
        return { fits: [frequency], why: `${count}, one a ${PERIOD_WORDS[frequency][1]} at most, ${example(days)}` }
    }
  }
  const isWeekday = gaps.every((gap) => gap % WEEK === 0)
  if (days.length >= 3 && isWeekday)
    return { fits: ['W'], why: `${count}, all the same day of the week, ${example(days)}` }
  if (days.length >= ENOUGH && least >= LEAST.W && areApart('W', days))
    return { fits: ['W'], why: `${count}, one a week at most, ${example(days)}` }
  if (least >= LEAST.W && days.length < ENOUGH) return { fits: ['D', 'W', 'M'], why: `only ${count}, ${example(days)}` }
  return { fits: ['D'], why: `${count}, the nearest ${least === 1 ? '1 day' : `${least} days`} apart` }
}

/** Returns the frequency whose steps the shortest distance between such days is: month, quarter or year. */
const stepOf = (days: readonly Day[]): 'M' | 'Q' | 'Y' => {
  const months = days.map((day) => civil(day)).map(({ year, month }) => year * 12 + month)
  const least = Math.min(...months.slice(1).map((month, at) => month - (months[at] ?? month)))
  return least >= 12 ? 'Y' : least >= 3 ? 'Q' : 'M'
}

/** Finds the frequency that distinct days in order show. */
const frequencyOfDays = (days: readonly Day[]): FoundFrequency => {
  const [first] = days
  if (first === undefined) return { fits: ['D', 'W', 'M', 'Q', 'Y'], why: 'there is no day' }
  if (days.length === 1) return { fits: ['D', 'W', 'M', 'Q', 'Y'], why: `there is only one day, ${formatDay(first)}` }
  const ends = byEnds(days)
  if (!ends) return byGaps(days)
  const step = stepOf(days)
  const { frequency, end } = ends
  // Days at the ends of months only can be of months, unless their steps are longer and they are at those ends, too.
  const found = ['Y', 'Q', 'M'].indexOf(step) >= ['Y', 'Q', 'M'].indexOf(frequency) ? step : frequency
  const why = `${days.length} days, all the ${end} of a ${PERIOD_WORDS[found][1]}, ${example(days)}`
  return days.length === 2 && weekday(first) === weekday(days[1] ?? first)
    ? { fits: [found, 'W'], why }
    : { fits: [found], why }
}

/**
 * Lists words in the name of a KPI that say that its periods are averages and not sums, in the languages in which files
 * are read.
 */
const AVERAGED = [
  'average avg mean median rate ratio price index score share level temperature percentage percent pct margin yield',
  'utilization utilisation occupancy density per ø satisfaction rating nps balance stock inventory headcount population',
  'employees employee fte ftes backlog factor time duration age speed latency',
  'durchschnitt mittel mittelwert rate quote preis index anteil temperatur bestand auslastung prozent kurs köpfe mitarbeiter',
  'moyenne moyen taux prix indice part niveau effectif effectifs stock pourcentage promedio media tasa precio cuota nivel saldo porcentaje',
  'prezzo tasso quota livello media preço taxa índice gemiddelde prijs aandeel voorraad średnia stopa cena udział pris',
  'andel nivå medel 平均 率 価格 指数 残高 人口 气温 价格 比例 价 率 средняя цена доля индекс',
]
const averaged = new Set(AVERAGED.flatMap((line) => line.split(' ')))
/** Lists endings that stand without a blank before them in languages that write none. */
const AVERAGED_ENDINGS = ['率', '平均', '価格', '指数', '価', '价格', '比', 'quote', 'rate', 'preis', 'kurs', 'bestand']

/** Returns the word in a name that says that its values are averaged; undefined if there is none. */
const averagedWord = (name: string): string | undefined => {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}ø]+/u)
  return words.find(
    (word) => averaged.has(word) || AVERAGED_ENDINGS.some((end) => word.length > end.length && word.endsWith(end)),
  )
}

/** Describes what is known of a new KPI. */
export type KnownOfKpi = {
  readonly id: number
  readonly name: string
  readonly rows: ShownByRows
  /** Holds the date format of the file, in which its periods are written. */
  readonly dateFormat: string | undefined
  /** Holds the signs beside its numbers, `%` or of a currency, with the first cell of each; `` for none. */
  readonly signs: ReadonlyMap<string, Evidence>
}

/** Describes what the user and the service say about all new KPIs. */
export type KpiDefaults = {
  readonly units: readonly Unit[]
  readonly frequency: Frequency | undefined
  readonly unit: string | undefined
}

type Chosen<T> = { readonly value: T; readonly why: string }

/** Returns the frequency, or the fault of days that fit several. */
const chooseFrequency = (
  { name, rows, dateFormat }: KnownOfKpi,
  asked: Frequency | undefined,
): Chosen<Frequency> | Issue => {
  if (asked) return { value: asked, why: `${frequencyName(asked)}: --frequency` }
  const written = dateFormat === undefined ? undefined : frequencyOfFormat(dateFormat)
  if (written) return { value: written, why: `${frequencyName(written)}: dates are written ${dateFormat}` }
  const { fits, why } = frequencyOfDays(rows.days)
  const [found, ...others] = fits
  if (found !== undefined && others.length === 0) return { value: found, why: `${frequencyName(found)}: ${why}` }
  const names = fits.map(frequencyName)
  return {
    field: name,
    message: `may be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}: ${why}; say which: --frequency ${fits.join('|')}`,
  }
}

const existing = ({ id, name, is_percentage }: Unit): UnitChoice => ({ kind: 'existing', id, name, is_percentage })

const findUnit = (units: readonly Unit[], isOne: (unit: Unit) => boolean): UnitChoice | undefined => {
  const found = units.find(isOne)
  return found && existing(found)
}

const unitNamed = (name: string, units: readonly Unit[]): UnitChoice | undefined =>
  findUnit(units, (one) => one.name === name) ?? findUnit(units, (one) => nameForm(one.name) === nameForm(name))

type NewUnit = Extract<UnitChoice, { kind: 'new' }>

const newUnit = (text: string): NewUnit => {
  const name = newName(text)
  return { kind: 'new', name, display_format: `#.00 ${name}`, is_percentage: false }
}

/** Returns the unit with a name: the service's, or a new one. */
const namedUnit = (name: string, units: readonly Unit[]): UnitChoice => unitNamed(name, units) ?? newUnit(name)

/** Returns the sign that a currency is shown by; its code where that is clearer. */
const signOf = (currency: string): string => (currency === 'EUR' ? '€' : currency === 'GBP' ? '£' : currency)

/** Returns the unit of a currency: the service's, by its name or its sign, or a new one. */
const currencyUnit = (currency: string, units: readonly Unit[]): UnitChoice => {
  const sign = signOf(currency)
  return (
    unitNamed(currency, units) ??
    findUnit(units, ({ display_format }) => display_format.includes(sign)) ??
    newUnit(currency)
  )
}

const NEW_PERCENT: NewUnit = { kind: 'new', name: 'Percent', display_format: '#.00%', is_percentage: true }

const percentUnit = (units: readonly Unit[]): UnitChoice =>
  findUnit(units, ({ is_percentage }) => is_percentage) ?? NEW_PERCENT

/** Returns a new unit that a text names; percent, and a word for a currency, are shown by their signs. */
export const newUnitNamed = (text: string): NewUnit => {
  if (isPercent(text)) return NEW_PERCENT
  const [currency, ...others] = currenciesOf(text)
  const isWord = currency === text && others.length === 0 && !isCurrency(text)
  return isWord ? { ...newUnit(text), display_format: `#.00 ${signOf(codeFor(currency))}` } : newUnit(text)
}

const plainUnit = (isWhole: boolean, units: readonly Unit[]): UnitChoice => {
  const plain = units.filter(({ is_percentage, display_format }) => !is_percentage && /^[#0.]+$/.test(display_format))
  const isOfWhole = ({ entry_format }: Unit): boolean => !entry_format.includes('.')
  const [first] = units
  return (
    findUnit(plain, (unit) => isOfWhole(unit) === isWhole) ??
    findUnit(plain, () => true) ??
    (first ? existing(first) : { kind: 'new', name: 'Number', display_format: '#.00', is_percentage: false })
  )
}

/** Stands in number formats for the currency of whichever country a computer is set to. */
const ANY_CURRENCY = '¤'
const OF_ANY_CURRENCY =
  'is money in the currency that each computer is set to, so the file does not say which; say the unit: --unit NAME'

const isSign = (sign: string): boolean => sign !== '' && sign !== ANY_CURRENCY

/** Returns the fault of a name and cells that give different units, or of cells that do. */
const contradictionOf = (name: string, signs: KnownOfKpi['signs']): Issue | undefined => {
  const named = namesPercent(name) ? ['%'] : currenciesIn(name).map(({ currency }) => currency)
  const shown = [...signs].filter(([sign]) => isSign(sign))
  const [, first] = shown[0] ?? []
  const isNamed = (sign: string): boolean => name.includes(sign) || named.some((one) => mayBeSame(one, sign))
  const other = shown.find(([sign]) => named.length > 0 && !isNamed(sign))
  const differs = shown.find(([sign]) => !mayBeSame(sign, shown[0]?.[0] ?? ''))
  const settle = `write the same unit everywhere, or say which it is: --unit NAME, or --map-kpi ${JSON.stringify(`${name}=NAME`)} for a name without a unit`
  if (other)
    return {
      field: name,
      message: `is in ${named.join(' or ')} by its name, and ${showCell(other[1])} says otherwise: ${settle}`,
    }
  if (differs && first)
    return {
      field: name,
      message: `has values in different units, ${showCell(first)} and ${showCell(differs[1])}: ${settle}`,
    }
  return undefined
}

/** Returns the unit that the name of a KPI or cells give: the name where it says more, such as thousands. */
const saidUnit = (name: string, signs: KnownOfKpi['signs'], units: readonly Unit[]): Chosen<UnitChoice> | undefined => {
  const [named] = currenciesIn(name)
  const shown = [...signs].filter(([sign]) => isSign(sign))
  const [sign, cell] = shown.find(([one]) => !isSharedSign(one)) ?? shown[0] ?? []
  if (named && (named.hasFactor || sign === undefined || isSharedSign(sign))) {
    const found = named.hasFactor ? namedUnit(named.text, units) : currencyUnit(named.currency, units)
    return { value: found, why: `unit ${found.name}: its name says so` }
  }
  if (sign === undefined || !cell) return undefined
  const found =
    isCurrency(sign) || currencyOf(sign) !== sign ? currencyUnit(currencyOf(sign), units) : namedUnit(sign, units)
  return { value: found, why: `unit ${found.name}: ${showCell(cell)}` }
}

/** Returns the unit by its name, its signs, or the KPI's name. */
const chooseUnit = ({ name, rows, signs }: KnownOfKpi, { units, unit }: KpiDefaults): Chosen<UnitChoice> | Issue => {
  if (unit !== undefined) {
    const found = findUnitBy(units, unit)
    if (found) return { value: existing(found), why: `unit ${found.name}: --unit` }
    return {
      field: 'unit',
      message: `there is no unit "${unit}"; there are ${units.map((one) => one.name).join(', ')}`,
    }
  }
  const contradiction = contradictionOf(name, signs)
  if (contradiction) return contradiction
  const percent = signs.get('%')
  if (percent || namesPercent(name)) {
    const found = percentUnit(units)
    return { value: found, why: `unit ${found.name}: ${percent ? showCell(percent) : 'its name says so'}` }
  }
  const said = saidUnit(name, signs, units)
  if (said) return said
  const anyCurrency = signs.get(ANY_CURRENCY)
  if (anyCurrency) return { field: name, message: `${showCell(anyCurrency)} ${OF_ANY_CURRENCY}` }
  const found = plainUnit(rows.isWhole, units)
  return { value: found, why: `unit ${found.name}: ${rows.isWhole ? 'all values are whole' : 'values have decimals'}` }
}

/** Returns how periods are made of entries. */
const chooseFunction = ({ name, signs }: KnownOfKpi, { value }: Chosen<UnitChoice>): Chosen<'SUM' | 'AVG'> => {
  if (signs.has('%') || value.is_percentage) return { value: 'AVG', why: 'average: its values are percentages' }
  const word = averagedWord(name)
  if (word !== undefined) return { value: 'AVG', why: `average: its name says "${word}"` }
  return { value: 'SUM', why: 'sum: nothing says that it is an average' }
}

/** Returns the definition of a new KPI, with the evidence for it; or what of it is in doubt. */
export const defineKpi = (known: KnownOfKpi, defaults: KpiDefaults): MissingKpi | readonly Issue[] => {
  const [frequency, unit] = [chooseFrequency(known, defaults.frequency), chooseUnit(known, defaults)]
  const issues = [frequency, unit].filter((one) => 'field' in one)
  if ('field' in frequency || 'field' in unit) return issues
  const method = chooseFunction(known, unit)
  const { target } = known.rows
  return {
    id: known.id,
    name: known.name,
    frequency_id: frequency.value,
    unit: unit.value,
    aggregate_function: method.value,
    target_default: target,
    evidence: [
      frequency.why,
      unit.why,
      method.why,
      ...(target === null ? [] : [`target ${formatDecimal(target)}: the last that a row gives`]),
    ],
  }
}
