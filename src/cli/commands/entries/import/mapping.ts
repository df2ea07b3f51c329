import { isObject } from '../../../../codec/json.ts'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearest } from '../../../../client/directory.ts'
import { KpiError } from '../../../../domain/errors.ts'
import type { ColumnPlan } from '../../../../import/columns/columns.ts'
import { type FormatFlags, reusableFlags } from '../../../../import/detect/column-formats.ts'
import type { ColumnFormats } from '../../../../import/detect/survey.ts'
import {
  DECIMALS,
  ENCODINGS,
  type ImportOptions,
  LAYOUTS,
  NAME_ROLES,
  type NameRole,
  type NumbersAs,
  ON_DUPLICATE,
  PERIOD_DATES,
  type Role,
  ROLES,
  delimiterName,
  DELIMITERS,
} from '../../../../import/options.ts'
import type { ParsedFormat, RequestedFormat } from '../../../../import/parse/table.ts'
import { camelCase } from '../../../args/flags.ts'
import type { Cli } from '../../../cli.ts'
import { UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'
import { configFolder, makeFolder } from '../../../target/folders.ts'
import type { ImportFlags } from '../import-command.ts'
import { mapOf } from './options.ts'
import type { ParsedOptions } from './parsed-options.ts'

/** Describes how a file is read, as the flags of the same names say it; `map` is by roles. */
type Mapping = Readonly<Record<string, unknown>>

const NAME = /^[a-z0-9_-]{1,40}$/

/** Returns the name of a mapping, which is that of a file. */
export const mappingName = (name: string): string => {
  if (NAME.test(name)) return name
  throw new UsageError(
    `"${name}" cannot be the name of a mapping: use small letters, digits, - and _, at most 40 of them`,
  )
}

const folderOf = (io: Io): string => join(configFolder(io), 'mappings')

const pathOf = (io: Io, name: string): string => join(folderOf(io), `${name}.json`)

const namesIn = (io: Io): string[] => {
  try {
    return readdirSync(folderOf(io))
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .toSorted()
  } catch {
    return []
  }
}

const noMapping = (io: Io, name: string): UsageError => {
  const names = namesIn(io)
  const near = nearest(name, names)
  const others =
    names.length === 0 ? 'none is saved yet; save one with --save-mapping NAME' : `there are ${names.join(', ')}`
  return new UsageError(`there is no mapping "${name}"; ${near === undefined ? others : `did you mean "${near}"?`}`)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isOneOf =
  (choices: readonly string[]) =>
  (value: unknown): boolean =>
    choices.some((one) => one === value)
const isMap = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).every(([role, column]) => isOneOf(ROLES)(role) && isText(column))

const isNameRoles = (value: unknown): boolean => Array.isArray(value) && value.every(isOneOf(NAME_ROLES))

/** Defines the parts of a mapping, and the type of each. */
const PARTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  layout: isOneOf(LAYOUTS),
  map: isMap,
  ignore: isTexts,
  'by-id': isNameRoles,
  'by-name': isNameRoles,
  sheet: isText,
  user: isText,
  source: isText,
  kpi: isText,
  date: isText,
  separator: isOneOf(DELIMITERS.map(delimiterName)),
  encoding: isOneOf(ENCODINGS),
  'skip-lines': (value) => typeof value === 'string' && /^\d{1,6}$/.test(value),
  'ignore-rows': isTexts,
  decimal: isOneOf(DECIMALS),
  'date-format': isText,
  empty: isOneOf(['keep', 'clear']),
  strict: (value) => typeof value === 'boolean',
  'on-duplicate': isOneOf(ON_DUPLICATE),
  'period-dates': isOneOf(PERIOD_DATES),
}

const parse = (path: string, text: string): Mapping => {
  const bad = (why: string): KpiError =>
    new KpiError('malformed', `the mapping ${path} ${why}; fix it or save it again`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new KpiError('malformed', bad('is not JSON').message, { cause: error })
  }
  if (!isObject(json)) throw bad('is not an object')
  const wrong = Object.entries(json).filter(([name, value]) => !Object.hasOwn(PARTS, name) || !PARTS[name]?.(value))
  if (wrong.length > 0) throw bad(`says what is not understood of ${wrong.map(([name]) => name).join(', ')}`)
  return json
}

/** Reads a mapping that was saved. */
const readMapping = (io: Io, name: string): Mapping => {
  const path = pathOf(io, mappingName(name))
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw noMapping(io, name)
    throw new KpiError('unusable', `cannot read the mapping ${path}: ${String(error)}`, { cause: error })
  }
  return parse(path, text)
}

