import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RateLimiter } from '../../src/client/transport.ts'
import { createRateLimiter, type LimiterOptions } from '../../src/client/rate-limit/limiter.ts'
import { compareWithSliding } from '../../src/client/rate-limit/kinds.ts'
import { fileState } from '../../src/client/rate-limit/shared-state.ts'
import { initialState } from '../../src/client/rate-limit/state.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  bucketLimiter,
  CLASSIC_TELLING,
  fixedLimiter,
  type Limited,
  type Limiter,
  slidingLimiter,
  type Telling,
} from '../support/limiters.ts'
import { IS_SOAK, oneIn, some } from '../support/soak/tests.ts'
import { leastTime, sendThrough, wellBehind } from '../support/pacing.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'

/** Chance that is the same in each run. */
const chance = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const gateOn = (clock: VirtualClock, given: Partial<LimiterOptions> = {}): RateLimiter =>
  createRateLimiter({
    clock,
    signal: new AbortController().signal,
    name: 'a',
    random: chance(1),
    note: () => undefined,
    ...given,
  })

/** How long requests are on their way, and how many are sent at a time. */
type Way = { readonly wayMs: number; readonly jitterMs: number; readonly atATime: number }

const NEAR: Way = { wayMs: 1, jitterMs: 0, atATime: 10 }
const FAR: Way = { wayMs: 25, jitterMs: 20, atATime: 10 }
const ONE_BY_ONE: Way = { wayMs: 25, jitterMs: 0, atATime: 1 }

const KINDS = {
  sliding: (limit) => slidingLimiter(limit),
  'fixed, first window 7 s': (limit) => fixedLimiter(limit, 7300),
  'fixed, first window 31 s': (limit) => fixedLimiter(limit, 31_500),
  'fixed, first window 59 s': (limit) => fixedLimiter(limit, 58_700),
  bucket: (limit) => bucketLimiter(limit),
  'bucket of a quarter': (limit) => bucketLimiter(limit, limit / 4),
  'bucket of 10': (limit) => bucketLimiter(limit, 10),
} satisfies Record<string, (limit: number) => Limiter>

type Kind = keyof typeof KINDS

const telling = (headers: Telling['headers']): Telling => ({ ...CLASSIC_TELLING, headers })

const service = (clock: VirtualClock, limiter: Limiter, { wayMs, jitterMs }: Way, info: Telling): Limited => {
  const random = chance(7)
  return wellBehind({ clock, limiter, telling: info, wayMs: () => wayMs + jitterMs * random() })
}

/** How much longer it took than it must, and which share was refused. */
type Measured = { readonly over: number; readonly refused: number }

const compare = (clock: VirtualClock, limited: Limited, requests: number, fresh: Limiter, way: Way): Measured => {
  const least = leastTime(fresh, requests, way.atATime, way.wayMs + way.jitterMs / 2)
  return { over: clock.elapsed() / least - 1, refused: limited.tally.refused / requests }
}

const measure = async (
  kind: Kind,
  limit: number,
  way: Way,
  headers: Telling['headers'],
  requests = limit * 5.5,
): Promise<Measured> => {
  const clock = createVirtualClock()
  const limited = service(clock, KINDS[kind](limit), way, telling(headers))
  const gate = gateOn(clock)
  await clock.run(() => sendThrough(gate, limited, { left: requests }, way.atATime))
  return compare(clock, limited, requests, KINDS[kind](limit), way)
}

// The suite draws some kinds for each way; `npm run soak -- combinations` tries every limit with every way.
const ALL_KINDS: readonly Kind[] = [
  'sliding',
  'fixed, first window 7 s',
  'fixed, first window 31 s',
  'fixed, first window 59 s',
  'bucket',
  'bucket of a quarter',
  'bucket of 10',
]
/** One of each way of counting, for what hardly depends on the place in the window or the size of the bucket. */
const SOME_KINDS: readonly Kind[] = IS_SOAK ? ALL_KINDS : ['sliding', 'fixed, first window 31 s', 'bucket of a quarter']

