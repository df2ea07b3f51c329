import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WireCaller } from '../wire.ts'
import type { Intake } from './request-intake.ts'

/** A request and what became of it, for logs and metrics. Of its headers and bodies it holds nothing. */
export type Exchange = {
  readonly requestId: string
  readonly address: string
  /** Method and target; undefined where the request could not be read that far. */
  readonly method: string | undefined
  readonly target: string | undefined
  /** Whom its credentials let in. */
  readonly caller: WireCaller | undefined
  readonly status: number
  /** Whether the answer says when to come back. */
  readonly isPutOff: boolean
  /** Sizes of the bodies, as far as they were read and written. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly milliseconds: number
  /** Whether the connection was cut before the answer had been handed over. */
  readonly isCut: boolean
}

/** Told of every request once it is over. */
export type OnExchange = (exchange: Exchange) => void

/** A request that is being answered. */
export type Running = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly intake: Intake
  /** Resolves when its answer has been handed over, or its connection is gone. */
  readonly over: Promise<void>
  /** To be called when nobody is there any more to take the answer. */
  readonly onGone: () => void
}

/** What a server has to know of its connections, most of all when it closes. */
export type Connections = {
  /** Takes note of a request until its answer has been handed over or its connection is gone. */
  readonly add: (running: Running) => void
  /** The requests that are being answered on a connection. */
  readonly runningOn: (socket: Duplex) => readonly Running[]
  /** Returns whether a body is coming in on a connection that has to be read before more of it is taken. */
  readonly isBodyFull: (socket: Duplex) => boolean
  /** Ends the connections that have said nothing. To be called once the server closes, which ends those between requests. */
  readonly dropSilent: () => void
  /** Ends the connections that keep the server waiting: for the rest of a head or a body, or to take an answer. */
  readonly dropStalled: () => void
  /** Whether the connection of a request is to end with its answer: the server closes, and no other request is on it. */
  readonly mustEndAfter: (request: IncomingMessage) => boolean
  /** How many connections are open. */
  readonly open: () => number
  /** How many requests are being answered. */
  readonly running: () => number
  /** How many connections were closed at once, as there were too many. */
  readonly turnedAway: () => number
}

/** Both ends of a connection: the same for a socket and for the encrypted one that takes its place. */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(' ')

/** Keeps account of a server's connections and of the requests on them. To be called before the server listens. */
export const watchConnections = (server: Server): Connections => {
  const open = new Map<string, Socket>()
  const all = new Set<Running>()
  const bySocket = new Map<Duplex, Running[]>()
  const runningOn = (socket: Duplex): readonly Running[] => bySocket.get(socket) ?? []
  const dropIfIdle = (socket: Socket): void => {
    if (runningOn(socket).length === 0) socket.destroySoon()
  }
  const remove = (running: Running, socket: Socket): void => {
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
    mustEndAfter: ({ socket }) => !server.listening && runningOn(socket).length === 1,
    open: () => open.size,
    running: () => all.size,
    turnedAway: () => turnedAway,
  }
}
