import { nearest, nearestOrAll } from '../../client/nearest.ts'
import { LineCounter, parseDocument } from 'yaml'
import { isObject } from '../../codec/json.ts'
import { firstSlip } from '../../codec/yaml-slips.ts'
import { FileFault, systemCode } from '../../files/file-error.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { Fault } from '../../domain/errors.ts'
import type { Io } from '../io.ts'
import { settingFault } from '../args/setting-fault.ts'
import { type ProjectFile, projectPaths } from './project.ts'
import { fieldName, PROJECT_SETTINGS } from './settings.ts'

/** Bounds the size of a project file, in characters: it holds a handful of settings. */
const MOST_CHARACTERS = 65_536
/** Bounds the faults that are told of a project file. */
const MOST_FAULTS = 5

const settings = new Map(PROJECT_SETTINGS.map((one) => [fieldName(one), one]))
const NAMES = [...settings.keys()]

/** Tells whether a name at the top of a YAML file is that of a setting. */
export const isSetting = (name: string): boolean => settings.has(name)

/** Matches names of settings that a folder of somebody else must not have: secrets, who logs in, and what is run. */
const NEVER = /token|secret|passw|key|auth|credential|login|command|proxy|ca_file/i

const faultOfName = (name: string): string => {
  if (NEVER.test(name))
    return `${name} cannot stand here: secrets, logins and commands belong in a profile (kpi profiles add)`
  return `there is no setting ${name}${nearestOrAll(name, NAMES)}`
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** Returns the key of a setting and its text, or its fault. */
const readSetting = (io: Io, name: string, value: unknown): readonly [key: string, text: string] | Fault => {
  const setting = settings.get(name)
  if (!setting) return new Fault(faultOfName(name))
  if (setting.valuesOfMap && !isObject(value))
    return new Fault(`${name} must be a map of names: write ${name}: { NAME: ${setting.valuesOfMap.join('|')} }`)
  if (!setting.valuesOfMap && !isScalar(value))
    return new Fault(`${name} has no value; write ${name}: VALUE, or leave it out`)
  const text = setting.valuesOfMap ? JSON.stringify(value) : String(value)
  const read = setting.read(text, io)
  if (read instanceof Fault) return new Fault(settingFault(name, text, read).message)
  return [setting.key, typeof read === 'string' ? read : text]
}

/** Bounds the names at the top that are judged: a configuration has fewer, and a file of settings as well. */
const MOST_NAMES = 100

/** Matches the beginning of a line that names something at the top of a YAML file. */
const TOP_NAME = /^["']?(\w[\w-]*)["']? *:/gm

/** Returns the first names at the top of a YAML file. */
const topNames = (text: string): string[] => {
  const names: string[] = []
  for (const [, name = ''] of text.matchAll(TOP_NAME)) {
    names.push(name)
    if (names.length === MOST_NAMES) break
  }
  return names
}

/**
 * Tells whether a file holds settings: one of its names is that of a setting, is like one, or is one that it must not
 * have. A configuration, as `kpi dump` writes it, may have the same file name, and has none of these.
 */
const holdsSettings = (text: string): boolean =>
  topNames(text).some((name) => NEVER.test(name) || nearest(name, NAMES) !== undefined)

const readSettings = (io: Io, text: string): Omit<ProjectFile, 'path'> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { logLevel: 'error', lineCounter: lines, prettyErrors: false })
  const slip = firstSlip({ source: text, lines }, [...document.errors, ...document.warnings])
  const faulty = slip ? [`line ${slip.line}, column ${slip.column}: ${slip.message}`] : []
  // Aliases multiply; a handful of settings needs none.
  const content: unknown = slip ? undefined : document.toJS({ maxAliasCount: 0 })
  if (!isObject(content)) return { settings: {}, faults: faulty }
  const read = Object.entries(content).map(([name, value]) => readSetting(io, name, value))
  const faults = read.flatMap((one) => (one instanceof Fault ? [one.message] : [])).slice(0, MOST_FAULTS)
  return { settings: Object.fromEntries(read.flatMap((one) => (one instanceof Fault ? [] : [one]))), faults }
}

const readFile = (io: Io, path: string): Omit<ProjectFile, 'path'> | undefined => {
  try {
    const text = readRegularFile(path).toString()
    if (!holdsSettings(text)) return undefined
    if (text.length > MOST_CHARACTERS) return { settings: {}, faults: ['it is too large for a file of settings'] }
    return readSettings(io, text)
  } catch (error) {
    if (error instanceof FileFault) return { settings: {}, faults: [error.message] }
    const code = systemCode(error) || 'it is no YAML of the form NAME: VALUE'
    // A folder of that name, or a file that went, says nothing.
    if (['EISDIR', 'ENOENT'].includes(code)) return undefined
    return { settings: {}, faults: [`it cannot be read (${code})`] }
  }
}

/** Reads the project file: the nearest `kpi.yaml` that holds settings. Throws nothing; its faults come with it. */
export const readProject = (io: Io): ProjectFile | undefined => {
  for (const path of projectPaths(io)) {
    const read = readFile(io, path)
    if (read) return { path, ...read }
  }
  return undefined
}
