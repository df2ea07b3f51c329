import { once } from 'node:events'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { readMany } from '../../src/client/operations/collection.ts'
import { createDirectory } from '../../src/client/directory.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { recordFromJson } from '../../src/codec/json.ts'
import { formatInstant } from '../../src/domain/day.ts'
import { KpiError } from '../../src/domain/errors.ts'
import { entry } from '../../src/domain/resources/entry.ts'
import { kpi } from '../../src/domain/resources/kpi.ts'
import { fullName, user } from '../../src/domain/resources/user.ts'
import { day } from '../support/calendar.ts'
import type { AnyRecord, Resource } from '../../src/domain/schema.ts'
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

const NAMES = { kpiName: 'Revenue', itemName: 'Ann' }
const DAY_1 = { ...NAMES, kpiId: 1, itemId: 2, entryDate: '2026-02-01', periodId: 'D' }
const ROW = { ...DAY_1, direction: 'U', actual: 1, target: null }
const WHOLE_MONTH = { from: day('2026-02-01'), to: day('2026-02-28') }

test.each<[rows: object[], message: string]>([
  [
    [{ ...ROW, entryDate: undefined }],
    'whose entryDate cannot be read: its fields are kpiName, itemName, kpiId, itemId, periodId',
  ],
  [
    [{ kpi_id: 1, item: 2, date: '2026-02-01' }],
    'whose kpiId, itemId, entryDate, periodId, direction, kpiName, itemName cannot be read: its fields are kpi_id, item, ',
  ],
  [[ROW, { ...ROW, itemId: null }], 'whose itemId cannot be read: itemId is null'],
  [[{ ...ROW, periodId: 'H' }], 'whose periodId cannot be read: periodId is "H"'],
  [[{ ...ROW, periodId: null }], 'whose periodId cannot be read: periodId is null'],
  [[{ ...ROW, direction: 'sideways' }], 'whose direction cannot be read: direction is "sideways"'],
  [[{ ...ROW, direction: null }], 'whose direction cannot be read: direction is null'],
  [[ROW, { ...ROW, itemId: 3, itemName: null }], 'whose itemName cannot be read: itemName is null'],
  [[{ ...ROW, kpiName: undefined }], 'whose kpiName cannot be read: its fields are itemName, kpiId, '],
  [[{ ...DAY_1, direction: 'U', value: 1 }], 'rows without actual: its fields are kpiName, itemName, kpiId, '],
  [[{ ...DAY_1, direction: 'U', hasTarget: 1, actual: 1, goal: 2 }], 'rows without target: its fields are kpiName, '],
  [[{ ...ROW, kpiId: 1.5 }], 'whose kpiId cannot be read: kpiId is 1.5'],
  [
    [{ ...ROW, entryDate: '2026-03-01' }],
    'outside of what was asked: entryDate is 2026-03-01, asked 2026-02-01 to 2026-02-28',
  ],
  [[{ ...ROW, kpiId: 9 }], 'outside of what was asked: kpiId is 9'],
  [[ROW, { ...ROW, itemId: 3 }, { ...ROW, actual: 5 }], 'row twice: KPI 1, item 2, 2026-02-01'],
])('report rows that cannot be relied on are refused by name: %j', async (rows, message) => {
  const client = await clientOf(Buffer.from(JSON.stringify(rows)), 'application/json')
  await expect(client.report({ ...WHOLE_MONTH, kpiIds: [1] })).rejects.toMatchObject({
    code: 'not_acceptable',
    message: expect.stringContaining(message) as string,
  })
})

test.each([
  ['13.10.2026', 'entryDate'],
  ['10/13/2026', 'entryDate'],
  ['2026-02-01T10:20:30', 'entryDate'],
  ['1,5', 'actual'],
  ['12 EUR', 'target'],
  ['one', 'itemId'],
])('a report row with the value %j in %s is refused, never shown as blank', async (value, field) => {
  const client = await clientOf(
    Buffer.from(JSON.stringify([ROW, { ...ROW, itemId: 3, [field]: value }])),
    'application/json',
  )
  await expect(client.report(WHOLE_MONTH)).rejects.toMatchObject({
    code: 'not_acceptable',
    message: `the service lists report_rows that cannot be read: ${field} is ${JSON.stringify(value)}`,
  })
})

