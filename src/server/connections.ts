import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What a server that closes has to know of its connections. */
export type Connections = {
  /** Ends the connections on which no request is being answered: also those that have said nothing, or half a head. */
  readonly dropIdle: () => void
  /** Ends the connections that keep the server waiting: for the rest of a request, or to take its answer. */
  readonly dropStalled: () => void
  /** Whether the connection of a request is to end with its answer: the server closes, and no other request is on it. */
  readonly mustEndAfter: (request: IncomingMessage) => boolean
}

/** Keeps account of a server's connections and of the requests on them. To be called before the server listens. */
export const watchConnections = (server: Server): Connections => {
  const open = new Set<Socket>()
  const asked = new Map<IncomingMessage, ServerResponse>()
  const requestsOn = (socket: Socket): IncomingMessage[] =>
    [...asked.keys()].filter((request) => request.socket === socket)

  const dropIdle = (): void => {
    for (const socket of open) if (requestsOn(socket).length === 0) socket.destroySoon()
  }
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (request, response) => {
    asked.set(request, response)
    response.once('close', () => {
      asked.delete(request)
      if (!server.listening) dropIdle()
    })
  })
  return {
    dropIdle,
    dropStalled: () => {
      for (const [{ complete, socket }, { writableEnded }] of asked) if (!complete || writableEnded) socket.destroy()
    },
    mustEndAfter: (request) => !server.listening && requestsOn(request.socket).length === 1,
  }
}
