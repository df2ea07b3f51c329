import type { KeyInfo } from '../../client/http/credentials.ts'
import { dayOfInstant, formatDay, formatInstant, type Instant } from '../../domain/day.ts'
import { EXPIRING_SECONDS } from '../../domain/key-state.ts'
import type { Cli } from '../cli.ts'
import { countOf } from '../output/text.ts'

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600

/** Returns when a key expires: the day, or the time if that is less than a day away. */
const endWords = (end: Instant, now: Instant): string => {
  const day = formatDay(dayOfInstant(end))
  if (end - now >= DAY_SECONDS) return `${day}, in ${countOf(dayOfInstant(end) - dayOfInstant(now), 'day')}`
  const hours = Math.floor((end - now) / HOUR_SECONDS)
  const left = hours < 1 ? 'in less than an hour' : `in ${countOf(hours, 'hour')}`
  return `${day} at ${formatInstant(end).slice(11, 16)} UTC, ${left}`
}

/** Returns when a key expires, and how to renew it; undefined if that is not soon. */
export const expiryWords = ({ io }: Pick<Cli, 'io'>, { id, name, expiresAt }: KeyInfo): string | undefined => {
  const now = Math.floor(io.now() / 1000)
  if (expiresAt === null || expiresAt - now > EXPIRING_SECONDS) return undefined
  return `key ${id} (${name}) expires on ${endWords(expiresAt, now)}; unless it has been replaced already, rotate it on the service: kpi service keys rotate ${id}`
}

/** Holds the worlds of command lines that have warned of their key. */
const warned = new WeakSet<Cli['io']>()

/** Warns of a key that expires soon, once for each command line, and says how to renew it. */
export const warnOfExpiry = async (cli: Pick<Cli, 'io' | 'log'>, key: KeyInfo | undefined): Promise<void> => {
  const words = key && expiryWords(cli, key)
  if (!key || words === undefined || key.expiresAt === null || warned.has(cli.io)) return
  warned.add(cli.io)
  // A nightly job must learn of this, so it is a warning, which --quiet keeps.
  await cli.log.warn(words, { key_id: key.id, expires_at: formatInstant(key.expiresAt) })
}