/** Saves a mapping under a name, atomically and readable by its owner alone. */
const writeMapping = (io: Io, name: string, mapping: Mapping): void => {
  const path = pathOf(io, mappingName(name))
  makeFolder(folderOf(io), 'folder of mappings')
  const beside = `${path}.${Buffer.from(io.random(6)).toString('hex')}`
  try {
    writeFileSync(beside, `${JSON.stringify(mapping, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(beside, path)
  } catch (error) {
    throw new KpiError('unusable', `cannot write the mapping ${path}: ${String(error)}`, { cause: error })
  }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Lists the roles that a flag of the same name can give to all rows. */
const CONSTANTS = ['user', 'source', 'kpi', 'date'] as const

/** Returns a mapping without what flags override: a constant replaces a column, and a column a constant. */
const withoutGiven = (mapping: Mapping, given: ImportFlags): Mapping => {
  const givenRoles = new Set<string>([
    ...mapOf(given.map).keys(),
    ...CONSTANTS.filter((role) => given[role] !== undefined),
  ])
  // A constant names the owner of all entries.
  if (given.source !== undefined) givenRoles.add('user')
  if (given.user !== undefined) givenRoles.add('source')
  const isLeft = ([name]: readonly [string, unknown]): boolean => !givenRoles.has(name)
  const map = isObject(mapping['map']) ? Object.fromEntries(Object.entries(mapping['map']).filter(isLeft)) : {}
  return Object.fromEntries(Object.entries({ ...mapping, map }).filter(isLeft))
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Returns the flags of a line, completed by those of the mapping that it names. */
export const applyMapping = (io: Io, given: ImportFlags): ImportFlags => {
  const name = given.mapping
  if (name === undefined) return given
  const { map, ignore, 'ignore-rows': rows, ...others } = withoutGiven(readMapping(io, name), given)
  const columns = Object.entries(isObject(map) ? map : {}).map(([role, column]) => `${role}=${quoted(String(column))}`)
  const [ignored, ignoredRows] = [ignore, rows].map((texts) => listOf(texts).map((text) => quoted(String(text))))
  return {
    ...Object.fromEntries(Object.entries(others).map(([flag, value]) => [camelCase(flag), value])),
    ...(rows !== undefined && ignoredRows && { ignoreRows: ignoredRows }),
    ...given,
    map: [...columns, ...(given.map ?? [])],
    ignore: [...(ignored ?? []), ...(given.ignore ?? [])],
  }
}

/** Describes what was settled of a file: by flags, and by evidence. */
type SettledFile = {
  readonly options: ImportOptions
  readonly reading: ParsedFormat
  /** Holds what the flags say of the rows. */
  readonly asked: RequestedFormat
  readonly plan: ColumnPlan
  readonly formats: FormatFlags
  /** Holds the date of all rows as it was given: `yesterday` is another day tomorrow. */
  readonly date: string | undefined
}

/** Names the encoding that is assumed without evidence; it is not saved, as it says nothing of the next file. */
const ASSUMED_ENCODING = 'utf-8'

const nameOfColumn = ({ header }: ColumnPlan, at: number): string => {
  const name = header[at]?.trim() ?? ''
  const isOnly = header.filter((one) => one.trim() === name).length === 1
  return name !== '' && isOnly ? name : `#${at + 1}`
}

const rolesWith = ({ numbersAs = new Map() }: ImportOptions, as: NumbersAs): NameRole[] | undefined => {
  const roles = [...numbersAs].flatMap(([role, one]) => (one === as ? [role] : []))
  return roles.length > 0 ? roles : undefined
}

/** Returns the mapping by which the next file of the same kind is read like this one. */
const mappingOf = ({ options, reading, asked, plan, formats, date }: SettledFile): Mapping => {
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
    sheet: reading.cellsOf === 'workbook' ? asked.sheet : undefined,
    separator: reading.cellsOf === undefined && plan.header.length > 1 ? delimiterName(reading.separator) : undefined,
    encoding: reading.encoding === ASSUMED_ENCODING ? undefined : reading.encoding,
    'skip-lines': asked.skipLines === undefined ? undefined : String(asked.skipLines),
    'ignore-rows': asked.ignoreRows,
    decimal: options.decimal ?? formats.decimal,
    'date-format': options.dateFormat ?? formats.dateFormat,
    empty: options.clearEmpty ? 'clear' : undefined,
    strict: options.strict || undefined,
    'on-duplicate': options.onDuplicate === 'error' ? undefined : options.onDuplicate,
    'period-dates': options.periodDates,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Saves how a file is read, if --save-mapping is given. */
export const saveMapping = (
  { io, note }: Cli,
  { saveMapping: name, options, reading: asked, saidDate }: ParsedOptions,
  {
    plan,
    formats,
    reading,
  }: { readonly plan: ColumnPlan; readonly formats: ColumnFormats; readonly reading: ParsedFormat },
): void => {
  if (name === undefined) return
  writeMapping(io, name, mappingOf({ options, plan, reading, asked, formats: reusableFlags(formats), date: saidDate }))
  void note(`saved how the file is read; use it with --mapping ${name}`)
}
