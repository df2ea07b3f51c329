import manifest from '../../../../package.json' with { type: 'json' }
import { type Proxies, whyDirect } from '../../../client/http/proxy.ts'
import { didYouMean, nearest } from '../../../client/nearest.ts'
import type { Cli } from '../../cli.ts'
import { credentialsIn } from '../../target/credentials.ts'
import { findOptional, findSetting, sourceOf } from '../../target/find-setting.ts'
import { findReach } from '../../target/network.ts'
import { findPlace, namedPlace, type Place, placeNamer, placeText, type RemotePlace } from '../../target/place.ts'
import { projectOf, projectPaths } from '../../target/project.ts'
import { describeToken, SECRETS } from '../../target/secrets.ts'
import { ALL_SETTINGS, type Setting, SETTINGS, type SettingWithDefault, variablesOf } from '../../target/settings.ts'
import { doubtful, type Finding, fine, looked } from './finding.ts'

const aboutProject = ({ io }: Cli): Finding => {
  projectOf(io)
  const [other] = io.project ? [] : projectPaths(io)
  return fine('project file', io.project?.path ?? (other === undefined ? null : `none: ${other} holds no setting`))
}

const aboutProfile = ({ io, flags }: Cli): Finding => {
  const named = namedPlace(io, flags)
  return named.kind === 'profile' ? fine('profile', named.name, named.from) : fine('profile', null)
}

const aboutSetting = ({ io, flags }: Cli, setting: SettingWithDefault<unknown>): Finding => {
  const { value, from } = findSetting(io, flags, setting)
  return fine(setting.name, setting.show?.(value) ?? String(value), from)
}

const hasDefault = (setting: Setting<unknown>): setting is SettingWithDefault<unknown> => setting.usual !== undefined

/** Looks at the functions of KPIs, where the project file has any. */
const aboutFunctions = ({ io, flags }: Cli): Finding[] => {
  const { functions } = SETTINGS
  const found = findOptional(io, flags, functions)
  return found ? [fine(functions.name, functions.show?.(found.value) ?? null, found.from)] : []
}

/** Returns a proxy as it may be shown: its host, without a user or a password. */
const shownProxy = (url = ''): string => URL.parse(url)?.host ?? 'set'

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
  const [source] = [SETTINGS.httpsProxy, SETTINGS.httpProxy].flatMap((one) => sourceOf(cli.io, cli.flags, one) ?? [])
  if (!source) return fine('proxy', 'none', 'default')
  const why = whyNoProxy(cli, proxies)
  if (why !== undefined) return fine('proxy', `not used: ${why}`)
  return fine('proxy', shownProxy(proxies.httpsProxy ?? proxies.httpProxy), source.from)
}

const aboutNetwork = (cli: Cli): Finding[] => {
  const { io, flags } = cli
  const network = findReach(io, flags).network()
  const [certificates, noProxy] = [SETTINGS.caFile, SETTINGS.noProxy].map((one) => sourceOf(io, flags, one))
  return [
    fine(SETTINGS.caFile.name, certificates?.text ?? 'those of the system', certificates?.from ?? 'default'),
    aboutProxy(cli, network),
    ...(noProxy ? [fine(SETTINGS.noProxy.name, noProxy.text, noProxy.from)] : []),
  ]
}

/** Warns of variables that nothing reads, and that are near to one of a setting. */
const misspelt = ({ io: { env } }: Cli): Finding[] => {
  const known = variablesOf(ALL_SETTINGS)
  return Object.keys(env).flatMap((name) => {
    const near = name.startsWith('KPI_') && !known.includes(name) ? nearest(name, known) : undefined
    return near === undefined ? [] : [doubtful(name, null, `nothing reads ${name}${didYouMean(near)}`, name)]
  })
}

/** Looks at the settings that do not depend on a service. Secrets are never among the values. */
export const findSettings = (cli: Cli): Finding[] => [
  fine('kpi', manifest.version),
  fine('Node.js', cli.io.nodeVersion),
  ...looked('project file', () => aboutProject(cli)),
  ...looked('profile', () => aboutProfile(cli)),
  ...ALL_SETTINGS.filter(hasDefault).flatMap((one) => looked(one.name, () => aboutSetting(cli, one))),
  ...looked(SETTINGS.functions.name, () => aboutFunctions(cli)),
  ...looked('network', () => aboutNetwork(cli)),
  ...misspelt(cli),
]

/** Tells what names the service of a command line. */
export const placeFrom = ({ io, flags }: Cli): string => placeNamer(namedPlace(io, flags))

/** Looks at the service of a place: where it is, what named it, and who logs in there. */
export const aboutPlace = (cli: Cli, place: Place): Finding[] => {
  const from = placeFrom(cli)
  if (place.kind === 'embedded') return [fine('service', placeText(place), from), fine('interface', place.kind)]
  const loginFrom = credentialsIn(cli.io, place.profile).login === undefined ? from : 'KPI_LOGIN'
  return [
    ...looked('service', () => fine('service', placeText(place), from)),
    fine('interface', place.kind),
    ...(place.kind === 'classic' ? [fine('login', place.login, loginFrom)] : []),
  ]
}

/** Looks at the secret of a place: whether there is one, and where from; never what it is. */
export const aboutSecret = ({ io }: Cli, place: RemotePlace): Finding =>
  fine(SECRETS[place.kind], 'set', describeToken(io, place))
