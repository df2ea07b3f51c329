import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { normalizeUrl } from '../../client/http/base-url.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { shellWord } from '../output/text.ts'
import { isV1Url, readBaseUrl } from './base-url.ts'
import { credentialsIn, strayCredential } from './credentials.ts'
import { configFolder, dataFolder } from './folders.ts'
import { type Profile, profileNamed, type Profiles, readProfiles, type RemoteService } from './profiles.ts'
import { projectOf } from './project.ts'
import { flagOrVariable, type GlobalFlags, requireOneOf, SETTINGS, variableOf } from './settings.ts'

/** Describes a remote service where a command's requests go. */
export type RemotePlace = RemoteService & { readonly profile: string | undefined }

/** Describes where a command's requests go. */
export type Place = { readonly kind: 'embedded'; readonly dataDir: string } | RemotePlace

/** Holds the profiles that a command has read: each setting asks for them, and they stay as they were at first. */
const readBy = new WeakMap<Io, Profiles>()

/** Returns the profiles, which are read once for a command. */
const profilesOf = (io: Io): Profiles => {
  const profiles = readBy.get(io) ?? readProfiles(io)
  readBy.set(io, profiles)
  return profiles
}

/** Describes what names the service of a command, and what set it. */
type NamedPlace = { readonly from: string } & (
  | { readonly kind: 'folder'; readonly dataDir: string }
  | { readonly kind: 'url'; readonly baseUrl: string }
  | {
      readonly kind: 'profile'
      readonly name: string
      /** Is undefined where there is no profile of that name. */
      readonly profile: Profile | undefined
      readonly isOfProject?: boolean
    }
)

const isAt = (profile: Profile | undefined, baseUrl: string): boolean =>
  profile !== undefined &&
  profile.kind !== 'embedded' &&
  normalizeUrl(new URL(profile.baseUrl)) === normalizeUrl(new URL(baseUrl))

/**
 * Returns the profile for the URL of a project file: the current one if it is for that URL, or the only other one. The
 * file gets no other credentials, as its folder may be somebody else's.
 */
const profileAt = ({ current, byName }: Profiles, baseUrl: string, path: string): string => {
  const names = [...byName].filter(([, profile]) => isAt(profile, baseUrl)).map(([name]) => name)
  const [only, ...more] = names
  if (current !== undefined && names.includes(current)) return current
  if (only === undefined) {
    throw new UsageError(
      `${path} names the service ${baseUrl}, and no profile is for it; add one with: kpi profiles add NAME --base-url ${shellWord(baseUrl)}`,
    )
  }
  if (more.length === 0) return only
  throw new UsageError(
    `${path} names the service ${baseUrl}, for which there are the profiles ${names.join(', ')}; choose one with --profile, or write profile: NAME there`,
  )
}

/** Returns the profile that the project file names, by its name or its URL. */
const profileOfProject = (io: Io, profiles: Profiles): string | undefined => {
  const { profile: name, baseUrl } = projectOf(io)
  const path = io.project?.path ?? ''
  if (baseUrl === undefined) return name
  if (name === undefined) return profileAt(profiles, baseUrl, path)
  if (isAt(profileNamed(profiles, name, path), baseUrl)) return name
  throw new UsageError(`${path} names the service ${baseUrl}, and profile ${name}, which is for another`)
}

/** Returns what names a service: a flag, a variable, the project file, or the profile in use, the strongest first. */
const serviceNamed = (io: Io, flags: GlobalFlags, profiles: Profiles): NamedPlace | undefined => {
  const ofProfile = (name: string, from: string, isOfProject = false): NamedPlace => ({
    kind: 'profile',
    name,
    profile: profiles.byName.get(name),
    from,
    isOfProject,
  })
  const [named, url] = [flagOrVariable(io, flags, SETTINGS.profile), variableOf(io, SETTINGS.baseUrl)]
  if (named && url && flags.profile === undefined)
    throw new UsageError(`${named.from} and ${url.from} each name a service; unset one`)
  if (named) return ofProfile(named.text, named.from)
  if (url) return { kind: 'url', baseUrl: url.text, from: url.from }
  const inProject = profileOfProject(io, profiles)
  if (inProject !== undefined) return ofProfile(inProject, io.project?.path ?? '', true)
  const { current } = profiles
  return current === undefined ? undefined : ofProfile(current, 'kpi profiles use')
}

/** Returns what names a place, in words. */
export const placeNamer = (named: NamedPlace): string =>
  named.kind === 'profile' ? `profile ${named.name}` : named.from

/** Returns how to take back what names a place; undefined for a project file, which only a flag overrules. */
export const takingBack = (named: NamedPlace): string | undefined => {
  const { from } = named
  if (named.kind === 'profile' && named.isOfProject) return undefined
  if (from.startsWith('--')) return `leave out ${from}`
  return from === 'kpi profiles use' ? 'use no profile: kpi profiles use --none' : `unset ${from}`
}

