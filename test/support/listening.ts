import { request as askPlain } from 'node:http'
import type { FinishedRequest } from '../../src/server/http/connections.ts'
import { type ServerLimits, listen, type Listener, type ListenOptions } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { type Service, startService } from './service.ts'

/** A service that listens, and what it tells of the requests that are over. */
export type Serving = {
  readonly service: Service
  readonly server: Listener
  readonly exchanges: readonly FinishedRequest[]
  /** Resolves once it has told of so many requests. */
  readonly tells: (count: number) => Promise<readonly FinishedRequest[]>
} & AsyncDisposable

type Options = Omit<ListenOptions, 'limits' | 'onExchange'> & {
  readonly limits?: Partial<ServerLimits>
  readonly wrap?: (handler: Handler) => Handler
}

export const serve = async ({ wrap = (handler) => handler, ...options }: Options = {}): Promise<Serving> => {
  const service = await startService()
  const exchanges: FinishedRequest[] = []
  const waiting = new Set<() => void>()
  let ids = 0
  const server = await listen(wrap(service.handler), '127.0.0.1', 0, {
    requestId: () => `plain-${(ids += 1)}`,
    ...options,
    onExchange: (exchange) => {
      exchanges.push(exchange)
      for (const look of waiting) look()
    },
  })
  const tells = (count: number): Promise<readonly FinishedRequest[]> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (exchanges.length < count) return
        waiting.delete(look)
        resolve(exchanges)
      }
      waiting.add(look)
      look()
    })
  return {
    service,
    server,
    exchanges,
    tells,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

/** A request that is over, as a server tells of it. */
export const EXCHANGE: FinishedRequest = {
  requestId: 'R1',
  address: '203.0.113.9',
  method: 'GET',
  target: '/api/kpis/7?rows=5',
  caller: { account: 'acme', user: 'ann@example.com', key: undefined },
  status: 200,
  isPutOff: false,
  bytesIn: 0,
  bytesOut: 120,
  milliseconds: 1.23456,
  isCut: false,
}

/** The status of an answer as it came over the wire. */
export const statusOf = (answer: string): number => Number(answer.split(' ')[1])

/** The statuses of all the answers that came over one connection. */
export const statusesOf = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** The body of an answer as it came over the wire, as JSON. */
export const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

/** Whether a server still answers, on a connection of its own. */
export const isWell = (url: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const request = askPlain(`${url}/api/health`, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', reject).end()
  })
