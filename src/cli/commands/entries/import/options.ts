import type { Day } from '../../../../domain/day.ts'
import { scaleNamed } from '../../../../domain/numbers/scales.ts'
import { Fault } from '../../../../domain/errors.ts'
import { choiceOf } from '../../../../domain/field-value.ts'
import type { Frequency } from '../../../../domain/period.ts'
import { kpi } from '../../../../domain/resources/kpi.ts'
import { dateFormat, readDateCell } from '../../../../reading/formats/date-format.ts'
import {
  CREATABLE,
  type Creatable,
  type Creation,
  type ImportOptions,
  type MaxErrors,
  NAME_ROLES,
  type NumbersAs,
  OTHER_KPIS,
  PERCENT_AS,
  type PercentAs,
  type Role,
  ROLES,
} from '../../../../reading/options/options.ts'
import { sayChoices } from '../../../args/choices.ts'
import { kebabCase } from '../../../args/flags.ts'
import { namesIn, splitList } from '../../../args/names.ts'
import { isPeriodWord, parseRelativeDate } from '../../../args/relative-dates.ts'
import { UsageError } from '../../../exit.ts'
import { shellWord } from '../../../output/text.ts'
import type { ImportFlags } from '../import-command.ts'

/** Reads `--rate`: the most requests in a minute. */
export const readRate = (given: string | undefined): number | undefined => {
  const text = given?.trim()
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--rate ${text} is not a number of requests a minute; write 60`)
}

/** Returns the parts of a flag that takes a list and may be repeated. */
export const listOf = (values: readonly string[] = []): string[] => values.flatMap((value) => splitList(value))

/** Returns the columns that `--map` names, by their roles. */
export const mapOf = (values: readonly string[] | undefined): Map<Role, string> => columnsByRole(values, ROLES)

/** Returns the columns that `--map` names, by roles of which it may name these. */
export const columnsByRole = <R extends string>(
  values: readonly string[] | undefined,
  roles: readonly R[],
  findOther: (name: string) => R | undefined = () => undefined,
  others = '',
): Map<R, string> => {
  const map = new Map<R, string>()
  for (const part of values ? namesIn('--map', ...values) : []) {
    const [name = '', ...column] = part.split('=')
    const role = roles.find((one) => one === name.trim()) ?? findOther(name.trim())
    if (!role || column.length === 0) {
      throw new UsageError(`--map ${part} is not one of ${roles.map((one) => `${one}=COLUMN`).join(', ')}${others}`)
    }
    map.set(role, column.join('=').trim())
  }
  return map
}

/** Returns what numbers are in the columns that `--by-id` and `--by-name` name, by their roles. */
export const numbersAsOf = <R extends string>(
  flags: Pick<ImportFlags, 'byId' | 'byName'>,
  roles: readonly R[],
  namedRoles = roles,
): Map<R, NumbersAs> | undefined => {
  const all = new Map<R, NumbersAs>()
  for (const [flag, as] of [
    ['byId', 'ids'],
    ['byName', 'names'],
  ] as const) {
    const [given, option] = [flags[flag], as === 'ids' ? '--by-id' : '--by-name']
    for (const name of given ? namesIn(option, ...given) : []) {
      const known = as === 'ids' ? roles : namedRoles
      const role = known.find((one) => one === name.trim())
      if (!role) throw new UsageError(`${option} ${name} is not one of ${known.join(', ')}`)
      if ((all.get(role) ?? as) !== as) throw new UsageError(`--by-id ${role} does not go with --by-name ${role}`)
      all.set(role, as)
    }
  }
  return all.size > 0 ? all : undefined
}

/** Returns the date of all rows, and the word for it; a date that does not exist is refused without reading the file. */
const dateOf = (given: string | undefined, today: Day): Pick<ImportOptions, 'date' | 'dateWord'> => {
  const text = given?.trim()
  if (text !== undefined && isPeriodWord(text)) {
    throw new UsageError(
      `--date ${shellWord(text)} is a period; write a day of it, and --period-dates first for KPIs that are not daily`,
    )
  }
  const date = text === undefined ? undefined : parseRelativeDate(text, today)
  const day = date === undefined ? undefined : readDateCell(date)
  if (day instanceof Fault) throw new UsageError(`--date ${day.message}`)
  return { date, ...(date !== text && { dateWord: text?.toLowerCase() }) }
}

/** Returns the year of dates without one; entries are of the years 1900 to 2199. */
const yearOf = (given: string | undefined): string | undefined => {
  const text = given?.trim()
  if (text === undefined || /^(?:19|20|21)\d{2}$/.test(text)) return text
  throw new UsageError(`--year ${shellWord(text)} is not a year from 1900 to 2199; write 2026`)
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

/** Returns the KPIs that `--map-kpi` names, by the texts in the file that mean them. */
const mapKpiOf = (values: readonly string[] | undefined): Map<string, string> | undefined => {
  if (values === undefined) return undefined
  const pairs = namesIn('--map-kpi', ...values).map((part): [string, string] => {
    const at = part.lastIndexOf('=')
    const [name, kpi] = [part.slice(0, at).trim(), part.slice(at + 1).trim()]
    if (at < 1 || name === '' || kpi === '') throw new UsageError(`--map-kpi ${part} is not HEADER=KPI`)
    return [name, kpi]
  })
  return new Map(pairs)
}

/** Returns what `--percent` says of all percentage KPIs, or of those that it names: `fraction=A %,B %`. */
const percentOf = (values: readonly string[] | undefined): Map<string, PercentAs> | undefined => {
  if (values === undefined) return undefined
  const all = new Map<string, PercentAs>()
  const say = (kpi: string, as: PercentAs): void => {
    if ((all.get(kpi) ?? as) !== as) throw new UsageError(`--percent says as-is and fraction of the same KPIs`)
    all.set(kpi, as)
  }
  for (const value of values) {
    let named: PercentAs | undefined
    for (const part of namesIn('--percent', value)) {
      const [word = '', ...rest] = part.split('=')
      const [as, kpi] = [PERCENT_AS.find((one) => one === word.trim()), rest.join('=').trim()]
      if (as !== undefined) say(kpi === '' ? OTHER_KPIS : kpi, as)
      else if (named === undefined) throw new UsageError(`--percent ${part} is not as-is, fraction or fraction=KPI`)
      else say(part.trim(), named)
      if (as !== undefined) named = kpi === '' ? undefined : as
    }
  }
  return all
}

/** Returns what `--scale` says of words: `Cr=crore,M=1000`. */
const scaleOf = (values: readonly string[] | undefined): Map<string, string> | undefined =>
  values &&
  new Map(
    namesIn('--scale', ...values).map((part): [string, string] => {
      const at = part.lastIndexOf('=')
      const [word, text] = [part.slice(0, at).trim(), part.slice(at + 1).trim()]
      if (at < 1 || word === '') throw new UsageError(`--scale ${part} is not WORD=SCALE, such as Cr=crore`)
      const scale = scaleNamed(text)
      if (scale instanceof Fault) throw new UsageError(`--scale ${word}=${text} ${scale.message}`)
      return [word, text.toLowerCase()]
    }),
  )

/** Returns the frequency of new KPIs, given as a letter or a word. */
const frequencyOf = (given: string | undefined): Frequency | undefined => {
  if (given === undefined) return undefined
  const { frequency_id } = kpi.fields
  const found = frequency_id.oneOf.find((one) => one === choiceOf(frequency_id, given))
  if (found) return found
  throw new UsageError(`--frequency must be ${sayChoices(frequency_id, given)}`)
}

const CREATABLES = ['all', ...CREATABLE] as const

/** Returns the kinds of things that `--create-missing` names; all if it names none, or says so. */
const kindsOf = (given: readonly string[] | true): Set<Creatable> => {
  if (given === true) return new Set(CREATABLE)
  const kinds = namesIn('--create-missing', ...given).flatMap((name) => {
    const kind = CREATABLES.find((one) => one === name.trim().toLowerCase())
    if (!kind) throw new UsageError(`--create-missing ${name.trim()} is not one of ${CREATABLES.join(', ')}`)
    return kind === 'all' ? CREATABLE : kind
  })
  return new Set(kinds)
}

const NAME_PARTS: ReadonlySet<string> = new Set(['{name}', '{first}', '{last}', '{initial}'])

/** Refuses a pattern of e-mail addresses that has nothing of a name, or something else, or makes none. */
export const requireEmailPattern = (pattern: string | undefined): void => {
  const parts = pattern?.match(/\{[^{}]*\}/g) ?? []
  const other = parts.find((part) => !NAME_PARTS.has(part))
  if (other !== undefined)
    throw new UsageError(`--email-pattern ${pattern}: ${other} is none of ${[...NAME_PARTS].join(', ')}`)
  if (pattern !== undefined && !(parts.length > 0 && pattern.includes('@')))
    throw new UsageError(
      `--email-pattern ${pattern} needs {name}, {first}, {last} or {initial}, and an @: '{name}@example.com'`,
    )
}

/** Lists flags that say how things are created, and so need `--create-missing`. */
const OF_CREATION = ['emailPattern', 'frequency', 'unit', 'category', 'group'] as const

/** Returns what is created if the service does not have it. */
const creationOf = (flags: ImportFlags): Creation | undefined => {
  const { createMissing, emailPattern, unit, category, group } = flags
  if (createMissing === undefined) {
    const stray = OF_CREATION.find((name) => flags[name] !== undefined)
    if (stray) throw new UsageError(`--${kebabCase(stray)} needs --create-missing`)
    return undefined
  }
  requireEmailPattern(emailPattern)
  return { kinds: kindsOf(createMissing), emailPattern, frequency: frequencyOf(flags.frequency), unit, category, group }
}

/** Returns what the flags of an import say. */
export const importOptions = (flags: ImportFlags, today: Day): ImportOptions => ({
  layout: flags.layout,
  map: mapOf(flags.map),
  ignore: flags.ignore ? namesIn('--ignore', ...flags.ignore) : [],
  columns: flags.columns && namesIn('--columns', ...flags.columns),
  ignoreRows: flags.ignoreRows && listOf(flags.ignoreRows),
  mapKpi: mapKpiOf(flags.mapKpi),
  as: flags.as,
  upperRow: flags.upperRow,
  create: creationOf(flags),
  user: flags.user,
  source: flags.source,
  kpi: flags.kpi,
  numbersAs: numbersAsOf(flags, NAME_ROLES),
  ...dateOf(flags.date, today),
  year: yearOf(flags.year),
  clearEmpty: flags.empty === 'clear',
  missing: flags.missing && new Set(listOf(flags.missing).map((word) => word.trim().toLowerCase())),
  booleans: flags.booleans,
  time: flags.time,
  percent: percentOf(flags.percent),
  scale: scaleOf(flags.scale),
  strict: flags.strict === true,
  onDuplicate: flags.onDuplicate ?? 'error',
  periodDates: flags.periodDates,
  createAssignments: flags.createAssignments === true,
  decimal: flags.decimal,
  dateFormat: dateFormatOf(flags.dateFormat),
  onConflict: flags.onConflict ?? 'update',
  onlyChanges: flags.onlyChanges === true,
  maxErrors: maxErrorsOf(flags.maxErrors),
  addAgain: flags.addAgain === true,
})