test('report rows in other words that mean the same are read', async () => {
  const odd = { ...ROW, kpiId: '1', entryDate: '2026-02-01T00:00:00Z', actual: '2.5', target: 3 }
  const client = await clientOf(Buffer.from(JSON.stringify([odd])), 'application/json')
  const { rows } = await client.report(WHOLE_MONTH)
  expect(rows).toMatchObject([{ kpiId: 1, entryDate: day('2026-02-01'), actual: 25_000n, target: 30_000n }])
})

test.each<[list: (client: Client) => Promise<unknown>, body: object, message: string]>([
  [(client) => client.report({ from: 0, to: 1 }), { kpiId: 1, entryDate: '01.02.2026' }, 'entryDate is "01.02.2026"'],
  [(client) => client.report({ from: 0, to: 1 }), { kpiId: 1, actual: 'n/a' }, 'actual is "n/a"'],
  [({ kpis }) => kpis.list(), { id: 'a-1', name: 'Sales' }, 'id is "a-1"'],
  [({ kpis }) => kpis.list(), { name: 'Sales' }, 'id is not there'],
  [({ kpis }) => kpis.list(), { id: 1, target_default: 'high' }, 'target_default is "high"'],
  [({ kpis }) => kpis.list(), { id: 1, is_active: 'maybe' }, 'is_active is "maybe"'],
  [({ users }) => users.list(), { id: {} }, 'id is {}'],
  [
    ({ entries }) => entries.list({ from: 0, to: 1 }),
    { id: 1, kpi_id: 1, entry_date: '3/1/2026' },
    'entry_date is "3/1/2026"',
  ],
])('what is listed is refused by name where it would be shown as blank: %s', async (list, body, message) => {
  const client = await clientOf(Buffer.from(JSON.stringify([body])), 'application/json')
  await expect(list(client)).rejects.toMatchObject({
    code: 'not_acceptable',
    message: expect.stringContaining(`that cannot be read: ${message}`) as string,
  })
})

/** What services write where others write something else. */
const ODD = fc.oneof(
  fc.constantFrom(null, '', '7', 7, 7.5, '7.25', -1, 1e300, 'n/a', true, false, 'true', 'no', [], {}, ['a']),
  fc.constantFrom('2026-03-01', '2026-03-01T00:00:00Z', '01.03.2026', 20260301, 1772323200, '2026-03-01T10:20:30.5Z'),
  fc.string(),
)

/** Reads a list; any other error than a refusal by name is thrown. */
const readOrRefuse = (of: Resource, list: readonly object[]): readonly AnyRecord[] | 'refused' => {
  try {
    return readMany(of, { content: { json: list } })
  } catch (error) {
    if (error instanceof KpiError && error.code === 'not_acceptable') return 'refused'
    throw error
  }
}

test.each([['kpis', kpi] as const, ['users', user] as const, ['entries', entry] as const])(
  'whatever a service writes into its %s is read, or refused by name, and never blank',
  async (_, of) => {
    const names = of.shown.map(({ name }) => name)
    const bodies = fc.array(fc.dictionary(fc.constantFrom(...names), ODD), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(bodies, (list) => {
        const records = readOrRefuse(of, list)
        if (records === 'refused') return
        const blanks = list.flatMap((body, at) =>
          of.shown.flatMap(({ name, field }) => {
            const isGiven = ![undefined, null, ''].includes(body[name] as string | null | undefined)
            return isGiven && field.kind !== 'datetime' && records[at]?.[name] === null ? [name] : []
          }),
        )
        expect(blanks).toEqual([])
      }),
      { numRuns: 2000 },
    )
  },
)

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

test.each([
  [{ id: 1, target_default: 1.23456 }, 1],
  [{ id: 1, target_default: '1.00001' }, 1],
  [{ id: 1, target_default: 1.2345 }, 0],
  [{ id: 1, target_default: 0.1 }, 0],
  [{ id: 1, target_default: '2.50000000' }, 0],
  [{ id: 1, target_default: null }, 0],
])('values that are rounded as they are read are counted: %j', async (body, rounded) => {
  const client = await clientOf(Buffer.from(JSON.stringify([body])), 'application/json')
  await client.kpis.list()
  expect(client.rounded()).toBe(rounded)
})
