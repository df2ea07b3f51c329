import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Foreign, foreignService } from '../support/foreign.ts'
import { errorOf, type Ran, shellIn } from '../support/kpi.ts'

/** What a service of somebody else says to a batch, the so-manieth of the run. */
type Judge = (entries: readonly { readonly actual: number }[], batch: number) => readonly [status: number, body: object]

const ROWS_ADDED = { rows_added: 1, rows_created: 1, rows_updated: 0, rows_unchanged: 0 }

const answerAs = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body))
}

/** A service of the newer interface whose key may only write. */
const serviceOf = async (judge: Judge): Promise<Foreign> => {
  let batches = 0
  const foreign: Foreign = await foreignService((response, { method }) => {
    if (method !== 'POST') return answerAs(response, 403, { detail: 'not in your scopes' })
    const { entries } = JSON.parse(foreign.reached.at(-1)?.body ?? '') as { entries: { actual: number }[] }
    if (entries.length === 0) return answerAs(response, 422, { detail: 'an empty list' })
    batches += 1
    return answerAs(response, ...judge(entries, batches))
  })
  return foreign
}

const importInto = async ({ url }: Foreign, rows: number): Promise<Ran & { readonly rejects: string }> => {
  using folder = temporaryFolder()
  const lines = Array.from(
    { length: rows },
    (_, at) => `2,1,${new Date(at * 86_400_000).toISOString().slice(0, 10)},${at}`,
  )
  writeFileSync(folder.in('data.csv'), `user,kpi,date,actual\n${lines.join('\n')}\n`)
  const env = { KPI_BASE_URL: `${url}/v1`, KPI_TOKEN: 'their-own-key' }
  const ran = await shellIn({ home: folder.path, cwd: folder.path, env })('entries', 'import', 'data.csv', '-o', 'json')
  const rejects = ran.stderr.includes('data.rejects.csv') ? readFileSync(folder.in('data.rejects.csv'), 'utf8') : ''
  return { ...ran, rejects }
}

test('a service that tells of one fault at a time gets what is good, and each bad row is a reject with its own line', async () => {
  const foreign = await serviceOf((entries) => {
    const bad = entries.findIndex(({ actual }) => actual === 2 || actual === 5)
    if (bad < 0) return [200, { ...ROWS_ADDED, rows_created: entries.length }]
    return [422, { detail: 'no', errors: [{ pointer: `#/entries/${bad}`, detail: 'is not wanted' }] }]
  })
  const ran = await importInto(foreign, 8)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 6, rejected: 2, left: 0 }])
  expect(ran.rejects.split('\n').slice(1, 3)).toEqual([
    '2,1,1970-01-03,2,4,entries: is not wanted',
    '2,1,1970-01-06,5,7,entries: is not wanted',
  ])
})

test('batches whose answers are lost end after a few where nothing can be read back, and the rest is left unsent', async () => {
  let batches = 0
  const foreign = await serviceOf(() => ((batches += 1), [502, {}]))
  const ran = await importInto(foreign, 25_000)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { rejected: 15_000, left: 10_000 }])
  expect(batches).toBe(3)
  expect(ran.stderr).toContain('the answers to 3 batches in a row were lost')
})

test('a batch whose answer is lost now and then costs its own rows alone', async () => {
  const foreign = await serviceOf((entries, batch) =>
    batch % 2 === 0 ? [502, {}] : [200, { ...ROWS_ADDED, rows_created: entries.length }],
  )
  const ran = await importInto(foreign, 30_000)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 15_000, rejected: 15_000, left: 0 }])
})

test.each([
  ['a key that was revoked', 401, 4, 'the key was revoked'],
  ['a key that may not write any more', 403, 4, 'the scope is gone'],
])('%s in mid-run ends it with its summary, its rejects and what is left', async (_, status, code, detail) => {
  const foreign = await serviceOf((entries, batch) => {
    if (batch === 3) return [status, { detail }]
    if (batch === 2) return [200, { ...ROWS_ADDED, rows_created: entries.length }]
    return [422, { detail: 'no', errors: [{ pointer: '/entries/0/actual', field: 'actual', detail: 'must not be 0' }] }]
  })
  const ran = await importInto(foreign, 6000)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([code, { created: 4999, rejected: 1, left: 1000 }])
  const { message } = errorOf(ran)
  expect(message).toContain(
    '1 row was rejected; it is in data.rejects.csv with the reasons: fix it there and import that file; ',
  )
  expect(message).toContain(`; ${detail}`)
  expect(message).toMatch(/; stopped with 1000 entries left; once that is fixed, the same command continues$/)
  expect(ran.rejects).toContain('2,1,1970-01-01,0,2,actual: must not be 0\n')
})

test('a body that is too large there goes by halves', async () => {
  const sizes: number[] = []
  const foreign = await serviceOf((entries) => {
    sizes.push(entries.length)
    if (entries.length > 2000) return [413, { detail: 'too much' }]
    return [200, { ...ROWS_ADDED, rows_created: entries.length }]
  })
  const ran = await importInto(foreign, 6000)
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { created: 6000, rejected: 0, left: 0 }])
  expect(sizes.filter((size) => size <= 2000).reduce((total, size) => total + size, 0)).toBe(6000)
})
