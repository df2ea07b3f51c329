import { once } from 'node:events'
import { createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** What a service behind the proxy answered. */
export type Passed = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/** What becomes of a request: `pass` does it at the service behind, and `response` goes to who asked. */
export type Fault = (response: ServerResponse, pass: () => Promise<Passed>) => Promise<void> | void

/** A server between a client and a service, gone with the test. */
export type FaultyProxy = {
  readonly url: string
  /** The targets of the requests so far. */
  readonly reached: readonly string[]
  /** Resolves when a request of a number, counted from 1, has come. */
  readonly came: (number: number) => Promise<void>
}

const passOn = async (to: string, { method, url = '', headers }: IncomingMessage, sent: Buffer): Promise<Passed> => {
  const passed = ask(new URL(url, to), { method, headers }).end(sent)
  const [answer] = (await once(passed, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
}

/** Sends what the service behind answered. */
export const whole = (response: ServerResponse, { status, headers, body }: Passed): void => {
  const { 'transfer-encoding': _, ...others } = headers
  response.writeHead(status, { ...others, 'content-length': body.length }).end(body)
}

/** Answers instead of the service. */
export const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"message":"try later"}')

/** Resets the connection in the middle of an answer. */
export const reset: Fault = async (response, pass) => {
  const { status, headers, body } = await pass()
  const { 'transfer-encoding': _, ...others } = headers
  response.writeHead(status, { ...others, 'content-length': body.length })
  response.write(body.subarray(0, body.length / 2), () => response.socket?.resetAndDestroy())
}

/** Closes the connection after the request was done, without an answer. */
export const lose: Fault = async (response, pass) => {
  await pass()
  response.destroy()
}

/** Never answers. */
export const hang: Fault = () => undefined

/** Starts a proxy to a service; faults go by the number of the request, counted from 1, of those that are meant. */
export const faultyProxy = async (
  to: string,
  faultOf: (number: number) => Fault | undefined,
  isMeant = (target: string, _method: string | undefined): boolean => target.includes('/reports/'),
): Promise<FaultyProxy> => {
  const reached: string[] = []
  const arrivals = new Map<number, PromiseWithResolvers<void>>()
  const arrival = (number: number): PromiseWithResolvers<void> => {
    const known = arrivals.get(number) ?? Promise.withResolvers<void>()
    arrivals.set(number, known)
    return known
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await buffer(request)
    const pass = (): Promise<Passed> => passOn(to, request, sent)
    const { url = '', method } = request
    if (!isMeant(url, method)) return whole(response, await pass())
    const number = reached.push(url)
    arrival(number).resolve()
    const fault = faultOf(number)
    await (fault ? fault(response, pass) : whole(response, await pass()))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, reached, came: (number) => arrival(number).promise }
}
