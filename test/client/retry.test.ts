import { describe, expect, test } from 'vitest'
import { createRetry, isRetryable, backoff } from '../../src/client/retry.ts'
import { Aborted, type TransportRequest } from '../../src/client/transport.ts'
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
    [
      'a write whose answer was lost and can be found',
      { ...POST, findAnswer: () => Promise.resolve(undefined) },
      LOST,
      true,
    ],
    ['a write of values whose answer was lost', { ...POST, isRepeatable: true }, LOST, true],
    ['a change that must not be sent again', { ...POST, method: 'PUT', isRepeatable: false }, LOST, false],
  ] as const)('%s: %j', (_, sending, failure, isSent) => {
    expect(isRetryable(sending, failure, 1)).toBe(isSent)
  })

  test('is sent five times at most, or seven where it changes something', () => {
    const changing: TransportRequest = { method: 'PUT', path: '/kpis/1' }
    expect([1, 4, 5].map((tries) => isRetryable(GET, LOST, tries))).toEqual([true, true, false])
    expect([1, 6, 7].map((tries) => isRetryable(changing, LOST, tries))).toEqual([true, true, false])
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
      expect(retry.waiting()).toEqual({ until: clock.now(), reason: 'failing' })
    })
    expect(notes).toEqual(Array(2).fill('service not reachable, trying again in 1 s'))
  })

  test('does not hold a run that fails now and then for ever: not more than every second is sent again', async () => {
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
    expect(requests).toBeLessThan(50)
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

describe('a write whose answer was lost', () => {
  type Case = {
    /** What its tries come to, one after another; the last again and again. */
    readonly tries: readonly (KpiError | 'done')[]
    /** What a look finds each time. */
    readonly looks?: readonly (KpiError | 'found' | undefined)[]
    readonly sending?: Partial<TransportRequest>
    readonly giveUpAt?: (since: number) => number
  }

  /** Writes after a first good answer; returns what that came to, and how often it was sent and looked for. */
  const write = async ({ tries, looks, sending, giveUpAt }: Case) => {
    const clock = createVirtualClock()
    const signal = new AbortController().signal
    const retry = createRetry({ clock, signal, random: () => 1, note: () => undefined, giveUpAt })
    const [left, seen] = [[...tries], [...(looks ?? [])]]
    let [sent, looked] = [0, 0]
    const send = (): Promise<string> => {
      sent += 1
      const came = (left.length > 1 ? left.shift() : left[0]) ?? LOST
      return came === 'done' ? Promise.resolve('its own answer') : Promise.reject(came)
    }
    const find = (): Promise<string | undefined> => {
      looked += 1
      const found = seen.shift()
      return found instanceof KpiError ? Promise.reject(found) : Promise.resolve(found)
    }
    const came = await clock.run(async () => {
      await retry.send(GET, () => Promise.resolve(''))
      const findAnswer = looks && (() => Promise.resolve(undefined))
      return retry
        .send({ ...POST, ...sending, ...(findAnswer && { findAnswer }) }, send, looks && find)
        .catch((error: unknown) => {
          if (!(error instanceof KpiError)) throw error
          return { message: error.message, mayBeDone: error.mayBeDone }
        })
    })
    return { came, sent, looked, elapsed: clock.elapsed() }
  }
  const LOST_WORDS = LOST.message

  test('is found, as soon as the list shows it', async () => {
    expect(await write({ tries: [LOST], looks: [undefined, 'found'] })).toEqual({
      came: 'found',
      sent: 1,
      looked: 2,
      elapsed: 500 + 2000,
    })
  })

  test('is sent again once it is known that it was not done', async () => {
    const came = await write({ tries: [FAILED, 'done'], looks: [] })
    expect(came).toEqual({ came: 'its own answer', sent: 2, looked: 3, elapsed: 500 + 8000 })
  })

  test('is told as unknown where it cannot be looked for, and is not sent again', async () => {
    const came = { message: LOST_WORDS, mayBeDone: true }
    expect(await write({ tries: [LOST, 'done'], looks: [REFUSED] })).toMatchObject({ came, sent: 1, looked: 1 })
    expect(await write({ tries: [LOST, 'done'] })).toMatchObject({ came, sent: 1, looked: 0 })
  })

  test('is found where the next one meets it', async () => {
    const looks = [undefined, undefined, undefined, 'found' as const]
    expect(await write({ tries: [LOST, TAKEN], looks })).toMatchObject({ came: 'found', sent: 2, looked: 4 })
  })

  test.each([
    ['it is refused', [LOST, REFUSED], undefined, false],
    ['nothing listens there any more', [LOST, NOT_SENT], undefined, true],
    ['the credentials are refused', [LOST, new KpiError('unauthorized', 'no')], undefined, true],
    ['it is still being done', [LOST, RUNNING], undefined, true],
    ['nothing listens, and it was not done', [LOST, NOT_SENT], [], false],
  ] as const)('may be done where in the end %s', async (_, tries, looks, mayBeDone) => {
    const sending = looks ? {} : { idempotencyKey: 'one', isRepeatable: true }
    const { came } = await write({ tries, sending, ...(looks && { looks }) })
    expect(came).toEqual({ message: tries[1].message, mayBeDone })
  })

  test('may be done where a gateway answered last, and the list does not tell which one it is', async () => {
    const clock = createVirtualClock()
    const retry = createRetry({ clock, signal: new AbortController().signal, random: () => 1, note: () => undefined })
    // Only the service itself says that it does a request once under its key.
    let isBundled = true
    const tries = [LOST, new KpiError('unauthorized', 'no')]
    const send = (): Promise<string> => {
      isBundled = tries.length > 1
      return Promise.reject(tries.shift() ?? LOST)
    }
    const find = (): Promise<undefined> => {
      isBundled = true
      return Promise.reject(TAKEN)
    }
    const ended = clock.run(async () => {
      await retry.send(GET, () => Promise.resolve(''))
      return retry.send({ ...KEYED, isRepeatable: () => isBundled }, send, find)
    })
    await expect(ended).rejects.toMatchObject({ code: 'unauthorized', mayBeDone: true })
  })

  test.each(['PUT', 'DELETE'] as const)('may be done where it is a %s that is refused in the end', async (method) => {
    expect((await write({ tries: [LOST, REFUSED], sending: { method } })).came).toEqual({
      message: REFUSED.message,
      mayBeDone: true,
    })
    expect((await write({ tries: [NOT_SENT, REFUSED], sending: { method } })).came).toMatchObject({ mayBeDone: false })
  })

  test('may be done where the run is stopped while it is sent again', async () => {
    const clock = createVirtualClock()
    const retry = createRetry({ clock, signal: new AbortController().signal, random: () => 1, note: () => undefined })
    const tries: Error[] = [LOST, new Aborted('stopped')]
    const stopped = clock.run(async () => {
      await retry.send(GET, () => Promise.resolve(1))
      return retry.send({ ...GET, method: 'PUT' }, () => Promise.reject(tries.shift() ?? LOST))
    })
    await expect(stopped).rejects.toMatchObject({
      message: expect.stringMatching(/^stopped; PUT .* failed once, the last time: /) as unknown,
      mayBeDone: true,
    })
  })

  test('is asked for under its key for as long as the service works on it, whatever was sent again before', async () => {
    const tries = [LOST, ...Array.from({ length: 30 }, () => RUNNING), 'done' as const]
    const sending = { idempotencyKey: 'one', isRepeatable: true }
    expect(await write({ tries, sending })).toMatchObject({ came: 'its own answer', sent: 32 })
  })

  test('is not sent again once the service may have forgotten its key', async () => {
    const sending = { idempotencyKey: 'one', isRepeatable: true }
    const { came, elapsed } = await write({ tries: [LOST, NOT_SENT], sending, giveUpAt: () => Infinity })
    expect(came).toMatchObject({ mayBeDone: true })
    expect(elapsed / 3_600_000).toBeCloseTo(23, 1)
  })
})

test('a run with a short deadline tries once more just before it', async () => {
  const { elapsed, requests } = await readFrom(0, { lost: NOT_SENT, giveUpAt: (since) => since + 5000 })
  expect([elapsed, requests]).toEqual([4000, 5])
})
