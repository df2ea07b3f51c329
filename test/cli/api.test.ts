import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, type User } from '../support/user.ts'

describe.each([
  { name: 'on the embedded service', open: () => embeddedUser() },
  { name: 'through a profile to a server', open: () => remoteUser() },
])('$name, kpi api', ({ open }) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillShop(user)
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })
  const api = (...args: string[]): Promise<Ran> => user.kpi('api', ...args)

  test('prints what the interface answers, as JSON', async () => {
    expect(jsonOf(await api('GET', '/kpis/1'))).toMatchObject({ id: 1, name: 'Revenue', target_default: 100 })
    expect(jsonOf(await api('get', '/api/kpis'))).toHaveLength(2)
  })

  test('reads a page, or all of them', async () => {
    const line = ['GET', '/kpientries?rows=2', '--field', 'dateFrom=2020-01-01', '--field', 'dateTo=2030-01-01']
    expect(jsonOf(await api(...line))).toHaveLength(2)
    expect(jsonOf(await api(...line, '--paginate'))).toHaveLength(3)
  })

  test('reads all pages of the usual size where the line names none', async () => {
    const add = async (from: number): Promise<unknown> =>
      user.client.entries.addMany(
        Array.from({ length: 300 }, (_, day) => ({ user_id: 2, kpi_id: 1, entry_date: from + day, actual: 1n })),
      )
    await add(0)
    await add(300)
    const all = await api('GET', '/kpientries?dateFrom=1970-01-01&dateTo=1980-01-01', '--paginate')
    expect(jsonOf(all)).toHaveLength(600)
  })

  test('prints records in the format that the line asks for, and into a file', async () => {
    const lines = (text: string): string[] => text.trimEnd().split('\n')
    expect(lines((await api('GET', '/kpis', '-o', 'csv')).stdout)).toEqual([
      expect.stringMatching(/^id,category_id,icon_id,/),
      expect.stringMatching(/^1,.*,Revenue,/),
      expect.stringMatching(/^2,.*,Visits,/),
    ])
    expect(
      lines((await api('GET', '/kpis', '-o', 'ndjson')).stdout).map((line) => JSON.parse(line) as unknown),
    ).toEqual(jsonOf(await api('GET', '/kpis')))
    expect((await api('GET', '/kpis/1', '-o', 'yaml')).stdout).toContain('\nname: Revenue\n')
    expect((await api('GET', '/kpis/1', '-o', 'table')).stdout).toMatch(/^field +value\nid +1\n[^]*\nname +Revenue\n/)
    expect((await api('GET', '/kpis', '-o', 'markdown')).stdout).toMatch(/^\| id \| category\\_id \|/)
    expect(jsonOf(await user.kpiIn({ env: { KPI_OUTPUT: 'csv' } }, 'api', 'GET', '/kpis'))).toHaveLength(2)
    expect(await api('GET', '/kpis', '--to-file', 'kpis.csv')).toMatchObject({ code: 0, stdout: '' })
    expect(await api('GET', '/kpis', '--to-file', 'kpis.csv')).toMatchObject({
      code: 1,
      stderr: 'kpi: kpis.csv exists already; --force replaces it\n',
    })
    const written = readFileSync(user.folder.in('kpis.csv'), 'utf8')
    expect(written).toBe((await api('GET', '/kpis', '-o', 'csv')).stdout)
    expect((await api('GET', '/kpis', '--to-file', 'kpis.csv', '--force')).code).toBe(0)
  })

  test('sends fields, or the JSON of a file, keeps all digits, and prints nothing where there is no answer', async () => {
    const made = jsonOf(await api('POST', '/kpicategories', '--field', 'name=Raw', '--field', 'sort_order=7'))
    expect(made).toMatchObject({ name: 'Raw', sort_order: 7 })
    const path = `/kpicategories/${String((made as { id: number }).id)}`
    writeFileSync(user.folder.in('body.json'), '{"name":"Raw 2"}')
    expect(jsonOf(await api('PUT', path, '--input', 'body.json'))).toMatchObject({ name: 'Raw 2' })
    expect(await api('DELETE', path)).toEqual({ code: 0, stdout: '', stderr: '' })
    const exact = await api('PUT', '/kpis/1', '--field', 'target_default=12345678901234.5678')
    expect(exact.stdout).toContain('12345678901234.5678')
  })

  test.each<[line: string[], code: number, says: string]>([
    [['GET', '/kpis/99'], 1, 'kpi: there is no KPI 99'],
    [['GET', '/nothing'], 1, 'kpi: '],
    [['PATCH', '/kpis/1'], 2, 'PATCH is not a method; there are GET, POST, PUT, DELETE'],
    [['GET', 'kpis'], 2, 'a path begins with /: /kpis'],
    [['POST', '/kpis', '--field', 'name'], 2, '--field name has no value; write name=value'],
    [['POST', '/kpis', '--field', 'a=b', '--input', '-'], 2, 'give one of them'],
    [['GET', '/kpis', '--input', '-'], 2, 'a GET has no body'],
    [['PUT', '/kpis/1', '--paginate'], 2, '--paginate is for GET'],
    [['POST', '/kpis', '--input', 'none.json'], 1, 'cannot read none.json'],
  ])('%j ends with %i', async (line, code, says) => {
    const ran = await api(...line)
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toContain(says)
  })
})

test('a path of the other variant is refused before anything is sent', async () => {
  await using classic = await remoteUser()
  await using newer = await newerUser()
  for (const [user, path, named] of [
    [classic, '/v1/kpis', 'the newer interface (/v1)'],
    [newer, '/api/kpis', 'the classic interface (/api)'],
  ] as const) {
    const ran = await user.kpi('api', 'GET', path)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`${path} is a path of ${named}`)
  }
})

test('a service that answers the same page again and again is an error, not a short list', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-total-count': '3' }).end('[{"id":1},{"id":2}]')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using embedded = await embeddedUser()
  const env = { KPI_BASE_URL: `http://127.0.0.1:${port}/api`, KPI_LOGIN: 'a', KPI_TOKEN: 'b' }
  const ran = await embedded.kpiIn({ env }, 'api', 'GET', '/kpis', '--paginate')
  expect([ran.code, ran.stdout]).toEqual([5, ''])
  expect(ran.stderr).toContain('the service answers the same page of a list again and again')
  server.close()
})

test('what only the newer interface has is asked for there', async () => {
  await using embedded = await embeddedUser()
  expect(jsonOf(await embedded.kpi('api', 'GET', '/v1/breakdownitems'))).toHaveLength(1)
  await using newer = await newerUser()
  expect(jsonOf(await newer.kpi('api', 'GET', '/breakdownitems'))).toHaveLength(1)
})
