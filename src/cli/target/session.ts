import { hasAll, requireCapability, requireAllCapabilities, type Needs } from '../../client/capabilities.ts'
import { type Client, createClient } from '../../client/client.ts'
import { normalizeUrl } from '../../client/http/base-url.ts'
import type { Network } from '../../client/http/connections.ts'
import type { AbortSignals, HttpTransport, ProbeResult } from '../../client/http/http-transport.ts'
import type { RequestObserver } from '../../client/request-observer.ts'
import type { Transport } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { entry } from '../../domain/resources/entry.ts'
import type { Calendar } from '../../domain/period.ts'
import { reportRow } from '../../domain/resources/report-row.ts'
import type { Variant } from '../../domain/variants.ts'
import type { Deadline } from '../args/deadline.ts'
import type { Io } from '../io.ts'
import { addAdvice } from './advice.ts'
import { readBaseUrl } from './base-url.ts'
import { createListed, keepNames } from './name-cache.ts'
import type { Place, RemotePlace } from './place.ts'
import { type Profiles, readProfiles } from './profiles.ts'
import type { BulkRun } from './rate-limiter.ts'

/** Describes how a service is reached. */
export type Reach = {
  /** Sets the timeout for the head of an answer, and for each part of its body. */
  readonly timeoutMs: number
  /** Tells whether a person can be asked, also by a token command. */
  readonly canAsk: () => boolean
  /** Returns the way to a remote service. */
  readonly network: () => Network
  /** Says when weeks and years begin, for a service that does not tell. */
  readonly calendar: Calendar
  /** Says when the run ends, also for a token command. */
  readonly deadline?: Deadline
  /** Ends requests early. */
  readonly stopping?: AbortSignals
  /** Watches the requests to a service in this process; the network has its own. */
  readonly observer?: RequestObserver | undefined
}

/** Returns the transport to a remote place; its modules are loaded only then. */
const openRemote = async (
  io: Io,
  place: RemotePlace,
  reach: Reach,
  bulk?: BulkRun,
  secret?: string,
): Promise<HttpTransport> => {
  const { timeoutMs, network, stopping } = reach
  io.delayOptimizing()
  const [{ httpTransport }, { findSecret }] = await Promise.all([
    import('../../client/http/http-transport.ts'),
    import('./secrets.ts'),
  ])
  const baseUrl = readBaseUrl(place.baseUrl)
  const login = place.kind === 'classic' ? place.login : undefined
  const credentials = { login, token: secret ?? (await findSecret(io, place, reach)) }
  const limiting = bulk && (await import('./rate-limiter.ts')).openRateLimiter(io, baseUrl, credentials, bulk)
  const exchange = io.network?.(timeoutMs)
  const remote = { baseUrl, ...credentials, timeoutMs, network: network(), now: io.now, stopping }
  const transport = httpTransport({ ...remote, ...limiting, ...(exchange && { exchange }) })
  return { ...transport, usualCalendar: reach.calendar }
}

const openTransport = async (
  io: Io,
  place: Place,
  variant: Variant,
  reach: Reach,
  bulk?: BulkRun,
): Promise<Transport> => {
  if (place.kind !== 'embedded') return openRemote(io, place, reach, bulk)
  const { embeddedTransport } = await import('../embedded.ts')
  return embeddedTransport(place.dataDir, io.now, variant, {
    observer: reach.observer,
    signal: reach.stopping?.signal,
  })
}

/** Lists resources of which the newer variant shows more: entries and report rows that belong to breakdown items. */
const FULLER: ReadonlySet<string> = new Set([entry.path, reportRow.path])

/** Tells whether the newer variant has all that is needed, and shows more of what is stored. */
const isFuller = (needs: Needs): boolean =>
  hasAll('v1', needs) && ('of' in needs ? [needs] : needs).some(({ of, verb }) => FULLER.has(of.path) && verb !== 'add')

/** Returns the host of a base URL, with its port. */
const hostOf = (baseUrl: string): string => new URL(normalizeUrl(new URL(baseUrl))).host

/** Returns a profile of the classic interface on the host of a base URL; undefined if there is none. */
const classicProfileBeside = ({ byName }: Profiles, baseUrl: string): string | undefined => {
  const host = hostOf(baseUrl)
  return [...byName].find(([, one]) => one.kind === 'classic' && hostOf(one.baseUrl) === host)?.[0]
}

/** Returns an error about what a place lacks with the profile of the classic interface there, if that has it. */
const withClassicProfile = (error: unknown, io: Io, place: Place, needs: Needs): unknown => {
  if (!(error instanceof KpiError) || place.kind !== 'v1' || !hasAll('classic', needs)) return error
  const name = classicProfileBeside(readProfiles(io), place.baseUrl)
  return name === undefined ? error : new KpiError(error.code, `${error.message}; here that is --profile ${name}`)
}

/** Refuses what a place lacks, before anything is sent or opened; returns the variant to use. */
export const requirePlace = (io: Io, place: Place, needs: Needs): Variant => {
  try {
    return requireCapabilities(place, needs)
  } catch (error) {
    throw withClassicProfile(error, io, place, needs)
  }
}

/**
 * Returns the variant to use, after checking that it has the needed capabilities. The embedded service has both: the
 * newer one is used if the classic one lacks something or shows less.
 */
const requireCapabilities = (place: Place, needs: Needs): Variant => {
  const spoken = hasAll('classic', needs) && !isFuller(needs) ? 'classic' : 'v1'
  const variant = place.kind === 'embedded' ? spoken : place.kind
  if (place.kind === 'embedded') requireAllCapabilities(needs)
  requireCapability(variant, needs)
  return variant
}

/** Runs work with the transport to a place, for requests that no operation stands for; `variant` is for the embedded one. */
export const withTransportAt = async <T>(
  io: Io,
  place: Place,
  reach: Reach,
  variant: Variant,
  work: (transport: Transport) => Promise<T>,
  bulk?: BulkRun,
): Promise<T> => {
  const transport = await openTransport(io, place, variant, reach, bulk)
  try {
    return await work(transport)
  } catch (error) {
    throw place.kind === 'embedded' ? error : addAdvice(error, io, place, transport.keyInfo?.()?.scopes ?? '')
  } finally {
    await transport.close()
  }
}

/**
 * Runs `work` with a client of the service at a place. Refuses missing capabilities before anything is sent or opened.
 */
export const withClientAt = async <T>(
  io: Io,
  place: Place,
  reach: Reach,
  needs: Needs,
  work: (client: Client) => Promise<T>,
  bulk?: BulkRun,
): Promise<T> => {
  const variant = requirePlace(io, place, needs)
  const { listed, add } = createListed()
  const withClient = (transport: Transport): Promise<T> => work(createClient(transport, variant, add))
  try {
    return await withTransportAt(io, place, reach, variant, withClient, bulk)
  } finally {
    if (listed.size > 0) keepNames(io, place, listed)
  }
}

/**
 * Sends one request that changes nothing, and returns the answer, whatever it is. `secret` is sent instead of the one that
 * is kept for the place, and then no advice says where that comes from.
 */
export const probePlace = async (
  io: Io,
  place: RemotePlace,
  reach: Reach,
  path: string,
  secret?: string,
): Promise<ProbeResult> => {
  const transport = await openRemote(io, place, reach, undefined, secret)
  try {
    const probed = await transport.probe(path)
    if (secret !== undefined || !probed.refusal) return probed
    return { ...probed, refusal: addAdvice(probed.refusal, io, place) }
  } finally {
    await transport.close()
  }
}
