import { nearest } from '../../client/nearest.ts'
import { parseDocument } from 'yaml'
import { isObject } from '../../codec/json.ts'
import { FileFault, systemCode } from '../../files/file-error.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { Fault } from '../../domain/errors.ts'
import type { Io } from '../io.ts'
import { type Format, FORMATS } from '../output/print.ts'
import { readBaseUrl } from './base-url.ts'
import { readMonth, readWeekStart } from './calendar-settings.ts'
import { type ProjectFile, projectPaths, type ProjectSettings } from './project.ts'
import { timeZoneNamed } from './time-zone.ts'

/** Bounds the size of a project file, in characters: it holds a handful of settings. */
const MOST_CHARACTERS = 65_536
/** Bounds the faults that are told of a project file. */
const MOST_FAULTS = 5

const readFormat = (text: string): Format | Fault =>
  FORMATS.find((one) => one === text) ?? new Fault(`is no output format; there are ${FORMATS.join(', ')}`)

const readUrl = (text: string): string | Fault => {
  try {
    return readBaseUrl(text).href.replace(/\/$/, '')
  } catch (error) {
    return new Fault(error instanceof Error ? error.message : String(error))
  }
}

const readZone = (text: string): string | Fault => {
  const zone = timeZoneNamed(text)
  return zone instanceof Fault ? zone : text
}

/** Describes each setting: how its text is read. */
const SETTINGS: Readonly<Record<keyof ProjectSettings, (text: string) => unknown>> = {
  profile: (text) => text || new Fault('is empty'),
  base_url: readUrl,
  output: readFormat,
  time_zone: readZone,
  fiscal_year_start: readMonth,
  week_start: readWeekStart,
}
const settings = new Map(Object.entries(SETTINGS))
const NAMES = [...settings.keys()]

/** Tells whether a name at the top of a YAML file is that of a setting. */
export const isSetting = (name: string): boolean => settings.has(name)

/** Matches names of settings that a folder of somebody else must not have: secrets, who logs in, and what is run. */
const NEVER = /token|secret|passw|key|auth|credential|login|command|proxy|ca_file/i

const faultOfName = (name: string): string => {
  if (NEVER.test(name))
    return `${name} cannot stand here: secrets, logins and commands belong in a profile (kpi profiles add)`
  const near = nearest(name, NAMES)
  return `there is no setting ${name}; ${near === undefined ? `there are ${NAMES.join(', ')}` : `did you mean ${near}?`}`
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** Returns the value of a setting, or its fault; values of URLs are not repeated, as they may hold a secret. */
const readSetting = (name: string, value: unknown): unknown => {
  if (!settings.has(name)) return new Fault(faultOfName(name))
  if (!isScalar(value)) return new Fault(`${name} has no value; write ${name}: VALUE, or leave it out`)
  const read = settings.get(name)?.(String(value))
  return read instanceof Fault ? new Fault(`${name}: ${read.message}`) : read
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

const readSettings = (text: string): Omit<ProjectFile, 'path'> => {
  const document = parseDocument(text, { logLevel: 'error' })
  const wrong = [...document.errors, ...document.warnings].map(
    ({ linePos }) => `line ${linePos?.[0].line ?? 1} is no YAML of the form NAME: VALUE`,
  )
  // A line may have many faults, and one of them leads to others.
  const faulty = [...new Set(wrong)].slice(0, MOST_FAULTS)
  // Aliases multiply; a handful of settings needs none.
  const content: unknown = wrong.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 })
  if (!isObject(content)) return { settings: {}, faults: faulty }
  const read = Object.entries(content).map(([name, value]) => [name, readSetting(name, value)] as const)
  const faults = read.flatMap(([, value]) => (value instanceof Fault ? [value.message] : [])).slice(0, MOST_FAULTS)
  return { settings: Object.fromEntries(read.filter(([, value]) => !(value instanceof Fault))), faults }
}

const readFile = (path: string): Omit<ProjectFile, 'path'> | undefined => {
  try {
    const text = readRegularFile(path).toString()
    if (!holdsSettings(text)) return undefined
    if (text.length > MOST_CHARACTERS) return { settings: {}, faults: ['it is too large for a file of settings'] }
    return readSettings(text)
  } catch (error) {
    if (error instanceof FileFault) return { settings: {}, faults: [error.message] }
    const code = systemCode(error) || 'it is no YAML of the form NAME: VALUE'
    // A folder of that name, or a file that went, says nothing.
    if (['EISDIR', 'ENOENT'].includes(code)) return undefined
    return { settings: {}, faults: [`it cannot be read (${code})`] }
  }
}

/** Reads the project file: the nearest `kpi.yaml` that holds settings. Throws nothing; its faults come with it. */
export const readProject = (io: Pick<Io, 'cwd' | 'home'>): ProjectFile | undefined => {
  for (const path of projectPaths(io)) {
    const read = readFile(path)
    if (read) return { path, ...read }
  }
  return undefined
}
