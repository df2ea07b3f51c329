import { findUnitBy } from '../directory/percentages.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { Issue } from '../../domain/errors.ts'
import { nameForm, newName } from '../../domain/name-form.ts'
import type { Frequency } from '../../domain/period.ts'
import type { Unit } from '../../domain/resources/catalog.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import { isCurrency } from '../../tabular/cells/affixed-number.ts'
import { currenciesIn, currencyOf, isSharedSign, mayBeSame } from '../formats/units.ts'
import { frequencyName, frequencyOfDays, frequencyOfFormat } from './frequency.ts'
import type { ShownByRows } from '../directory/kpi-evidence.ts'
import { averagedWord, namesPercent } from '../directory/kpi-words.ts'
import type { MissingKpi, UnitChoice } from './plan.ts'

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

const LETTERS: Readonly<Record<Frequency, string>> = { D: 'D', W: 'W', M: 'M', Q: 'Q', Y: 'Y' }

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
  const flags = fits.map((one) => LETTERS[one]).join('|')
  return {
    field: name,
    message: `may be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}: ${why}; say which: --frequency ${flags}`,
  }
}

const existing = ({ id, name, is_percentage }: Unit): UnitChoice => ({ kind: 'existing', id, name, is_percentage })

const findUnit = (units: readonly Unit[], isOne: (unit: Unit) => boolean): UnitChoice | undefined => {
  const found = units.find(isOne)
  return found && existing(found)
}

const unitNamed = (name: string, units: readonly Unit[]): UnitChoice | undefined =>
  findUnit(units, (one) => one.name === name) ?? findUnit(units, (one) => nameForm(one.name) === nameForm(name))

const newUnit = (text: string): UnitChoice => {
  const name = newName(text)
  return { kind: 'new', name, display_format: `#.00 ${name}`, is_percentage: false }
}

/** Returns the unit with a name: the service's, or a new one. */
const namedUnit = (name: string, units: readonly Unit[]): UnitChoice => unitNamed(name, units) ?? newUnit(name)

/** Returns the unit of a currency: the service's, by its name or its sign, or a new one. */
const currencyUnit = (currency: string, units: readonly Unit[]): UnitChoice => {
  const sign = currency === 'EUR' ? '€' : currency === 'GBP' ? '£' : currency
  return (
    unitNamed(currency, units) ??
    findUnit(units, ({ display_format }) => display_format.includes(sign)) ??
    newUnit(currency)
  )
}

const percentUnit = (units: readonly Unit[]): UnitChoice =>
  findUnit(units, ({ is_percentage }) => is_percentage) ?? {
    kind: 'new',
    name: 'Percent',
    display_format: '#.00%',
    is_percentage: true,
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
