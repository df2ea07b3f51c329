import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { KpiError } from '../../domain/errors.ts'
import { networkOf } from '../../service/limits/login-throttle.ts'
import { plainRefusal } from '../api/variants.ts'
import type { BodyMemory } from '../queues/body-memory.ts'
import type { RequestScheduler } from '../queues/request-scheduler.ts'
import { isHost, readTarget } from '../request-target.ts'
import { type Handler, sizeOf, type WireCaller, type WireRequest, type WireResponse } from '../wire.ts'
import { createOnClientError, createRefuse, type Refuse } from './client-error.ts'
import type { ConnectionFeed } from './connection-feed.ts'
import type { Connections, FinishedRequest, OnFinished, RunningRequest } from './connections.ts'
import type { ServerLimits } from './listener.ts'
import { createRequestIntake } from './request-intake.ts'
import { addressOf, serviceUrlOf } from './sender.ts'

const STOPPING_RETRY_SECONDS = 5
const SMALL_ANSWER = 16_384
/** Bounds the rest of a body that is read at once. */
const SMALL_REST = 65_536
const ignore = (): void => undefined
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

/** Describes a server and its handler. */
type Serving = {
  readonly handler: Handler
  readonly server: Server
  readonly connections: Connections
  readonly limits: ServerLimits
  readonly behindProxy: boolean
  /** Names the scheme by which clients reach the server. */
  readonly scheme: 'http' | 'https'
  readonly requestId: () => string
  readonly clock: () => number
  readonly scheduler: RequestScheduler
  readonly bodies: BodyMemory
  readonly feeding: ConnectionFeed
  readonly onExchange: OnFinished
}

const headersOf = (request: IncomingMessage, host: string | undefined): Record<string, string | undefined> => {
  const headers: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  if (host !== undefined) headers['host'] = host
  return headers
}

