import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { Plan } from '../columns/columns.ts'
import { createNameColumn } from '../columns/name-column.ts'
import { type DateFormat, dateFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import type { DecimalSign } from '../formats/number.ts'
import { type ImportOptions, NAME_ROLES } from '../options.ts'
import type { Table } from '../parse/table.ts'
import type { Lookup } from '../permissions.ts'
import { createDateColumn } from './date-column.ts'
import { createNumberColumn, createUnits, isRefuted } from './number-column.ts'
import { type Forms, survey } from './survey.ts'

/** Describes what has been settled of columns, by their places. */
type Settled = { readonly signs: ReadonlyMap<number, DecimalSign>; readonly format: DateFormat | undefined }

const NOTHING: Settled = { signs: new Map(), format: undefined }

const formatAsked = ({ dateFormat: asked }: ImportOptions): DateFormat | undefined => {
  const format = asked === undefined ? undefined : dateFormat(asked)
  if (format instanceof Fault) throw new KpiError('malformed', `--date-format: ${format.message}`)
  return format
}

/** Returns the columns that hold numbers. */
const numberColumns = ({ roles, wide }: Plan): number[] => {
  const values = [roles.get('actual'), roles.get('target')].filter((at) => at !== undefined)
  return wide ? wide.columns.map(({ at }) => at) : values
}

/** Describes what the columns of names may name. */
type Lookups = { readonly kpis: Lookup; readonly users: Lookup; readonly sources: Lookup | undefined }

/** Creates the columns of names, and the readers of constants in their place. */
const nameColumns = ({ header, roles }: Plan, options: ImportOptions, { kpis, users, sources }: Lookups) => {
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
export const createForms = (
  plan: Plan,
  options: ImportOptions,
  lookups: Lookups,
  { signs, format }: Settled = NOTHING,
): Forms => {
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

/** Returns the formats that all cells of a file show, in constant memory. */
export const seenForms = async (
  table: Table,
  plan: Plan,
  options: ImportOptions,
  lookups: Lookups,
  onProgress: () => void,
): Promise<Forms> => {
  const forms = createForms(plan, options, lookups)
  await survey(table, plan, forms, onProgress)
  return forms
}

/** Tells whether cells contradict the formats that they were read in. */
export const areRefuted = ({ numbers, date }: Forms): boolean =>
  (date?.column.isRefuted() ?? false) || [...numbers.values()].some(isRefuted)

/** Returns what is in doubt, column by column. */
export const doubtsOf = ({ numbers, names, date }: Forms): Issue[] =>
  [...names.values(), ...(date ? [date.column] : []), ...numbers.values()].flatMap((column) => {
    const message = column.doubt()
    return message === undefined ? [] : [{ field: column.name, message }]
  })

/** Stops where two ways of reading a column fit all of its cells and say different things. */
export const mustBeSettled = (forms: Forms): void => {
  const issues = doubtsOf(forms)
  if (issues.length === 0) return
  throw new KpiError('malformed', 'it is not clear what some numbers, dates or names mean; nothing was sent', {
    issues,
  })
}

/** Returns the formats that cells have shown, to read the file by. */
export const settledBy = (forms: Forms, plan: Plan, options: ImportOptions, lookups: Lookups): Forms => {
  const signs = new Map([...forms.numbers].map(([at, column]) => [at, column.proven() ?? '.'] as const))
  return createForms(plan, options, lookups, { signs, format: forms.date?.column.proven()?.format })
}

/** Describes the formats of a file as flags; what its cells do not show is left out, and so are signs that differ. */
export type FormFlags = { readonly decimal?: DecimalSign; readonly dateFormat?: string }

/** Returns the flags by which rows of the file are read in the same way, whatever they show by themselves. */
export const formFlags = ({ numbers, date }: Forms): FormFlags => {
  const [decimal, ...others] = new Set([...numbers.values()].flatMap((column) => column.proven() ?? []))
  const proven = date?.column.proven()
  return {
    ...(decimal && others.length === 0 ? { decimal } : {}),
    ...(proven?.isOnly ? { dateFormat: proven.format.text } : {}),
  }
}

/**
 * Returns the flags for other files, in which a column that has shown nothing here may show another sign: all must have
 * shown it.
 */
export const lastingFlags = (forms: Forms): FormFlags => {
  const { decimal, ...others } = formFlags(forms)
  const isProven = [...forms.numbers.values()].every((column) => column.proven() !== undefined)
  return decimal !== undefined && isProven ? { decimal, ...others } : others
}

/** Returns flags without those that only say what is assumed anyway. */
export const flagsNotPlain = ({ decimal, dateFormat: format }: FormFlags): FormFlags => ({
  ...(decimal && decimal !== '.' ? { decimal } : {}),
  ...(format && format !== PLAIN_FORMAT.text ? { dateFormat: format } : {}),
})

/** Returns remarks on how numbers and dates are written, though all of them can be read. */
export const remarksOn = ({ numbers, date }: Forms): string[] => [
  ...(date?.column.remarks() ?? []),
  ...[...numbers.values()].flatMap((column) => column.remarks()),
]
