import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { networkOf } from '../../service/limits/login-throttle.ts'
import { createFairQueue, createTakeNewestAndOldest } from './fair-queue.ts'
import { createSliceRunner } from './time-slices.ts'

/** Bounds the TLS handshakes to start in one turn of the event loop: each takes about a millisecond. */
const MAX_PER_TURN = 4

/** Creates a function that returns true at every `max`th call. */
const everyNth = (max: number): (() => boolean) => {
  let count = 0
  return () => {
    count = (count + 1) % max
    return count === 0
  }
}

/**
 * Starts at most four TLS handshakes per turn of the event loop; Node.js would start hundreds in one turn. Connections
 * enter the queue with their first bytes, so that silent ones delay nobody; those are closed after `silenceMs`.
 * Networks take turns. Call it before other code listens for connections.
 */
export const scheduleHandshakes = (server: Server, silenceMs: number): void => {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  const queue = createFairQueue(createTakeNewestAndOldest())
  const serve = createSliceRunner(() => queue.next(() => true), everyNth(MAX_PER_TURN))
  const encrypt = (socket: Socket): void => {
    if (socket.destroyed) return
    socket.setTimeout(0)
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
  }
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.once('readable', () => {
      queue.add(networkOf(socket.remoteAddress ?? ''), () => encrypt(socket))
      serve()
    })
  })
}
