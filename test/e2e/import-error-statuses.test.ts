import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { run } from '../../src/cli/main.ts'
import type { Handler, WireResponse } from '../../src/server/wire.ts'
import { asThirdParty, heldIn, remoteImporter } from '../support/import.ts'
import { NOW, testIo } from '../support/io.ts'
import { errorOf, jsonOf, shellIn } from '../support/kpi.ts'

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
describe.each([302, 307, 402, 404, 405, 410, 423, 425, 451, 501])('a service that answers %i', (status) => {
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

test.each([302, 404, 423, 501])('a service that answers %i to a batch in mid-run leaves work, too', async (status) => {
  let answer: WireResponse | undefined = answerOf(status)
  await using importer = await remoteImporter({ wrap: untilBatch(2, () => answer) })
  const rows = Array.from({ length: 12_000 }, (_, at) => `Bob,Sales,${formatDay(at)},1\n`).join('')
  importer.write('data.csv', `user,kpi,date,actual\n${rows}`)
  const ran = await importer.kpi(...LINE)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { rejected: 0 }])
  answer = undefined
  expect(jsonOf(await importer.kpi(...LINE))).toMatchObject({ rejected: 0, left: 0 })
})
