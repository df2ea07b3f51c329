import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WireCaller } from '../wire.ts'
import type { RequestIntake } from './request-intake.ts'

/** Describes a request and its outcome, for logs and metrics, without headers and bodies. */
export type FinishedRequest = {
  readonly requestId: string
  readonly address: string
  /** Holds method and target; undefined where the request could not be read that far. */
  readonly method: string | undefined
  readonly target: string | undefined
  /** Names the authenticated caller. */
  readonly caller: WireCaller | undefined
  readonly status: number
  /** Tells whether the answer says when to come back. */
  readonly isPutOff: boolean
  /** Counts the bytes of the bodies, as far as they were read and written. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly milliseconds: number
  /** Tells whether the connection was cut before the answer had been handed over. */
  readonly isCut: boolean
}

/** Takes every request once it is over. */
export type OnFinished = (exchange: FinishedRequest) => void

/** Describes a request that is being answered. */
export type RunningRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly intake: RequestIntake
  /** Resolves when its answer has been handed over, or its connection is gone. */
  readonly over: Promise<void>
  /** Calls back when nobody is there any more to take the answer. */
  readonly onGone: () => void
}

/** Tracks the connections of a server, most of all for when it closes. */
export type Connections = {
  /** Takes note of a request until its answer has been handed over or its connection is gone. */
  readonly add: (running: RunningRequest) => void
  /** Returns the requests that are being answered on a connection. */
  readonly runningOn: (socket: Duplex) => readonly RunningRequest[]
  /** Tells whether a body is coming in on a connection that has to be read before more of it is taken. */
  readonly isBodyFull: (socket: Duplex) => boolean
  /** Ends connections on which nothing was sent. Called once the server closes, which ends those between requests. */
  readonly dropSilent: () => void
  /** Ends the connections that keep the server waiting: for the rest of a head or a body, or to take an answer. */
  readonly dropStalled: () => void
  /**
   * Tells whether the connection of a request is to end with its answer: the server closes, and no other request is on
   * it.
   */
  readonly endsAfter: (request: IncomingMessage) => boolean
  /** Returns the number of open connections. */
  readonly open: () => number
  /** Returns the number of requests that are being answered. */
  readonly running: () => number
  /** Returns the number of connections that were closed at once, as there were too many. */
  readonly turnedAway: () => number
}

/**
 * Returns the address and port of both ends of a connection: the same for a socket and for the TLS socket that takes
 * its place.
 */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(' ')

/** Keeps account of a server's connections and of the requests on them. To be called before the server listens. */
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
      // Of answers that were still waiting for others to be taken nobody else tells.
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
