import { describe, expect, test } from 'vitest'
import { createRetry, isRetryable, backoff } from '../../src/client/retry.ts'
import type { TransportRequest } from '../../src/client/transport.ts'
import { KpiError } from '../../src/domain/errors.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const GET: TransportRequest = { method: 'GET', path: '/kpis' }
const POST: TransportRequest = { method: 'POST', path: '/kpientries' }
const KEYED: TransportRequest = { ...POST, idempotencyKey: 'one' }

const LOST = new KpiError('unavailable', 'the connection was cut', { mayBeDone: true })
const lostBy = (code: string): KpiError =>
  new KpiError('unavailable', code, { mayBeDone: true, cause: Object.assign(new Error(code), { code }) })
const NOT_SENT = new KpiError('unavailable', 'nothing listens there', { cause: lostBy('ECONNREFUSED').cause })
const FAILED = new KpiError('internal', 'failed', { mayBeDone: true })
const RUNNING = new KpiError('conflict', 'it is still running', { retryAfter: 1 })
const TAKEN = new KpiError('conflict', 'there is one of that name')
const REFUSED = new KpiError('invalid', 'no')

describe('what is sent again', () => {
  test.each([
    ['a read whose answer was lost', GET, LOST, true],
    ['a read that the service failed at', GET, FAILED, true],
    ['a read that was never sent', GET, NOT_SENT, true],
    ['a read that was refused', GET, REFUSED, false],
    ['a write that was never sent', POST, NOT_SENT, true],
    ['a write whose answer was lost', POST, LOST, false],
    ['a write that the service failed at', POST, FAILED, false],
    ['a write with a key whose answer was lost', KEYED, LOST, false],
    ['a write with a key that is still being done', KEYED, RUNNING, true],
    ['a write without one that meets something else', POST, RUNNING, false],
    ['a write with a key that meets something else', KEYED, TAKEN, false],
    ['a change that was lost', { ...POST, method: 'PUT' }, LOST, true],
    ['a delete that was lost', { ...POST, method: 'DELETE' }, LOST, true],
    ['a write of values whose answer was lost', { ...POST, isRepeatable: true }, LOST, true],
    ['a change that must not be sent again', { ...POST, method: 'PUT', isRepeatable: false }, LOST, false],
  ] as const)('%s: %j', (_, sending, failure, isSent) => {
    expect(isRetryable(sending, failure, 1)).toBe(isSent)
  })

  test('is sent five times at most', () => {
    expect([1, 4, 5].map((tries) => isRetryable(GET, LOST, tries))).toEqual([true, true, false])
  })
})

describe('the wait before it is sent again', () => {
  test('doubles, spread by chance, and ends at half a minute', () => {
    expect([1, 2, 3, 4].map((tries) => backoff(LOST, tries, 1))).toEqual([500, 1000, 2000, 4000])
    expect(backoff(LOST, 1, 0)).toBe(250)
    expect(backoff(LOST, 1000, 1)).toBe(30_000)
  })

  test('is what the service asks for, up to five minutes', () => {
    const busy = (retryAfter: number): KpiError => new KpiError('unavailable', 'busy', { retryAfter, mayBeDone: true })
    expect(backoff(busy(7), 1, 0)).toBe(7000)
    expect(backoff(busy(1e117), 1, 0)).toBe(300_000)
  })
})

/** Reads until it fails for good, from a service that answers as often as said and then no more. */
const readFrom = async (
  answers: number,
  { lost = LOST, giveUpAt }: { lost?: KpiError; giveUpAt?: (since: number) => number | undefined } = {},
): Promise<{ requests: number; elapsed: number; failure: unknown }> => {
  const clock = createVirtualClock()
  const [signal, note] = [new AbortController().signal, (): void => undefined]
  const retry = createRetry({ clock, signal, random: () => 0.5, note, giveUpAt })
  let requests = 0
  const failure = await clock.run(async () => {
    for (;;) {
      try {
        await retry.send(GET, () => {
          requests += 1
          return requests <= answers ? Promise.resolve(1) : Promise.reject(lost)
        })
      } catch (error) {
        return error
      }
    }
  })
  return { requests, elapsed: clock.elapsed(), failure }
}

describe('a service that is gone', () => {
  test('is asked five times, then the failure is told', async () => {
    expect(await readFrom(3)).toEqual({ requests: 3 + 5, elapsed: 375 + 750 + 1500 + 3000, failure: LOST })
  })

  test('is not asked again where it has never answered', async () => {
    expect(await readFrom(0)).toEqual({ requests: 1, elapsed: 0, failure: LOST })
  })

  test.each([0, 3])('is waited for by a run that nobody watches, after %i answers', async (answers) => {
    for (const lost of [LOST, FAILED, NOT_SENT, lostBy('ECONNREFUSED'), lostBy('ECONNRESET')]) {
      const ran = await readFrom(answers, { lost, giveUpAt: (since) => since + 900_000 })
      expect(ran.failure).toBe(lost)
      expect(ran.elapsed).toBeGreaterThan(860_000)
      expect(ran.elapsed).toBeLessThanOrEqual(900_000)
      expect(ran.requests).toBeLessThan(answers + 60)
    }
  })

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER', ''])(
    'is not waited for where its name or its answers are at fault: %s',
    async (code) => {
      const lost = lostBy(code)
      const ran = await readFrom(0, { lost, giveUpAt: (since) => since + 900_000 })
      expect(ran).toEqual({ requests: 1, elapsed: 0, failure: lost })
    },
  )

  test('is told of at once, and again once it was there in between', async () => {
    const clock = createVirtualClock()
    const notes: string[] = []
    const note = (text: string): number => notes.push(text)
    const retry = createRetry({ clock, signal: new AbortController().signal, random: () => 1, note })
    const answers = [true, false, false, true, false, true]
    await clock.run(async () => {
      const send = (): Promise<number> => (answers.shift() ? Promise.resolve(1) : Promise.reject(NOT_SENT))
      for (let read = 0; read < 3; read += 1) await retry.send(POST, send)
      expect(retry.waiting()).toBeUndefined()
      await retry.send(POST, () => Promise.reject(LOST)).catch(() => undefined)
      expect(retry.waiting()).toEqual({ until: clock.now(), reason: 'unreachable' })
    })
    expect(notes).toEqual(Array(2).fill('service not reachable, trying again in 1 s'))
  })

  test('does not hold a run that fails now and then for ever: not more than every tenth is sent again', async () => {
    const clock = createVirtualClock()
    const retry = createRetry({ clock, signal: new AbortController().signal, random: () => 0, note: () => undefined })
    let [requests, failures] = [0, 0]
    await clock.run(async () => {
      for (let read = 0; read < 200 && failures === 0; read += 1) {
        let tries = 0
        // Each is answered the second time.
        const send = (): Promise<number> => {
          requests += 1
          return read > 0 && (tries += 1) === 1 ? Promise.reject(LOST) : Promise.resolve(1)
        }
        await retry.send(GET, send).catch(() => (failures += 1))
      }
    })
    expect(failures).toBe(1)
    expect(requests).toBeLessThan(30)
  })
})

test('waiting ends at once where the run is stopped', async () => {
  const clock = createVirtualClock()
  const controller = new AbortController()
  const retry = createRetry({ clock, signal: controller.signal, random: () => 0.5, note: () => undefined })
  const work = clock.run(async () => {
    await retry.send(GET, () => Promise.resolve(1))
    const waiting = retry.send(GET, () => Promise.reject(LOST))
    controller.abort()
    await waiting
  })
  await expect(work).rejects.toThrow('stopped')
  expect(clock.elapsed()).toBe(0)
})
