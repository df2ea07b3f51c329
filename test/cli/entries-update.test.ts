import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { fillShop, newerUser, type User, users } from '../support/user.ts'

describe.each([...users, ['through the newer interface', newerUser] as const])('%s, entries', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test('are changed by their ids in what is given, and an empty value clears', async () => {
    const one = jsonOf(await user.kpi('entries', 'update', '1', '--actual', '12.5', '--notes', 'again', '-o', 'json'))
    expect(one).toMatchObject({ id: 1, actual: 12.5, notes: 'again', target: null })
    const many = jsonOf(await user.kpi('entries', 'edit', '1', '2', '--target', '90', '--notes', '', '-o', 'json'))
    expect(many).toMatchObject([
      { id: 1, actual: 12.5, target: 90, notes: null },
      { id: 2, actual: 80.5, target: 90, notes: null },
    ])
  })

  test('are looked at before they are changed', async () => {
    const [doomed] = jsonOf(await user.kpi('entries', 'delete', '1', '--dry-run', '-o', 'json')) as [{ name: string }]
    expect(doomed.name).toMatch(/^\w+ of \w+ \w+ on [\d-]+: .*40/)
    const ran = await user.kpi('entries', 'update', '1', '2', '--actual', '80.5', '--dry-run', '-o', 'json')
    expect(ran.stderr).toContain('dry run, nothing was sent: 1 entry to update, 1 unchanged')
    expect(jsonOf(ran)).toMatchObject([
      { action: 'update', id: 1, name: doomed.name, field: 'actual', old: '40', new: '80.5' },
      { action: 'unchanged', id: 2, name: expect.stringContaining(': 80.5') as string },
    ])
    expect(await user.client.entries.get(1)).toMatchObject({ actual: 40_0000n })
  })

  test('are refused where one is named twice, before anything is sent', async () => {
    const ran = await user.kpi('entries', 'update', '1', '2', '1', '--actual', '5')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'kpi entries update: nothing was sent: no. 1 (1) and no. 3 (1) are the same entry; name each once\n',
    ])
    expect(await user.client.entries.get(1)).toMatchObject({ actual: 40_0000n })
  })

  test('are known by ids, and something must be changed', async () => {
    expect(await user.kpi('entries', 'update', 'Visits', '--actual', '1')).toMatchObject({ code: 2 })
    expect((await user.kpi('entries', 'update', '1')).stderr).toContain('nothing to change was given')
    expect(await user.kpi('entries', 'update', '1', '--actual', 'x')).toMatchObject({ code: 2 })
    expect(await user.kpi('entries', 'update', '99', '--actual', '1')).toMatchObject({ code: 1 })
  })
})
