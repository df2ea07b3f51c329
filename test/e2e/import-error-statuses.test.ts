import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { run } from '../../src/cli/main.ts'
import type { Handler, WireResponse } from '../../src/server/wire.ts'
import { asThirdParty, heldIn, remoteImporter } from '../support/import.ts'
import { NOW, testIo } from '../support/io.ts'
import { errorOf, jsonOf, shellIn } from '../support/kpi.ts'
import { some } from '../support/soak/tests.ts'

const ROWS = 12

const answerOf = (status: number): WireResponse => ({
  status,
  headers: { 'content-type': 'text/plain', ...(status < 400 && { location: 'https://elsewhere.example.com/login' }) },
  body: 'not now',
})

/** A service that takes batches, so many of them, and then answers something else for as long as that is so. */
const untilBatch =
  (taken: number, answer: () => WireResponse | undefined) =>
  (handler: Handler): Handler => {
    let batches = 0
    return async (request) => {
      const isBatch = request.target.endsWith('/kpientries/list')
      if (isBatch) batches += 1
      return (isBatch && batches > taken ? answer() : undefined) ?? handler(request)
    }
  }

/** A service that takes entries one by one, so many of them, and then answers something else for as long as that is so. */
const until =
  (taken: number, answer: () => WireResponse | undefined, isGone: boolean) =>
  (handler: Handler): Handler => {
    let posts = 0
    return async (request) => {
      if (request.target.endsWith('/kpientries/list')) return answerOf(404)
      const isPost = request.method === 'POST' && request.target.endsWith('/kpientries')
      if (isPost) posts += 1
      const isOver = posts > taken && (isPost || (isGone && request.target.includes('/kpientries')))
      return (isOver ? answer() : undefined) ?? handler(request)
    }
  }

const FILE = `user,kpi,date,actual\n${Array.from({ length: ROWS }, (_, at) => `Bob,Sales,2026-01-${at + 10},1\n`).join('')}`
const LINE = ['entries', 'import', 'data.csv', '-o', 'json']

// Neither speaks of a row: what is left must not become rejects.
describe.each(some(3, [302, 307, 402, 404, 405, 410, 423, 425, 451, 501]))('a service that answers %i', (status) => {
  test('in mid-run leaves work, which the same command completes', async () => {
    let answer: WireResponse | undefined = answerOf(status)
    await using importer = await remoteImporter({
      wrap: (handler) => until(4, () => answer, status === 404)(asThirdParty(handler)),
    })
    importer.write('data.csv', FILE)
    const ran = await importer.kpi(...LINE)
    expect(ran.code).toBe(6)
    const { rejected, left } = JSON.parse(ran.stdout) as { rejected: number; left: number }
    expect([rejected, left > 0]).toEqual([0, true])
    expect(errorOf(ran).message).toContain(`stopped with ${left} entries left; run the same command to continue`)
    answer = undefined
    expect(jsonOf(await importer.kpi(...LINE))).toMatchObject({ rejected: 0, left: 0 })
    expect(await heldIn(importer)).toHaveLength(ROWS)
  })

  test('to the first entry rejects none, and sends nothing', async () => {
    let answer: WireResponse | undefined = answerOf(status)
    await using importer = await remoteImporter({
      wrap: (handler) => until(0, () => answer, status === 404)(asThirdParty(handler)),
    })
    importer.write('data.csv', FILE)
    const ran = await importer.kpi(...LINE)
    // A redirect says that the base URL is wrong.
    expect(status < 400 ? [1] : [5, 6, 7]).toContain(ran.code)
    expect(ran.stdout === '' ? {} : JSON.parse(ran.stdout)).not.toMatchObject({ rejected: ROWS })
    answer = undefined
    expect(await heldIn(importer)).toEqual([])
  })
})

describe.each([500, 503])('a service that answers %i at first', (status) => {
  /** A service that fails so many times before it answers. */
  const failing =
    (times: number) =>
    (handler: Handler): Handler => {
      let left = times
      return (request) => Promise.resolve((left -= 1) >= 0 ? answerOf(status) : handler(request))
    }

  test('is waited for where nobody watches the run, until its deadline or for a quarter of an hour', async () => {
    for (const [times, flags, code, end, least, most] of [
      [9, [], 0, `${ROWS} entries created`, 0, 15],
      [Infinity, [], 5, 'try again later', 14, 15.1],
      [Infinity, ['--deadline', '2m'], 5, 'try again later', 1, 2.1],
    ] as const) {
      await using importer = await remoteImporter({ wrap: failing(times) })
      importer.write('data.csv', FILE)
      const { io, stderr } = testIo(importer.world)
      expect([await run([...LINE.slice(0, 3), ...flags], io), stderr()]).toEqual([
        code,
        expect.stringMatching(/^service (?:not reachable|failing), trying again in/),
      ])
      const minutes = (io.now() - NOW) / 60_000
      expect([minutes >= least, minutes < most, stderr()]).toEqual([true, true, expect.stringContaining(end)])
    }
  })

  test('is told at once where somebody watches', async () => {
    await using importer = await remoteImporter({ wrap: failing(9) })
    importer.write('data.csv', FILE)
    const ran = await shellIn({ ...importer.world, terminal: 80 })(...LINE)
    expect([ran.code, ran.stderr]).toEqual([5, expect.not.stringContaining('trying again')])
  })
})

