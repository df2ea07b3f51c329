import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { Aborted, type Transport, type TransportResponse } from '../../src/client/transport.ts'
import { observedTransport } from '../../src/client/observed-transport.ts'
import type { RequestObserver } from '../../src/client/request-observer.ts'
import { KpiError } from '../../src/domain/errors.ts'
import { unit } from '../../src/domain/resources/catalog.ts'
import { classicStatus } from '../../src/server/api/status.ts'

test('requests count once they are answered, those not that waited for their turn when all was stopped', async () => {
  const ends: (() => Promise<never> | ReturnType<Transport['send']>)[] = [
    () => Promise.resolve({ content: { json: [] }, total: undefined, isCreated: undefined }),
    () => Promise.reject(new KpiError('forbidden', 'no')),
    () => Promise.reject(new Aborted('stopped while requests waited for their turn')),
  ]
  const client = createClient({
    send: () => ends.shift()?.() ?? Promise.reject(new Error('asked too often')),
    caller: 'test',
    identifyAccount: () => ({ for: 'account default', isSure: true }),
    isBundled: () => true,
    close: () => Promise.resolve(),
  })
  await client.kpis.list()
  await expect(client.users.list()).rejects.toThrow('no')
  await expect(client.units.list()).rejects.toThrow('stopped')
  expect(client.requests()).toBe(2)
})

const OF_UNITS = { id: 3, name: 'Number', entry_format: '#', display_format: '#', is_percentage: false }

test.each<[what: string, content: TransportResponse['content'] | Error, end: unknown]>([
  ['nothing', { json: undefined }, { status: 200, text: undefined }],
  ['a text', { json: 'done' }, { status: 200, text: '"done"' }],
  ['a record', { of: unit, record: OF_UNITS }, { status: 200, text: expect.stringContaining('"name":"Number"') }],
  [
    'more records than a thousand',
    { of: unit, records: Array.from({ length: 1001 }, (_, id) => ({ ...OF_UNITS, id })) },
    { status: 200, text: expect.stringMatching(/^\[\{"id":0,.*\{"id":999,[^}]*\}\]$/) },
  ],
  [
    'a refusal',
    new KpiError('not_found', 'no', { issues: [{ field: 'id', message: 'is none' }] }),
    { status: 404, text: '{"message":"no","errors":[{"field":"id","message":"is none"}]}' },
  ],
  ['something else', new Aborted('stopped'), { reason: expect.stringContaining('stopped') }],
])('an observer in the process is told of %s as of an answer over HTTP', async (_, content, end) => {
  const seen: unknown[] = []
  const transport: Transport = {
    send: () => (content instanceof Error ? Promise.reject(content) : Promise.resolve({ content })),
    caller: 'test',
    identifyAccount: () => ({ for: 'account default', isSure: true }),
    isBundled: () => true,
    close: () => Promise.resolve(),
  }
  const watch: RequestObserver = async ({ method, path, headers, body }) => {
    seen.push({ method, path, headers, text: body() })
    return async (ended) => {
      seen.push('reason' in ended ? ended : { status: ended.status, text: ended.body() })
    }
  }
  const { send } = observedTransport(transport, watch, classicStatus)
  await send({ method: 'POST', path: '/kpiunits', query: { page: '2' }, body: [1], idempotencyKey: 'k' }).catch(() => 0)
  expect(seen).toEqual([
    { method: 'POST', path: '/kpiunits?page=2', headers: { 'idempotency-key': 'k' }, text: '[1]' },
    end,
  ])
})
