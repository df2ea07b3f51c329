import fc from 'fast-check'
import {
  BOOLEANS_AS,
  CREATABLE,
  DECIMALS,
  type ImportOptions,
  LAYOUTS,
  NAME_ROLES,
  ON_CONFLICT,
  ON_DUPLICATE,
  OTHER_KPIS,
  OWNERS_AS,
  PERCENT_AS,
  PERIOD_DATES,
  ROLES,
  TIMES,
  UPPER_ROWS,
} from '../../src/reading/options/options.ts'

/** Texts as flags can hold them: not empty, no space around, and with all the signs that separate parts of flags. */
export const flagText = (): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(',', '"', '=', '+', '#', ' ', 'a', '\n') }),
    )
    .map((text) => text.trim())
    .filter((text) => text !== '')

const perhaps = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(some, { nil: undefined })

const mapOf = <K, V>(key: fc.Arbitrary<K>, value: fc.Arbitrary<V>, minLength = 0): fc.Arbitrary<ReadonlyMap<K, V>> =>
  fc.uniqueArray(fc.tuple(key, value), { selector: ([one]) => one, minLength, maxLength: 4 }).map((all) => new Map(all))

const setOf = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<ReadonlySet<T>> =>
  fc.uniqueArray(one, { maxLength: 4 }).map((all) => new Set(all))

const listOf = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(one, { maxLength: 3 })

/** The KPIs of `--map-kpi` come last in their pairs, so their names have no equals sign. */
const kpiName = flagText().filter((text) => !text.includes('='))

const word = flagText().map((text) => text.toLowerCase())

const creation = fc.record({
  kinds: setOf(fc.constantFrom(...CREATABLE)),
  emailPattern: perhaps(fc.constant('{name}@example.com')),
  frequency: perhaps(fc.constantFrom('D' as const, 'M' as const)),
  unit: perhaps(flagText()),
  category: perhaps(flagText()),
  group: perhaps(flagText()),
})

/** Every option, so that none that is added later is left out. */
const OPTIONS: { readonly [name in keyof ImportOptions]-?: fc.Arbitrary<ImportOptions[name]> } = {
  layout: perhaps(fc.constantFrom(...LAYOUTS)),
  map: mapOf(fc.constantFrom(...ROLES), flagText()),
  ignore: listOf(flagText()),
  columns: perhaps(listOf(flagText())),
  ignoreRows: perhaps(listOf(flagText())),
  mapKpi: perhaps(mapOf(flagText(), kpiName)),
  as: perhaps(fc.constantFrom(...OWNERS_AS)),
  upperRow: perhaps(fc.constantFrom(...UPPER_ROWS)),
  create: perhaps(creation),
  user: perhaps(flagText()),
  source: perhaps(flagText()),
  kpi: perhaps(flagText()),
  date: perhaps(fc.constantFrom('2026-03-01', '2026-11-20')),
  year: perhaps(fc.constantFrom('2026', '1999')),
  dateWord: perhaps(fc.constantFrom('today', '-7d')),
  numbersAs: perhaps(mapOf(fc.constantFrom(...NAME_ROLES), fc.constantFrom('ids', 'names'), 1)),
  clearEmpty: fc.boolean(),
  missing: perhaps(setOf(word)),
  booleans: perhaps(fc.constantFrom(...BOOLEANS_AS)),
  time: perhaps(fc.constantFrom(...TIMES)),
  percent: perhaps(mapOf(fc.oneof(fc.constant(OTHER_KPIS), flagText()), fc.constantFrom(...PERCENT_AS), 1)),
  strict: fc.boolean(),
  onDuplicate: fc.constantFrom(...ON_DUPLICATE),
  periodDates: perhaps(fc.constantFrom(...PERIOD_DATES)),
  createAssignments: fc.boolean(),
  scale: perhaps(mapOf(kpiName, fc.constantFrom('crore', '1000', '-1'), 1)),
  decimal: perhaps(fc.constantFrom(...DECIMALS)),
  dateFormat: perhaps(fc.constantFrom('DD.MM.YYYY', 'YYYY-[W]WW')),
  onConflict: fc.constantFrom(...ON_CONFLICT),
  onlyChanges: fc.boolean(),
  maxErrors: perhaps(fc.oneof(fc.record({ count: fc.nat() }), fc.record({ percent: fc.nat(100) }))),
  addAgain: fc.boolean(),
}

/** The names of all options. */
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly (keyof ImportOptions)[]

/** Options of an import, as flags can give them. */
export const importOptions = (): fc.Arbitrary<ImportOptions> => fc.record(OPTIONS)
