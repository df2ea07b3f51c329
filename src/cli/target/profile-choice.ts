import { resolve } from 'node:path'
import { normalizeUrl } from '../../client/http/base-url.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { shellWord } from '../output/text.ts'
import { type Profile, profileNamed, type Profiles, readProfiles } from './profiles.ts'
import { projectOf } from './project.ts'
import type { GlobalFlags } from './settings.ts'

/** Describes the profile that a command uses, and what named it. */
export type ChosenProfile = { readonly name: string; readonly from: string; readonly isOfProject: boolean }

/** Returns the host of a base URL, with its port. */
const hostOf = (baseUrl: string): string => new URL(normalizeUrl(new URL(baseUrl))).host

const isAt = (profile: Profile | undefined, baseUrl: string): boolean =>
  profile !== undefined &&
  profile.kind !== 'embedded' &&
  normalizeUrl(new URL(profile.baseUrl)) === normalizeUrl(new URL(baseUrl))

/** Returns a profile of the classic interface on the host of a base URL; undefined if there is none. */
export const classicProfileBeside = ({ byName }: Profiles, baseUrl: string): string | undefined => {
  const host = hostOf(baseUrl)
  return [...byName].find(([, one]) => one.kind === 'classic' && hostOf(one.baseUrl) === host)?.[0]
}

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

const ofProject = (io: Io, profiles: Profiles): ChosenProfile | undefined => {
  const { profile: name, base_url: baseUrl } = projectOf(io)
  const from = io.project?.path ?? ''
  if (name === undefined) {
    return baseUrl === undefined ? undefined : { name: profileAt(profiles, baseUrl, from), from, isOfProject: true }
  }
  if (baseUrl === undefined || isAt(profileNamed(profiles, name), baseUrl)) return { name, from, isOfProject: true }
  throw new UsageError(`${from} names the service ${baseUrl}, and profile ${name}, which is for another`)
}

const namedProfile = (io: Io, flags: GlobalFlags, profiles: Profiles): ChosenProfile | undefined => {
  if (flags.profile !== undefined) return { name: flags.profile, from: '--profile', isOfProject: false }
  const { KPI_PROFILE: named, KPI_BASE_URL: baseUrl } = io.env
  if (named && baseUrl) throw new UsageError('KPI_PROFILE and KPI_BASE_URL each name a service; unset one')
  if (named) return { name: named, from: 'KPI_PROFILE', isOfProject: false }
  if (baseUrl) return undefined
  const { current } = profiles
  return (
    ofProject(io, profiles) ??
    (current === undefined ? undefined : { name: current, from: 'kpi profiles use', isOfProject: false })
  )
}

/** Lists how to take back what names a profile; what is not listed is a project file, which only a flag overrules. */
const TAKEN_BACK: Readonly<Record<string, string>> = {
  '--profile': 'leave out --profile',
  KPI_PROFILE: 'unset KPI_PROFILE',
  KPI_BASE_URL: 'unset KPI_BASE_URL',
  'kpi profiles use': 'use no profile: kpi profiles use --none',
}

/** Refuses a folder of the embedded service in the environment beside what names another service. */
const refuseOtherFolder = (io: Io, profiles: Profiles, chosen: ChosenProfile | undefined): void => {
  const { KPI_DATA_DIR: dataDir, KPI_BASE_URL: baseUrl } = io.env
  if (!dataDir || (!chosen && !baseUrl)) return
  const profile = chosen && profileNamed(profiles, chosen.name)
  if (profile?.kind === 'embedded' && resolve(profile.dataDir) === resolve(io.cwd, dataDir)) return
  const { name = '', from = 'KPI_BASE_URL' } = chosen ?? {}
  const other = chosen ? `profile ${name} (${from})` : from
  const wayOut = TAKEN_BACK[from] ?? `add --data-dir ${shellWord(dataDir)}`
  throw new UsageError(
    `KPI_DATA_DIR names the embedded service in ${dataDir}, and ${other} another one; unset KPI_DATA_DIR, or ${wayOut}`,
  )
}

/**
 * Returns the profile to use: named by a flag, the environment, the project file or the configuration; none means the
 * embedded service, or the one that the environment names.
 */
export const choiceOfProfile = (io: Io, flags: GlobalFlags, profiles: Profiles): ChosenProfile | undefined => {
  const chosen = namedProfile(io, flags, profiles)
  refuseOtherFolder(io, profiles, chosen)
  return chosen
}

/** Returns the name of the profile that a command uses; undefined if something else names the service. */
export const profileInUse = (io: Io, flags: GlobalFlags): string | undefined =>
  flags.dataDir === undefined ? choiceOfProfile(io, flags, readProfiles(io))?.name : undefined

/** Returns the settings of the profile in use, beside its service; none if there is no profile. */
export const profileSettings = (
  io: Io,
  flags: GlobalFlags,
): Pick<Profile, 'timeZone' | 'output' | 'calendar' | 'caFile'> => {
  const name = profileInUse(io, flags)
  return (name === undefined ? undefined : readProfiles(io).byName.get(name)) ?? {}
}