describe('a run that nobody watches waits for its service', () => {
  const LIMITED = (status: number): WireResponse => ({
    ...answerOf(status),
    headers: { 'content-type': 'text/plain', 'retry-after': '1' },
  })
  const isBatch = (target: string): boolean => target.endsWith('/kpientries/list')
  const isEntry = (target: string): boolean => target.includes('/kpientries')
  const isAny = (): boolean => true
  type Case = readonly [
    what: string,
    fails: (target: string) => boolean,
    answer: WireResponse,
    minutes: number,
    deadline: string | undefined,
    end: { readonly code: number; readonly least: number; readonly most: number },
  ]

  test.each<Case>([
    ['that fails batches', isBatch, answerOf(503), 12, undefined, { code: 0, least: 12, most: 13 }],
    ['that fails batches with 500', isBatch, answerOf(500), 12, undefined, { code: 0, least: 12, most: 13 }],
    ['that fails batches for long', isBatch, answerOf(503), 999, undefined, { code: 6, least: 14, most: 15.1 }],
    ['that fails batches until a deadline', isBatch, answerOf(503), 40, '1h', { code: 0, least: 40, most: 41 }],
    ['that fails batches past one', isBatch, answerOf(503), 999, '1h', { code: 6, least: 59, most: 60 }],
    ['that fails entries', isEntry, LIMITED(503), 12, undefined, { code: 0, least: 12, most: 13 }],
    ['whose limit is used up', isAny, LIMITED(429), 45, '1h', { code: 0, least: 45, most: 47 }],
    ['whose limit is used up, as a 403', isEntry, LIMITED(403), 45, '1h', { code: 0, least: 45, most: 50 }],
    ['whose limit is used up for long', isAny, LIMITED(429), 999, undefined, { code: 5, least: 15, most: 18 }],
    ['but not where it wants other credentials', isAny, answerOf(401), 999, '1h', { code: 4, least: 0, most: 0.1 }],
    ['nor where it wants to be paid', isAny, answerOf(402), 999, '1h', { code: 5, least: 0, most: 0.1 }],
  ])('%s', async (_, fails, answer, minutes, deadline, end) => {
    for (const kind of ['classic', 'third party', 'job'] as const) {
      // A job has a deadline; a third-party service that takes no batches gets entries one by one.
      if (kind === 'job' ? deadline === undefined : kind === 'third party' && fails === isBatch) continue
      const clock = { now: () => NOW }
      await using importer = await remoteImporter({
        wrap: (handler) => {
          const served = kind === 'third party' ? asThirdParty(handler) : handler
          return async (request) =>
            clock.now() < NOW + minutes * 60_000 && fails(request.target) ? answer : served(request)
        },
      })
      importer.write('data.csv', FILE)
      importer.write('job.yaml', `deadline: ${deadline}\nsteps:\n  - import: data.csv\n`)
      const { io, stderr } = testIo(importer.world)
      clock.now = io.now
      const flags = deadline === undefined ? [] : ['--deadline', deadline]
      const code = await run(kind === 'job' ? ['run', 'job.yaml'] : [...LINE, ...flags], io)
      const elapsed = (io.now() - NOW) / 60_000
      expect({ kind, code, elapsed, stderr: stderr() }).toMatchObject({ kind, code: end.code })
      expect({ kind, elapsed, isLate: elapsed > end.most, isEarly: elapsed < end.least }).toMatchObject({
        isLate: false,
        isEarly: false,
      })
      const told = stderr().match(/trying again in|waiting \d+ \w+ for the limit/g) ?? []
      // A jittered pause of up to 30 s, or one of a minute, lies between two of them.
      expect(told.length).toBeGreaterThanOrEqual(Math.floor(elapsed * 0.9))
      clock.now = () => Infinity
      expect(await heldIn(importer)).toHaveLength(code === 0 ? ROWS : 0)
    }
  })
})

test.each(some(1, [302, 404, 423, 501]))(
  'a service that answers %i to a batch in mid-run leaves work, too',
  async (status) => {
    let answer: WireResponse | undefined = answerOf(status)
    await using importer = await remoteImporter({ wrap: untilBatch(2, () => answer) })
    const rows = Array.from({ length: 12_000 }, (_, at) => `Bob,Sales,${formatDay(at)},1\n`).join('')
    importer.write('data.csv', `user,kpi,date,actual\n${rows}`)
    const ran = await importer.kpi(...LINE)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { rejected: 0 }])
    answer = undefined
    expect(jsonOf(await importer.kpi(...LINE))).toMatchObject({ rejected: 0, left: 0 })
  },
)
