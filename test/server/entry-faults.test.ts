import { expect, test } from 'vitest'
import { assignFirst, ENTRY_KEY, post, tell } from '../support/classic.ts'
import { startService } from '../support/service.ts'

const fieldsOf = (body: unknown): string[] => {
  const { errors } = body as { errors: { index?: number; field: string }[] }
  return errors.map(({ index, field }) => (index === undefined ? field : `${index} ${field}`))
}

test.each([
  [{ user_id: 9999, email: 'no@example.com', kpi_id: 99 }, ['user_id', 'email', 'kpi_id', 'actual']],
  [{ user_id: 9999 }, ['user_id', 'actual']],
  [{ kpi_id: 99, notes: 'n' }, ['kpi_id']],
  [{ kpi_id: 'x' }, ['kpi_id']],
])('an entry of %j is told all that can be known of its faults', async (change, fields) => {
  await using service = await startService()
  await assignFirst(service)
  const { status, body } = await post(service, '/kpientries', { ...ENTRY_KEY, ...change })
  expect([status, fieldsOf(body)]).toEqual([400, fields])
})

test('a batch is told of its flags and of entries that name what is not there, all at once', async () => {
  await using service = await startService()
  const entries = [{ ...ENTRY_KEY, user_id: 9999, kpi_id: 99, actual: 1 }]
  const { status, body } = await post(service, '/kpientries/list', { entries, hasActuals: 'zz' })
  expect([status, fieldsOf(body)]).toEqual([400, ['hasActuals', '0 user_id', '0 kpi_id']])
})

test.each(['{"target_default":', '{"zz":', '{"name":"', '{"target_default":0.'])(
  'a body of %s and six million digits is refused',
  async (start) => {
    await using service = await startService()
    await assignFirst(service)
    const body = `${start}${'9'.repeat(6_000_000)}${start.endsWith('"') ? '"' : ''}}`
    const { status } = await tell(service, { method: 'PUT', path: '/kpis/1', body })
    expect(status).toBe(400)
    expect(service.logged).toEqual([])
  },
)
