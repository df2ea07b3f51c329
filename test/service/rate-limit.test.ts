import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRateLimit, RATE_WINDOW_MS, type RateLimitDecision } from '../../src/service/limits/rate-limit.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { type Clock, limitPlace, of } from '../support/limits.ts'

/** How many of these instants count at an instant. */
const counted = (accepted: readonly number[], now: number): number =>
  accepted.filter((at) => at > now - RATE_WINDOW_MS).length

/** How long, by trying every instant at which something changes, until one more would be accepted. */
const waitOf = (accepted: readonly number[], now: number, limit: number): number => {
  const ends = accepted.map((at) => at + RATE_WINDOW_MS).filter((end) => end > now)
  return Math.min(...ends.filter((end) => counted(accepted, end) < limit)) - now
}

/** That no stretch of 60 seconds has more than so many of these instants. */
const expectWithin = (accepted: readonly number[], limit: number): void => {
  const spans = accepted.slice(limit).map((at, index) => at - (accepted[index] ?? 0))
  expect(Math.min(RATE_WINDOW_MS, ...spans)).toBe(RATE_WINDOW_MS)
}

const gap = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(RATE_WINDOW_MS - 1, RATE_WINDOW_MS, RATE_WINDOW_MS + 1) },
)
const step = fc.record({
  gap,
  instance: fc.integer({ min: 0, max: 1 }),
  account: fc.integer({ min: 1, max: 2 }),
  key: fc.integer({ min: 0, max: 2 }),
})
const run = fc.record({ limit: fc.integer({ min: 1, max: 6 }), steps: fc.array(step, { maxLength: 40 }) })

describe.each(databases)('a limit counted in %s', (name, make) => {
  const numRuns = name === 'SQLite' ? 40 : 10

  test('accepts a request if and only if fewer than the limit were within the last 60 seconds', async () => {
    const clock: Clock = { now: NOW }
    const { open } = await limitPlace(make, clock)
    const instances = [await open(), await open()]
    let accounts = 0
    await fc.assert(
      fc.asyncProperty(run, async ({ limit, steps }) => {
        accounts += 2
        // A token and each key by itself.
        const accepted = new Map<string, number[]>()
        for (const { gap: later, instance, account, key } of steps) {
          clock.now += later
          const store = instances[instance]
          if (!store) throw new Error('there are two')
          const verdict = await createRateLimit(store, limit)(of(accounts + account, key))
          const who = `${account}/${key}`
          const before = accepted.get(who) ?? []
          const after = counted(before, clock.now) < limit ? [...before, clock.now] : before
          accepted.set(who, after)
          const full = waitOf(after, clock.now, counted(after, clock.now))
          expect(verdict).toEqual({
            isAccepted: after !== before,
            limit,
            used: counted(after, clock.now),
            waitMs: after === before ? waitOf(before, clock.now, limit) : full,
          } satisfies RateLimitDecision)
        }
        for (const instants of accepted.values()) expectWithin(instants, limit)
      }),
      { numRuns },
    )
  })

  test('takes another limit at once, lower or higher, also after all who counted are gone', async () => {
    const clock: Clock = { now: NOW }
    const { open } = await limitPlace(make, clock)
    const first = await open()
    for (let count = 1; count <= 5; count += 1) {
      clock.now += 1000
      expect(await createRateLimit(first, 5)(of(1))).toMatchObject({ isAccepted: true, used: count })
    }
    await first.close()
    const second = await open()
    expect(await createRateLimit(second, 6)(of(1))).toMatchObject({ isAccepted: true, used: 6 })
    // Six count: for one to be accepted of two, the fifth, of this moment, has to leave.
    const lower = createRateLimit(second, 2)
    expect(await lower(of(1))).toEqual({ isAccepted: false, limit: 2, used: 6, waitMs: RATE_WINDOW_MS })
    clock.now += RATE_WINDOW_MS - 1
    expect(await lower(of(1))).toMatchObject({ isAccepted: false, used: 2, waitMs: 1 })
    clock.now += 1
    expect(await lower(of(1))).toMatchObject({ isAccepted: true, used: 1 })
  })

  test('is not exceeded by requests at the same moment through several instances', async () => {
    const clock: Clock = { now: NOW }
    const { open } = await limitPlace(make, clock)
    const limits = [createRateLimit(await open(), 20), createRateLimit(await open(), 20)]
    const keys = [0, 1, 12]
    const ofKey = async (key: number): Promise<number[]> => {
      const verdicts = await Promise.all(
        Array.from({ length: 30 }, () => limits.map((limit) => limit(of(7, key)))).flat(),
      )
      return verdicts.filter(({ isAccepted }) => isAccepted).map(({ used }) => used)
    }
    for (const accepted of await Promise.all(keys.map(ofKey))) {
      expect(accepted.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    }
  })

  test('keeps no more of the past than it counts, once it goes on', async () => {
    const clock: Clock = { now: NOW }
    const { open } = await limitPlace(make, clock)
    const store = await open()
    const limit = createRateLimit(store, 50)
    for (let count = 0; count < 50; count += 1) await limit(of(1))
    clock.now += RATE_WINDOW_MS
    for (let count = 0; count < 40; count += 1) await limit(of(1))
    const rows = await store.db.read((tx) => tx.all('select count(*) as count from accepted_requests'))
    expect(rows).toEqual([{ count: 40n }])
  })

  test('lets no more through, and locks nobody out, when the clock is set back', async () => {
    const clock: Clock = { now: NOW }
    const { open } = await limitPlace(make, clock)
    const store = await open()
    const back = fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ max: 1e9, min: 1 }) },
    )
    let account = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.tuple(gap, back)), async (limit, steps) => {
        const rate = createRateLimit(store, limit)
        account += 1
        let time = 0
        const accepted: number[] = []
        for (const [later, setBack] of steps) {
          time += later
          clock.now += later - setBack
          if ((await rate(of(account))).isAccepted) accepted.push(time)
        }
        expectWithin(accepted, limit)
        const { isAccepted, waitMs } = await rate(of(account))
        expect(waitMs).toBeLessThanOrEqual(RATE_WINDOW_MS)
        clock.now += waitMs
        expect(isAccepted || (await rate(of(account))).isAccepted).toBe(true)
      }),
      { numRuns },
    )
  })
})
