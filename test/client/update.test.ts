import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { entryWithTarget } from '../../src/client/operations/entry-with-target.ts'
import { foreignService } from '../support/foreign.ts'

const STORED = {
  id: 7,
  category_id: 2,
  icon_id: 1,
  unit_id: 3,
  frequency_id: 'M',
  name: 'Revenue',
  description: null,
  target_default: 100.5,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 4,
  is_active: true,
  is_calculated: false,
  created_at: '2026-01-01T00:00:00',
  updated_at: '2026-01-01T00:00:00',
}
const WRITABLE = {
  category_id: 2,
  icon_id: 1,
  unit_id: 3,
  frequency_id: 'M',
  name: 'Revenue',
  target_default: 7,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 4,
  is_active: true,
}

/** Changes the target of a KPI at a service of some name; returns the requests that reached it. */
const updateAt = async (server: string | undefined) => {
  const { url, reached } = await foreignService((response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...(server !== undefined && { server }) })
    response.end(JSON.stringify(STORED))
  })
  const baseUrl = new URL(`${url}/api`)
  const client = createClient(httpTransport({ baseUrl, login: 'a', token: 'b', timeoutMs: 10_000, now: () => 0 }))
  await client.kpis.update(7, { target_default: 7_0000n })
  await client.close()
  return reached.map(({ method, target, body }) => [
    method,
    target,
    ...(body === '' ? [] : [JSON.parse(body) as unknown]),
  ])
}

describe('an update', () => {
  test('carries the whole record to a service of somebody else, which may clear what is not sent', async () => {
    expect(await updateAt(undefined)).toEqual([
      ['GET', '/api/kpis/7'],
      ['PUT', '/api/kpis/7', WRITABLE],
    ])
  })

  test('carries the change alone to the bundled one', async () => {
    expect(await updateAt('kpi/1.0.0')).toEqual([
      ['GET', '/api/kpis/7'],
      ['PUT', '/api/kpis/7', { target_default: 7 }],
    ])
  })
})

test('every request says which program it comes from', async () => {
  const { url, reached } = await foreignService((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('[]')
  })
  const baseUrl = new URL(`${url}/api`)
  const client = createClient(httpTransport({ baseUrl, login: 'a', token: 'b', timeoutMs: 10_000, now: () => 0 }))
  await client.kpis.list()
  await client.close()
  expect(reached[0]?.headers['user-agent']).toMatch(/^kpi\/\d+\.\d+\.\d+$/)
})

test.each([
  ['the bundled service', true, {}],
  ['any other, which may clear what is left out', false, { actual: 5_0000n, notes: 'n' }],
])('a target is changed on %s', (_, isBundled, others) => {
  const client = { isBundled: () => isBundled }
  const times = { created_at: 0, updated_at: 0 }
  const stored = { id: 9, kpi_id: 2, entry_date: 20_000, actual: 5_0000n, target: 1_0000n, notes: 'n', ...times }
  const sent = { kpi_id: 2, entry_date: 20_000, target: 7_0000n, ...others }
  expect([
    entryWithTarget(client, { ...stored, user_id: 3, source_id: null }, 7_0000n),
    entryWithTarget(client, { ...stored, user_id: null, source_id: 4 }, 7_0000n),
  ]).toEqual([
    { user_id: 3, ...sent },
    { source_id: 4, ...sent },
  ])
})
