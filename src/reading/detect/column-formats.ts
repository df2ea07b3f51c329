import type { Named } from '../../client/directory.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { createNameColumn, type NameColumn } from '../columns/name-column.ts'
import { roleHeader, roleText } from '../columns/roles.ts'
import { type DateFormat, dateFormat, memoize, PLAIN_FORMAT } from '../formats/date-format.ts'
import { createMissingWords, type Evidence } from '../formats/evidence.ts'
import { type ImportOptions, NAME_ROLES, type NameRole } from '../options/options.ts'
import { hasSurplusCells, type Row, type Table } from '../../tabular/source/table.ts'
import { datePartOf } from '../columns/header.ts'
import { completeBy, createPartTest, type FoundYear, yearFlags } from '../formats/file-years.ts'
import { createDateColumn, type DateColumn, type YearOfDates } from '../formats/date-column.ts'
import { createNumberColumn, isRefuted, type NumberColumn } from './number-column.ts'
import type { GivenUnit, NumberWords } from '../formats/number-words.ts'
import {
  createTableUnit,
  createUnitColumn,
  createUnitRow,
  createUnits,
  type FlagsForUnits,
  type UnitColumn,
} from './units.ts'
import { listFlag, mapFlag } from '../options/flag-text.ts'
import type { DecimalSign } from '../../domain/numbers/read-number.ts'
import { type DatePart, partsMeant } from '../formats/period-words.ts'
import { createTimesOfDay } from '../formats/time-of-day.ts'
import { namesPercent } from '../../domain/numbers/unit-words.ts'
import type { Lookup } from '../directory/lookup.ts'

/** Describes the formats of a file's numbers, dates and names, column by column. */
export type ColumnFormats = {
  readonly numbers: ReadonlyMap<number, NumberColumn>
  /** Lists the formats of numbers, each once: several columns may share one. */
  readonly numberFormats: readonly NumberColumn[]
  /** Holds the columns that only say which unit the values of a row have, and the row that says it of columns. */
  readonly units: readonly UnitColumn[]
  /** Returns the units of a KPI, from signs beside its numbers and cells of units, with the first cell of each. */
  readonly signsOf: (kpi: number) => ReadonlyMap<string, Evidence>
  /** Tells whether numbers of a KPI have a percent sign themselves. */
  readonly hasPercentSign: (kpi: number) => boolean
  /** Returns the units that other cells give the numbers of a KPI. */
  readonly unitsOf: (kpi: number) => readonly Evidence[]
  /** Tells whether percent is among them. */
  readonly givesPercent: (kpi: number) => boolean
  /** Holds the columns of names, and the constants that stand for them. */
  readonly names: ReadonlyMap<NameRole, NameColumn>
  /** Holds the column of dates; undefined if one date stands for all rows. */
  readonly date: { readonly at: number; readonly column: DateColumn } | undefined
}

/** Returns the unit that cells of units give the value in a column; undefined if they give none that is known. */
export const unitIn = ({ units }: ColumnFormats, cells: Row['cells'], at: number): GivenUnit | undefined => {
  for (const one of units) {
    const unit = one.unitIn(cells, at)
    if (unit) return unit
  }
  return undefined
}

/** Returns the function that finds what a cell of a role names. */
export const nameFinder = ({ names }: ColumnFormats, role: NameRole): ((text: string) => Named | Fault) =>
  memoize(names.get(role)?.find ?? ((text) => new Fault(`there is no ${role} "${text}"`)))

/** Stands for the KPI of all rows, if a constant names it. */
export const THE_KPI = 0

/** Returns the function that finds the KPI of a row's number in a column; undefined if there is no such KPI. */
const kpiReader = (
  plan: ColumnPlan,
  formats: ColumnFormats,
): ((cells: Row['cells'], at: number) => number | undefined) => {
  const { roles, wide } = plan
  const ids = new Map((wide?.columns ?? []).map(({ at, kpi }) => [at, kpi] as const))
  const findKpi = nameFinder(formats, 'kpi')
  const textIn = roleText(plan, 'kpi')
  if (!roles.has('kpi')) return (_, at) => ids.get(at) ?? THE_KPI
  return (cells) => {
    const found = findKpi(textIn(cells))
    return found instanceof Fault ? undefined : found.id
  }
}

/**
 * Reads a whole file, and lets each column record its cells; rows longer than the header are skipped. `valueOf` gives
 * an empty text for a number that stands for no value; `onRow` receives every row below the header.
 */
