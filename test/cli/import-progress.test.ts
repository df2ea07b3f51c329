import { describe, expect, test } from 'vitest'
import {
  createSpeedometer,
  progressFields,
  progressText,
  timeText,
  waitingText,
} from '../../src/cli/output/progress-text.ts'
import { announceEachWait, announceLongWaits } from '../../src/cli/output/wait-notices.ts'
import type { Handler } from '../../src/server/wire.ts'
import { remoteImporter } from '../support/import.ts'

const MINUTE = 60_000

test.each([
  [1, '1 s'],
  [45_000, '45 s'],
  [99_000, '99 s'],
  [100_000, '2 min'],
  [12 * MINUTE, '12 min'],
  [59 * MINUTE, '59 min'],
  [60 * MINUTE, '1 h 00 min'],
  [65 * MINUTE, '1 h 05 min'],
  [26 * 60 * MINUTE, '26 h 00 min'],
])('%i milliseconds are told as %s', (milliseconds, text) => {
  expect(timeText(milliseconds)).toBe(text)
})

describe('how fast it goes', () => {
  test('is measured within a phase, from what was done when that began', () => {
    const speedOf = createSpeedometer()
    const unknown = { perSecond: undefined, leftMs: undefined }
    expect(speedOf({ phase: 'read', done: 1000 }, 0)).toEqual(unknown)
    expect(speedOf({ phase: 'read', done: 5000 }, 2000)).toEqual({ perSecond: 2000, leftMs: undefined })
    expect(speedOf({ phase: 'send', done: 5000, total: 12_000 }, 3000)).toEqual(unknown)
    expect(speedOf({ phase: 'send', done: 6000, total: 12_000 }, 13_000)).toEqual({ perSecond: 100, leftMs: 60_000 })
  })

  test('is not told before a second has passed, nor where nothing was done', () => {
    const speedOf = createSpeedometer()
    speedOf({ phase: 'send', done: 0, total: 10 }, 0)
    expect(speedOf({ phase: 'send', done: 5, total: 10 }, 999).perSecond).toBeUndefined()
    expect(speedOf({ phase: 'send', done: 0, total: 10 }, 5000).leftMs).toBeUndefined()
  })

  test('begins anew with the next file', () => {
    const speedOf = createSpeedometer()
    speedOf({ phase: 'send', done: 0, total: 9000 }, 0)
    speedOf({ phase: 'send', done: 9000, total: 9000 }, 10_000)
    expect(speedOf({ phase: 'send', done: 10, total: 20 }, 20_000).perSecond).toBeUndefined()
  })
})

describe('what is told', () => {
  const speed = { perSecond: 1200, leftMs: 65 * MINUTE }

  test.each([
    [{ phase: 'read', done: 12_000 }, '12,000 rows read and checked, 1,200 a second, 1 h 05 min left'],
    [
      { phase: 'send', done: 5000, total: 12_000 },
      '5,000 of 12,000 entries sent (41 %), 1,200 a second, 1 h 05 min left',
    ],
  ] as const)('of %j', (step, text) => {
    expect(progressText(step, speed)).toBe(text)
  })

  test('has the share of the limit that is used, where one is known', () => {
    const usage = { used: 90, limit: 200, windowMs: 60_000 }
    expect(progressText({ phase: 'send', done: 1, total: 4 }, speed, usage)).toBe(
      '1 of 4 entries sent (25 %), 1,200 a second, 45 % of the limit used, 1 h 05 min left',
    )
  })

  test('is nothing of what is not known', () => {
    const unknown = { perSecond: undefined, leftMs: undefined }
    expect(progressText({ phase: 'send', done: 0, total: 0 }, unknown)).toBe('0 of 0 entries sent')
    expect(progressText({ phase: 'stored', done: 0 }, unknown)).toBe('reading existing entries')
    expect(progressFields({ phase: 'read', done: 5 }, unknown)).toEqual({
      phase: 'read',
      done: 5,
      total: null,
      per_second: null,
      limit_used: null,
      limit: null,
      seconds_left: null,
    })
  })
})

