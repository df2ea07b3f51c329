import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { KpiError } from '../../domain/errors.ts'
import { BODY_LIMIT, MEBIBYTE } from '../../domain/limits.ts'
import { type BodyPlace, LARGE_BYTES, tooManyBodiesError } from '../queues/body-memory.ts'

/** Describes the body of a request as it comes in. */
export type RequestIntake = {
  /** Reads all of it, when `place` permits; throws as soon as it is over the limit. */
  readonly body: (place: BodyPlace) => Promise<Uint8Array>
  /** Returns how many bytes were read. */
  readonly size: () => number
  /** Stops reading the body, which fails with the reason. */
  readonly cut: (reason: KpiError) => void
  /**
   * Reads and discards the rest of an unwanted body, until it ends or is cut. If the connection closed instead, a
   * client that sends everything before it reads would get a connection error instead of the answer.
   */
  readonly drain: () => Promise<void>
}

const LEAST_ROOM = 4096

/**
 * Creates a buffer for a body, which copies its chunks, as there may be one for each byte. Allocates a large body of
 * known size at once, as growing the buffer would take twice the memory.
 */
const createReceived = (announced: number) => {
  let body = Buffer.allocUnsafeSlow(announced > LARGE_BYTES ? announced : LEAST_ROOM)
  let size = 0
  const makeRoom = (needed: number): void => {
    if (needed <= body.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, body.length * 2))
    body.copy(larger, 0, 0, size)
    body = larger
  }
  return {
    add: (chunk: Buffer): void => {
      makeRoom(size + chunk.length)
      size += chunk.copy(body, size)
    },
    whole: (): Buffer => body.subarray(0, size),
  }
}

/** Creates the intake of a request's body; `begin` sends 100 Continue if the client waits for it. */
export const createRequestIntake = (request: IncomingMessage, begin: () => void): RequestIntake => {
  let size = 0
  let reason: KpiError | undefined
  let rejectWaiting: ((reason: KpiError) => void) | undefined
  /** Rejects when the request is cut. */
  const cutting = (): Promise<never> =>
    new Promise((_, reject) => {
      if (reason) reject(reason)
      else rejectWaiting = reject
    })
  let isWaiting = false
  const cut = (why: KpiError): void => {
    // If the service made the body wait, the client was not too slow: blame the load.
    reason = isWaiting ? tooManyBodiesError() : why
    rejectWaiting?.(reason)
  }
  const waitFor = async (turn: Promise<void> | undefined): Promise<void> => {
    if (!turn) return
    isWaiting = true
    await turn
    isWaiting = false
    if (reason) throw reason
  }
  const readAll = async (place: BodyPlace): Promise<Uint8Array> => {
    const tooLarge = new KpiError('too_large', `the body is over ${BODY_LIMIT / MEBIBYTE} MiB`)
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > BODY_LIMIT) throw tooLarge
    await waitFor(place.onAnnounced(announced))
    begin()
    const received = createReceived(announced)
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (reason) throw reason
      size += chunk.length
      if (size > BODY_LIMIT) throw tooLarge
      received.add(chunk)
      await waitFor(place.onChunk(chunk.length))
    }
    await waitFor(place.onWhole())
    return received.whole()
  }
  return {
    body: async (place) => {
      try {
        return await Promise.race([readAll(place), cutting()])
      } catch (error) {
        if (error instanceof KpiError) throw error
        throw new KpiError('malformed', 'the connection was cut before the end of the body', { cause: error })
      }
    },
    size: () => size,
    cut,
    drain: async () => {
      if (request.complete || reason) return
      request.resume()
      // Ignore errors: the body ended, the client has gone, or the time is over, so there is nothing more to read.
      await Promise.race([finished(request, { writable: false }), cutting()]).catch(() => undefined)
    },
  }
}
