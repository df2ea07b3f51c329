import { existsSync } from 'node:fs'
import manifest from '../../../../package.json' with { type: 'json' }
import { readKeyInfo } from '../../../client/http/credentials.ts'
import type { ProbeResult } from '../../../client/http/http-transport.ts'
import { formatInstant } from '../../../domain/day.ts'
import { frequency } from '../../../domain/resources/catalog.ts'
import type { Cli } from '../../cli.ts'
import { storePath } from '../../target/folders.ts'
import { expiryWords } from '../../target/api-key.ts'
import { addAdvice } from '../../target/advice.ts'
import { findReach } from '../../target/network.ts'
import { findSecret, SECRETS } from '../../target/secrets.ts'
import { withClientAt } from '../../target/session.ts'
import { findPlace, type Place, rejectStraySettings, type RemotePlace } from '../../target/place.ts'
import type { GlobalFlags } from '../../target/settings.ts'
import { limitOf, probeOf, refusalOf } from '../profiles/check.ts'
import { commandBounds } from '../profiles/remote-profile.ts'
import { doubtful, faulty, type Finding, fine } from './finding.ts'
import { faultOfFolder } from './folder-state.ts'
import { aboutPlace, aboutSecret } from './find-settings.ts'

/** Bounds the wait for an answer: who asks what is wrong wants to know soon. */
const SOON = '5s'
/** Sets from how many seconds on a clock is told to be wrong. */
const CLOCK_SECONDS = 60

const aboutClock = ({ io }: Cli, { header }: ProbeResult): Finding[] => {
  const theirs = Date.parse(header('date') ?? '')
  if (Number.isNaN(theirs)) return []
  const seconds = Math.round((io.now() - theirs) / 1000)
  if (Math.abs(seconds) < CLOCK_SECONDS) return [fine('clock difference', `${seconds}s`)]
  const side = seconds > 0 ? 'ahead of' : 'behind'
  return [doubtful('clock difference', `${seconds}s`, `this machine's clock is ${side} the service's; set it right`)]
}

const aboutLimit = ({ header }: ProbeResult): Finding[] => {
  const { limit, left, per_seconds } = limitOf(header)
  if (limit === null || left === null) return []
  const value = `${String(left)} of ${String(limit)} left${per_seconds === null ? '' : ` in ${String(per_seconds)}s`}`
  return [fine('rate limit', value)]
}

const aboutEnd = (cli: Cli, { header }: ProbeResult): Finding[] => {
  const key = readKeyInfo(header)
  if (key.expiresAt === null) return []
  const value = formatInstant(key.expiresAt)
  const words = expiryWords(cli, key)
  return [words === undefined ? fine('key ends', value) : doubtful('key ends', value, words)]
}

const aboutCredentials = ({ io }: Cli, place: RemotePlace, probed: ProbeResult): Finding => {
  const refusal = addAdvice(refusalOf(place, probed), io, place)
  if (!refusal) return fine('credentials', 'accepted')
  return refusal.class === 'unauthorized' ? faulty('credentials', refusal, 'refused') : faulty('answer', refusal)
}

const aboutAnswer = (cli: Cli, place: RemotePlace, probed: ProbeResult, milliseconds: number): Finding[] => [
  fine('reachable', `in ${Math.round(milliseconds)} ms`),
  fine('service version', probed.header('server') ?? 'not told'),
  ...aboutClock(cli, probed),
  ...aboutLimit(probed),
  aboutCredentials(cli, place, probed),
  ...aboutEnd(cli, probed),
]

const reached = async (cli: Cli, flags: GlobalFlags, place: RemotePlace, secret: string): Promise<Finding[]> => {
  const began = cli.io.uptime()
  try {
    const probed = await probeOf(cli, flags, place, secret)
    return aboutAnswer(cli, place, probed, cli.io.uptime() - began)
  } catch (error) {
    return [faulty('reachable', error)]
  }
}

/** Returns the secret of a place, or the fault that stopped the looking. A token command runs once. */
const secretOf = async (cli: Cli, place: RemotePlace): Promise<string | Finding> => {
  try {
    return await findSecret(cli.io, place, commandBounds(cli))
  } catch (error) {
    return faulty(SECRETS[place.kind], error)
  }
}

const findRemote = async (cli: Cli, place: RemotePlace): Promise<Finding[]> => {
  const secret = await secretOf(cli, place)
  const own = [...aboutPlace(cli, place), typeof secret === 'string' ? aboutSecret(cli, place) : secret]
  if (typeof secret !== 'string' || own.some(({ state }) => state === 'fault')) return own
  return [...own, ...(await reached(cli, { ...cli.flags, timeout: cli.flags.timeout ?? SOON }, place, secret))]
}

const findEmbedded = async (cli: Cli, place: Extract<Place, { readonly kind: 'embedded' }>): Promise<Finding[]> => {
  const own = aboutPlace(cli, place)
  // A data directory that cannot be used is told of where the folders are looked at.
  if (faultOfFolder(cli.io, place.dataDir, undefined) !== undefined) return own
  if (!existsSync(storePath(place.dataDir))) return [...own, fine('store', 'not made yet: the first command makes it')]
  const needs = { of: frequency, verb: 'list' } as const
  const began = cli.io.uptime()
  try {
    await withClientAt(cli.io, place, findReach(cli.io, cli.flags), needs, (client) => client.frequencies.list())
  } catch (error) {
    return [...own, faulty('store', error)]
  }
  const time = Math.round(cli.io.uptime() - began)
  return [...own, fine('store', `opened in ${time} ms`), fine('service version', `kpi/${manifest.version}`)]
}

/** Looks at the service that commands use, with one harmless request. Waits for it no longer than five seconds. */
export const findService = async (cli: Cli): Promise<Finding[]> => {
  try {
    rejectStraySettings(cli.io, cli.flags)
    const place = findPlace(cli.io, cli.flags)
    return await (place.kind === 'embedded' ? findEmbedded(cli, place) : findRemote(cli, place))
  } catch (error) {
    return [faulty('service', error)]
  }
}
