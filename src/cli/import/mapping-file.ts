import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearest } from '../../client/directory.ts'
import { KpiError } from '../../domain/errors.ts'
import {
  DECIMALS,
  ENCODINGS,
  LAYOUTS,
  NAME_ROLES,
  ON_DUPLICATE,
  ROLES,
  separatorName,
  SEPARATORS,
} from '../../load/options.ts'
import { UsageError } from '../exit.ts'
import { configFolder, makeFolder } from '../folders.ts'
import type { Io } from '../io.ts'

/** How a file is read, as the flags of the same names say it; `map` is by roles. */
export type Mapping = Readonly<Record<string, unknown>>

const NAME = /^[a-z0-9_-]{1,40}$/

/** The name of a mapping, which is that of a file. */
export const mappingName = (name: string): string => {
  if (NAME.test(name)) return name
  throw new UsageError(`"${name}" is no name of a mapping: small letters, digits, - and _, at most 40`)
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

/** Whether JSON is an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isOneOf =
  (choices: readonly string[]) =>
  (value: unknown): boolean =>
    choices.some((one) => one === value)
const isMap = (value: unknown): boolean =>
  isRecord(value) && Object.entries(value).every(([role, column]) => isOneOf(ROLES)(role) && isText(column))

const isNameRoles = (value: unknown): boolean => Array.isArray(value) && value.every(isOneOf(NAME_ROLES))

/** What a mapping may say, and what each of it has to be. */
const PARTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  layout: isOneOf(LAYOUTS),
  map: isMap,
  ignore: isTexts,
  'by-id': isNameRoles,
  'by-name': isNameRoles,
  user: isText,
  source: isText,
  kpi: isText,
  date: isText,
  separator: isOneOf(SEPARATORS.map(separatorName)),
  encoding: isOneOf(ENCODINGS),
  decimal: isOneOf(DECIMALS),
  'date-format': isText,
  empty: isOneOf(['keep', 'clear']),
  strict: (value) => typeof value === 'boolean',
  'on-duplicate': isOneOf(ON_DUPLICATE),
}

const parse = (path: string, text: string): Mapping => {
  const bad = (why: string): KpiError =>
    new KpiError('malformed', `the mapping ${path} ${why}; mend it or save it anew`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new KpiError('malformed', bad('is not JSON').message, { cause: error })
  }
  if (!isRecord(json)) throw bad('is not an object')
  const wrong = Object.entries(json).filter(([name, value]) => !Object.hasOwn(PARTS, name) || !PARTS[name]?.(value))
  if (wrong.length > 0) throw bad(`says what is not understood of ${wrong.map(([name]) => name).join(', ')}`)
  return json
}

/** Reads a mapping that was saved. */
export const readMapping = (io: Io, name: string): Mapping => {
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

/** Keeps a mapping under a name, for its owner alone, and never half of it. */
export const writeMapping = (io: Io, name: string, mapping: Mapping): void => {
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
