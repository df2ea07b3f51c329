import { didYouMeanName, nearest } from '../../../../client/nearest.ts'
import { isObject } from '../../../../codec/json.ts'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { KpiError } from '../../../../domain/errors.ts'
import { fileErrorReason, systemCode } from '../../../../files/file-error.ts'
import { readRegularFile } from '../../../../files/read-file.ts'
import { requirePlainPlace } from '../../../../files/place.ts'
import { replaceFile } from '../../../../files/replace-file.ts'
import type { ColumnPlan } from '../../../../reading/columns/columns.ts'
import { type ColumnFormats, reusableFlags } from '../../../../reading/detect/column-formats.ts'
import type { ParsedFormat } from '../../../../tabular/source/table.ts'
import { camelCase, kebabCase } from '../../../args/flags.ts'
import type { Cli } from '../../../cli.ts'
import { UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'
import { configFolder, makeFolder } from '../../../target/folders.ts'
import type { ImportFlags } from '../import-command.ts'
import { mapOf } from './options.ts'
import type { ParsedOptions } from './parsed-options.ts'
import { SAVED_FLAGS, type SettledFile } from './saved-flags.ts'

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
  const others =
    names.length === 0 ? '; none is saved yet; save one with --save-mapping NAME' : `; there are ${names.join(', ')}`
  return new UsageError(`there is no mapping "${name}"${didYouMeanName(nearest(name, names), others)}`)
}

const SAVED_BY_NAME = new Map([...SAVED_FLAGS].map(([flag, saved]) => [kebabCase(flag), saved]))

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
  const wrong = Object.entries(json).filter(([name, value]) => !SAVED_BY_NAME.get(name)?.isValid(value))
  if (wrong.length > 0) throw bad(`says what is not understood of ${wrong.map(([name]) => name).join(', ')}`)
  return json
}

/** Reads a mapping that was saved. */
const readMapping = (io: Io, name: string): Mapping => {
  const path = pathOf(io, mappingName(name))
  let text: string
  try {
    text = readRegularFile(path).toString()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw noMapping(io, name)
    throw new KpiError('unusable', `cannot read the mapping ${path}: ${fileErrorReason(error)}`, { cause: error })
  }
  return parse(path, text)
}

/** Saves a mapping under a name, atomically and readable by its owner alone. */
const writeMapping = (io: Io, name: string, mapping: Mapping): void => {
  const path = pathOf(io, mappingName(name))
  makeFolder(folderOf(io), 'folder of mappings')
  try {
    requirePlainPlace(path)
    replaceFile(path, `${JSON.stringify(mapping, null, 2)}\n`)
  } catch (error) {
    throw new KpiError('unusable', `cannot write the mapping ${path}: ${fileErrorReason(error)}`, { cause: error })
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

/** Returns the value of a flag that says what a mapping holds. */
const flagValueOf = (saved: unknown): unknown => {
  if (Array.isArray(saved)) return saved.map((one) => quoted(String(one)))
  return isObject(saved) ? Object.entries(saved).map(([name, value]) => quoted(`${name}=${String(value)}`)) : saved
}

/** Lists the flags whose values on the line are added to those of the mapping. */
const ADDED = ['map', 'mapKpi', 'ignore'] as const

/** Returns the flags of a line, completed by those of the mapping that it names. */
export const applyMapping = (io: Io, given: ImportFlags): ImportFlags => {
  const name = given.mapping
  if (name === undefined) return given
  const mapping = withoutGiven(readMapping(io, name), given)
  const saved: ImportFlags = Object.fromEntries(
    Object.entries(mapping).map(([flag, value]) => [camelCase(flag), flagValueOf(value)]),
  )
  const added = ADDED.filter((flag) => saved[flag] && given[flag])
  const both = added.map((flag) => [flag, [...(saved[flag] ?? []), ...(given[flag] ?? [])]])
  return { ...saved, ...given, ...Object.fromEntries(both) }
}

/** Returns the mapping by which the next file of the same kind is read like this one. */
const mappingOf = (file: SettledFile): Mapping => {
  const values = [...SAVED_FLAGS].map(([flag, { valueOf }]) => [kebabCase(flag), valueOf(file)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
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
