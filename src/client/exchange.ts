import type { TextAnswer } from './answer.ts'
import { Pool } from './undici.ts'

/** A request as it goes over the network. */
export type TextRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The whole path, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A way to send a request and to get its answer, or an error of the network. */
export type Exchange = {
  readonly ask: (request: TextRequest) => Promise<TextAnswer>
  readonly close: () => Promise<void>
}

const CONNECTIONS = 10

/** The network, by way of a pool of connections to one origin; no wait for an answer is longer than `timeoutMs`. */
export const networkExchange = (origin: string, timeoutMs: number): Exchange => {
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  return {
    ask: async (request) => {
      const answer = await pool.request(request)
      return {
        status: answer.statusCode,
        header: (name) => [answer.headers[name] ?? []].flat()[0],
        body: await answer.body.text(),
      }
    },
    close: () => pool.close(),
  }
}
