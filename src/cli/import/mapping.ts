import type { Plan } from '../../load/columns/columns.ts'
import type { FormFlags } from '../../load/forms/forms.ts'
import {
  type ImportOptions,
  type NameRole,
  type NumbersAs,
  type Role,
  ROLES,
  separatorName,
} from '../../load/options.ts'
import type { Reading } from '../../load/reading/table.ts'
import { camelCase, type FlagValues } from '../flags.ts'
import type { Io } from '../io.ts'
import { isRecord, type Mapping, readMapping } from './mapping-file.ts'
import { mapOf } from './options.ts'

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** What a mapping says of a role stands back where a flag says it: a column for a constant, and the other way round. */
const withoutGiven = (mapping: Mapping, given: FlagValues): Mapping => {
  const said = new Set<string>([...mapOf(given['map']).keys(), ...ROLES.filter((role) => given[role] !== undefined)])
  // A constant says whom all entries belong to.
  if (given['source'] !== undefined) said.add('user')
  if (given['user'] !== undefined) said.add('source')
  const isLeft = ([name]: readonly [string, unknown]): boolean => !said.has(name)
  const map = isRecord(mapping['map']) ? Object.fromEntries(Object.entries(mapping['map']).filter(isLeft)) : {}
  return Object.fromEntries(Object.entries({ ...mapping, map }).filter(isLeft))
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The flags of a line, and under them those of the mapping that it names. */
export const withMapping = (io: Io, given: FlagValues): FlagValues => {
  const name = given['mapping']
  if (typeof name !== 'string') return given
  const { map, ignore, ...others } = withoutGiven(readMapping(io, name), given)
  const columns = Object.entries(isRecord(map) ? map : {}).map(([role, column]) => `${role}=${quoted(String(column))}`)
  const ignored = listOf(ignore).map((column) => quoted(String(column)))
  return {
    ...Object.fromEntries(Object.entries(others).map(([flag, value]) => [camelCase(flag), value])),
    ...given,
    map: [...columns, ...listOf(given['map'])],
    ignore: [...ignored, ...listOf(given['ignore'])],
  }
}

/** What was settled of a file: what was said, and what was found out. */
export type SettledFile = {
  readonly options: ImportOptions
  readonly reading: Reading
  readonly plan: Plan
  readonly forms: FormFlags
  /** The date of all rows as it was said: yesterday is another day tomorrow. */
  readonly date: string | undefined
}

/** What is found out only where letters show it, so that a file without such letters says nothing of the next one. */
const ASSUMED_ENCODING = 'utf-8'

const nameOfColumn = ({ header }: Plan, at: number): string => {
  const name = header[at]?.trim() ?? ''
  const isOnly = header.filter((one) => one.trim() === name).length === 1
  return name !== '' && isOnly ? name : `#${at + 1}`
}

const rolesWith = ({ numbersAs = new Map() }: ImportOptions, as: NumbersAs): NameRole[] | undefined => {
  const roles = [...numbersAs].flatMap(([role, one]) => (one === as ? [role] : []))
  return roles.length > 0 ? roles : undefined
}

/** The mapping by which the next file of the kind is read as this one was. */
export const mappingOf = ({ options, reading, plan, forms, date }: SettledFile): Mapping => {
  const map = [...plan.roles].map(([role, at]): [Role, string] => [role, nameOfColumn(plan, at)])
  const all: Mapping = {
    layout: plan.wide ? 'wide' : 'long',
    map: Object.fromEntries(map),
    ignore: options.ignore.length > 0 ? options.ignore : undefined,
    'by-id': rolesWith(options, 'ids'),
    'by-name': rolesWith(options, 'names'),
    user: options.user,
    source: options.source,
    kpi: options.kpi,
    date,
    separator: plan.header.length > 1 ? separatorName(reading.separator) : undefined,
    encoding: reading.encoding === ASSUMED_ENCODING ? undefined : reading.encoding,
    decimal: options.decimal ?? forms.decimal,
    'date-format': options.dateFormat ?? forms.dateFormat,
    empty: options.clearEmpty ? 'clear' : undefined,
    strict: options.strict || undefined,
    'on-duplicate': options.onDuplicate === 'error' ? undefined : options.onDuplicate,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
