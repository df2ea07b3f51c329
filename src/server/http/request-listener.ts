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
const SMALL_ANSWER_BYTES = 16_384
/** Bounds an unwanted body to drain at once. */
const SMALL_REST_BYTES = 65_536
const ignore = (): void => undefined
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

/** Describes what answering the requests of a server needs. */
type ServerContext = {
  readonly handler: Handler
  readonly server: Server
  readonly connections: Connections
  readonly limits: ServerLimits
  readonly behindProxy: boolean
  /** Names the scheme that clients use to reach the server. */
  readonly scheme: 'http' | 'https'
  readonly requestId: () => string
  readonly clock: () => number
  readonly scheduler: RequestScheduler
  /** Resolves when the requests that arrived in this turn of the event loop may start. */
  readonly startInTurn: () => Promise<void>
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

/** Returns why to refuse a request before the handler; undefined if it may pass. */
const refusalOf = ({ server }: ServerContext, request: IncomingMessage): KpiError | undefined => {
  if (!server.listening) {
    return new KpiError('unavailable', 'the service is stopping; try again', { retryAfter: STOPPING_RETRY_SECONDS })
  }
  const fault = hostFault(request)
  return fault === undefined ? undefined : new KpiError('malformed', fault)
}

/**
 * Drains unwanted bodies, a few at a time: with a hundred fast senders, each turn of the event loop would read
 * megabytes, and other requests would wait.
 */
const drain = async ({ bodies, behindProxy }: ServerContext, { request, intake }: RunningRequest): Promise<void> => {
  if (Number(request.headers['content-length'] ?? Infinity) <= SMALL_REST_BYTES) return intake.drain()
  const end = await bodies.beginDrain(`address ${addressOf(request, behindProxy)}`)
  try {
    if (!request.destroyed) await intake.drain()
  } finally {
    end()
  }
}

/** Writes an answer, and returns the bytes of its body. */
const write = async (
  serverContext: ServerContext,
  running: RunningRequest,
  { status, headers, body }: WireResponse,
): Promise<number> => {
  const { connections, limits } = serverContext
  const { request, response } = running
  const length = sizeOf(body)
  if (!request.complete || connections.endsAfter(request)) response.setHeader('connection', 'close')
  // Only an answer that exceeds the system's buffers can stall: cut the connection if the client does not read it.
  if (length > SMALL_ANSWER_BYTES) response.setTimeout(limits.answerMs, () => request.socket.destroy())
  response.writeHead(status, { ...headers, ...(status !== 204 && { 'content-length': length }) })
  const pieces = request.method === 'HEAD' || length === 0 ? [] : typeof body === 'string' ? [body] : [...body]
  // Send head and body in one piece, unless the rest of the request has to be drained before the end.
  const last = request.complete ? pieces.pop() : undefined
  for (const piece of pieces) response.write(piece)
  if (!request.complete) await drain(serverContext, running)
  response.end(last)
  return request.method === 'HEAD' ? 0 : length
}

/** Returns what the log needs of an answer. */
const outcomeOf = ({ status, headers }: WireResponse): Pick<FinishedRequest, 'requestId' | 'status' | 'isPutOff'> => ({
  requestId: headers['x-request-id'] ?? '',
  status,
  isPutOff: 'retry-after' in headers,
})

/** Answers one request, and reports it once its answer was sent or its connection has closed. */
const answer = async (
  serverContext: ServerContext,
  running: RunningRequest,
  refusal: KpiError | undefined,
): Promise<void> => {
  const { scheduler } = serverContext
  const { request, response, intake, over } = running
  const started = serverContext.clock()
  const { target, host } = readTarget(request.url ?? '/')
  const method = request.method ?? 'GET'
  const address = addressOf(request, serverContext.behindProxy)
  let caller: WireCaller | undefined
  const place = serverContext.bodies.place(() => caller?.account ?? '', intake.cut)
  const asked: WireRequest = {
    method,
    target,
    headers: headersOf(request, host),
    serviceUrl: serviceUrlOf(request, host, serverContext),
    address,
    scheme: serverContext.scheme,
    body: () => intake.body(place),
    onUnknownCredentials: async () => {
      const end = await scheduler.admit(networkOf(address))
      const turn = scheduler.take(`address ${address}`)
      if (turn) await turn
      return end
    },
    onCaller: (authenticated) => {
      caller = authenticated
      serverContext.feeding.noteAccount(request.socket, authenticated.account)
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
  const answering = refusal ? plainRefusal(refusal, serverContext.requestId(), asked) : serverContext.handler(asked)
  const answered = await Promise.resolve(answering).finally(place.leave)
  // Close the connection: further requests on it cannot be trusted, or come too late.
  if (refusal) response.setHeader('connection', 'close')
  const isLarge = sizeOf(answered.body) > SMALL_ANSWER_BYTES
  const owner = caller?.account ?? `address ${address}`
  // Hold large anonymous answers while too many bytes to that address are unread.
  const turn = isLarge && !caller ? scheduler.take(owner) : undefined
  if (turn) await turn
  const bytesOut = await write(serverContext, running, answered)
  const taken = isLarge ? scheduler.hold(owner, bytesOut) : undefined
  await over
  taken?.()
  const milliseconds = serverContext.clock() - started
  const isCut = !response.writableFinished
  serverContext.onExchange({
    ...outcomeOf(answered),
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

/** Waits until the answer to the previous request of a connection was sent, and then for a turn. */
const waitForPrevious = async (
  { scheduler, behindProxy }: ServerContext,
  last: RunningRequest,
  request: IncomingMessage,
): Promise<void> => {
  await last.over
  if (request.socket.destroyed) return
  const turn = scheduler.pause(`address ${addressOf(request, behindProxy)}`)
  if (turn) await turn
}

/** Answers a request after the previous ones of its connection, as HTTP/1.1 sends answers in that order. */
const answerInOrder = async (
  serverContext: ServerContext,
  running: RunningRequest,
  last: RunningRequest | undefined,
): Promise<void> => {
  const { request } = running
  // Check now: a request that came before the service began to stop is still answered.
  const refusal = refusalOf(serverContext, request)
  await (last ? waitForPrevious(serverContext, last, request) : serverContext.startInTurn())
  if (!request.socket.destroyed) await answer(serverContext, running, refusal)
}

const createOnRequest = (serverContext: ServerContext, answering: Set<Promise<void>>, expectsContinue: boolean) => {
  const { connections, feeding } = serverContext
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const intake = createRequestIntake(request, expectsContinue ? () => response.writeContinue() : ignore)
    const over = Promise.withResolvers<void>()
    response.once('close', over.resolve)
    const running = { request, response, intake, over: over.promise, onGone: over.resolve }
    const last = connections.runningOn(socket).at(-1)
    connections.add(running)
    void over.promise.then(() => feeding.goOn(socket))
    // Handlers never throw; a rejection means that the client has gone.
    const answered = answerInOrder(serverContext, running, last).catch(() => void response.destroy())
    answering.add(answered)
    void answered.then(() => answering.delete(answered))
  }
}

const NOTHING_READ = { method: undefined, target: undefined, caller: undefined, bytesIn: 0 }

/** Creates the refusal of input that is no request, and reports it. */
const refuseOn = ({ limits, requestId, onExchange }: ServerContext): Refuse =>
  createRefuse((address, error) => {
    const answered = plainRefusal(error, requestId())
    const bytesOut = sizeOf(answered.body)
    onExchange({ ...outcomeOf(answered), ...NOTHING_READ, address, bytesOut, milliseconds: 0, isCut: false })
    return answered
  }, limits.lingerMs)

/** Answers all requests of a server. Returns a function that waits until the running ones are over and reported. */
export const answerRequests = (serverContext: ServerContext): (() => Promise<unknown>) => {
  const answering = new Set<Promise<void>>()
  const { server, connections } = serverContext
  const refuse = refuseOn(serverContext)
  const onClientError = createOnClientError(connections, refuse)
  server.on('request', createOnRequest(serverContext, answering, false))
  server.on('checkContinue', createOnRequest(serverContext, answering, true))
  server.on('checkExpectation', createOnRequest(serverContext, answering, false))
  server.on('connect', (_, socket: Duplex) => {
    refuse(socket, new KpiError('method_not_allowed', 'CONNECT is not possible here', { allow: METHODS }))
  })
  server.on('clientError', (reason, socket) => {
    onClientError(reason, socket).catch(() => socket.destroy())
  })
  return () => Promise.all(answering)
}
