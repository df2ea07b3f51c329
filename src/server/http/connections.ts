import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WireCaller } from '../wire.ts'
import type { RequestIntake } from './request-intake.ts'

/** Describes a request and its outcome, for logs and metrics, without headers and bodies. */
export type FinishedRequest = {
  readonly requestId: string
  readonly address: string
  /** Holds method and target; undefined if the request could not be read. */
  readonly method: string | undefined
  readonly target: string | undefined
  /** Names the authenticated caller. */
  readonly caller: WireCaller | undefined
  readonly status: number
  /** Tells whether the answer has Retry-After. */
  readonly isPutOff: boolean
  /** Counts the bytes of the bodies, as far as they were read and written. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly milliseconds: number
  /** Tells whether the connection closed before the whole answer was sent. */
  readonly isCut: boolean
}

/** Receives every request once it is over. */
export type OnFinished = (exchange: FinishedRequest) => void

/** Describes a request that is being answered. */
export type RunningRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly intake: RequestIntake
  /** Resolves when its answer was sent, or its connection has closed. */
  readonly over: Promise<void>
  /** Reports that the connection closed before the answer was sent. */
  readonly onGone: () => void
}

/** Tracks the connections of a server and the requests on them. */
export type Connections = {
  /** Tracks a request until its answer was sent or its connection has closed. */
  readonly add: (running: RunningRequest) => void
  /** Returns the running requests of a connection, in order. */
  readonly runningOn: (socket: Duplex) => readonly RunningRequest[]
  /** Tells whether a body's buffer is full, so that the handler has to read from it first. */
  readonly isBodyFull: (socket: Duplex) => boolean
  /**
   * Ends connections on which the client never sent anything; `server.close` itself ends only those between requests.
   */
  readonly dropSilent: () => void
  /**
   * Ends the connections for which a closing server waits: for the rest of a request, or until the client reads an
   * answer.
   */
  readonly dropStalled: () => void
  /**
   * Tells whether to close the connection of a request after its answer: the server closes, and the connection has no
   * other request.
   */
  readonly endsAfter: (request: IncomingMessage) => boolean
  /** Returns the number of open connections. */
  readonly open: () => number
  /** Returns the number of running requests. */
  readonly running: () => number
  /** Returns the number of connections that the server closed at once, because there were too many. */
  readonly turnedAway: () => number
}

/**
 * Returns the addresses and ports of both ends of a connection: they are the same for a socket and for the TLS socket
 * that wraps it.
 */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(' ')

/** Tracks a server's connections and the requests on them. Call it before the server listens. */
export const watchConnections = (server: Server): Connections => {
  const open = new Map<string, Socket>()
  const all = new Set<RunningRequest>()
  const bySocket = new Map<Duplex, RunningRequest[]>()
  const runningOn = (socket: Duplex): readonly RunningRequest[] => bySocket.get(socket) ?? []
  const dropIfIdle = (socket: Socket): void => {
    if (runningOn(socket).length === 0) socket.destroySoon()
  }
  const remove = (running: RunningRequest, socket: Socket): void => {
    all.delete(running)
    const others = runningOn(socket).filter((one) => one !== running)
    if (others.length > 0) bySocket.set(socket, others)
    else bySocket.delete(socket)
    if (!server.listening) dropIfIdle(socket)
  }
  const watch = (socket: Socket): void => {
    const ends = endsOf(socket)
    open.set(ends, socket)
    socket.once('close', () => {
      if (open.get(ends) === socket) open.delete(ends)
      // Pipelined responses whose turn had not come get no 'close' event.
      for (const running of runningOn(socket)) {
        remove(running, socket)
        running.onGone()
      }
    })
  }
  let turnedAway = 0
  server.on('drop', () => (turnedAway += 1))
  server.on('connection', watch)
  server.on('secureConnection', watch)
  return {
    add: (running) => {
      const { socket } = running.request
      all.add(running)
      bySocket.set(socket, [...runningOn(socket), running])
      running.response.once('close', () => remove(running, socket))
    },
    runningOn,
    isBodyFull: (socket) => {
      const last = runningOn(socket).at(-1)?.request
      return last !== undefined && !last.complete && last.readableLength >= last.readableHighWaterMark
    },
    dropSilent: () => {
      for (const socket of open.values()) if (socket.bytesRead === 0) dropIfIdle(socket)
    },
    dropStalled: () => {
      for (const socket of open.values()) dropIfIdle(socket)
      for (const { request, response } of all) {
        if (!request.complete || response.writableEnded) request.socket.destroy()
      }
    },
    endsAfter: ({ socket }) => !server.listening && runningOn(socket).length === 1,
    open: () => open.size,
    running: () => all.size,
    turnedAway: () => turnedAway,
  }
}