export const surveyCells = async (
  table: Table,
  plan: ColumnPlan,
  formats: ColumnFormats,
  valueOf: (text: string) => string,
  onProgress: () => void | Promise<void>,
  onRow: (row: Row) => void = () => undefined,
): Promise<void> => {
  const { numbers, names, date, units } = formats
  const kpiOf = kpiReader(plan, formats)
  const named = [...names].flatMap(([role, column]) =>
    plan.roles.has(role) ? [{ textIn: roleText(plan, role), find: memoize(column.find) }] : [],
  )
  const dateIn = roleText(plan, 'date')
  const noteRow = (row: Row): void => {
    const { line, cells, numbers: stored } = row
    const dateText = date ? dateIn(cells).trim() : ''
    if (date && dateText) date.column.note(dateText, line)
    for (const { textIn, find } of named) {
      const text = textIn(cells)
      if (text.trim() !== '') find(text)
    }
    for (const [at, column] of numbers) {
      const text = valueOf(cells[at]?.trim() ?? '')
      if (text === '') continue
      const kpi = kpiOf(cells, at)
      column.note(text, line, kpi, stored?.[at], unitIn(formats, cells, at))
      for (const unit of units) unit.note(row, at, kpi)
    }
  }
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader) onRow(row)
      if (!isHeader && !hasSurplusCells(row.cells, plan.header)) noteRow(row)
      isHeader = false
    }
    const turn = onProgress()
    if (turn) await turn
  }
}

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
type Lookups = {
  readonly kpis: Lookup
  readonly users: Lookup
  readonly sources: Lookup | undefined
  readonly words: NumberWords
}

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
  ...(plan.tableUnit ? [createTableUnit(plan.tableUnit)] : []),
]

/** Returns how dates without a year are completed: by the year that the user gave, or else how to give it. */
const yearOfDates = (
  named: DatePart | undefined,
  year: string | undefined,
  found: readonly FoundYear[],
): YearOfDates => ({
  complete: year === undefined ? undefined : completeBy(year, named),
  isPart: createPartTest(named),
  flags: yearFlags(found),
})

/** Creates the formats of a file: from flags, else from evidence, else the plain ones. */
export const createColumnFormats = (
  plan: ColumnPlan,
  options: ImportOptions,
  lookups: Lookups,
  { signs, format, unitsOf: unitsBefore }: Settled = NOTHING,
): ColumnFormats => {
  const units = createUnits()
  const { words } = lookups
  const numbers = numberColumns(plan).flatMap(({ name, places }) => {
    const missing = options.missing === undefined ? createMissingWords() : undefined
    const sign = options.decimal ?? signs.get(places[0] ?? -1) ?? '.'
    const isTarget = places[0] === plan.roles.get('target')
    const ofColumn = { missing, words, isTarget }
    const column = createNumberColumn(name, sign, options.decimal !== undefined, units.watch(name), ofColumn)
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
  const name = roleHeader(plan, 'date') || `column ${at + 1}`
  const times = createTimesOfDay(name, options.time)
  const meant = partsMeant(name, options.create?.frequency)
  const basis = asked ? 'given' : format ? 'surveyed' : 'assumed'
  const year = yearOfDates(datePartOf(name), options.year, plan.years ?? [])
  const column = createDateColumn(name, asked ?? format ?? PLAIN_FORMAT, basis, { times, meant, year })
  return { ...known, date: { at, column } }
}

/** Tells whether cells contradict the formats that they were read in. */
export const areRefuted = ({ numberFormats, date }: ColumnFormats): boolean =>
  (date?.column.isRefuted() ?? false) || numberFormats.some(isRefuted)

/** Describes a column with the questions about how to read it: several, or at most one. */
type DoubtfulColumn = { readonly name: string } & (
  { readonly doubts: () => readonly string[] } | { readonly doubt: () => string | undefined }
)

/** Returns all questions about how to read some columns. */
export const doubtsOf = (columns: Iterable<DoubtfulColumn>): Issue[] =>
  [...columns].flatMap((column) => {
    const messages = 'doubts' in column ? column.doubts() : [column.doubt() ?? []].flat()
    return messages.map((message) => ({ field: column.name, message }))
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

/** Returns the formats that the cells have shown, for reading the file; where they leave some in doubt, a likely one. */
export const settleFormats = (
  formats: ColumnFormats,
  plan: ColumnPlan,
  options: ImportOptions,
  lookups: Lookups,
): ColumnFormats => {
  const signs = new Map([...formats.numbers].map(([at, column]) => [at, column.proven() ?? '.'] as const))
  // A constant names the KPI of all rows, which cells do not.
  const unitsOf = (kpi: number): Evidence[] => [...formats.unitsOf(kpi), ...formats.unitsOf(THE_KPI)]
  const date = formats.date?.column
  const format = date?.proven()?.format ?? date?.likely() ?? PLAIN_FORMAT
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
