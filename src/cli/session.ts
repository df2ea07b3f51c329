import { type Client, createClient } from '../client/client.ts'
import type { Transport } from '../client/transport.ts'
import { readBaseUrl } from './base-url.ts'
import type { Io } from './io.ts'
import type { Place } from './settings.ts'

/** The way to a place; what it needs is loaded only when it is taken. */
const openTransport = async (io: Io, place: Place, timeoutMs: number): Promise<Transport> => {
  if (place.kind === 'embedded') {
    const { embeddedTransport } = await import('./embedded.ts')
    return embeddedTransport(place.dataDir, io.now)
  }
  const [{ httpTransport }, { findToken }] = await Promise.all([import('../client/http.ts'), import('./secrets.ts')])
  const baseUrl = readBaseUrl(place.baseUrl)
  const token = findToken(io, place.profile, place.tokenCommand)
  return httpTransport({ baseUrl, login: place.login, token, timeoutMs, now: io.now })
}

/** Runs `work` with a client of the service at a place. */
export const withClientAt = async <T>(
  io: Io,
  place: Place,
  timeoutMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = createClient(await openTransport(io, place, timeoutMs))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}
