import { nameForm, looseName } from '../../domain/name-form.ts'
import { listFlag } from '../options/flag-text.ts'
import type { Client } from '../../client/client.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { type Decimal, formatDecimal } from '../../domain/decimal.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import type { Unit } from '../../domain/resources/catalog.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { BlockRow } from '../../blocks/block.ts'
import { namesPercent } from '../../domain/numbers/unit-words.ts'
import { type ImportOptions, OTHER_KPIS, type PercentAs } from '../options/options.ts'
import { multiplyCell, type NumberCell } from '../../domain/numbers/read-number.ts'
import { isProvisional } from './lookup.ts'
import { lineOf } from '../../blocks/packed-row.ts'
import { ACTUAL, TARGET } from '../../domain/entry-block.ts'

const ONE = 10_000n
const HUNDRED = 100n

/** Tells something of a KPI. */
type KpiTest = (kpi: number) => boolean

/** Describes a value and its line. */
type Shown = { readonly value: Decimal; readonly line: number }

/** Describes the values of a KPI as the file has them. */
type ValuesOfKpi = {
  count: number
  /** Tells whether all actuals are between -1 and 1. */
  isSmall: boolean
  /** Holds the first actual that is not 0. */
  first: Shown | undefined
  /** Holds the first value that is not between -1 and 1, also of targets. */
  beyond: Shown | undefined
}

/** Watches which KPIs have only values between -1 and 1; rows of KPIs with fractions hold a hundred times as much as the file. */
export const createSmallValues = (isFraction: KpiTest) => {
  const seen = new Map<number, ValuesOfKpi>()
  // Most rows have the KPI of the row before.
  let [last, found, scale] = [NaN, undefined as ValuesOfKpi | undefined, 1n]
  const find = (kpi: number): ValuesOfKpi => {
    const known = seen.get(kpi) ?? { count: 0, isSmall: true, first: undefined, beyond: undefined }
    seen.set(kpi, known)
    ;[last, scale] = [kpi, isFraction(kpi) ? HUNDRED : 1n]
    return known
  }
  const isBeyond = (value: Decimal): boolean => value > ONE * scale || value < -ONE * scale
  const shown = (value: Decimal, place: number): Shown => ({ value: value / scale, line: lineOf(place) })
  return {
    note: ({ kpi, flags, actual, target, line }: BlockRow): void => {
      if (kpi !== last || found === undefined) found = find(kpi)
      if (found.beyond !== undefined && !found.isSmall) return
      if ((flags & TARGET.given) !== 0 && isBeyond(target)) found.beyond ??= shown(target, line)
      if ((flags & ACTUAL.given) === 0) return
      found.count += 1
      if (isBeyond(actual)) {
        found.isSmall = false
        found.beyond ??= shown(actual, line)
      } else if (actual !== 0n) found.first ??= shown(actual, line)
    },
    kpis: (): ReadonlyMap<number, Readonly<ValuesOfKpi>> => seen,
  }
}
export type SmallValues = ReturnType<typeof createSmallValues>

/** Returns what the user said of percentages as the parts of `--percent`. */
export const percentTexts = (percent: ReadonlyMap<string, PercentAs>): string[] =>
  [...percent].map(([name, as]) => (name === OTHER_KPIS ? as : `${as}=${name}`))

/** Returns the unit that a user names, by its name or id. */
export const findUnitBy = (units: readonly Unit[], text: string): Unit | undefined =>
  units.find(({ name }) => name === text) ??
  units.find(({ name, id }) => nameForm(name) === nameForm(text) || String(id) === text)