/** The headers that tell of a limit, with limits and ways: what is told is the same, so that one of each says most. */
const COMBINATIONS: readonly (readonly [headers: Telling['headers'], limit: number, ways: readonly Way[]])[] = IS_SOAK
  ? (['both', 'draft', 'x', 'x-limit'] as const).flatMap((headers) =>
      [200, 600].map((limit) => [headers, limit, [NEAR, FAR, ONE_BY_ONE]] as const),
    )
  : [
      ['both', 200, [NEAR, FAR, ONE_BY_ONE]],
      ['both', 600, [FAR]],
      ['draft', 200, [FAR]],
      ['x', 200, [FAR]],
      ['x-limit', 200, [FAR]],
    ]

describe('a run takes at most 3 % longer than it must, and at most 0.5 % of its requests are refused', () => {
  describe.each(COMBINATIONS.map((one, row) => [...one, row] as const))(
    'by the headers %s, at %d a minute',
    (headers, limit, ways, row) => {
      test.each(ALL_KINDS.filter(oneIn(3, row)))('%s', async (kind) => {
        for (const way of ways) {
          const { over, refused } = await measure(kind, limit, way, headers)
          expect(over).toBeLessThan(0.03)
          expect(refused).toBeLessThanOrEqual(0.005)
        }
      })
    },
  )

  test.each(some(1, SOME_KINDS))('%s, where answers take half a second', async (kind) => {
    const { over, refused } = await measure(kind, 600, { wayMs: 250, jitterMs: 0, atATime: 10 }, 'both', 9900)
    expect(over).toBeLessThan(0.03)
    expect(refused).toBeLessThanOrEqual(0.005)
  })

  describe.each([
    [200, ALL_KINDS],
    [600, SOME_KINDS],
  ])('where nothing is told but when to come back, at %d a minute', (limit, kinds) => {
    /** What is told by being refused only is learned in the first minutes, at a cost that does not grow with the job. */
    const REQUESTS = 5000

    test.each(some(2, kinds))('%s', async (kind) => {
      const fewAtATime = { ...FAR, atATime: 4 }
      for (const way of IS_SOAK ? [NEAR, FAR, fewAtATime, ONE_BY_ONE] : limit === 200 ? [FAR, ONE_BY_ONE] : [FAR]) {
        const { over, refused } = await measure(kind, limit, way, 'none', REQUESTS)
        expect(over).toBeLessThan(0.03)
        expect(refused).toBeLessThanOrEqual(0.005)
      }
    })
  })
})

describe('at most 1 % of the requests are refused, whatever a service says of when to come back', () => {
  const TELLINGS: readonly (readonly [what: string, retryAfter: Telling['retryAfter']])[] = [
    ['no time', { words: '0' }],
    ['a date that is past', { words: 'Thu, 01 Jan 1970 00:00:00 GMT' }],
    ['always a second', { words: '1' }],
    ['a time that is rounded down', 'rounded down'],
    ['half of the time', 'halved'],
    ['a time below none', { words: '-5' }],
    ['nothing', 'none'],
  ]
  describe.each(TELLINGS.map((one, row) => [...one, row] as const))('%s', (_, retryAfter, row) => {
    test.each(ALL_KINDS.filter(oneIn(3, row)))('%s', async (kind) => {
      for (const limit of IS_SOAK ? [60, 200] : [60]) {
        for (const headers of ['none', 'x-limit'] as const) {
          const clock = createVirtualClock()
          const limited = service(clock, KINDS[kind](limit), FAR, { headers, status: 429, retryAfter })
          const gate = gateOn(clock)
          const requests = limit * 15
          await clock.run(() => sendThrough(gate, limited, { left: requests }, FAR.atATime))
          expect([limit, headers, limited.tally.refused <= requests / 100]).toEqual([limit, headers, true])
          // A bucket of which nothing true is told is kept to by far less than it would take.
          const { over } = compare(clock, limited, requests, KINDS[kind](limit), FAR)
          expect([limit, headers, kind.startsWith('bucket') || over < 0.1]).toEqual([limit, headers, true])
        }
      }
    })
  })
})

