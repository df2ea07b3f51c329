import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { createNameColumn } from '../columns/name-column.ts'
import { type DateFormat, dateFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import type { DecimalSign } from '../formats/number.ts'
import { type ImportOptions, NAME_ROLES } from '../options.ts'
import type { Table } from '../parse/table.ts'
import type { Lookup } from '../permissions.ts'
import { createDateColumn } from './date-column.ts'
import { createNumberColumn, createUnits, isRefuted } from './number-column.ts'
import { type ColumnFormats, surveyCells } from './survey.ts'

/** Holds the formats that are settled, by the places of the columns. */
type Settled = { readonly signs: ReadonlyMap<number, DecimalSign>; readonly format: DateFormat | undefined }

const NOTHING: Settled = { signs: new Map(), format: undefined }

const formatAsked = ({ dateFormat: asked }: ImportOptions): DateFormat | undefined => {
  const format = asked === undefined ? undefined : dateFormat(asked)
  if (format instanceof Fault) throw new KpiError('malformed', `--date-format: ${format.message}`)
  return format
}

/** Returns the columns that hold numbers. */
const numberColumns = ({ roles, wide }: ColumnPlan): number[] => {
  const values = [roles.get('actual'), roles.get('target')].filter((at) => at !== undefined)
  return wide ? wide.columns.map(({ at }) => at) : values
}

/** Holds the things that columns of names may name. */
type Lookups = { readonly kpis: Lookup; readonly users: Lookup; readonly sources: Lookup | undefined }

/** Creates the columns of names, and the readers of the constants that stand for them. */
const nameColumns = ({ header, roles }: ColumnPlan, options: ImportOptions, { kpis, users, sources }: Lookups) => {
  const lookups = { user: users, source: sources, kpi: kpis }
  return NAME_ROLES.flatMap((role) => {
    const [at, lookup] = [roles.get(role), lookups[role]]
    if (!lookup || (at === undefined && options[role] === undefined)) return []
    const named = {
      role,
      header: at === undefined ? `--${role}` : (header[at] ?? ''),
      as: options.numbersAs?.get(role),
    }
    return [[role, createNameColumn(named, lookup)] as const]
  })
}

/** Creates the formats of a file: from flags, else from evidence, else the plain ones. */
export const createColumnFormats = (
  plan: ColumnPlan,
  options: ImportOptions,
  lookups: Lookups,
  { signs, format }: Settled = NOTHING,
): ColumnFormats => {
  const nameOf = (at: number): string => plan.header[at] ?? ''
  const unitsOf = createUnits()
  const numbers = numberColumns(plan).map((at) => {
    const sign = options.decimal ?? signs.get(at) ?? '.'
    return [at, createNumberColumn(nameOf(at), sign, options.decimal !== undefined, unitsOf(nameOf(at)))] as const
  })
  const known = { numbers: new Map(numbers), names: new Map(nameColumns(plan, options, lookups)) }
  const at = options.date === undefined ? plan.roles.get('date') : undefined
  if (at === undefined) return { ...known, date: undefined }
  const asked = formatAsked(options)
  const column = createDateColumn(nameOf(at), asked ?? format ?? PLAIN_FORMAT, asked !== undefined)
  return { ...known, date: { at, column } }
}

/** Returns the formats that the cells of a whole file show, in constant memory. */
export const detectFormats = async (
  table: Table,
  plan: ColumnPlan,
  options: ImportOptions,
  lookups: Lookups,
  onProgress: () => void,
): Promise<ColumnFormats> => {
  const formats = createColumnFormats(plan, options, lookups)
  await surveyCells(table, plan, formats, onProgress)
  return formats
}

/** Tells whether cells contradict the formats that they were read in. */
export const areRefuted = ({ numbers, date }: ColumnFormats): boolean =>
  (date?.column.isRefuted() ?? false) || [...numbers.values()].some(isRefuted)

/** Returns what is in doubt, for each column. */
export const formatDoubts = ({ numbers, names, date }: ColumnFormats): Issue[] =>
  [...names.values(), ...(date ? [date.column] : []), ...numbers.values()].flatMap((column) => {
    const message = column.doubt()
    return message === undefined ? [] : [{ field: column.name, message }]
  })

/** Throws if a column can be read in two ways that fit all of its cells and give different values. */
export const requireSettledFormats = (formats: ColumnFormats): void => {
  const issues = formatDoubts(formats)
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
  return createColumnFormats(plan, options, lookups, { signs, format: formats.date?.column.proven()?.format })
}

/**
 * Describes the formats of a file as flags; formats that its cells do not show are left out, and so are decimal signs
 * that differ between columns.
 */
export type FormatFlags = { readonly decimal?: DecimalSign; readonly dateFormat?: string }

/** Returns flags with which any rows of the file are read in the same way, whatever these rows show by themselves. */
export const formatFlags = ({ numbers, date }: ColumnFormats): FormatFlags => {
  const [decimal, ...others] = new Set([...numbers.values()].flatMap((column) => column.proven() ?? []))
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
  const isProven = [...formats.numbers.values()].every((column) => column.proven() !== undefined)
  return decimal !== undefined && isProven ? { decimal, ...others } : others
}

/** Returns the flags without those that only state the default. */
export const nonDefaultFlags = ({ decimal, dateFormat: format }: FormatFlags): FormatFlags => ({
  ...(decimal && decimal !== '.' ? { decimal } : {}),
  ...(format && format !== PLAIN_FORMAT.text ? { dateFormat: format } : {}),
})

/** Returns remarks on how numbers and dates are written, though all of them can be read. */
export const formatRemarks = ({ numbers, date }: ColumnFormats): string[] => [
  ...(date?.column.remarks() ?? []),
  ...[...numbers.values()].flatMap((column) => column.remarks()),
]
