import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { networkOf } from '../../service/limits/login-throttle.ts'
import { createFairQueue, createTakeNewestAndOldest } from './fair-queue.ts'
import { createSliceRunner } from './time-slices.ts'

/** Bounds the connections that begin to encrypt in one turn of the event loop: each takes about a millisecond. */
const MOST_A_TURN = 4

/** Counts calls, and returns true with each last of so many. */
const countTo = (most: number): (() => boolean) => {
  let count = 0
  return () => {
    count = (count + 1) % most
    return count === 0
  }
}

/**
 * Starts the TLS handshakes of a few connections at a time where hundreds come at one moment: Node.js would start all
 * in one turn of the event loop. Connections wait for it once they have sent something, so that silent ones hold up
 * nobody; these are closed after `silenceMs`. Networks take turns. It must be called before anybody else listens for
 * connections.
 */
export const scheduleHandshakes = (server: Server, silenceMs: number): void => {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  const line = createFairQueue(createTakeNewestAndOldest())
  const serve = createSliceRunner(() => line.next(() => true), countTo(MOST_A_TURN))
  const encrypt = (socket: Socket): void => {
    if (socket.destroyed) return
    socket.setTimeout(0)
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  }
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.once('readable', () => {
      line.add(networkOf(socket.remoteAddress ?? ''), () => encrypt(socket))
      serve()
    })
  })
}