describe('what is waited for', () => {
  const rate = { until: 41_000, reason: 'rate', allowed: { requests: 20, windowMs: MINUTE } } as const

  test('is the rate that was asked for, with the time that it leaves', () => {
    const step = { phase: 'send', done: 20, total: 60 } as const
    const speed = { perSecond: 20, leftMs: 2000, perRequest: 1 }
    expect(waitingText(rate, 0, step, speed)).toBe('waiting 41 s for the limit (--rate 20), about 2 min left')
    expect(waitingText(rate, 40_000, step)).toBe('waiting 1 s for the limit (--rate 20)')
    expect(waitingText(rate, 40_500, step, speed)).toBeUndefined()
  })

  test('is the limit of the service', () => {
    const allowed = { requests: 200, windowMs: MINUTE }
    expect(waitingText({ until: 12_000, reason: 'limit', allowed }, 0)).toBe(
      'waiting 12 s for the limit of the service (200 in 60 s)',
    )
    expect(waitingText({ until: 12_000, reason: 'limit' }, 0)).toBe('waiting 12 s for the limit of the service')
  })

  test('is a service that is not there', () => {
    expect(waitingText({ until: 3500, reason: 'unreachable' }, 0)).toBe('service not reachable, trying again in 4 s')
    expect(waitingText({ until: 3500, reason: 'failing' }, 4000)).toBe('service failing, trying again')
  })

  test('a speed of less than two a second is told by the minute', () => {
    expect(progressText({ phase: 'send', done: 1, total: 4 }, { perSecond: 0.33, leftMs: undefined })).toBe(
      '1 of 4 entries sent (25 %), 20 a minute',
    )
  })
})

describe('a wait where there is no terminal', () => {
  const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-01-01,1\n'
  /** A service that cannot take the first batches, and asks to come again in so many seconds. */
  const failing =
    (times: number, after: number) =>
    (handler: Handler): Handler => {
      let left = times
      return (request) => {
        if (!request.target.endsWith('/kpientries/list') || left === 0) return handler(request)
        left -= 1
        const headers = { 'content-type': 'application/json', 'retry-after': String(after) }
        return Promise.resolve({ status: 503, headers, body: '{"message":"down"}' })
      }
    }
  const told = async (wrap: (handler: Handler) => Handler, ...args: string[]): Promise<string[]> => {
    await using importer = await remoteImporter({ wrap })
    importer.write('data.csv', FILE)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--no-undo', '-o', 'json', ...args)
    expect(ran.code).toBe(0)
    return ran.stderr.split('\n').filter((line) => line !== '')
  }
  const asIs = (handler: Handler): Handler => handler

  test('for the rate has a line every 30 s that says for what and how long', async () => {
    const lines = await told(asIs, '--rate', '3')
    expect(lines).toEqual([
      expect.stringMatching(/^1 rows read and checked, waiting 6\d s for the limit \(--rate 3\)$/),
      expect.stringMatching(/^1 rows read and checked, waiting 3\d s for the limit \(--rate 3\)$/),
    ])
  })

  test('has it as an object with --log-format json, and nothing with --quiet', async () => {
    const [line = ''] = await told(asIs, '--rate', '3', '--log-format', 'json')
    expect(JSON.parse(line)).toMatchObject({ level: 'info', event: 'waiting', phase: 'read', reason: 'rate' })
    expect((JSON.parse(line) as { seconds: number }).seconds).toBeGreaterThan(30)
    expect(await told(asIs, '--rate', '3', '--quiet')).toEqual([])
  })

  test('for a service that fails has one every half a minute', async () => {
    const lines = await told(failing(3, 40))
    expect(lines).toEqual(
      [40, 10, 10, 10].map((left) => `1 rows read and checked, service failing, trying again in ${left} s`),
    )
  })
})

describe('waits that are told', () => {
  const toldOf = (waits: readonly (readonly [at: number, until: number])[]): number[] => {
    let now = 0
    const told: number[] = []
    const onWait = announceLongWaits(
      () => now,
      () => told.push(now),
    )
    for (const [at, until] of waits) {
      now = at
      onWait({ until, reason: 'limit' })
    }
    return told
  }

  test('are long', () => {
    expect(
      toldOf([
        [0, 4999],
        [6000, 11_000],
      ]),
    ).toEqual([6000])
  })

  test('are told every 30 s while they go on, however often they are looked at, and not soon after each other', () => {
    expect(
      toldOf([
        [0, 90_000],
        [1000, 90_000],
        [40_000, 90_500],
        [91_000, 150_000],
      ]),
    ).toEqual([0, 40_000, 91_000])
    expect(
      toldOf([
        [0, 10_000],
        [15_000, 28_000],
        [29_000, 45_000],
        [31_000, 45_000],
      ]),
    ).toEqual([0, 31_000])
  })

  test('are told each, but not each piece of one, where all are to be shown', () => {
    const told: number[] = []
    const onWait = announceEachWait(({ until }) => told.push(until))
    for (const until of [3000, 3000, 3010, undefined, 2990, 9000, 9000])
      onWait(until === undefined ? undefined : { until, reason: 'limit' })
    expect(told).toEqual([3000, 9000])
  })
})
