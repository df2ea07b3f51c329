import { didYouMean, nearest } from '../../client/nearest.ts'
import { isObject } from '../../codec/json.ts'
import { join } from 'node:path'
import { KpiError } from '../../domain/errors.ts'
import { fileError, fileErrorReason, systemCode } from '../../files/file-error.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { requirePlainPlace } from '../../files/place.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { configFolder, makeFolder } from './folders.ts'
import { PROFILE_SETTINGS, type SettingTexts } from './settings.ts'

/** Describes from where a profile has its secret; kept ones are apart, see `secrets.ts`. */
export type SecretSources = {
  /** Names a program that prints it. */
  readonly tokenCommand?: string | undefined
  /** Names a file of the user that holds it, which is read each time. */
  readonly tokenFile?: string | undefined
  /** Names the file of the kept one, if that is not named as the profile. */
  readonly secretName?: string | undefined
}

/** Describes a remote service: one of the classic interface, or of the newer one. */
export type RemoteService = SecretSources &
  (
    | { readonly kind: 'classic'; readonly baseUrl: string; readonly login: string }
    | { readonly kind: 'v1'; readonly baseUrl: string }
  )

/** Describes a named place to talk to, with the texts of the settings that it has besides its service. */
export type Profile = { readonly settings?: SettingTexts } & (
  { readonly kind: 'embedded'; readonly dataDir: string } | RemoteService
)

/** Describes all profiles, and which is the default. */
export type Profiles = { readonly current: string | undefined; readonly byName: ReadonlyMap<string, Profile> }

const FILE = 'config'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

/** Names the file that holds all profiles. */
export const configFile = (io: Io): string => join(configFolder(io), `${FILE}.json`)

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? { ...value } : {})

/** Returns the texts of the settings of a stored profile, which has those of the calendar apart. */
const readSettingTexts = ({ calendar, ...others }: Readonly<Record<string, unknown>>): SettingTexts => {
  const { week_start: weekStart, fiscal_year_start: fiscalYearStart } = asRecord(calendar)
  const stored: Readonly<Record<string, unknown>> = { ...others, weekStart, fiscalYearStart }
  const texts = PROFILE_SETTINGS.map(({ key }) => [key, stored[key]] as const)
  return Object.fromEntries(
    texts.flatMap(([key, value]) => (['string', 'number'].includes(typeof value) ? [[key, String(value)]] : [])),
  )
}

/** Returns a profile as it is stored. */
const storedProfile = ({ settings = {}, ...service }: Profile): object => {
  const { weekStart, fiscalYearStart, ...others } = settings
  const calendar = {
    ...(weekStart !== undefined && { week_start: weekStart }),
    ...(fiscalYearStart !== undefined && { fiscal_year_start: Number(fiscalYearStart) }),
  }
  return { ...service, ...others, ...(Object.keys(calendar).length > 0 && { calendar }) }
}

const readProfile = (value: unknown): Profile | undefined => {
  if (!isObject(value)) return undefined
  const stored = asRecord(value)
  const { kind, dataDir, baseUrl, login, tokenCommand, tokenFile, secretName } = stored
  const settings = readSettingTexts(stored)
  const more = {
    ...(typeof tokenCommand === 'string' && { tokenCommand }),
    ...(typeof tokenFile === 'string' && { tokenFile }),
    ...(typeof secretName === 'string' && { secretName }),
    ...(Object.keys(settings).length > 0 && { settings }),
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
  conf.store = {
    ...(current !== undefined && { current }),
    profiles: Object.fromEntries([...byName].map(([name, profile]) => [name, storedProfile(profile)])),
  }
}

/** Returns a profile by name, or throws what names it, and how to add it. */
export const profileNamed = ({ byName }: Profiles, name: string, from = '--profile'): Profile => {
  const profile = byName.get(name)
  if (profile) return profile
  const known = [...byName.keys()]
  const there = known.length === 1 ? 'there is one' : 'there are'
  const hint = known.length > 0 ? `${there}: ${known.join(', ')}` : 'add it with: kpi profiles add'
  const named = from.startsWith('--') ? '' : `, which ${from} names`
  throw new UsageError(`there is no profile ${name}${named}${didYouMean(nearest(name, known), `; ${hint}`)}`)
}

/** Refuses a name that could not be a file's, or that would read like a flag. */
export const requireProfileName = (name: string): void => {
  if (NAME.test(name)) return
  throw new UsageError(`"${name}" cannot be a profile's name: use up to 40 letters, digits, dots, dashes, underscores`)
}
