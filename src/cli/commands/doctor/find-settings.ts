import manifest from '../../../../package.json' with { type: 'json' }
import { type Proxies, whyDirect } from '../../../client/http/proxy.ts'
import { findDeadline } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import { storeKind } from '../../target/bundled-store.ts'
import { calendarOf } from '../../target/calendar-settings.ts'
import { findReach } from '../../target/network.ts'
import { choiceOfProfile, profileSettings } from '../../target/profile-choice.ts'
import { readProfiles } from '../../target/profiles.ts'
import { projectOf } from '../../target/project.ts'
import { findTimeZone } from '../../target/time-zone.ts'
import { credentialsIn, findPlace, findTimeout, type Place, wantsColor } from '../../target/settings.ts'
import { type Finding, fine, looked } from './finding.ts'

/** Returns the first source that says something, and what it says. */
const firstOf = (name: string, usual: string, said: Readonly<Record<string, string | number | undefined>>): Finding => {
  const [from, value] = Object.entries(said).find(([, one]) => one !== undefined && one !== '') ?? ['default', usual]
  return fine(name, String(value), from)
}

const aboutProject = ({ io }: Cli): Finding => {
  projectOf(io)
  return fine('project file', io.project?.path ?? null)
}

const aboutProfile = ({ io, flags }: Cli): Finding => {
  const profiles = readProfiles(io)
  const chosen = flags.dataDir === undefined ? choiceOfProfile(io, flags, profiles) : undefined
  return fine('profile', chosen?.name ?? null, chosen?.from)
}

const aboutLooks = ({ io, flags }: Cli): Finding[] => {
  const [project, profile] = [projectOf(io), profileSettings(io, flags)]
  const file = io.project?.path ?? 'kpi.yaml'
  const calendar = calendarOf(project, profile.calendar ?? {})
  const zone = {
    '--time-zone': flags.timeZone,
    [file]: project.time_zone,
    'the profile': profile.timeZone,
  }
  return [
    firstOf('output', 'table', {
      '--output': flags.output,
      KPI_OUTPUT: io.env['KPI_OUTPUT'],
      [file]: project.output,
      'the profile': profile.output,
    }),
    ...looked('time zone', () => {
      const { name } = findTimeZone(io, flags)
      return firstOf('time zone', name, { ...zone, TZ: io.env['TZ'] && name })
    }),
    firstOf('week start', calendar.week_start, {
      [file]: project.week_start,
      'the profile': profile.calendar?.week_start,
    }),
    firstOf('fiscal year start', String(calendar.fiscal_year_start), {
      [file]: project.fiscal_year_start,
      'the profile': profile.calendar?.fiscal_year_start,
    }),
  ]
}

/** Tells what decides whether there is colour, in the order in which it does. */
const colorFrom = ({ io: { env }, flags }: Cli): string => {
  if (flags.color === false) return '--no-color'
  if (env['NO_COLOR']) return 'NO_COLOR'
  if (env['TERM'] === 'dumb') return 'TERM'
  return env['FORCE_COLOR'] ? 'FORCE_COLOR' : 'default'
}

const aboutRuns = (cli: Cli): Finding[] => {
  const { io, flags } = cli
  return [
    fine('colour', wantsColor(io, flags) ? 'yes' : 'no', colorFrom(cli)),
    ...looked('timeout', () => firstOf('timeout', `${findTimeout(flags) / 1000}s`, { '--timeout': flags.timeout })),
    ...looked('deadline', () =>
      firstOf('deadline', findDeadline(io, flags.deadline).spelling, { '--deadline': flags.deadline }),
    ),
    ...looked('store of kpi serve', () =>
      firstOf('store of kpi serve', storeKind(cli), { KPI_STORE: io.env['KPI_STORE'] }),
    ),
  ]
}

/** Returns a proxy as it may be shown: its host, without a user or a password. */
const shownProxy = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : (URL.parse(url)?.host ?? 'set')

/** Says why no proxy is used for the service of a command line; undefined if one may be, or no service is found. */
const whyNoProxy = ({ io, flags }: Cli, proxies: Proxies): string | undefined => {
  try {
    const place = findPlace(io, flags)
    return place.kind === 'embedded' ? 'the service is embedded' : whyDirect(new URL(place.baseUrl), proxies)
  } catch {
    // That fault is told where the service is looked at.
    return undefined
  }
}

const aboutProxy = (cli: Cli, proxies: Proxies): Finding => {
  const { httpProxy, httpsProxy } = proxies
  const why = (httpProxy ?? httpsProxy) === undefined ? undefined : whyNoProxy(cli, proxies)
  if (why !== undefined) return fine('proxy', `not used: ${why}`)
  return firstOf('proxy', 'none', { HTTPS_PROXY: shownProxy(httpsProxy), HTTP_PROXY: shownProxy(httpProxy) })
}

const aboutNetwork = (cli: Cli): Finding[] => {
  const { io, flags } = cli
  const network = findReach(io, flags).network()
  const { noProxy } = network
  return [
    firstOf('certificates', 'those of the system', {
      '--ca-file': flags.caFile,
      KPI_CA_FILE: io.env['KPI_CA_FILE'],
      'the profile': profileSettings(io, flags).caFile,
    }),
    aboutProxy(cli, network),
    ...(noProxy ? [fine('hosts without a proxy', noProxy, 'NO_PROXY')] : []),
  ]
}

/** Looks at the settings that do not depend on a service. Secrets are never among the values. */
export const findSettings = (cli: Cli): Finding[] => [
  fine('kpi', manifest.version),
  fine('Node.js', cli.io.nodeVersion),
  ...looked('project file', () => aboutProject(cli)),
  ...looked('profile', () => aboutProfile(cli)),
  ...looked('output', () => aboutLooks(cli)),
  ...aboutRuns(cli),
  ...looked('network', () => aboutNetwork(cli)),
]

/** Tells what names the service of a place. */
export const placeFrom = ({ io, flags }: Cli, place: Place): string => {
  if (flags.dataDir !== undefined) return '--data-dir'
  const chosen = choiceOfProfile(io, flags, readProfiles(io))
  if (chosen) return `profile ${chosen.name}`
  if (place.kind !== 'embedded') return 'KPI_BASE_URL'
  return io.env['KPI_DATA_DIR'] ? 'KPI_DATA_DIR' : 'default'
}

/** Looks at the login name of the classic interface. */
export const findLogin = ({ io }: Cli, place: Place): Finding[] =>
  place.kind === 'classic'
    ? [fine('login', place.login, credentialsIn(io, place.profile).login === undefined ? 'the profile' : 'KPI_LOGIN')]
    : []
