import type { Day } from '../../../../domain/day.ts'
import { Fault } from '../../../../domain/errors.ts'
import { dateFormat, readDateCell } from '../../../../import/formats/date-format.ts'
import {
  type ImportOptions,
  type MaxErrors,
  NAME_ROLES,
  type NameRole,
  type NumbersAs,
  type Role,
  ROLES,
} from '../../../../import/options.ts'
import { splitList } from '../../../args/names.ts'
import { parseRelativeDate } from '../../../args/relative-dates.ts'
import { UsageError } from '../../../exit.ts'
import type { ImportFlags } from '../import-command.ts'

/** Reads `--rate`: the most requests in a minute. */
export const readRate = (given: string | undefined): number | undefined => {
  const text = given?.trim()
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--rate ${text} is not a number of requests a minute; write 60`)
}

const listOf = (values: readonly string[] = []): string[] => values.flatMap((value) => splitList(value))

/** Returns the columns that `--map` names, by their roles. */
export const mapOf = (values: readonly string[] | undefined): Map<Role, string> => {
  const map = new Map<Role, string>()
  for (const part of listOf(values)) {
    const [name = '', ...column] = part.split('=')
    const role = ROLES.find((one) => one === name.trim())
    if (!role || column.length === 0) {
      throw new UsageError(`--map ${part} is not one of ${ROLES.map((one) => `${one}=COLUMN`).join(', ')}`)
    }
    map.set(role, column.join('=').trim())
  }
  return map
}

/** Returns what numbers are in the columns that `--by-id` and `--by-name` name. */
const numbersAsOf = (flags: ImportFlags): Map<NameRole, NumbersAs> | undefined => {
  const all = new Map<NameRole, NumbersAs>()
  for (const [flag, as] of [
    ['byId', 'ids'],
    ['byName', 'names'],
  ] as const) {
    for (const name of listOf(flags[flag])) {
      const role = NAME_ROLES.find((one) => one === name.trim())
      const option = as === 'ids' ? '--by-id' : '--by-name'
      if (!role) throw new UsageError(`${option} ${name} is not one of ${NAME_ROLES.join(', ')}`)
      if ((all.get(role) ?? as) !== as) throw new UsageError(`--by-id ${role} does not go with --by-name ${role}`)
      all.set(role, as)
    }
  }
  return all.size > 0 ? all : undefined
}

/** Returns the date of all rows; a date that does not exist is refused without reading the file. */
const dateOf = (given: string | undefined, today: Day): string | undefined => {
  const text = given?.trim()
  const date = text === undefined ? undefined : parseRelativeDate(text, today)
  const day = date === undefined ? undefined : readDateCell(date)
  if (day instanceof Fault) throw new UsageError(`--date ${day.message}`)
  return date
}

/** Returns the date format; one that is no format is refused without reading the file. */
const dateFormatOf = (given: string | undefined): string | undefined => {
  const text = given?.trim()
  const format = text === undefined ? undefined : dateFormat(text)
  if (format instanceof Fault) throw new UsageError(`--date-format ${format.message}`)
  return text
}

/** Returns the limit of `--max-errors`: `100`, or `5%` of the rows. */
const maxErrorsOf = (text: string | undefined): MaxErrors | undefined => {
  if (text === undefined) return undefined
  const [, number, percent] = /^(\d{1,9})(%?)$/.exec(text.trim()) ?? []
  if (number === undefined || (percent && Number(number) > 100)) {
    throw new UsageError(`--max-errors ${text} is neither a number of rows nor a share of them; write 100 or 5%`)
  }
  return percent ? { percent: Number(number) } : { count: Number(number) }
}

/** Returns what the flags of an import say. */
export const importOptions = (flags: ImportFlags, today: Day): ImportOptions => ({
  layout: flags.layout,
  map: mapOf(flags.map),
  ignore: listOf(flags.ignore),
  user: flags.user,
  source: flags.source,
  kpi: flags.kpi,
  numbersAs: numbersAsOf(flags),
  date: dateOf(flags.date, today),
  clearEmpty: flags.empty === 'clear',
  strict: flags.strict === true,
  onDuplicate: flags.onDuplicate ?? 'error',
  createAssignments: flags.createAssignments === true,
  decimal: flags.decimal,
  dateFormat: dateFormatOf(flags.dateFormat),
  onConflict: flags.onConflict ?? 'update',
  onlyChanges: flags.onlyChanges === true,
  maxErrors: maxErrorsOf(flags.maxErrors),
  addAgain: flags.addAgain === true,
})