/** Refuses a folder of the embedded service in the environment beside what names another service. */
const refuseOtherFolder = (io: Io, folder: string, named: NamedPlace, profiles: Profiles): void => {
  const profile = named.kind === 'profile' ? profileNamed(profiles, named.name, named.from) : undefined
  if (profile?.kind === 'embedded' && resolve(profile.dataDir) === resolve(io.cwd, folder)) return
  const other = named.kind === 'profile' ? `${placeNamer(named)} (${named.from})` : named.from
  throw new UsageError(
    `KPI_DATA_DIR names the embedded service in ${folder}, and ${other} another one; unset KPI_DATA_DIR, or ${takingBack(named) ?? `add --data-dir ${shellWord(folder)}`}`,
  )
}

/**
 * Decides what names the service of a command. `--data-dir` wins over all; then comes what names a profile or a URL, beside
 * which KPI_DATA_DIR may only name the same folder; then KPI_DATA_DIR, and at last the usual folder.
 */
export const namedPlace = (io: Io, flags: GlobalFlags): NamedPlace => {
  const { profile, dataDir } = flags
  if (dataDir === '') throw new UsageError('--data-dir is empty; name a folder')
  if (profile !== undefined && dataDir !== undefined)
    throw new UsageError('--profile and --data-dir each name a service; give only one of them')
  if (dataDir !== undefined) return { kind: 'folder', dataDir: resolve(io.cwd, dataDir), from: '--data-dir' }
  const profiles = profilesOf(io)
  const named = serviceNamed(io, flags, profiles)
  const folder = variableOf(io, SETTINGS.dataDir)
  if (named && folder) refuseOtherFolder(io, folder.text, named, profiles)
  return named ?? { kind: 'folder', dataDir: dataFolder(io), from: folder?.from ?? 'default' }
}

const placeOfUrl = (io: Io, baseUrl: string): RemotePlace => {
  const ofNone = { profile: undefined, tokenCommand: undefined }
  requireOneOf(io, SETTINGS.tokenFile)
  if (isV1Url(baseUrl)) return { kind: 'v1', baseUrl, ...ofNone }
  const { login } = credentialsIn(io, undefined)
  if (login) return { kind: 'classic', baseUrl, login, ...ofNone }
  throw new UsageError(
    'KPI_BASE_URL is set, and KPI_LOGIN is not: set it to your login name, or, with a key, let KPI_BASE_URL end in /v1',
  )
}

/** Finds the service of a command. */
export const findPlace = (io: Io, flags: GlobalFlags): Place => {
  const named = namedPlace(io, flags)
  if (named.kind === 'folder') return { kind: 'embedded', dataDir: named.dataDir }
  if (named.kind === 'url') return placeOfUrl(io, named.baseUrl)
  const { name, from, isOfProject } = named
  const { settings: _, ...service } = named.profile ?? profileNamed(profilesOf(io), name, from)
  if (service.kind === 'embedded') return service
  const stray = isOfProject ? strayCredential(io) : undefined
  if (stray !== undefined)
    throw new UsageError(
      `${stray} is set, but ${from} names the service: say what it is for with --profile, KPI_PROFILE or KPI_BASE_URL, or unset it`,
    )
  if (credentialsIn(io, name).token !== undefined) requireOneOf(io, SETTINGS.tokenFile)
  const place = { ...service, profile: name }
  return place.kind === 'v1' ? place : { ...place, login: credentialsIn(io, name).login ?? place.login }
}

/** Says where the service of a command is: the folder of the embedded one, or a URL; refuses a faulty one. */
export const placeText = (place: Place): string =>
  place.kind === 'embedded' ? `embedded, in ${place.dataDir}` : readBaseUrl(place.baseUrl).href

/** Says where the service of a command is, and what names it; undefined where that cannot be found. */
export const serviceText = (io: Io, flags: GlobalFlags): string | undefined => {
  try {
    return `${placeText(findPlace(io, flags))} (${placeNamer(namedPlace(io, flags))})`
  } catch (error) {
    if (error instanceof UsageError) return undefined
    throw error
  }
}

/**
 * Refuses settings of the environment that are for a service which nothing names, where the usual embedded one would be
 * used instead: credentials, and a folder of profiles that is not there.
 */
export const rejectStraySettings = (io: Io, flags: GlobalFlags): void => {
  const [stray, folder] = [strayCredential(io), variableOf(io, SETTINGS.configDir)]
  const lost = folder !== undefined && !existsSync(configFolder(io))
  if ((stray === undefined && !lost) || namedPlace(io, flags).from !== 'default') return
  if (stray !== undefined)
    throw new UsageError(`${stray} is set, but nothing says for which service: set KPI_BASE_URL or KPI_PROFILE, too`)
  throw new UsageError(
    `${folder?.from} names ${folder?.text}, which is not there, so that no profile says which service: make it with kpi profiles add, unset ${folder?.from}, or name a folder of data with KPI_DATA_DIR`,
  )
}

/** Refuses a command on data where the service keeps its own in PostgreSQL, and nothing names a service or a folder. */
export const rejectStrayStore = (io: Io, flags: GlobalFlags): void => {
  if (variableOf(io, SETTINGS.store)?.text === 'postgres' && namedPlace(io, flags).from === 'default')
    throw new UsageError(
      'KPI_STORE is postgres, which only kpi serve and kpi service open: name an instance of kpi serve with --profile NAME, or use the embedded service with KPI_STORE=sqlite before the command',
    )
}
