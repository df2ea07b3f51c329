import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kpiNamed, userNamed } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, newerUsers, type User } from '../support/user.ts'

const REGION = 2
const DAYS = ['--from', '2026-01-01', '--to', '2026-01-02']

describe.each(newerUsers)('%s, entries of a breakdown item', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await user.client.kpis.add(kpiNamed('Revenue', { target_default: 10_0000n }))
    await user.client.groups.add({ name: 'Region' })
    await user.client.groupItems(REGION).add({ name: 'North' })
  })
  afterEach(() => user[Symbol.asyncDispose]())

  /** Imports a value of the item, and returns the name of the receipt. */
  const importValue = async (actual: number): Promise<string> => {
    writeFileSync(user.folder.in('data.csv'), `source,kpi,date,actual\nNorth,Revenue,2026-01-01,${actual}\n`)
    const ran = await user.kpi('entries', 'import', 'data.csv', '-o', 'json')
    return (jsonOf(ran) as { receipt: string }).receipt
  }
  const undo = async (receipt: string): Promise<readonly [code: number, stderr: string]> => {
    const { code, stderr } = await user.kpi('entries', 'undo', receipt, '--yes')
    return [code, stderr.trim()]
  }
  const listActuals = async (): Promise<unknown[]> => {
    const list = jsonOf(await user.kpi('entries', 'list', ...DAYS, '-o', 'json')) as { actual: number }[]
    return list.map(({ actual }) => actual)
  }

  test('are put back and removed by the undo of their imports', async () => {
    const [first, second] = [await importValue(1), await importValue(2)]
    expect(await undo(second)).toEqual([0, 'put back 1 entry'])
    expect(await listActuals()).toEqual([1])
    expect(await undo(first)).toEqual([0, 'removed 1 entry'])
    expect(await listActuals()).toEqual([])
  })

  test.each([
    ['entries get 1', 'North'],
    ['entries list', 'North'],
    ['entries update 1 --notes late', 'North'],
    ['entries update 1 --notes late --dry-run', 'Revenue of North on 2026-01-01'],
    ['entries delete 1 --dry-run', 'Revenue of North on 2026-01-01'],
    ['entries delete 1 --yes', 'deleted entry 1, Revenue of North on 2026-01-01: 1'],
    ['entries delete --dry-run', 'Revenue of North on 2026-01-01'],
    ['entries delete --kpi Revenue --dry-run', 'Revenue of North on 2026-01-01'],
    ['entries delete --yes', 'deleted 1 entry'],
    ['entries export --names', 'North'],
    ['report --rows', 'North'],
    ['report --only-missed', 'North'],
    ['check --only missed', 'North'],
  ])('are known to kpi %s', async (line, said) => {
    await importValue(1)
    const isById = line.includes(' 1')
    const ran = await user.kpi(...line.split(' '), ...(isById ? [] : DAYS))
    expect(ran.stdout + ran.stderr).toContain(said)
  })
})

test('a check on the embedded service looks at them and at missing values of users alike', async () => {
  await using user = await embeddedUser()
  await user.client.kpis.add(kpiNamed('Revenue', { target_default: 10_0000n }))
  await user.client.groups.add({ name: 'Region' })
  const { id: source_id } = await user.client.groupItems(REGION).add({ name: 'North' })
  const { id } = await user.client.users.add(userNamed('Ann'))
  await user.client.assignments(id).add({ id: 1, sort_order: 1 })
  await user.kpi(
    'entries',
    'add',
    '--source',
    String(source_id),
    '--kpi',
    'Revenue',
    '--date',
    '2026-01-01',
    '--actual',
    '1',
  )
  const { code, stdout } = await user.kpi('check', ...DAYS, '-o', 'json')
  const found = JSON.parse(stdout) as { problem: string; itemName: string; entryDate: string }[]
  expect(code).toBe(10)
  expect(found.map((one) => `${one.problem} ${one.itemName} ${one.entryDate}`)).toEqual([
    'missed North 2026-01-01',
    'missing Ann 2026-01-01',
    'missing Ann 2026-01-02',
  ])
})
