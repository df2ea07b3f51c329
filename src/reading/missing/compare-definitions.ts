import { looseName } from '../../domain/name-form.ts'
import type { Client } from '../../client/client.ts'
import { listFirst } from '../../domain/count-text.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { type Frequency, isKnownFrequency } from '../../domain/period.ts'
import type { Unit } from '../../domain/resources/catalog.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { CheckedFile } from '../entries/check.ts'
import { listFlag } from '../options/flag-text.ts'
import { type Evidence, showCell } from '../formats/evidence.ts'
import { measureOf } from '../../domain/numbers/measure.ts'
import {
  codeFor,
  currenciesIn,
  currenciesOf,
  isSharedSign,
  mayBeSame,
  namesPercent,
} from '../../domain/numbers/unit-words.ts'
import { findUnitBy, unitsOf } from '../directory/percentages.ts'
import { frequencyName, frequencyOfFormat } from './define-kpi.ts'
import { dateFormatOf } from './plan-missing.ts'
import type { ImportOptions } from '../options/options.ts'
import { PERIOD_WORDS } from '../directory/kpi-periods.ts'
import { isProvisional } from '../directory/lookup.ts'

/** Describes a KPI that the service has, and the signs beside its numbers in the file. */
type SignedKpi = { readonly kpi: Kpi; readonly signs: readonly (readonly [sign: string, cell: Evidence])[] }

/** Tells which signs stand beside the numbers of a KPI. */
type Signs = Pick<CheckedFile['formats'], 'signsOf'>

/** Returns the KPIs of good rows that the service has. */
const existingKpis = ({ small, reference: { kpis } }: CheckedFile): Kpi[] =>
  [...small.kpis().keys()].filter((id) => !isProvisional(id)).flatMap((id) => kpis.byId.get(id) ?? [])

/** Returns the currencies that a KPI is in by its name and its unit, without signs that others say more exactly. */
const currenciesOfKpi = ({ name }: Kpi, unit: Unit): string[] => {
  const shown = unit.display_format.replaceAll(/[#0.,]+/g, ' ').trim()
  const named = currenciesIn(name).map(({ currency }) => currency)
  const all = [...new Set([...named, ...currenciesOf(unit.name), ...currenciesOf(shown)])]
  const exact = all.filter((one) => !isSharedSign(one))
  return exact.length > 0 ? exact : all
}

/** Returns the flag that takes the numbers for another KPI; a name with a currency cannot have another one added. */
const mapToOther = (name: string, sign: string, mapKpi: ImportOptions['mapKpi']): string => {
  const [text] = [...(mapKpi ?? [])].find(([, to]) => looseName(to) === looseName(name)) ?? [name]
  const other = currenciesIn(name).length > 0 ? 'NAME' : `${name} ${codeFor(sign)}`
  return listFlag('--map-kpi', [`${text}=${other}`])
}

/** Returns the fault of a KPI with a sign of a currency that cannot be its own. */
const faultOfCurrency = ({ kpi, signs }: SignedKpi, unit: Unit, { mapKpi }: ImportOptions): Issue | undefined => {
  const own = currenciesOfKpi(kpi, unit)
  const isOther = (sign: string): boolean => !own.some((one) => mayBeSame(one, sign))
  for (const [text, cell] of own.length > 0 ? signs : []) {
    const other = currenciesOf(text).find(isOther)
    if (other === undefined) continue
    const by = own.some((one) => `${kpi.name} ${unit.name}`.includes(one)) ? '' : ` (unit ${unit.name})`
    const flag = mapToOther(kpi.name, other, mapKpi)
    return {
      field: kpi.name,
      message: `is in ${own.join(' or ')}${by}, and ${showCell(cell)} is not: correct the file, or ${flag} for another KPI`,
    }
  }
  return undefined
}

/** Returns a warning if numbers have a percent sign, and their KPI is no percentage. */
const warningOnPercentSign = ({ kpi, signs }: SignedKpi, unit: Unit): string[] => {
  const [, cell] = signs.find(([sign]) => namesPercent(sign)) ?? []
  if (!cell || measureOf(kpi.name, unit).takesPercent) return []
  return [
    `${kpi.name}: ${showCell(cell)} is a percentage, and the unit ${unit.name} is not: the number is taken as it is`,
  ]
}

/** Returns the KPIs with signs beside their numbers. */
const signedKpis = ({ signsOf }: Signs, kpis: Iterable<Kpi>): SignedKpi[] =>
  [...kpis].flatMap((kpi) => {
    const signs = [...signsOf(kpi.id)].filter(([sign]) => sign !== '')
    return signs.length > 0 ? { kpi, signs } : []
  })

/** Returns KPIs with their units, where these are known. */
const withUnits = (signed: readonly SignedKpi[], units: readonly Unit[]): (readonly [SignedKpi, Unit])[] =>
  signed.flatMap((one) => {
    const unit = units.find(({ id }) => id === one.kpi.unit_id)
    return unit ? [[one, unit] as const] : []
  })

/** Refuses other currencies than those of the units, unless `--unit` names the unit; returns warnings of other signs. */
const compareUnits = async (
  client: Client,
  signed: readonly SignedKpi[],
  options: ImportOptions,
): Promise<string[]> => {
  const units = signed.length > 0 ? await unitsOf(client) : undefined
  if (!units) return []
  const given = options.create?.unit === undefined ? undefined : findUnitBy(units, options.create.unit)
  const known = withUnits(signed, units).filter(([, unit]) => unit !== given)
  const issues = known.flatMap(([one, unit]) => faultOfCurrency(one, unit, options) ?? [])
  if (issues.length === 0) return known.flatMap(([one, unit]) => warningOnPercentSign(one, unit))
  throw new KpiError('malformed', 'some numbers are in another currency than their KPI; nothing was sent', { issues })
}

const NAMED = 3

/** Returns the KPIs of one frequency in words, such as `Sales, Visits are daily`. */
const ofFrequency = (frequency: Frequency, names: readonly string[]): string =>
  `${listFirst(names, NAMED)} ${names.length === 1 ? 'is' : 'are'} ${frequencyName(frequency)}`

/** Returns a warning if dates are periods, and KPIs have other ones, unless `--frequency` says so. */
const warningOnFrequency = (checked: CheckedFile, kpis: readonly Kpi[], asked: Frequency | undefined): string[] => {
  const format = dateFormatOf(checked)
  const written = format === undefined ? undefined : frequencyOfFormat(format)
  if (written === undefined || written === 'D') return []
  const odd = kpis.flatMap(({ name, frequency_id: own }) =>
    own !== written && own !== asked && isKnownFrequency(own) ? [{ name, own }] : [],
  )
  if (odd.length === 0) return []
  const others = [...Map.groupBy(odd, ({ own }) => own)]
    .map(([frequency, of]) =>
      ofFrequency(
        frequency,
        of.map(({ name }) => name),
      ),
    )
    .join(', and ')
  const [, period] = PERIOD_WORDS[written]
  return [`dates are written ${format}, and ${others}: each value is that of the first day of its ${period}`]
}

/**
 * Compares what a file shows of KPIs that exist with their units and frequencies: returns warnings, and refuses numbers
 * in another currency. Nothing is fetched for a file without signs beside its numbers.
 */
export const compareDefinitions = async (
  client: Client,
  checked: CheckedFile,
  options: ImportOptions,
): Promise<string[]> => {
  const kpis = existingKpis(checked)
  const onUnits = await compareUnits(client, signedKpis(checked.formats, kpis), options)
  return [...onUnits, ...warningOnFrequency(checked, kpis, options.create?.frequency)]
}
