import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { KpiError } from '../domain/errors.ts'
import { BODY_LIMIT, MEBIBYTE } from '../domain/limits.ts'

/** The body of a request as it comes in. */
export type Intake = {
  /** Reads all of it; refused as soon as it is over the limit. */
  readonly body: () => Promise<Uint8Array>
  /** How much of it was read. */
  readonly size: () => number
  /** Gives up on what is still to come, and says why to whoever waits for it. */
  readonly cut: (reason: KpiError) => void
  /**
   * Reads what is left of a body that nobody wanted, until it is over or cut. Its sender has the answer already, and may
   * end early; were the connection closed before, a sender who sends everything first would get an error in place of the
   * answer.
   */
  readonly drain: () => Promise<void>
}

/** Takes in the body of a request; `begin` asks a sender for it who waits to be asked. */
export const createIntake = (request: IncomingMessage, begin: () => void): Intake => {
  let size = 0
  let reason: KpiError | undefined
  let tell: ((reason: KpiError) => void) | undefined
  /** Fails when the request is cut; most are not, and of those that are, not all are waited for. */
  const cutting = (): Promise<never> =>
    new Promise((_, reject) => {
      if (reason) reject(reason)
      else tell = reject
    })
  const readAll = async (): Promise<Uint8Array> => {
    const tooLarge = new KpiError('too_large', `the body is over ${BODY_LIMIT / MEBIBYTE} MiB`)
    if (Number(request.headers['content-length']) > BODY_LIMIT) throw tooLarge
    begin()
    const chunks: Buffer[] = []
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > BODY_LIMIT) throw tooLarge
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
  return {
    body: async () => {
      try {
        return await Promise.race([readAll(), cutting()])
      } catch (error) {
        if (error instanceof KpiError) throw error
        throw new KpiError('malformed', 'the connection was cut before the end of the body', { cause: error })
      }
    },
    size: () => size,
    cut: (why) => {
      reason = why
      tell?.(why)
    },
    drain: async () => {
      if (request.complete || reason) return
      request.resume()
      // Whether the end came, or the sender has gone, or there is no more time: nothing more is to be read.
      await Promise.race([finished(request, { writable: false }), cutting()]).catch(() => undefined)
    },
  }
}
