import { type Capability, mustHave } from '../client/capabilities.ts'
import { type Client, createClient } from '../client/client.ts'
import type { Transport } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import { type Variant, verbsIn } from '../domain/variants.ts'
import { readBaseUrl } from './base-url.ts'
import type { Io } from './io.ts'
import type { Place } from './settings.ts'

/** The way to a place; what it needs is loaded only when it is taken. */
const openTransport = async (io: Io, place: Place, variant: Variant, timeoutMs: number): Promise<Transport> => {
  if (place.kind === 'embedded') {
    const { embeddedTransport } = await import('./embedded.ts')
    return embeddedTransport(place.dataDir, io.now, variant)
  }
  const [{ httpTransport }, { findToken }] = await Promise.all([import('../client/http.ts'), import('./secrets.ts')])
  const baseUrl = readBaseUrl(place.baseUrl)
  const token = findToken(io, place.profile, place.tokenCommand)
  return httpTransport({
    baseUrl,
    login: place.kind === 'classic' ? place.login : undefined,
    token,
    timeoutMs,
    now: io.now,
  })
}

const isRefusedLogin = (error: unknown): error is KpiError => error instanceof KpiError && error.code === 'unauthorized'

const withAdvice = ({ code, message }: KpiError, profile: string | undefined): KpiError => {
  const advice = profile === undefined ? 'check KPI_LOGIN and KPI_TOKEN' : `give it anew: kpi profiles add ${profile}`
  return new KpiError(code, `${message}; ${advice}`)
}

/** The variant that is spoken at a place. The embedded service speaks both: the newer one where only that will do. */
const variantAt = (place: Place, needs: Capability): Variant => {
  if (place.kind !== 'embedded') return place.kind
  return verbsIn('classic', needs.of).includes(needs.verb) ? 'classic' : 'v1'
}

/**
 * Runs `work` with a client of the service at a place. What it needs that the place does not have is refused before
 * anything is sent or opened.
 */
export const withClientAt = async <T>(
  io: Io,
  place: Place,
  timeoutMs: number,
  needs: Capability,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const variant = variantAt(place, needs)
  mustHave(variant, needs)
  const client = createClient(await openTransport(io, place, variant, timeoutMs), variant)
  try {
    return await work(client)
  } catch (error) {
    throw isRefusedLogin(error) && place.kind !== 'embedded' ? withAdvice(error, place.profile) : error
  } finally {
    await client.close()
  }
}