test.each(['sliding', 'fixed, first window 31 s', 'fixed, first window 59 s'] as const)(
  'a short run has four refused where half of the time is told: %s',
  async (kind) => {
    const clock = createVirtualClock()
    const info: Telling = { headers: 'none', status: 429, retryAfter: 'halved' }
    const limited = service(clock, KINDS[kind](60), FAR, info)
    await clock.run(() => sendThrough(gateOn(clock), limited, { left: 300 }, FAR.atATime))
    expect(limited.tally.refused).toBeLessThanOrEqual(4)
  },
)

test.each(some(1, [100, 200, 600]))(
  'so few also where the first window of %i a minute ends soon, and what is sent in it is taken for a part of the limit',
  async (limit) => {
    for (const firstMs of IS_SOAK || limit < 600 ? [1000, 2000, 3000, 4000] : [1000, 3000]) {
      const clock = createVirtualClock()
      const limited = service(clock, fixedLimiter(limit, firstMs), FAR, telling('none'))
      await clock.run(() => sendThrough(gateOn(clock), limited, { left: limit * 15 }, FAR.atATime))
      expect([firstMs, limited.tally.refused <= (limit * 15) / 100]).toEqual([firstMs, true])
    }
  },
)

/** Four gates, each with a connection of its own to one file, as four processes have. */
const measureFour = async (kind: Kind, limit: number, headers: Telling['headers'], way = FAR) => {
  using folder = temporaryFolder()
  const clock = createVirtualClock()
  const limited = service(clock, KINDS[kind](limit), way, telling(headers))
  const gates = [1, 2, 3, 4].map((at) => {
    const share = fileState(join(folder.path, 'pace.db'), (reason) => expect.unreachable(reason))
    return gateOn(clock, { share, name: `gate${at}-`, random: chance(at) })
  })
  const requests = limit * 5.5
  const work = { left: requests }
  const sent = await clock.run(() => Promise.all(gates.map((gate) => sendThrough(gate, limited, work, way.atATime))))
  for (const gate of gates) gate.close()
  const measured = compare(clock, limited, requests, KINDS[kind](limit), { ...way, atATime: way.atATime * 4 })
  return { ...measured, least: Math.min(...sent) / requests }
}

/** Refuses the first requests after a few, for another reason than its limit; the rest as the service does. */
const stray = (limited: Limited, clock: VirtualClock, words: string): Limited => {
  let requests = 0
  return {
    ...limited,
    ask: async (request) => {
      requests += 1
      if (requests <= 2 || requests > 8) return limited.ask(request)
      await clock.sleep(50)
      return { status: 403, header: (name) => (name === 'retry-after' ? words : undefined), body: '' }
    },
  }
}

describe('a limit that was guessed from stray refusals', () => {
  const STRAY = (['sliding', 'fixed, first window 31 s', 'bucket of a quarter'] as const).flatMap((kind) =>
    ['1', '30', '60'].map((words) => [words, kind] as const),
  )
  test.each(some(3, STRAY))('of %s s is given up within 40 minutes: %s', async (words, kind) => {
    const limit = 200
    const clock = createVirtualClock()
    const limited = stray(service(clock, KINDS[kind](limit), FAR, telling('none')), clock, words)
    const requests = limit * 60
    await clock.run(() => sendThrough(gateOn(clock), limited, { left: requests }, FAR.atATime))
    const least = leastTime(KINDS[kind](limit), requests, FAR.atATime, 35)
    expect([
      clock.elapsed() - least < 40 * 60_000 || clock.elapsed() / least,
      limited.tally.refused <= requests / 100 || limited.tally,
    ]).toEqual([true, true])
  })
})

/** Refuses half of the requests until a time, for another reason than its limit. */
const refusingHalf = (limited: Limited, clock: VirtualClock, untilMs: number): Limited => {
  let requests = 0
  return {
    ...limited,
    ask: async (request) => {
      requests += 1
      if (requests % 2 !== 0 || clock.elapsed() > untilMs) return limited.ask(request)
      await clock.sleep(50)
      return { status: 403, header: (name) => (name === 'retry-after' ? '1' : undefined), body: '' }
    },
  }
}