/** Returns the units of a service; undefined if the key may not read them, or the service has none. */
export const unitsOf = async (client: Client): Promise<readonly Unit[] | undefined> => {
  try {
    return await readIfAllowed(client, client.units.list())
  } catch (error) {
    if (error instanceof KpiError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Describes a percentage KPI of a file by its values. */
type Percentage = Readonly<ValuesOfKpi> & { readonly name: string }

/** Tells which KPIs have numbers with a percent sign, and which the file gives the unit percent elsewhere. */
type PercentInFile = { readonly hasPercentSign: KpiTest; readonly givesPercent: KpiTest }

/** Knows which KPIs are percentages, and of which the numbers of a file are fractions, as the user says. */
export class Percentages {
  /** Tells whether the user says of some percentages that they are fractions. */
  readonly saysFraction: boolean
  /** Tells whether numbers of any KPI have been read as fractions. */
  hasFractions = false
  readonly #client: Client
  readonly #kpis: ReadonlyMap<number, Kpi>
  readonly #unitOfNew: string | undefined
  readonly #said: ImportOptions['percent']
  readonly #byName: ReadonlyMap<string, PercentAs>
  #units: Promise<readonly Unit[] | undefined> | undefined

  constructor(
    client: Client,
    kpis: ReadonlyMap<number, Kpi>,
    unitOfNew: string | undefined,
    said: ImportOptions['percent'],
  ) {
    this.#client = client
    this.#kpis = kpis
    this.#unitOfNew = unitOfNew
    this.#said = said
    this.#byName = new Map([...(said ?? [])].map(([name, as]) => [looseName(name), as]))
    this.saysFraction = [...this.#byName.values()].includes('fraction')
  }

  get #ofAll(): PercentAs | undefined {
    return this.#said?.get(OTHER_KPIS)
  }

  /**
   * Returns the function that tells whether values of a KPI are percentages: by its unit or, if it is new, by the unit
   * that `--unit` gives it; by the units of the file or its name if its unit is not known.
   */
  async #test(): Promise<(kpi: number, givesPercent: KpiTest) => boolean> {
    const units = await (this.#units ??= unitsOf(this.#client))
    const percent = units && new Set(units.flatMap(({ id, is_percentage }) => (is_percentage ? id : [])))
    const given = this.#unitOfNew === undefined ? undefined : findUnitBy(units ?? [], this.#unitOfNew)
    return (id, givesPercent) => {
      const one = this.#kpis.get(id)
      if (one === undefined) return false
      const byUnit = isProvisional(id) ? given?.is_percentage : percent?.has(one.unit_id)
      return byUnit ?? (givesPercent(id) || namesPercent(one.name))
    }
  }

  /** Returns the function that tells whether numbers of a KPI are fractions; the file may give KPIs the unit percent. */
  async fractions(): Promise<(givesPercent: KpiTest) => KpiTest> {
    if (!this.saysFraction) return () => () => false
    const isPercentage = await this.#test()
    return (givesPercent) => {
      const known = new Map<number, boolean>()
      return (id) => {
        const before = known.get(id)
        if (before !== undefined) return before
        const said = this.#byName.get(looseName(this.#kpis.get(id)?.name ?? '')) ?? this.#ofAll
        const is = said === 'fraction' && isPercentage(id, givesPercent)
        known.set(id, is)
        this.hasFractions ||= is
        return is
      }
    }
  }

  /** Refuses values of percentage KPIs that may be fractions, or that hardly are, as long as nobody says what they are. */
  async requireSettled(small: SmallValues, { hasPercentSign, givesPercent }: PercentInFile): Promise<void> {
    const seen = [...small.kpis()].filter(([id]) => !hasPercentSign(id))
    if (this.#said === undefined && seen.every(([, { isSmall, first }]) => !isSmall || !first)) return
    const isOne = await this.#test()
    const isPercentage = (id: number): boolean => isOne(id, givesPercent)
    const percentages = seen
      .filter(([id]) => isPercentage(id))
      .map(([id, values]) => ({ ...values, name: this.#kpis.get(id)?.name ?? '' }))
    const names = new Set([...this.#kpis].flatMap(([id, { name }]) => (isPercentage(id) ? looseName(name) : [])))
    const issues = [
      ...[...(this.#said?.keys() ?? [])]
        .filter((name) => name !== OTHER_KPIS && !names.has(looseName(name)))
        .map((name) => ({ field: name, message: 'is named by --percent, and no percentage KPI has that name' })),
      ...this.#faultsOfSmall(percentages),
      ...this.#faultsOfLarge(percentages),
    ]
    if (issues.length === 0) return
    throw new KpiError('malformed', 'it is not clear what some percentages are; nothing was sent', { issues })
  }

  /** Returns the flag that says what KPIs are, beside what the user said already. */
  #flagFor(names: readonly string[], as: PercentAs): string {
    return listFlag('--percent', [...percentTexts(this.#said ?? new Map()), ...names.map((name) => `${as}=${name}`)])
  }

  #isSaid({ name }: Percentage): boolean {
    return this.#byName.has(looseName(name))
  }

  /** Returns the faults of percentage KPIs whose values may be fractions, and of which nothing is said. */
  #faultsOfSmall(percentages: readonly Percentage[]): Issue[] {
    const isForAll = this.#said === undefined && percentages.every(({ beyond }) => beyond === undefined)
    return percentages.flatMap((one) => {
      const { name, count, isSmall, first } = one
      if (!isSmall || !first || this.#isSaid(one) || this.#ofAll !== undefined) return []
      const all = count === 1 ? 'its only value is' : `all of its ${count} values are`
      return faultOf(name, all, first, (as) => (isForAll ? `--percent ${as}` : this.#flagFor([name], as)))
    })
  }

  /** Returns the faults of percentage KPIs that are fractions only because all are, and have values that hardly are. */
  #faultsOfLarge(percentages: readonly Percentage[]): Issue[] {
    const large = percentages.filter((one) => one.beyond && this.#ofAll === 'fraction' && !this.#isSaid(one))
    const names = large.map(({ name }) => name)
    return large.flatMap(({ name, beyond }) =>
      beyond ? faultOf(name, 'not all of its values are', beyond, (as) => this.#flagFor(names, as)) : [],
    )
  }
}

/** Returns the fault of a percentage KPI with a value that may be either, and the flags for both. */
const faultOf = (name: string, what: string, { value, line }: Shown, flagFor: (as: PercentAs) => string): Issue => {
  const [plain, percent] = [formatDecimal(value), formatDecimal(value * HUNDRED)]
  return {
    field: name,
    message: `is a percentage, and ${what} between -1 and 1, such as ${plain} on line ${line}: that is ${plain} % (${flagFor('as-is')}) or ${percent} % (${flagFor('fraction')})`,
  }
}

/** Returns a fraction as a percentage: exactly a hundred times as much, with the digits that are rounded away then. */
export const percentOfFraction = (cell: Omit<NumberCell, 'rounded'>): NumberCell => multiplyCell(cell, HUNDRED)
