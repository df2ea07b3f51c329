import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import type { Handler, WireResponse } from '../../src/server/wire.ts'
import { asThirdParty, heldIn, remoteImporter } from '../support/import.ts'
import { errorOf, jsonOf } from '../support/kpi.ts'

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