test('a limit that was guessed from many stray refusals is given up within minutes of the last one', async () => {
  const clock = createVirtualClock()
  const unlimited = service(clock, slidingLimiter(10_000), FAR, telling('none'))
  const limited = refusingHalf(unlimited, clock, 60_000)
  await clock.run(() => sendThrough(gateOn(clock), limited, { left: 1000 }, FAR.atATime))
  expect(clock.elapsed() < 8 * 60_000 || clock.elapsed()).toBe(true)
})

describe('four processes that share a key', () => {
  test.each(some(1, SOME_KINDS))(
    '%s: 5 per cent longer at most, 1 per cent refused at most, and none starves',
    async (kind) => {
      const { over, refused, least } = await measureFour(kind, 200, 'both')
      expect(over).toBeLessThan(0.05)
      expect(refused).toBeLessThanOrEqual(0.01)
      expect(least).toBeGreaterThan(0.1)
    },
  )
})

describe('what happens on the way', () => {
  test('a limit that is lowered and raised again is kept to within a window', async () => {
    const clock = createVirtualClock()
    const limiter = slidingLimiter(200)
    const limited = service(clock, limiter, FAR, CLASSIC_TELLING)
    const gate = gateOn(clock)
    const change = async (): Promise<void> => {
      await clock.sleep(90_000)
      limiter.setLimit(50)
      await clock.sleep(180_000)
      limiter.setLimit(300)
    }
    await clock.run(() => Promise.all([change(), sendThrough(gate, limited, { left: 1200 }, 10)]))
    expect(limited.tally.refused).toBeLessThanOrEqual(20)
    expect(clock.elapsed()).toBeLessThan(500_000)
  })

  test('requests of others with the same key are counted in', async () => {
    const clock = createVirtualClock()
    const limited = service(clock, slidingLimiter(200), FAR, CLASSIC_TELLING)
    const gate = gateOn(clock)
    let isDone = false
    const other = async (): Promise<void> => {
      while (!isDone) {
        await clock.sleep(1000)
        await limited.ask({ method: 'GET', path: '/api/kpis', query: {}, headers: {}, body: null })
      }
    }
    const own = async (): Promise<void> => {
      await sendThrough(gate, limited, { left: 700 }, 10)
      isDone = true
    }
    await clock.run(() => Promise.all([own(), other()]))
    // 140 a minute are left of 200.
    expect(clock.elapsed()).toBeLessThan((700 / 140) * 60_000)
    expect(gate.traffic().refused).toBeLessThanOrEqual(14)
  })

  test.each([-3_600_000, -5000, 5000, 86_400_000])(
    'a clock that is set by %d ms holds a run up for two windows at most',
    async (by) => {
      const clock = createVirtualClock()
      const limited = service(clock, slidingLimiter(200), FAR, CLASSIC_TELLING)
      const gate = gateOn(clock)
      const set = async (): Promise<void> => {
        await clock.sleep(70_000)
        clock.set(by)
      }
      await clock.run(() => Promise.all([set(), sendThrough(gate, limited, { left: 1100 }, 10)]))
      expect(clock.elapsed()).toBeLessThan(5 * 60_000 + 2 * 65_000)
      expect(limited.tally.refused).toBeLessThanOrEqual(40)
      const { waitedMs } = gate.traffic()
      expect([waitedMs > 200_000, waitedMs <= clock.elapsed()]).toEqual([true, true])
    },
  )

  test('a rate that is asked for is never exceeded, nor is the limit', async () => {
    for (const [rate, least] of [
      [30, 30],
      [1000, 200],
    ] as const) {
      const clock = createVirtualClock()
      // The service holds to it, too: one more would be refused.
      const limited = service(clock, slidingLimiter(least), FAR, telling('none'))
      const gate = gateOn(clock, { rate })
      await clock.run(() => sendThrough(gate, limited, { left: least * 3 }, 10))
      expect(limited.tally.refused).toBeLessThanOrEqual(rate === 30 ? 0 : 5)
    }
  })
})

