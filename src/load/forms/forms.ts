import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { Plan } from '../columns.ts'
import type { ImportOptions } from '../options.ts'
import { createDateColumn, type DateColumn } from './date-column.ts'
import { type DateFormat, dateFormat } from './date-format.ts'
import { PLAIN_FORMAT } from './known-formats.ts'
import { createNumberColumn, isRefuted, type NumberColumn } from './number-column.ts'
import type { DecimalSign } from './number.ts'

/** How the numbers and dates of a file are written, column by column. */
export type Forms = {
  readonly numbers: ReadonlyMap<number, NumberColumn>
  /** Not there where one date stands for all rows. */
  readonly date: { readonly at: number; readonly column: DateColumn } | undefined
}

/** What has been settled of columns, by their places. */
type Settled = { readonly signs: ReadonlyMap<number, DecimalSign>; readonly format: DateFormat | undefined }

const NOTHING: Settled = { signs: new Map(), format: undefined }

const formatAsked = ({ dateFormat: asked }: ImportOptions): DateFormat | undefined => {
  const format = asked === undefined ? undefined : dateFormat(asked)
  if (format instanceof Fault) throw new KpiError('malformed', `--date-format: ${format.message}`)
  return format
}

/** The columns that hold numbers. */
const numberColumns = ({ roles, wide }: Plan): number[] => {
  const values = [roles.get('actual'), roles.get('target')].filter((at) => at !== undefined)
  return wide ? wide.columns.map(({ at }) => at) : values
}

/** The forms of a file: what the user asked for, else what has been settled, else what is plain. */
export const createForms = (plan: Plan, options: ImportOptions, { signs, format }: Settled = NOTHING): Forms => {
  const nameOf = (at: number): string => plan.header[at] ?? ''
  const numbers = numberColumns(plan).map((at) => {
    const sign = options.decimal ?? signs.get(at) ?? '.'
    return [at, createNumberColumn(nameOf(at), sign, options.decimal !== undefined)] as const
  })
  const at = options.date === undefined ? plan.roles.get('date') : undefined
  if (at === undefined) return { numbers: new Map(numbers), date: undefined }
  const asked = formatAsked(options)
  const column = createDateColumn(nameOf(at), asked ?? format ?? PLAIN_FORMAT, asked !== undefined)
  return { numbers: new Map(numbers), date: { at, column } }
}

/** Whether cells are written in other forms than those that they have been read in. */
export const areRefuted = ({ numbers, date }: Forms): boolean =>
  (date?.column.isRefuted() ?? false) || [...numbers.values()].some(isRefuted)

/** What is in doubt, column by column. */
export const doubtsOf = ({ numbers, date }: Forms): Issue[] =>
  [...(date ? [date.column] : []), ...numbers.values()].flatMap((column) => {
    const message = column.doubt()
    return message === undefined ? [] : [{ field: column.name, message }]
  })

/** Stops where two ways of reading a column fit all of its cells and say different things. */
export const mustBeSettled = (forms: Forms): void => {
  const issues = doubtsOf(forms)
  if (issues.length === 0) return
  throw new KpiError('malformed', 'it cannot be told how numbers or dates are written; nothing was sent', { issues })
}

/** The forms that cells have shown, to read the file by. */
export const settledBy = (forms: Forms, plan: Plan, options: ImportOptions): Forms => {
  const signs = new Map([...forms.numbers].map(([at, column]) => [at, column.proven() ?? '.'] as const))
  return createForms(plan, options, { signs, format: forms.date?.column.proven()?.format })
}

/** The flags that say how a file is written, where that is not plain: a small file may not show it by itself. */
export const formFlags = ({ numbers, date }: Forms): { decimal?: DecimalSign; dateFormat?: string } => {
  const signs = new Set([...numbers.values()].flatMap((column) => column.proven() ?? []))
  const [sign, ...others] = signs
  const proven = date?.column.proven()
  return {
    ...(sign === ',' && others.length === 0 ? { decimal: sign } : {}),
    ...(proven?.isOnly && proven.format !== PLAIN_FORMAT ? { dateFormat: proven.format.text } : {}),
  }
}

/** What is worth a word of how numbers are written, though all of them are read. */
export const remarksOn = ({ numbers }: Forms): string[] => [...numbers.values()].flatMap((column) => column.remarks())
