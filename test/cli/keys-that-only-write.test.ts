import { expect, test } from 'vitest'
import { kpiNamed } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { newerUser } from '../support/user.ts'

test('a key that may write and not read creates, and changes and deletes by ids', async () => {
  await using user = await newerUser(['kpis:write', 'breakdowns:write'])
  const { client, kpi } = user
  await client.kpis.add({ ...kpiNamed('Revenue'), description: 'old' })
  await client.kpis.add(kpiNamed('Visits'))
  const { id: group } = await client.groups.add({ name: 'Region', sort_order: 1 })
  const { id: item } = await client.groupItems(group).add({ name: 'North', sort_order: 1 })
  const done = async (...line: readonly string[]): Promise<unknown> => {
    const ran = await kpi(...line, '-o', 'json')
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.not.stringMatching(/warning(?!: kpi undo cannot bring all of it back)/) as string,
    })
    return jsonOf(ran)
  }
  expect(await done('kpis', 'update', '1', '--description', '')).toMatchObject({ id: 1, description: null })
  expect((await client.kpis.get(1)).description).toBe(null)
  const named = await done('kpis', 'update', '1', '--name', 'Turnover', '--target-default', '5')
  expect(named).toMatchObject({ name: 'Turnover', target_default: 5 })
  expect(await done('categories', 'create', '--name', 'Sales')).toMatchObject({ name: 'Sales' })
  const added = await done('breakdown-items', 'create', '--breakdown', String(group), '--name', 'South')
  expect(added).toMatchObject({ name: 'South', breakdown_id: group })
  expect(await done('breakdown-items', 'update', String(item), '--archived', 'true')).toMatchObject({
    name: 'North',
    breakdown_id: group,
    is_archived: true,
  })
  await done('kpis', 'delete', '2', '--yes')
  await done('breakdown-items', 'delete', String(item), '--yes')
  const [kpis, items] = [await client.kpis.list(), await client.groupItems(group).list()]
  expect([kpis.map(({ name }) => name), items.map(({ name }) => name)]).toEqual([['Turnover'], ['South']])
  // One that is not there is told by the service.
  expect(await kpi('kpis', 'update', '99', '--name', 'x')).toMatchObject({ code: 1, stdout: '' })
})
