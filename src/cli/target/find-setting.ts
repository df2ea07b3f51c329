import { Fault } from '../../domain/errors.ts'
import { settingFault } from '../args/setting-fault.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import type { LogFormat } from '../output/log.ts'
import { namedPlace, placeNamer } from './place.ts'
import { projectOf } from './project.ts'
import {
  fieldName,
  flagOf,
  flagOrVariable,
  type Found,
  type GlobalFlags,
  type Setting,
  SETTINGS,
  type SettingWithDefault,
  type Source,
} from './settings.ts'

const sourceIn = (text: string | undefined, from: string, setting: Setting<unknown>): Source | undefined =>
  text === undefined ? undefined : { text, from, as: `${from}: ${fieldName(setting)}` }

const inProject = (io: Io, setting: Setting<unknown>): Source | undefined => {
  if (!setting.sources.project || !io.project) return undefined
  const { [setting.key]: text } = setting.isForErrors ? io.project.settings : projectOf(io)
  return sourceIn(text, io.project.path, setting)
}

const inProfile = (io: Io, flags: GlobalFlags, setting: Setting<unknown>): Source | undefined => {
  if (!setting.sources.profile) return undefined
  try {
    const named = namedPlace(io, flags)
    return named.kind === 'profile'
      ? sourceIn(named.profile?.settings?.[setting.key], placeNamer(named), setting)
      : undefined
  } catch (error) {
    // That fault is told when the service is looked for.
    if (setting.isForErrors) return undefined
    throw error
  }
}

/** Returns what sets a setting: its flag, a variable, the project file, or the profile in use, the strongest first. */
export const sourceOf = (io: Io, flags: GlobalFlags, setting: Setting<unknown>): Source | undefined =>
  io.isStep && setting.isOfJob
    ? flagOf(flags, setting)
    : (flagOrVariable(io, flags, setting) ?? inProject(io, setting) ?? inProfile(io, flags, setting))

/** Reads the text of a setting; refuses one that it cannot have, naming what set it. */
const readSource = <T>(io: Io, { text, from, as }: Source, { read, secret }: Setting<T>): Found<T> => {
  const value = read(text, io)
  if (value instanceof Fault) throw settingFault(as, secret === undefined ? text : undefined, value)
  return { value, from }
}

/** Finds a setting that may have no value, with what set it. */
export const findOptional = <T>(io: Io, flags: GlobalFlags, setting: Setting<T>): Found<T> | undefined => {
  const source = sourceOf(io, flags, setting)
  return source && readSource(io, source, setting)
}

/** Finds a setting, with what set it; `default` where nothing did. */
export const findSetting = <T>(io: Io, flags: GlobalFlags, setting: SettingWithDefault<T>): Found<T> => {
  const found = findOptional(io, flags, setting)
  if (found) return found
  const { usual } = setting
  return typeof usual === 'string'
    ? readSource(io, { text: usual, from: 'default', as: setting.name }, setting)
    : usual(io)
}

/** Returns the format of notes on standard error; refuses flags that ask for less and for more there. */
export const findLogFormat = (io: Io, flags: GlobalFlags): LogFormat => {
  const { quiet, verbose, debug } = flags
  if (quiet && (verbose || debug))
    throw new UsageError(`--quiet and ${debug ? '--debug' : '--verbose'} contradict each other; leave out one of them`)
  return findSetting(io, flags, SETTINGS.logFormat).value
}

/** Tells whether a person can be asked: not where a program reads standard error. */
export const canAsk = ({ stdinIsTerminal, stderr }: Io, { input, logFormat }: GlobalFlags): boolean =>
  input !== false && logFormat !== 'json' && stdinIsTerminal && stderr.isTerminal
