import { describe, expect, test } from 'vitest'
import { databases, sqliteDatabase } from '../support/databases.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { type Operator, openOperator } from '../support/operator.ts'
import { embeddedUser, fillShop } from '../support/user.ts'

const STAMP = { created_at: '2026-11-21T12:00:00', updated_at: '2026-11-21T12:00:00' }
const PEOPLE = { id: 1, name: 'People', sort_order: 1, ...STAMP, items: 1, archived_items: 0 }

const breakdownsOf =
  ({ service }: Operator) =>
  (...args: string[]): Promise<Ran> =>
    service('breakdowns', ...args)

describe.each(databases)('kpi service breakdowns on %s', (_name, make) => {
  test('makes, renames, lists and deletes them', async () => {
    const operator = await openOperator(make)
    const breakdowns = breakdownsOf(operator)
    const channel = { id: 2, name: 'Channel', sort_order: 1, ...STAMP, items: 0, archived_items: 0 }
    expect(jsonOf(await breakdowns('create', ' Channel ', '-o', 'json'))).toEqual(channel)
    expect(jsonOf(await breakdowns('list', '-o', 'json'))).toEqual([PEOPLE, channel])
    operator.clock.now += 60_000
    const region = { ...channel, name: 'Region', updated_at: '2026-11-21T12:01:00' }
    expect(jsonOf(await breakdowns('rename', 'channel', 'Region', '-o', 'json'))).toEqual(region)
    expect((await breakdowns('list', '--filter', 'name=Region', '-o', 'csv', '--columns', 'id,name')).stdout).toBe(
      'id,name\n2,Region\n',
    )
    const deleted = { code: 0, stdout: '', stderr: 'deleted breakdown 2, Region\n' }
    expect(await breakdowns('delete', 'Region', '--yes')).toEqual(deleted)
    expect(jsonOf(await breakdowns('list', '-o', 'json'))).toEqual([PEOPLE])
  })
})

describe('a breakdown', () => {
  test('is a group of the classic interface, with what is in it', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    await user.kpi('service', 'breakdowns', 'create', 'Region')
    await user.kpi('group-items', 'create', '--group', 'Region', '--name', 'North')
    await user.client.users.update(3, { user_status_id: 'L' })
    expect(jsonOf(await user.kpi('groups', 'list', '-o', 'json'))).toMatchObject([{ id: 2, name: 'Region' }])
    expect(await user.kpi('service', 'breakdowns', 'list')).toMatchObject({
      stdout: [
        'id  name    items  archived_items  sort_order\n',
        ' 1  People      4               1           1\n',
        ' 2  Region      1               0           1\n',
      ].join(''),
    })
    expect(await user.kpi('service', 'breakdowns', 'delete', 'Region', '--yes')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'kpi: breakdown 2 (Region) has 1 group item and cannot be deleted; delete those first (kpi group-items list --group 2)\n',
    })
  })

  test.each([
    [['rename', 'People', 'Staff'], 1, 'breakdown 1 (People) is built in, and is neither renamed nor deleted'],
    [['delete', '1', '--yes'], 1, 'breakdown 1 (People) is built in, and is neither renamed nor deleted'],
    [['create', 'people'], 1, '"people" is the name of breakdown 1, which is built in'],
    [['rename', 'Region', 'People'], 1, '"People" is the name of breakdown 1, which is built in'],
    [['rename', '9', 'Staff'], 1, 'there is no breakdown 9'],
    [['delete', 'Regions', '--yes'], 2, 'there is no breakdown "Regions"; did you mean "Region"?'],
    [
      ['delete', 'Region', '--no-input'],
      2,
      'delete breakdown 2, Region needs --yes where nobody can be asked; --dry-run shows what would be done',
    ],
    [['create', ' '], 2, 'the name must not be empty'],
    [['rename', 'Region', 'x'.repeat(51)], 2, 'the name has 51 characters, at most 50 are allowed'],
  ])('is refused: %j', async (args, code, message) => {
    const breakdowns = breakdownsOf(await openOperator(sqliteDatabase))
    await breakdowns('create', 'Region')
    const ran = await breakdowns(...args)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(`kpi${code === 2 ? ` service breakdowns ${args[0]}` : ''}: ${message}`)
  })

  test('whose name is that of another one, too, is called by its id', async () => {
    const breakdowns = breakdownsOf(await openOperator(sqliteDatabase))
    await breakdowns('create', 'Region')
    expect(await breakdowns('create', 'Region')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'kpi service breakdowns rename 2 changes it; --allow-duplicate creates another',
      ) as unknown,
    })
    await breakdowns('create', 'Region', '--allow-duplicate')
    expect(await breakdowns('rename', 'Region', 'Area')).toMatchObject({
      code: 2,
      stderr: 'kpi service breakdowns rename: "Region" is the name of more than one breakdown: 2, 3; use the id\n',
    })
    expect((await breakdowns('rename', '3', 'Area')).code).toBe(0)
  })
})
