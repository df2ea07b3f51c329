import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

const [REGION, TEAM] = [2, 3]
const [NORTH, SOUTH, NORTH_TEAM] = [5, 6, 7]

describe.each(users)('%s', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    for (const name of ['Region', 'Team']) await user.client.groups.add({ name })
    for (const name of ['North', 'South']) await user.client.groupItems(REGION).add({ name })
    await user.client.groupItems(TEAM).add({ name: 'North' })
    return () => user[Symbol.asyncDispose]()
  })

  const items = (...args: string[]): Promise<Ran> => user.kpi('group-items', ...args)
  const names = async (...args: string[]): Promise<string[]> => {
    const list = jsonOf(await items('list', ...args, '-o', 'json')) as Record<string, string | number>[]
    return list.map(({ id, group_id, name, sort_order }) => `${id} ${group_id} ${name} ${sort_order}`)
  }
  const ALL = ['5 2 North 1', '6 2 South 2', '7 3 North 1']

  describe('kpi group-items', () => {
    test('list shows those of all groups, or of one', async () => {
      expect(await names()).toEqual(ALL)
      expect(await names('--group', 'team')).toEqual(['7 3 North 1'])
      expect(await names('--group', '2', '--filter', 'name=south')).toEqual(['6 2 South 2'])
      const { stdout } = await items('list', '--limit', '1')
      expect(stdout).toBe('id  group   name   sort_order\n 5  Region  North           1\n')
    })

    test('create makes one in a group, last unless a place is given', async () => {
      const east = jsonOf(await items('create', '--group', 'Region', '--name', 'East', '-o', 'json'))
      expect(east).toMatchObject({ id: 8, group_id: REGION, name: 'East', sort_order: 3 })
      const first = jsonOf(await items('create', '--group', '3', '--name', 'A', '--sort-order', '-1', '-o', 'json'))
      expect(first).toMatchObject({ id: 9, group_id: TEAM, sort_order: -1 })
    })

    test('create makes many from JSON, all in the group of the line', async () => {
      writeFileSync(user.folder.in('new.json'), '[{"name":"East","group_id":99},{"name":"West","sort_order":9}]')
      expect((await items('create', '--group', 'Team', '--from-json', 'new.json')).code).toBe(0)
      expect(await names('--group', 'Team')).toEqual(['7 3 North 1', '8 3 East 2', '9 3 West 9'])
    })

    test('get finds one by id, by its name, and within a group', async () => {
      expect(jsonOf(await items('get', '7', '-o', 'json'))).toMatchObject({ id: NORTH_TEAM, group_id: TEAM })
      expect(jsonOf(await items('get', 'south', '-o', 'json'))).toMatchObject({ id: SOUTH })
      expect(jsonOf(await items('get', 'North', '--group', 'Region', '-o', 'json'))).toMatchObject({ id: NORTH })
      expect(jsonOf(await items('get', 'North', '--group', '3', '-o', 'json'))).toMatchObject({ id: NORTH_TEAM })
    })

    test('update changes one, or many of any groups from JSON', async () => {
      expect(jsonOf(await items('update', 'South', '--name', 'Deep South', '-o', 'json'))).toMatchObject({
        id: SOUTH,
        name: 'Deep South',
        sort_order: 2,
      })
      await items('update', 'North', '--group', 'Team', '--sort-order', '4')
      expect(await names()).toEqual(['5 2 North 1', '6 2 Deep South 2', '7 3 North 4'])
      writeFileSync(user.folder.in('changes.json'), '[{"id":7,"name":"Nord"},{"id":5,"name":"Norden","group_id":3}]')
      expect((await items('update', '--from-json', 'changes.json')).code).toBe(0)
      expect(await names()).toEqual(['5 2 Norden 1', '6 2 Deep South 2', '7 3 Nord 4'])
    })

    test('delete removes some, of any groups, with their links to users', async () => {
      await user.client.userGroupItems(2).add({ id: SOUTH })
      expect(await items('delete', 'South', '7', '--yes')).toEqual({
        code: 0,
        stdout: '',
        stderr:
          'deleted group item 6, South with 1 link to a user\ndeleted group item 7, North with 0 links to users\n',
      })
      expect(await names()).toEqual(['5 2 North 1'])
      expect(await user.client.userGroupItems(2).list()).toEqual([])
    })

    test.each([
      [['get', 'North'], 2, '"North" is the name of more than one group item: 5 in Region, 7 in Team; use the id'],
      [
        ['delete', 'North', 'Soth', '-y'],
        2,
        'group item: 5 in Region, 7 in Team; use the id; there is no group item "Soth"; did you mean "South"?',
      ],
      [['get', 'South', '--group', 'Team'], 2, 'there is no group item "South"'],
      [['get', '5', '--group', 'Team'], 1, 'there is no group item 5 in group 3'],
      [['list', '--group', 'Regoin'], 2, '--group: there is no group "Regoin"; did you mean "Region"?'],
      [['list', '--group', '1'], 1, 'there is no group 1'],
      [['list', '--group', ''], 2, '--group must not be empty'],
      [['create', '--name', 'x'], 2, 'a group item needs --group <id|name>'],
      [['create', '--group', 'Region'], 2, 'a group item needs --name <text>'],
      [
        ['create', '--group', 'Region', '--name', 'x'.repeat(101)],
        2,
        '--name: has 101 characters, at most 100 are allowed',
      ],
      [['update', 'South'], 2, 'nothing to change was given'],
      [['update', '2', '--name', 'x'], 1, 'there is no group item 2'],
      [['delete', '99', '--yes'], 1, 'there is no group item 99'],
      [
        ['delete', 'South'],
        2,
        'delete group item 6, South with 0 links to users needs --yes where nobody can be asked; --dry-run shows what would be done',
      ],
    ])('%j is refused and changes nothing', async (line, code, message) => {
      const ran = await items(...line)
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(message)
      expect(await names()).toEqual(ALL)
    })

    test('delete says why one that entries carry must stay', async () => {
      await user.client.userGroupItems(2).add({ id: SOUTH })
      await user.client.entries.add({ user_id: 2, kpi_id: 2, entry_date: 0, actual: 1n })
      expect(await items('delete', 'South', '--yes')).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'kpi: group item 6 (South) is carried by entries and cannot be deleted; archive it instead, in the newer interface (kpi breakdown-items update 6 --archived true)\n',
      })
    })
  })

  test('kpi groups delete says what must go first', async () => {
    expect(await user.kpi('groups', 'delete', 'Team', '--yes')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'kpi: group 3 (Team) has 1 group item and cannot be deleted; delete those first (kpi group-items list --group 3)\n',
    })
    await items('delete', '7', '--yes')
    expect((await user.kpi('groups', 'delete', 'Team', '--yes')).stderr).toBe('deleted group 3, Team\n')
  })

  describe('kpi assign group-items', () => {
    const assign = (...args: string[]): Promise<Ran> => user.kpi('assign', 'group-items', ...args)
    /** What users have, as `user group item name`. */
    const held = async (...args: string[]): Promise<string[]> => {
      const list = jsonOf(await assign('list', ...args, '-o', 'json')) as Record<string, string | number>[]
      return list.map(({ user_id, group_name, id, name }) => `${user_id} ${group_name} ${id} ${name}`)
    }
    beforeEach(async () => {
      await user.client.userGroupItems(2).add({ id: NORTH })
    })

    test('list shows everybody, or those who are named', async () => {
      await user.client.userGroupItems(4).add({ id: SOUTH })
      expect(await held()).toEqual(['2 Region 5 North', '4 Region 6 South'])
      expect(await held('--users', 'ann@example.com,3')).toEqual(['2 Region 5 North'])
      expect((await assign('list', '--filter', 'name=south')).stdout).toBe(
        'id  user     group_name  name\n 6  Bob Ray  Region      South\n',
      )
    })

    test('add gives every group item to every user, and says who has one already', async () => {
      const ran = await assign('add', '--group-items', '5,South', '--users', '3,Ann Lee', '-o', 'json')
      expect(ran).toMatchObject({ code: 0, stderr: 'Ann Lee has North already\n' })
      expect(JSON.parse(ran.stdout)).toMatchObject([
        { id: 5, user_id: 3 },
        { id: 6, user_id: 3 },
        { id: 6, user_id: 2 },
      ])
      expect(await held()).toEqual(['2 Region 5 North', '2 Region 6 South', '3 Region 5 North', '3 Region 6 South'])
      const again = await assign('add', '--group-items', 'South', '--users', '3', '-o', 'json')
      expect(again).toMatchObject({ code: 0, stdout: '[]\n' })
    })

    test('remove takes them away once that is confirmed', async () => {
      const line = ['remove', '--group-items', '5', '--users', 'Ann Lee']
      expect(await assign(...line)).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'kpi assign group-items remove: remove group items 5 from users Ann Lee needs --yes where nobody can be asked; --dry-run shows what would be done\n',
      })
      expect(await assign(...line, '--yes')).toEqual({
        code: 0,
        stdout: '',
        stderr: 'removed North from Ann Lee\n',
      })
      expect(await held()).toEqual([])
      expect(await assign(...line, '--yes')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'kpi: Region / North of ann@example.com is not there\n',
      })
    })

    test.each([
      [['add', '--users', '2'], "required option '--group-items <list>' not specified"],
      [['add', '--group-items', '6'], "required option '--users <list>' not specified"],
      [['add', '--group-items', ' ,', '--users', '2'], '--group-items is an empty list'],
      [
        ['add', '--group-items', 'North', '--users', '3'],
        '"North" is the name of more than one group item: 5 in Region, 7 in Team; use the id',
      ],
      [
        ['add', '--group-items', 'Sout,2', '--users', '3'],
        'there is no group item "Sout"; did you mean "South"?; there is no group item "2"',
      ],
      [['remove', '--group-items', '5', '--users', 'Bob Ray', '-y'], '"Bob Ray" is the name of more than one user'],
    ])('%j is wrong usage and does nothing', async (line, message) => {
      const ran = await assign(...line)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(message)
      expect(await held()).toEqual(['2 Region 5 North'])
    })
  })
})
