import { once } from 'node:events'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createDirectory } from '../../src/client/directory.ts'
import { httpTransport } from '../../src/client/http.ts'
import { recordFromJson } from '../../src/codec/json.ts'
import { formatInstant } from '../../src/domain/day.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { fullName, user } from '../../src/domain/resources/user.ts'
import { faultsOfKpi, faultsOfUser } from '../../src/domain/rules.ts'

/** A client of a service that answers every request with the same bytes. */
const clientOf = async (body: Buffer, type: string) => {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(body))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const baseUrl = new URL(`http://127.0.0.1:${port}/api`)
  const client = createClient(httpTransport({ baseUrl, login: 'a', token: 'b', timeoutMs: 5000, now: () => 0 }))
  onTestFinished(async () => {
    await client.close()
    server.close()
  })
  return client
}

test.each<[type: string, encoding: BufferEncoding]>([
  ['application/json', 'utf8'],
  ['application/json; charset=utf-8', 'utf8'],
  ['application/json; charset=US-ASCII', 'utf8'],
  ['application/json; charset=iso-8859-1', 'latin1'],
  ['application/json;charset="ISO-8859-1"', 'latin1'],
  ['application/json; charset=utf-16le', 'utf16le'],
  ['application/json; charset=nonsense', 'utf8'],
])('the letters of an answer are read as its type says: %s', async (type, encoding) => {
  const client = await clientOf(Buffer.from('[{"id":1,"name":"Größe é"}]', encoding), type)
  expect(await client.kpis.list()).toMatchObject([{ id: 1, name: 'Größe é' }])
})

test.each<[rows: unknown, lacking: string]>([
  [[{ kpiId: 1, itemId: 2, entryDate: '01.02.2026' }], 'entryDate'],
  [[{ kpi: 1, item: 2, date: '2026-02-01' }], 'kpiId, itemId, entryDate'],
  [
    [
      { kpiId: 1, itemId: 2, entryDate: '2026-02-01' },
      { kpiId: 1, itemId: null, entryDate: '2026-02-01' },
    ],
    'itemId',
  ],
])('report rows that cannot be read are refused by name: %j', async (rows, lacking) => {
  const client = await clientOf(Buffer.from(JSON.stringify(rows)), 'application/json')
  await expect(client.report({ from: 0, to: 1 })).rejects.toMatchObject({
    code: 'not_acceptable',
    message: `the service answers report rows whose ${lacking} cannot be read`,
  })
})

test.each([
  ['2026-03-01T10:20:30', '2026-03-01T10:20:30'],
  ['2026-03-01 10:20:30', '2026-03-01T10:20:30'],
  ['2026-03-01T10:20:30Z', '2026-03-01T10:20:30'],
  ['2026-03-01T10:20:30.123', '2026-03-01T10:20:30'],
  ['2026-03-01T10:20:30.1234567Z', '2026-03-01T10:20:30'],
  ['2026-03-01T00:20:30+01:00', '2026-02-28T23:20:30'],
])('a moment is read however it is written: %s', (text, shown) => {
  const { created_at } = recordFromJson(user, { id: 1, created_at: text })
  expect(formatInstant(created_at)).toBe(shown)
})

test('people and KPIs of which a service leaves fields out are found, named and judged', () => {
  const value = fc.option(fc.constantFrom('Ann', 'Sales', '', 7, true, '7'), { nil: null })
  const bodyOf = (names: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...names), value).map((body) => ({ ...body, id: 1 }))
  const people = bodyOf(['first_name', 'last_name', 'email', 'user_type', 'created_at'])
  const kpis = bodyOf(['name', 'category_id', 'unit_id', 'frequency_id', 'created_at'])
  fc.assert(
    fc.property(people, kpis, (person, definition) => {
      const [one, other] = [recordFromJson(user, person), recordFromJson(kpi, definition)]
      const names = [{ ...one, name: fullName(one) }, other]
      for (const named of names) expect(createDirectory('thing', [named]).find('1')).toMatchObject({ id: 1 })
      // Whether they may have entries is for the service to say, where it tells nothing of that.
      expect([...faultsOfUser(one), ...faultsOfKpi(other)]).toEqual([])
    }),
  )
})

test('who is told to be locked or inactive is so', () => {
  for (const is_active of [false, 0, 'false', '0', 'False']) {
    expect(faultsOfKpi(recordFromJson(kpi, { id: 1, is_active }))).toHaveLength(1)
  }
  for (const is_active of [true, 1, 'true', '1', 'True', null, undefined]) {
    expect(faultsOfKpi(recordFromJson(kpi, { id: 1, is_active }))).toEqual([])
  }
  expect(faultsOfUser(recordFromJson(user, { id: 1, user_status_id: 'L' }))).toHaveLength(1)
})