test('a gate says what is waited for, and until when', async () => {
  const clock = createVirtualClock()
  const limited = service(clock, slidingLimiter(200), FAR, telling('none'))
  const gate = gateOn(clock, { rate: 2 })
  expect(gate.waiting()).toBeUndefined()
  await clock.run(async () => {
    await sendThrough(gate, limited, { left: 1 }, 1)
    const until = clock.now() + 60_001
    await sendThrough(gate, limited, { left: 1 }, 1)
    const third = gate.enter()
    await Promise.resolve()
    await Promise.resolve()
    expect(gate.waiting()).toMatchObject({ reason: 'rate', allowed: { requests: 2, windowMs: 60_000 } })
    // Requests are noted together, by some milliseconds.
    expect(Math.abs((gate.waiting()?.until ?? 0) - until)).toBeLessThan(100)
    ;(await third).leave()
    expect(gate.waiting()).toBeUndefined()
  })
})

describe('what services say of when to come back', () => {
  const refuseFirst = (words: string | undefined, status: 403 | 429, clock: VirtualClock) => {
    let requests = 0
    return {
      tally: { accepted: 0, refused: 0, lastAt: 0 },
      limiter: slidingLimiter(1),
      close: () => Promise.resolve(),
      ask: async () => {
        await clock.sleep(10)
        requests += 1
        const header = (name: string): string | undefined => (name === 'retry-after' ? words : undefined)
        return requests === 1 ? { status, header, body: '' } : { status: 200, header: () => undefined, body: '{}' }
      },
    }
  }

  test.each([
    ['seconds', '7', 403, 7020],
    ['a date', 'Sat, 21 Nov 2026 12:00:30 GMT', 403, 30_020],
    ['nothing, with 429', undefined, 429, 1020],
    ['what is none, with 429', '-5', 429, 1020],
    ['a year: asked again after an hour', '31536000', 403, 3_600_020],
    ['more than can be: asked again after an hour', '1'.padEnd(118, '0'), 429, 3_600_020],
  ] as const)('%s', async (_, words, status, elapsed) => {
    const clock = createVirtualClock()
    const notes: string[] = []
    const gate = gateOn(clock, { note: (text) => notes.push(text) })
    await clock.run(() => sendThrough(gate, refuseFirst(words, status, clock), { left: 1 }, 1))
    expect(clock.elapsed()).toBe(elapsed)
    expect(gate.traffic()).toEqual({ refused: 1, waitedMs: elapsed - 20 })
    expect(notes.length).toBe(elapsed > 600_000 ? 1 : 0)
  })

  test('a 403 without it is no matter of the limit', async () => {
    const clock = createVirtualClock()
    const gate = gateOn(clock)
    await clock.run(() => sendThrough(gate, refuseFirst(undefined, 403, clock), { left: 1 }, 1))
    expect(gate.traffic()).toEqual({ refused: 0, waitedMs: 0 })
  })

  test('waiting ends at once where the run is stopped', async () => {
    const clock = createVirtualClock()
    const controller = new AbortController()
    const gate = gateOn(clock, { signal: controller.signal })
    const stop = async (): Promise<void> => {
      await clock.sleep(5000)
      controller.abort()
    }
    const send = sendThrough.bind(undefined, gate, refuseFirst('3600', 429, clock), { left: 3 }, 2)
    await expect(clock.run(() => Promise.all([send(), stop()]))).rejects.toThrow('stopped')
    expect(clock.elapsed()).toBe(5000)
  })
})

