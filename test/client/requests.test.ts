import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { Aborted, type Transport } from '../../src/client/transport.ts'
import { KpiError } from '../../src/domain/errors.ts'

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
