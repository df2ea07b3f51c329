import type { Day } from '../../../../domain/day.ts'
import { Fault } from '../../../../domain/errors.ts'
import { dateFormat, readDateCell } from '../../../../import/formats/date-format.ts'
import {
  DECIMALS,
  type ImportOptions,
  LAYOUTS,
  type MaxErrors,
  NAME_ROLES,
  type NameRole,
  type NumbersAs,
  ON_CONFLICT,
  ON_DUPLICATE,
  type Role,
  ROLES,
} from '../../../../import/options.ts'
import type { FlagValues } from '../../../args/flags.ts'
import { splitList } from '../../../args/names.ts'
import { parseRelativeDate } from '../../../args/relative-dates.ts'
import { UsageError } from '../../../exit.ts'

/** Reads `--rate`: the most requests in a minute. */
export const readRate = (value: unknown): number | undefined => {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value.trim() : ''
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--rate ${text} is not a number of requests a minute; write 60`)
}

const listOf = (values: unknown): string[] =>
  Array.isArray(values) ? values.filter((value) => typeof value === 'string').flatMap(splitList) : []

/** Returns the columns that `--map` names, by their roles. */
export const mapOf = (values: unknown): Map<Role, string> => {
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
const numbersAsOf = (flags: FlagValues): Map<NameRole, NumbersAs> | undefined => {
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

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the date of all rows; a date that does not exist is refused without reading the file. */
const dateOf = (value: unknown, today: Day): string | undefined => {
  const text = textOf(value)?.trim()
  const date = text === undefined ? undefined : parseRelativeDate(text, today)
  const day = date === undefined ? undefined : readDateCell(date)
  if (day instanceof Fault) throw new UsageError(`--date ${day.message}`)
  return date
}

/** Returns the date format; one that is no format is refused without reading the file. */
const dateFormatOf = (value: unknown): string | undefined => {
  const text = textOf(value)?.trim()
  const format = text === undefined ? undefined : dateFormat(text)
  if (format instanceof Fault) throw new UsageError(`--date-format ${format.message}`)
  return text
}

/** Returns the limit of `--max-errors`: `100`, or `5%` of the rows. */
const maxErrorsOf = (value: unknown): MaxErrors | undefined => {
  const text = textOf(value)
  if (text === undefined) return undefined
  const [, number, percent] = /^(\d{1,9})(%?)$/.exec(text.trim()) ?? []
  if (number === undefined || (percent && Number(number) > 100)) {
    throw new UsageError(`--max-errors ${text} is neither a number of rows nor a share of them; write 100 or 5%`)
  }
  return percent ? { percent: Number(number) } : { count: Number(number) }
}

/** Returns what the flags of an import say. */
export const importOptions = (flags: FlagValues, today: Day): ImportOptions => ({
  layout: LAYOUTS.find((one) => one === flags['layout']),
  map: mapOf(flags['map']),
  ignore: listOf(flags['ignore']),
  user: textOf(flags['user']),
  source: textOf(flags['source']),
  kpi: textOf(flags['kpi']),
  numbersAs: numbersAsOf(flags),
  date: dateOf(flags['date'], today),
  clearEmpty: flags['empty'] === 'clear',
  strict: flags['strict'] === true,
  onDuplicate: ON_DUPLICATE.find((one) => one === flags['onDuplicate']) ?? 'error',
  createAssignments: flags['createAssignments'] === true,
  decimal: DECIMALS.find((one) => one === flags['decimal']),
  dateFormat: dateFormatOf(flags['dateFormat']),
  onConflict: ON_CONFLICT.find((one) => one === flags['onConflict']) ?? 'update',
  onlyChanges: flags['onlyChanges'] === true,
  maxErrors: maxErrorsOf(flags['maxErrors']),
  addAgain: flags['addAgain'] === true,
})