const hostFault = ({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | undefined => {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  if (hosts.length > 1) return 'the header Host was sent more than once'
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'the header Host is missing'
  return isHost(host) ? undefined : 'the header Host is not a host name'
}

/** Returns why a request does not reach a handler. */
const refusalOf = ({ server }: Serving, request: IncomingMessage): KpiError | undefined => {
  if (!server.listening) {
    return new KpiError('unavailable', 'the service is stopping; try again', { retryAfter: STOPPING_RETRY_SECONDS })
  }
  const fault = hostFault(request)
  return fault === undefined ? undefined : new KpiError('malformed', fault)
}

/**
 * Reads what is left of unwanted bodies, a few at a time: of a hundred that come as fast as they can, each turn of the
 * event loop would read megabytes, and others would wait.
 */
const drain = async ({ bodies, behindProxy }: Serving, { request, intake }: RunningRequest): Promise<void> => {
  if (Number(request.headers['content-length'] ?? Infinity) <= SMALL_REST) return intake.drain()
  const end = await bodies.beginDrain(`address ${addressOf(request, behindProxy)}`)
  try {
    if (!request.destroyed) await intake.drain()
  } finally {
    end()
  }
}

/** Writes an answer and answers the size of its body. */
const write = async (
  serving: Serving,
  running: RunningRequest,
  { status, headers, body }: WireResponse,
): Promise<number> => {
  const { connections, limits } = serving
  const { request, response } = running
  const length = sizeOf(body)
  if (!request.complete || connections.endsAfter(request)) response.setHeader('connection', 'close')
  // An answer that nobody takes: only one that does not fit into the system's buffers can be that.
  if (length > SMALL_ANSWER) response.setTimeout(limits.answerMs, () => request.socket.destroy())
  response.writeHead(status, { ...headers, ...(status !== 204 && { 'content-length': length }) })
  const pieces = request.method === 'HEAD' || length === 0 ? [] : typeof body === 'string' ? [body] : [...body]
  // Head and body go out in one piece, unless the rest of the request is to be taken in before the end.
  const last = request.complete ? pieces.pop() : undefined
  for (const piece of pieces) response.write(piece)
  if (!request.complete) await drain(serving, running)
  response.end(last)
  return request.method === 'HEAD' ? 0 : length
}

/** Returns what an answer says of itself. */
const tellsOf = ({ status, headers }: WireResponse): Pick<FinishedRequest, 'requestId' | 'status' | 'isPutOff'> => ({
  requestId: headers['x-request-id'] ?? '',
  status,
  isPutOff: 'retry-after' in headers,
})

/** Answers one request, and tells of it once its answer has been handed over or nobody is there to take it. */
const answer = async (serving: Serving, running: RunningRequest, refusal: KpiError | undefined): Promise<void> => {
  const { scheduler } = serving
  const { request, response, intake, over } = running
  const started = serving.clock()
  const { target, host } = readTarget(request.url ?? '/')
  const method = request.method ?? 'GET'
  const address = addressOf(request, serving.behindProxy)
  let caller: WireCaller | undefined
  const place = serving.bodies.place(() => caller?.account ?? '', intake.cut)
  const asked: WireRequest = {
    method,
    target,
    headers: headersOf(request, host),
    serviceUrl: serviceUrlOf(request, host, serving),
    address,
    scheme: serving.scheme,
    body: () => intake.body(place),
    onStranger: async () => {
      const end = await scheduler.admit(networkOf(address))
      const turn = scheduler.take(`address ${address}`)
      if (turn) await turn
      return end
    },
    onCaller: (authenticated) => {
      caller = authenticated
      serving.feeding.noteAccount(request.socket, authenticated.account)
      return scheduler.take(authenticated.account)
    },
    pause: () => scheduler.pause(caller?.account ?? ''),
    onLong: async (what) => {
      const end = await (what === 'list' ? scheduler.beginList : scheduler.begin)(caller?.account ?? '')
      if (!response.destroyed) return end
      end()
      throw new KpiError('malformed', 'the connection was cut while the request waited for its turn')
    },
  }
  const answering = refusal ? plainRefusal(refusal, serving.requestId(), asked) : serving.handler(asked)
  const answered = await Promise.resolve(answering).finally(place.leave)
  // End the connection: what else it brings cannot be trusted, or comes too late.
  if (refusal) response.setHeader('connection', 'close')
  const isLarge = sizeOf(answered.body) > SMALL_ANSWER
  const holder = caller?.account ?? `address ${address}`
  // Who shows no credentials waits here while much that was asked for from there waits to be taken.
  const turn = isLarge && !caller ? scheduler.take(holder) : undefined
  if (turn) await turn
  const bytesOut = await write(serving, running, answered)
  const taken = isLarge ? scheduler.hold(holder, bytesOut) : undefined
  await over
  taken?.()
  const milliseconds = serving.clock() - started
  const isCut = !response.writableFinished
  serving.onExchange({
    ...tellsOf(answered),
    address,
    method,
    target,
    caller,
    milliseconds,
    isCut,
    bytesIn: intake.size(),
    bytesOut,
  })
}

/** Waits until the answer to the last request of a connection was handed over, and then for a turn. */
const waitBehind = async (
  { scheduler, behindProxy }: Serving,
  last: RunningRequest,
  request: IncomingMessage,
): Promise<void> => {
  await last.over
  if (request.socket.destroyed) return
  const turn = scheduler.pause(`address ${addressOf(request, behindProxy)}`)
  if (turn) await turn
}

/** Answers a request after those of its connection that came before it: their answers go out in that order anyway. */
const answerInOrder = async (
  serving: Serving,
  running: RunningRequest,
  last: RunningRequest | undefined,
): Promise<void> => {
  const { request } = running
  // A service that stops answers what had come before.
  const refusal = refusalOf(serving, request)
  if (last) await waitBehind(serving, last, request)
  if (!request.socket.destroyed) await answer(serving, running, refusal)
}

const createOnRequest = (serving: Serving, answering: Set<Promise<void>>, asksFirst: boolean) => {
  const { connections, feeding } = serving
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const intake = createRequestIntake(request, asksFirst ? () => response.writeContinue() : ignore)
    const over = Promise.withResolvers<void>()
    response.once('close', over.resolve)
    const running = { request, response, intake, over: over.promise, onGone: over.resolve }
    const last = connections.runningOn(socket).at(-1)
    connections.add(running)
    void over.promise.then(() => feeding.goOn(socket))
    // The face throws nothing; what is left is a sender who has gone away.
    const answered = answerInOrder(serving, running, last).catch(() => void response.destroy())
    answering.add(answered)
    void answered.then(() => answering.delete(answered))
  }
}

const NOTHING_READ = { method: undefined, target: undefined, caller: undefined, bytesIn: 0 }

/** Answers what never became a request, and tells of it. */
const refuseOn = ({ limits, requestId, onExchange }: Serving): Refuse =>
  createRefuse((address, error) => {
    const answered = plainRefusal(error, requestId())
    const bytesOut = sizeOf(answered.body)
    onExchange({ ...tellsOf(answered), ...NOTHING_READ, address, bytesOut, milliseconds: 0, isCut: false })
    return answered
  }, limits.lingerMs)

/** Lets a server answer all requests; returns a way to wait until everything begun is over, and logged. */
export const answerRequests = (serving: Serving): (() => Promise<unknown>) => {
  const answering = new Set<Promise<void>>()
  const { server, connections } = serving
  const refuse = refuseOn(serving)
  const onClientError = createOnClientError(connections, refuse)
  server.on('request', createOnRequest(serving, answering, false))
  server.on('checkContinue', createOnRequest(serving, answering, true))
  server.on('checkExpectation', createOnRequest(serving, answering, false))
  server.on('connect', (_, socket: Duplex) => {
    refuse(socket, new KpiError('method_not_allowed', 'CONNECT is not possible here', { allow: METHODS }))
  })
  server.on('clientError', (reason, socket) => {
    onClientError(reason, socket).catch(() => socket.destroy())
  })
  return () => Promise.all(answering)
}
