import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { KpiError } from '../../domain/errors.ts'
import { BODY_LIMIT, MEBIBYTE } from '../../domain/limits.ts'
import { type BodyPlace, LARGE_BYTES, tooManyBodies } from '../queues/body-memory.ts'

/** Describes the body of a request as it comes in. */
export type RequestIntake = {
  /** Reads all of it, as its place allows; refused as soon as it is over the limit. */
  readonly body: (place: BodyPlace) => Promise<Uint8Array>
  /** Returns how much of it was read. */
  readonly size: () => number
  /** Gives up on the rest, and rejects whoever waits for it with the reason. */
  readonly cut: (reason: KpiError) => void
  /**
   * Reads what is left of a body that nobody wanted, until it is over or cut. Its client has the answer already, and
   * may end early; were the connection closed before, a client that sends everything first would get an error in place
   * of the answer.
   */
  readonly drain: () => Promise<void>
}

const LEAST_ROOM = 4096

/**
 * Creates a buffer for the chunks of a body: there may be one for each of its bytes. A large one of known size is
 * allocated at once, as growing it would take twice the memory.
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

/** Takes in the body of a request; `begin` asks a sender for it who waits to be asked. */
export const createRequestIntake = (request: IncomingMessage, begin: () => void): RequestIntake => {
  let size = 0
  let reason: KpiError | undefined
  let rejectWaiting: ((reason: KpiError) => void) | undefined
  /** Fails when the request is cut; most are not, and of those that are, not all are waited for. */
  const cutting = (): Promise<never> =>
    new Promise((_, reject) => {
      if (reason) reject(reason)
      else rejectWaiting = reject
    })
  let isWaiting = false
  const cut = (why: KpiError): void => {
    // It is not its sender who was slow.
    reason = isWaiting ? tooManyBodies() : why
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
      // Whether the end came, or the sender has gone, or there is no more time: nothing more is to be read.
      await Promise.race([finished(request, { writable: false }), cutting()]).catch(() => undefined)
    },
  }
}
