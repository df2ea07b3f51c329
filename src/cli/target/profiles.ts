import { isObject } from '../../codec/json.ts'
import { join } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { fileError, fileErrorReason, systemCode } from '../../files/file-error.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { requirePlainPlace } from '../../files/place.ts'
import type { Calendar } from '../../domain/period.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { type Format, FORMATS } from '../output/print.ts'
import { configFolder, makeFolder } from './folders.ts'

/** Describes a named place to talk to. Secrets are kept apart, see `secrets.ts`. */
export type Profile = {
  /** Names the time zone for `today` and the like; the system's where it is not given. */
  readonly timeZone?: string | undefined
  /** Names the format to print in; a table where it is not given. */
  readonly output?: Format | undefined
  /** Says when weeks and years begin, for a service that does not tell. */
  readonly calendar?: Partial<Calendar> | undefined
  /** Names a file of certificates that are trusted beside those of the system. */
  readonly caFile?: string | undefined
} & (
  | { readonly kind: 'embedded'; readonly dataDir: string }
  | {
      readonly kind: 'classic'
      readonly baseUrl: string
      readonly login: string
      /** Names a program that prints the token. */
      readonly tokenCommand?: string
      /** Names a file of the user that holds the token, which is read each time. */
      readonly tokenFile?: string
      /** Names the file of the kept token, if that is not named as the profile. */
      readonly secretName?: string
    }
  | {
      readonly kind: 'v1'
      readonly baseUrl: string
      /** Names a program that prints the key. */
      readonly tokenCommand?: string
      /** Names a file of the user that holds the key, which is read each time. */
      readonly tokenFile?: string
      /** Names the file of the kept key, if that is not named as the profile. */
      readonly secretName?: string
    }
)

/** Describes all profiles, and which is the default. */
export type Profiles = { readonly current: string | undefined; readonly byName: ReadonlyMap<string, Profile> }

const FILE = 'config'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

/** Names the file that holds all profiles. */
export const configFile = (io: Io): string => join(configFolder(io), `${FILE}.json`)

const readCalendarSettings = (value: unknown): Partial<Calendar> => {
  const { week_start: week, fiscal_year_start: year } = isObject(value) ? (value as Record<string, unknown>) : {}
  return {
    ...((week === 'monday' || week === 'sunday') && { week_start: week }),
    ...(typeof year === 'number' && year >= 1 && year <= 12 && { fiscal_year_start: year }),
  }
}

const readProfile = (value: unknown): Profile | undefined => {
  if (!isObject(value)) return undefined
  const { kind, dataDir, baseUrl, login, tokenCommand, tokenFile, secretName, timeZone, output, calendar, caFile } =
    value as Record<string, unknown>
  const format = FORMATS.find((one) => one === output)
  const more = {
    ...(typeof tokenCommand === 'string' && { tokenCommand }),
    ...(typeof tokenFile === 'string' && { tokenFile }),
    ...(typeof secretName === 'string' && { secretName }),
    ...(typeof timeZone === 'string' && { timeZone }),
    ...(format && { output: format }),
    ...(typeof caFile === 'string' && { caFile }),
    ...(calendar !== undefined && { calendar: readCalendarSettings(calendar) }),
  }
  if (kind === 'embedded' && typeof dataDir === 'string') return { kind, dataDir, ...more }
  if (kind === 'v1' && typeof baseUrl === 'string') return { kind, baseUrl, ...more }
  if (kind !== 'classic' || typeof baseUrl !== 'string' || typeof login !== 'string') return undefined
  return { kind, baseUrl, login, ...more }
}

/** Says in words why a file cannot be read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is a file',
}

const readText = (path: string): string | undefined => {
  try {
    return readRegularFile(path).toString()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw new KpiError(
      'unusable',
      `cannot read ${path} (${fileErrorReason(error, UNREADABLE)}); mend that, or name another folder with KPI_CONFIG_DIR`,
      {
        cause: error,
      },
    )
  }
}

const parse = (path: string, text: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(text)
    if (isObject(json)) return json
  } catch {
    // Told below, as for JSON that is no object.
  }
  throw new KpiError('unusable', `${path} is not a configuration; fix it or remove it`)
}

/** Reads the profiles, without the package that writes them: every command does this. */
export const readProfiles = (io: Io): Profiles => {
  const path = configFile(io)
  const text = readText(path)
  if (text === undefined) return { current: undefined, byName: new Map() }
  const { current, profiles } = parse(path, text) as { current?: unknown; profiles?: unknown }
  const byName = new Map<string, Profile>()
  for (const [name, value] of Object.entries(isObject(profiles) ? profiles : {})) {
    const profile = readProfile(value)
    if (!profile) throw new KpiError('unusable', `profile ${name} in ${path} is not complete; add it again`)
    byName.set(name, profile)
  }
  return { current: typeof current === 'string' ? current : undefined, byName }
}

/** Writes the profiles as a whole, readable by their owner only. */
export const writeProfiles = async (io: Io, { current, byName }: Profiles): Promise<void> => {
  try {
    // The package would follow a link.
    requirePlainPlace(configFile(io))
  } catch (error) {
    throw fileError(error, 'write', configFile(io))
  }
  const { default: Conf } = await import('conf')
  const cwd = configFolder(io)
  makeFolder(cwd, 'configuration folder')
  const conf = new Conf({ cwd, configName: FILE, configFileMode: 0o600, accessPropertiesByDotNotation: false })
  conf.store = { ...(current !== undefined && { current }), profiles: Object.fromEntries(byName) }
}

/** Returns a profile by name, or throws how to add one. */
export const profileNamed = ({ byName }: Profiles, name: string): Profile => {
  const profile = byName.get(name)
  if (profile) return profile
  const known = [...byName.keys()]
  const there = known.length === 1 ? 'there is one' : 'there are'
  const hint = known.length > 0 ? `${there}: ${known.join(', ')}` : 'add it with: kpi profiles add'
  throw new UsageError(`there is no profile ${name}; ${hint}`)
}

/** Refuses a name that could not be a file's, or that would read like a flag. */
export const requireProfileName = (name: string): void => {
  if (NAME.test(name)) return
  throw new UsageError(`"${name}" cannot be a profile's name: use up to 40 letters, digits, dots, dashes, underscores`)
}
