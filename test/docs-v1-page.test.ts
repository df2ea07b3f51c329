import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KPI, post } from './support/classic.ts'
import { ROOT } from './support/documents.ts'
import { askV1, startService } from './support/service.ts'

const page = readFileSync(join(ROOT, 'docs', 'newer.md'), 'utf8')

/** The bodies of the requests that the page shows. */
const sent = [...page.matchAll(/```http\nPOST \/v1(\S+) .*\n(?:.+\n)*\n(.*)\n```/g)].map(
  ([, path = '', body = '']) => ({
    method: 'POST',
    path,
    body,
  }),
)

test('the requests that the page of the newer variant shows are answered as it says', async () => {
  await using service = await startService()
  await post(service, '/kpis', KPI)
  await post(service, '/groups', { name: 'Channel' })
  await post(service, '/groups/2/items', { name: 'Web' })
  const [add, batch] = sent
  if (!add || !batch) throw new Error('the page shows no requests')
  const statuses = [await askV1(service, add), await askV1(service, add)].map(({ status }) => status)
  expect(statuses).toEqual([201, 200])
  const { status, body } = await askV1(service, batch)
  const shown: unknown = JSON.parse(/```json\n(\{[^`]*\})\n```/.exec(page)?.[1] ?? '')
  expect([status, JSON.parse(body)]).toEqual([422, shown])
})