describe('the file that processes share', () => {
  const run = async (path: string): Promise<string[]> => {
    const clock = createVirtualClock()
    const notes: string[] = []
    const limited = service(clock, slidingLimiter(20), FAR, CLASSIC_TELLING)
    const gate = gateOn(clock, { share: fileState(path, (reason) => notes.push(reason)) })
    await clock.run(() => sendThrough(gate, limited, { left: 50 }, 5))
    gate.close()
    expect(limited.tally).toMatchObject({ accepted: 50, refused: 0 })
    return notes
  }

  test('is made anew where it is none', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'pace.db')
    writeFileSync(path, 'no database at all, but long enough to be taken for one'.repeat(100))
    expect(await run(path)).toEqual([])
  })

  test('is done without where it cannot be used, and that is said once', async () => {
    using folder = temporaryFolder()
    expect(await run(join(folder.path, 'missing', 'pace.db'))).toEqual([expect.stringContaining('ENOENT')])
  })

  test('tells the next process what the last one used', async () => {
    using folder = temporaryFolder()
    const clock = createVirtualClock()
    const limited = service(clock, slidingLimiter(100), FAR, CLASSIC_TELLING)
    for (const name of ['one', 'two']) {
      const share = fileState(join(folder.path, 'pace.db'), (reason) => expect.unreachable(reason))
      const gate = gateOn(clock, { share, name })
      await clock.run(() => sendThrough(gate, limited, { left: 80 }, 10))
      gate.close()
    }
    expect(limited.tally).toMatchObject({ accepted: 160, refused: 0 })
    expect(clock.elapsed()).toBeLessThan(63_000)
  })

  test('does not hold the next process to a limit that the service does not state any more', async () => {
    using folder = temporaryFolder()
    const clock = createVirtualClock()
    const sendForty = async (name: string, limited: Limited): Promise<void> => {
      const share = fileState(join(folder.path, 'pace.db'), (reason) => expect.unreachable(reason))
      const gate = gateOn(clock, { share, name })
      await clock.run(() => sendThrough(gate, limited, { left: 40 }, 1))
      gate.close()
    }
    await sendForty('one', service(clock, slidingLimiter(10), FAR, CLASSIC_TELLING))
    const began = clock.elapsed()
    const free = service(clock, slidingLimiter(100_000), FAR, telling('none'))
    await sendForty('two', free)
    expect(free.tally).toMatchObject({ accepted: 40, refused: 0 })
    // It waits for a window once, as what it knows asks for, not for four of them.
    expect(clock.elapsed() - began).toBeLessThan(70_000)
    const again = clock.elapsed()
    await sendForty('three', free)
    expect(clock.elapsed() - again).toBeLessThan(10_000)
  })

  test.each(['none', 'both'] as const)(
    'holds a rate across runs, where services tell of limits: %s',
    async (headers) => {
      using folder = temporaryFolder()
      const clock = createVirtualClock()
      const limited = service(clock, slidingLimiter(200), FAR, telling(headers))
      const sendTwenty = async (name: string): Promise<void> => {
        const share = fileState(join(folder.path, 'pace.db'), (reason) => expect.unreachable(reason), true)
        const gate = gateOn(clock, { share, name, rate: 20 })
        await clock.run(() => sendThrough(gate, limited, { left: 20 }, 5))
        gate.close()
      }
      await sendTwenty('one')
      expect(clock.elapsed()).toBeLessThan(10_000)
      await sendTwenty('two')
      expect(clock.elapsed()).toBeGreaterThan(60_000)
      expect(clock.elapsed()).toBeLessThan(70_000)
    },
  )
})

test.each<[used: number, others: [at: number, count: number][]]>([
  [3, [[40_000, 2]]],
  [6, [[40_000, 5]]],
  [
    8,
    [
      [10_000, 2],
      [40_000, 5],
    ],
  ],
  [
    11,
    [
      [10_000, 5],
      [40_000, 5],
    ],
  ],
  [
    15,
    [
      [10_000, 5],
      [40_000, 5],
      [60_000, 4],
    ],
  ],
])('of what others sent, as many count as the service says, the latest: %i of all', (used, others) => {
  const state = { ...initialState(), limit: 100 }
  // What has left the window counts for nobody.
  const gone = [-10_000, 9] as [number, number]
  state.log.push([60_000, 1])
  state.foreign.push([...gone], [10_000, 5], [40_000, 5])
  compareWithSliding(state, 59_950, 60_000, 100 - used)
  expect(state.foreign).toEqual([gone, ...others])
})
