import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Handler, WireRequest, WireResponse } from '../../src/server/wire.ts'
import { remoteImporter } from '../support/import.ts'
import { errorOf, jsonOf } from '../support/kpi.ts'

const refusal = (status: number, headers: WireResponse['headers'] = {}): WireResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ message: 'try again later' }),
})

/** Answers in place of the service, by the number of the request of a kind, counted from 1; undefined lets it through. */
type Instead = (number: number) => WireResponse | undefined

const instead =
  (isMeant: (request: WireRequest) => boolean, answer: Instead) =>
  (handler: Handler): Handler => {
    let count = 0
    return async (request) => {
      if (!isMeant(request)) return handler(request)
      count += 1
      return answer(count) ?? handler(request)
    }
  }

const isReport = ({ target }: WireRequest): boolean => target.includes('/reports/')
const isPost = ({ method }: WireRequest): boolean => method === 'POST'

describe('a report of a service over the network', () => {
  const report = ['report', '--from', '2026-01-01', '--to', '2026-12-31', '--rows', '-o', 'csv']
  /** Says at first that there are more rows than were given, so that the report is read in parts. */
  const IN_PARTS: WireResponse = { ...refusal(200, { 'x-total-count': '20000' }), body: '[]' }
  const inParts =
    (then: Instead): Instead =>
    (number) =>
      number === 1 ? IN_PARTS : then(number)
  const fill = 'user,kpi,date,actual\nBob,Sales,2026-02-01,1\nBob,Sales,2026-11-01,2\n'

  test('waits for its turn and goes on, where the limit is reached', async () => {
    const limited = (number: number): WireResponse | undefined =>
      number === 3 ? refusal(403, { 'retry-after': '7' }) : undefined
    await using importer = await remoteImporter({ wrap: instead(isReport, inParts(limited)) })
    importer.write('data.csv', fill)
    await importer.kpi('entries', 'import', 'data.csv')
    const ran = await importer.kpi(...report)
    expect(ran.code).toBe(0)
    expect(ran.stdout.match(/,Bob,/g)).toHaveLength(2)
  })

  test('goes on where one answer fails, and prints nothing where all do', async () => {
    let fails: Instead = (number) => (number === 3 ? refusal(503) : undefined)
    await using importer = await remoteImporter({
      wrap: instead(
        isReport,
        inParts((number) => fails(number)),
      ),
    })
    importer.write('data.csv', fill)
    await importer.kpi('entries', 'import', 'data.csv')
    expect(await importer.kpi(...report)).toMatchObject({ code: 0 })
    let first: number | undefined
    fails = (number) => {
      first ??= number
      if (number === first) return IN_PARTS
      return number > first + 1 ? refusal(503) : undefined
    }
    expect(await importer.kpi(...report)).toMatchObject({ code: 5, stdout: '' })
  })
})

describe('many from JSON, cut off in the middle', () => {
  const names = Array.from({ length: 6 }, (_, at) => `Category ${at + 1}`)
  const create = ['categories', 'create', '--from-json', 'in.json', '-o', 'json']

  test('ends with 6 and says what is left, which --start goes on with', async () => {
    let fails: Instead = (number) => (number > 3 ? refusal(503) : undefined)
    await using importer = await remoteImporter({ wrap: instead(isPost, (number) => fails(number)) })
    writeFileSync(importer.folder.in('in.json'), JSON.stringify(names.map((name) => ({ name }))))
    const ran = await importer.kpi(...create)
    expect(ran.code).toBe(6)
    expect(JSON.parse(ran.stdout)).toMatchObject(names.slice(0, 3).map((name) => ({ name })))
    expect(errorOf(ran).message).toMatch(/^no\. 4 of 6: .*; stopped with 3 of 6 left; continue with --start 4/)
    fails = () => undefined
    expect(jsonOf(await importer.kpi(...create, '--start', '4'))).toMatchObject(
      names.slice(3).map((name) => ({ name })),
    )
    const held = jsonOf(await importer.kpi('categories', 'list', '-o', 'json')) as { name: string }[]
    expect(held.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(names)
  })

  test('says that nobody knows whether the first was done, where nothing tells it from then on', async () => {
    let isLost = false
    const fails = instead(
      (request) => (isLost ||= isPost(request)),
      () => refusal(503),
    )
    await using importer = await remoteImporter({ wrap: fails })
    writeFileSync(importer.folder.in('in.json'), JSON.stringify(names.map((name) => ({ name }))))
    const ran = await importer.kpi(...create)
    expect([ran.code, ran.stdout]).toEqual([6, ''])
    expect(errorOf(ran).message).toContain('it is not known whether no. 1 was done: check before you continue')
  })

  test.each([['0'], ['7'], ['x'], ['1.5']])('--start %s is not in the list', async (start) => {
    await using importer = await remoteImporter()
    writeFileSync(importer.folder.in('in.json'), JSON.stringify(names.map((name) => ({ name }))))
    expect(await importer.kpi(...create, '--start', start)).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('a command of many requests, at a service that refuses every third of them for a second', () => {
  const limited = (number: number): WireResponse | undefined =>
    number % 3 === 0 ? refusal(429, { 'retry-after': '1' }) : undefined
  const open = (): ReturnType<typeof remoteImporter> => remoteImporter({ wrap: instead(() => true, limited) })

  test.each([
    ['assign list -o csv'],
    ['assign remove --kpis Sales --users Bob --yes'],
    ['assign group-items list -o csv'],
    ['kpis delete Sales Visits --yes'],
  ])('kpi %s waits and is done', async (line) => {
    await using importer = await open()
    const ran = await importer.kpi(...line.split(' '))
    expect(ran.stderr).not.toContain('kpi:')
    expect(ran.code).toBe(0)
  })
})
