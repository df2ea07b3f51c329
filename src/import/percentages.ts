import type { Client } from '../client/client.ts'
import { readIfAllowed } from '../client/operations/read-if-allowed.ts'
import { type Decimal, exactDecimal, formatDecimal, roundExact } from '../domain/decimal.ts'
import { type Issue, KpiError } from '../domain/errors.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import type { BlockRow } from './external-sort/block.ts'
import { findUnitBy } from './missing/define-kpi.ts'
import { namesPercent } from './missing/kpi-words.ts'
import { isProvisional } from './provisional-id.ts'
import { ACTUAL, lineOf } from './rows/packed-row.ts'

const ONE = 10_000n

/** Describes the values of a KPI that are all between -1 and 1: how many, and the first that is no whole number. */
type SmallKpi = {
  count: number
  isSmall: boolean
  first: { readonly value: Decimal; readonly line: number } | undefined
}

/** Watches which KPIs have only values between -1 and 1. */
export type SmallValues = {
  readonly note: (row: Pick<BlockRow, 'second' | 'flags' | 'actual' | 'line'>) => void
  /** Returns the KPIs of which that holds, with a value that has decimals. */
  readonly kpis: () => ReadonlyMap<number, Readonly<SmallKpi>>
}

/** Creates a watcher of small values. */
export const createSmallValues = (): SmallValues => {
  const seen = new Map<number, SmallKpi>()
  // Most rows have the KPI of the row before.
  let [last, found] = [NaN, { count: 0, isSmall: true, first: undefined } as SmallKpi]
  const find = (kpi: number): SmallKpi => {
    const known = seen.get(kpi) ?? { count: 0, isSmall: true, first: undefined }
    seen.set(kpi, known)
    last = kpi
    return known
  }
  return {
    note: ({ second, flags, actual, line }) => {
      if (second !== last) found = find(second)
      if (!found.isSmall || (flags & ACTUAL.given) === 0) return
      found.count += 1
      if (actual > ONE || actual < -ONE) found.isSmall = false
      else if (actual % ONE !== 0n) found.first ??= { value: actual, line: lineOf(line) }
    },
    kpis: () => new Map([...seen].filter(([, { isSmall, first }]) => isSmall && first !== undefined)),
  }
}

/**
 * Returns the function that tells whether values of a KPI are percentages: by its unit or, if it is new, by the unit
 * that `--unit` gives it, else by its name.
 */
export const percentageKpis = async (
  client: Client,
  kpis: ReadonlyMap<number, Kpi>,
  unitOfNew: string | undefined,
): Promise<(kpi: number) => boolean> => {
  const units = (await readIfAllowed(client, client.units.list())) ?? []
  const percent = new Set(units.flatMap(({ id, is_percentage }) => (is_percentage ? id : [])))
  const given = unitOfNew === undefined ? undefined : findUnitBy(units, unitOfNew)
  return (id) => {
    const one = kpis.get(id)
    if (one === undefined) return false
    return isProvisional(id) ? (given?.is_percentage ?? namesPercent(one.name)) : percent.has(one.unit_id)
  }
}

/** Returns the faults of percentage KPIs whose values may be fractions. */
const faultsOf = (kpis: ReadonlyMap<number, Kpi>, small: ReturnType<SmallValues['kpis']>): Issue[] =>
  [...small].flatMap(([id, { count, first }]) => {
    const name = kpis.get(id)?.name
    if (name === undefined || !first) return []
    const value = formatDecimal(first.value)
    const all = count === 1 ? 'its only value is' : `all of its ${count} values are`
    return {
      field: name,
      message: `is a percentage, and ${all} between -1 and 1, such as ${value} on line ${first.line}: that is ${value} % (--percent as-is) or ${formatDecimal(first.value * 100n)} % (--percent fraction)`,
    }
  })

/**
 * Refuses values of percentage KPIs that may be fractions, as long as nobody says what they are; `hasSign` tells whether
 * a KPI has numbers with a percent sign, which are percentages.
 */
export const requireSettledPercentages = async (
  client: Client,
  kpis: ReadonlyMap<number, Kpi>,
  small: SmallValues,
  hasSign: (kpi: number) => boolean,
  unitOfNew: string | undefined,
): Promise<void> => {
  const suspects = [...small.kpis()].filter(([id]) => !hasSign(id))
  if (suspects.length === 0) return
  const isPercentage = await percentageKpis(client, kpis, unitOfNew)
  const issues = faultsOf(kpis, new Map(suspects.filter(([id]) => isPercentage(id))))
  if (issues.length === 0) return
  throw new KpiError('malformed', 'it is not clear what some percentages are; nothing was sent', { issues })
}

/** Returns a fraction as a percentage: exactly a hundred times as much, with the digits that are rounded away then. */
export const percentOfFraction = (
  value: Decimal,
  beyond: string,
): { readonly value: Decimal; readonly beyond: string; readonly isRounded: boolean } => {
  const { units, width } = exactDecimal(value, beyond)
  const scale = 10n ** BigInt(width)
  const percent = { units: units * 100n, width }
  const rest = percent.units % scale
  const digits = String(rest < 0n ? -rest : rest).padStart(width, '0')
  return {
    value: roundExact(percent),
    beyond: rest === 0n ? '' : (rest < 0n ? '-' : '') + digits,
    isRounded: rest !== 0n,
  }
}
