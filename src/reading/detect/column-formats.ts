import { listFlag, mapFlag } from '../options/flag-text.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { createNameColumn } from '../columns/name-column.ts'
import { roleHeader } from '../columns/role-text.ts'
import { type DateFormat, dateFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import type { Evidence } from '../formats/evidence.ts'
import { createMissingWords } from '../formats/missing-words.ts'
import type { DecimalSign } from '../formats/number.ts'
import { partsMeant } from '../formats/period-words.ts'
import { createTimesOfDay } from '../formats/time-of-day.ts'
import { namesPercent } from '../directory/kpi-words.ts'
import { type ImportOptions, NAME_ROLES } from '../options/options.ts'
import type { Lookup } from '../directory/permissions.ts'
import { createDateColumn } from '../formats/date-column.ts'
import { createNumberColumn, isRefuted } from './number-column.ts'
import { createUnits } from './number-units.ts'
import { type ColumnFormats, THE_KPI } from './survey.ts'
import { createUnitColumn, createUnitRow, type FlagsForUnits, type UnitColumn } from './unit-column.ts'

/** Holds the formats that are settled, by the places of the columns. */
type Settled = Pick<ColumnFormats, 'unitsOf'> & {
  readonly signs: ReadonlyMap<number, DecimalSign>
  readonly format: DateFormat | undefined
}

const NOTHING: Settled = { signs: new Map(), format: undefined, unitsOf: () => [] }

const formatAsked = ({ dateFormat: asked }: ImportOptions): DateFormat | undefined => {
  const format = asked === undefined ? undefined : dateFormat(asked)
  if (format instanceof Fault) throw new KpiError('malformed', `--date-format: ${format.message}`)
  return format
}

/** Describes columns whose numbers are written in one way. */
type NumberColumns = { readonly name: string; readonly places: readonly number[] }

/** Returns the columns that hold numbers. Columns for days hold the same kind of number, so they are read as one. */
const numberColumns = ({ header, roles, wide }: ColumnPlan): NumberColumns[] => {
  const nameOf = (at: number): string => header[at] ?? ''
  const places =
    wide?.columns.map(({ at }) => at) ?? [roles.get('actual'), roles.get('target')].filter((at) => at !== undefined)
  const [first, last] = [places[0], places.at(-1)]
  if (wide?.of !== 'date' || first === undefined || last === undefined)
    return places.map((at) => ({ name: nameOf(at), places: [at] }))
  const name = first === last ? nameOf(first) : `${nameOf(first).trim()} to ${nameOf(last).trim()}`
  return [{ name, places }]
}

/** Holds the things that columns of names may name. */
type Lookups = { readonly kpis: Lookup; readonly users: Lookup; readonly sources: Lookup | undefined }

/** Creates the columns of names, and the readers of the constants that stand for them. */
const nameColumns = (plan: ColumnPlan, options: ImportOptions, { kpis, users, sources }: Lookups) => {
  const { roles } = plan
  const lookups = { user: users, source: sources, kpi: kpis }
  return NAME_ROLES.flatMap((role) => {
    const [at, lookup] = [roles.get(role), lookups[role]]
    if (!lookup || (at === undefined && options[role] === undefined)) return []
    const named = {
      role,
      header: at === undefined ? `--${role}` : roleHeader(plan, role),
      as: options.numbersAs?.get(role),
    }
    return [[role, createNameColumn(named, lookup)] as const]
  })
}

/** Returns how to make a KPI for each unit of a column: by flags that keep the names of KPIs, if there are any. */
const kpiForEach = ({ header, roles, joined, wide }: ColumnPlan, column: string): FlagsForUnits => {
  const nameOf = (at: number | undefined): string => header[at ?? -1]?.trim() ?? ''
  if (roles.has('kpi') && !joined?.has('kpi')) return () => mapFlag('kpi', nameOf(roles.get('kpi')), column)
  const [value, ...others] = wide?.of === 'kpi' ? wide.columns : []
  if (!value || others.length > 0) return () => undefined
  const name = nameOf(value.at)
  return (units) =>
    units &&
    `${listFlag('--map', [`kpi=${column}`, `actual=${name}`])} ${listFlag(
      '--map-kpi',
      units.map(([text, unit]) => `${text}=${name} ${unit}`),
    )}`
}

const unitColumns = (plan: ColumnPlan): UnitColumn[] => [
  ...(plan.units ?? []).map((at) => {
    const name = plan.header[at]?.trim() ?? ''
    return createUnitColumn(at, name, kpiForEach(plan, name))
  }),
  ...(plan.unitRow ? [createUnitRow(plan.unitRow)] : []),
]

/** Creates the formats of a file: from flags, else from evidence, else the plain ones. */
export const createColumnFormats = (
  plan: ColumnPlan,
  options: ImportOptions,
  lookups: Lookups,
  { signs, format, unitsOf: unitsBefore }: Settled = NOTHING,
): ColumnFormats => {
  const units = createUnits()
  const numbers = numberColumns(plan).flatMap(({ name, places }) => {
    const words = options.missing === undefined ? createMissingWords() : undefined
    const sign = options.decimal ?? signs.get(places[0] ?? -1) ?? '.'
    const column = createNumberColumn(name, sign, options.decimal !== undefined, units.watch(name), words)
    return places.map((at) => [at, column] as const)
  })
  const byPlace = new Map(numbers)
  const numberFormats = [...new Set(byPlace.values())]
  const ofRows = unitColumns(plan)
  const unitsOf = (kpi: number): Evidence[] => [...unitsBefore(kpi), ...ofRows.flatMap((column) => column.unitsOf(kpi))]
  const known = {
    numbers: byPlace,
    numberFormats,
    units: ofRows,
    signsOf: (kpi: number) =>
      new Map([
        ...unitsOf(kpi).map((cell) => [namesPercent(cell.text) ? '%' : cell.text, cell] as const),
        ...units.signsOf(kpi),
      ]),
    hasPercentSign: (kpi: number) => units.signsOf(kpi).has('%'),
    unitsOf,
    givesPercent: (kpi: number) => unitsOf(kpi).some(({ text }) => namesPercent(text)),
    names: new Map(nameColumns(plan, options, lookups)),
  }
  const at = options.date === undefined ? plan.roles.get('date') : undefined
  if (at === undefined) return { ...known, date: undefined }
  const asked = formatAsked(options)
  const name = roleHeader(plan, 'date')
  const times = createTimesOfDay(name, options.time)
  const meant = partsMeant(name, options.create?.frequency)
  const basis = asked ? 'given' : format ? 'surveyed' : 'assumed'
  const column = createDateColumn(name, asked ?? format ?? PLAIN_FORMAT, basis, times, meant)
  return { ...known, date: { at, column } }
}

/** Tells whether cells contradict the formats that they were read in. */
export const areRefuted = ({ numberFormats, date }: ColumnFormats): boolean =>
  (date?.column.isRefuted() ?? false) || numberFormats.some(isRefuted)

/** Returns what is in doubt, for each of some columns. */
export const doubtsOf = (
  columns: Iterable<{ readonly name: string; readonly doubt: () => string | undefined }>,
): Issue[] =>
  [...columns].flatMap(({ name, doubt }) => {
    const message = doubt()
    return message === undefined ? [] : [{ field: name, message }]
  })

/** Returns what is in doubt about the formats of a file. */
export const formatDoubts = ({ numberFormats, names, date, units }: ColumnFormats): Issue[] =>
  doubtsOf([...names.values(), ...(date ? [date.column] : []), ...numberFormats, ...units])

/** Throws if a column can be read in two ways that fit all of its cells and give different values. */
export const requireSettledFormats = (formats: ColumnFormats): void => requireNoDoubts(formatDoubts(formats))

/** Throws what is in doubt about how a file is read, if anything is. */
export const requireNoDoubts = (issues: readonly Issue[]): void => {
  if (issues.length === 0) return
  throw new KpiError('malformed', 'it is not clear what some numbers, dates or names mean; nothing was sent', {
    issues,
  })
}

/** Returns the formats that the cells have shown, for reading the file. */
export const settleFormats = (
  formats: ColumnFormats,
  plan: ColumnPlan,
  options: ImportOptions,
  lookups: Lookups,
): ColumnFormats => {
  const signs = new Map([...formats.numbers].map(([at, column]) => [at, column.proven() ?? '.'] as const))
  // A constant names the KPI of all rows, which cells do not.
  const unitsOf = (kpi: number): Evidence[] => [...formats.unitsOf(kpi), ...formats.unitsOf(THE_KPI)]
  const format = formats.date?.column.proven()?.format ?? PLAIN_FORMAT
  return createColumnFormats(plan, options, lookups, { signs, format, unitsOf })
}

/**
 * Describes the formats of a file as flags; formats that its cells do not show are left out, and so are decimal signs
 * that differ between columns.
 */
export type FormatFlags = { readonly decimal?: DecimalSign; readonly dateFormat?: string }

/** Returns flags with which any rows of the file are read in the same way, whatever these rows show by themselves. */
export const formatFlags = ({ numberFormats, date }: ColumnFormats): FormatFlags => {
  const [decimal, ...others] = new Set(numberFormats.flatMap((column) => column.proven() ?? []))
  const proven = date?.column.proven()
  return {
    ...(decimal && others.length === 0 ? { decimal } : {}),
    ...(proven?.isOnly ? { dateFormat: proven.format.text } : {}),
  }
}

/**
 * Returns flags for other files: only signs that all columns have shown, because a column that shows nothing here may
 * show another sign there.
 */
export const reusableFlags = (formats: ColumnFormats): FormatFlags => {
  const { decimal, ...others } = formatFlags(formats)
  const isProven = formats.numberFormats.every((column) => column.proven() !== undefined)
  return decimal !== undefined && isProven ? { decimal, ...others } : others
}

/** Returns the flags without those that only state the default. */
export const nonDefaultFlags = ({ decimal, dateFormat: format }: FormatFlags): FormatFlags => ({
  ...(decimal && decimal !== '.' ? { decimal } : {}),
  ...(format && format !== PLAIN_FORMAT.text ? { dateFormat: format } : {}),
})

/** Returns remarks on how numbers and dates are written, though all of them can be read. */
export const formatRemarks = ({ numberFormats, date }: ColumnFormats): string[] => [
  ...(date?.column.remarks() ?? []),
  ...numberFormats.flatMap((column) => column.remarks()),
]
