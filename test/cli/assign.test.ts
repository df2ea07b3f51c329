import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, kpi assign', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const assign = (...args: string[]): Promise<Ran> => user.kpi('assign', ...args)
  /** Every assignment, as `user KPI target place`. */
  const held = async (...args: string[]): Promise<string[]> => {
    const list = jsonOf(await assign('list', ...args, '-o', 'json')) as Record<string, string | number | null>[]
    return list.map(
      ({ user_id, id, user_target, sort_order }) => `${user_id} ${id} ${user_target ?? '-'} ${sort_order}`,
    )
  }

  test('list shows everybody, or those who are named', async () => {
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
    expect(await held('--users', 'ann@example.com,3')).toEqual(['2 1 - 1', '2 2 - 2'])
    expect(await held('--users', 'bobby@example.com')).toEqual([])
    expect(await held('--kpis', 'Visits')).toEqual(['2 2 - 2'])
    expect(await held('--kpi', '1')).toEqual(['2 1 - 1'])
    expect((await assign('list', '--columns', 'id,user_id')).stdout).toBe('id  user_id\n 1        2\n 2        2\n')
  })

  test('add assigns every KPI to every user, after the KPIs that they have', async () => {
    const added = jsonOf(await assign('add', '--kpis', 'Revenue,2', '--users', '3,bobby@example.com', '-o', 'json'))
    expect(added).toHaveLength(4)
    expect(await held('--users', '3,4')).toEqual(['3 1 - 1', '3 2 - 2', '4 1 - 1', '4 2 - 2'])
  })

  test('add gives a target and a place, and says of what is assigned already that it is', async () => {
    const line = ['add', '--kpis', '1', '--users', '2,3', '--target', '1000.5', '--sort-order', '9']
    const refused = await assign(...line)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'Revenue is assigned to Ann Lee already with another target: that of the KPI → 1000.5; nothing was assigned',
      ),
    ])
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
    expect((await assign('add', '--kpis', '1', '--users', '3', '--target', '1000.5', '--sort-order', '9')).code).toBe(0)
    expect((await assign('add', '--kpis', '1', '--users', '3', '--target', '7')).stderr).toContain(
      'Revenue is assigned to Bob Ray already with another target: 1000.5 → 7; nothing was assigned',
    )
    const ran = await assign('add', '--kpis', '1', '--users', '2,3')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('Revenue is assigned to Ann Lee already; kpi assign update changes its target\n')
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2', '3 1 1000.5 9'])
    const again = await assign('add', '--kpis', '1', '--users', '3', '-o', 'json')
    expect(again).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  test('add prints what was assigned beside one that is refused', async () => {
    const ran = await assign('add', '--kpis', 'Revenue,Visits', '--users', '3', '--target', '5', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: 1, user_id: 3, user_target: 5 }])
    expect(errorOf(ran).message).toMatch(/^no\. 2 of 2: user_target: /)
    expect(await held('--users', '3')).toEqual(['3 1 5 1'])
  })

  test('update changes a target, clears it, and changes a place', async () => {
    const line = ['update', '--kpis', 'Revenue', '--users', 'Ann Lee']
    expect(jsonOf(await assign(...line, '--target', '7', '-o', 'json'))).toMatchObject([{ id: 1, user_target: 7 }])
    expect(await held()).toEqual(['2 1 7 1', '2 2 - 2'])
    await assign(...line, '--target', '', '--sort-order', '5')
    expect(await held()).toEqual(['2 2 - 2', '2 1 - 5'])
  })

  test('remove takes KPIs away once that is confirmed, and what was entered stays', async () => {
    const line = ['remove', '--kpis', 'Revenue,Visits', '--users', 'Ann Lee']
    expect(await assign(...line)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'kpi assign remove: remove 2 assignments (KPIs Revenue,Visits from users Ann Lee) needs --yes where nobody can be asked; --dry-run shows what would be done\n',
    })
    expect(await held()).toHaveLength(2)
    const unknown = await assign('remove', '--kpis', 'Nothing', '--users', 'Ann Lee')
    expect(unknown.stderr).toContain('there is no KPI "Nothing"')
    expect(await assign(...line, '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'removed Revenue from Ann Lee\nremoved Visits from Ann Lee\n',
    })
    expect(await held()).toEqual([])
    expect(jsonOf(await user.kpi('entries', 'list', '-o', 'json'))).toHaveLength(3)
  })

  test.each([
    [['add', '--kpis', '1'], 'say which users (--users or --group)'],
    [['add', '--kpis', '', '--users', '2'], '--kpis is an empty list'],
    [['add', '--kpis', '1', '--users', ' , '], '--users is an empty list'],
    [['add', '--kpis', '1,99', '--users', '2'], 'there is no KPI "99"'],
    [
      ['add', '--kpis', '1', '--users', '3', '--target', 'x', '--sort-order', ''],
      '--target "x" must be a number; write it like 1234.5; --sort-order must not be empty',
    ],
    [['update', '--kpis', '1', '--users', '2'], 'nothing to change was given: --target or --sort-order'],
    [
      ['remove', '--kpis', 'Revenu,Vist', '--users', '2', '-y'],
      'there is no KPI "Revenu"; did you mean "Revenue"?; there is no KPI "Vist"',
    ],
  ])('%j is wrong usage and does nothing', async (line, message) => {
    const ran = await assign(...line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
  })

  test('assigns all active KPIs, or those of a category, to all active users or the members of a group', async () => {
    const { client } = user
    await client.kpis.update(2, { is_active: false })
    await client.users.update(4, { user_status_id: 'L' })
    const looked = await assign('add', '--kpis', 'all', '--users', 'all', '--dry-run', '-o', 'json')
    expect(JSON.parse(looked.stdout)).toMatchObject([
      { user_id: 1, id: 1, user_target: null, sort_order: 1 },
      { user_id: 3, id: 1, user_target: null, sort_order: 1 },
    ])
    expect(looked.stderr).toContain('dry run, nothing was sent: 2 assignments of 2 users to add')
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2'])
    const group = await client.groups.add({ name: 'Region' })
    const item = await client.groupItems(group.id).add({ name: 'North' })
    await client.userGroupItems(3).add({ id: item.id })
    expect((await assign('add', '--category', 'General', '--group', 'Region', '--target', '')).code).toBe(0)
    expect(await held()).toEqual(['2 1 - 1', '2 2 - 2', '3 1 - 1'])
    const removed = await assign('remove', '--kpis', 'all', '--users', '3', '--yes')
    expect([removed.code, await held()]).toEqual([0, ['2 1 - 1', '2 2 - 2']])
  })
})

test('assign remove goes on behind what is refused, and ends with what was done', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const line = ['assign', 'remove', '--kpis', 'all', '--users', 'bob@example.com,Ann Lee']
  const some = await user.kpi(...line, '--yes')
  expect(some.code).toBe(3)
  expect(some.stderr).toMatch(
    /^removed Revenue from Ann Lee\nremoved Visits from Ann Lee\nkpi: no\. 1 of 4: .*\nkpi: no\. 2 of 4: .*\nkpi: 2 done, 2 refused\n$/,
  )
  expect(await user.kpi(...line, '--yes')).toMatchObject({ code: 1, stdout: '' })
})

test.each([
  ['remove', []],
  ['update', ['--target', '5']],
])('a dry run of assign %s names every pair that is not assigned, and shows the others', async (verb, values) => {
  await using user = await embeddedUser()
  await fillShop(user)
  await user.client.kpis.update(2, { target_default: 1_0000n })
  const line = ['assign', verb, '--kpis', 'Revenue,Visits', '--dry-run', ...values, '-o', 'json']
  const some = await user.kpi(...line, '--users', '3,2')
  expect(some.code).toBe(3)
  expect(jsonOf({ ...some, code: 0 })).toMatchObject([
    { user_id: 2, id: 1 },
    { user_id: 2, id: 2 },
  ])
  expect(some.stderr).toContain(`2 assignments to ${verb}`)
  expect(some.stderr).toMatch(/no\. 1 of 4: .*no\. 2 of 4: /s)
  expect(some.stderr).toContain(`2 to ${verb}, 2 refused`)
  const none = await user.kpi(...line, '--users', '3')
  expect([none.code, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toMatch(/no\. 1 of 2: .*no\. 2 of 2: /s)
})

test('assign group-items remove goes on behind what is refused, too', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const { id } = await user.client.groups.add({ name: 'Region' })
  const item = await user.client.groupItems(id).add({ name: 'North' })
  await user.client.userGroupItems(2).add({ id: item.id })
  const line = ['assign', 'group-items', 'remove', '--group-items', 'North', '--users', '3,2', '--yes', '-o', 'json']
  const some = await user.kpi(...line)
  expect(some.code).toBe(3)
  expect(JSON.parse(some.stdout)).toMatchObject([{ user_id: 2, name: 'North' }])
  expect(await user.kpi(...line)).toMatchObject({ code: 1, stdout: '' })
})

test.each([
  ['add', ['--users', '#3,#4', '--kpis', 'Visits'], '2 assignments of 2 users to add'],
  ['update', ['--users', 'Ann Lee', '--kpis', 'all', '--target', '5'], '2 assignments to update'],
  ['remove', ['--users', 'Ann Lee', '--kpis', 'all'], '2 assignments to remove'],
])('a dry run of assign %s shows the counts alone with --summary-only', async (verb, whose, said) => {
  await using user = await embeddedUser()
  await fillShop(user)
  await user.client.kpis.update(2, { target_default: 1_0000n })
  const ran = await user.kpi('assign', verb, ...whose, '--dry-run', '--summary-only')
  expect(ran).toMatchObject({ code: 0, stdout: '' })
  expect(ran.stderr).toContain(said)
})

test('assign update leaves what is as given already, and its dry run counts that as unchanged', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const line = ['assign', 'update', '--users', 'Ann Lee', '--kpis', 'all', '--target', '3', '--sort-order', '1']
  await user.client.assignments(2).update(1, { user_target: 3_0000n })
  await user.client.kpis.update(2, { target_default: 1_0000n })
  const looked = await user.kpi(...line, '--dry-run', '-o', 'json')
  expect(looked.stderr).toContain('dry run, nothing was sent: 1 assignment to update, 1 unchanged')
  expect(jsonOf(looked)).toMatchObject([{ id: 2, old_target: null, new_target: 3 }])
  const counted = await user.kpi(...line, '--dry-run', '--summary-only', '-o', 'json')
  expect(jsonOf(counted)).toEqual({ updated: 1, unchanged: 1 })
  expect(jsonOf(await user.kpi(...line, '-o', 'json'))).toMatchObject([
    { id: 1, user_target: 3, sort_order: 1 },
    { id: 2, user_target: 3, sort_order: 1 },
  ])
  const again = await user.kpiIn({ terminal: 80 }, ...line, '--verbose')
  expect(again.stderr).toContain('2 assignments unchanged')
  expect(again.stderr).not.toMatch(/updated|PUT|PATCH/)
})

test('assign add with a target says of a KPI without one that it has none, and how to give it one', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  await user.client.kpis.update(2, { target_default: null })
  const ran = await user.kpi('assign', 'add', '--kpis', 'Visits', '--users', 'Ann Lee', '--target', '3')
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(
    'Visits is assigned to Ann Lee already with another target: none → 3; nothing was assigned',
  )
  expect(ran.stderr).toContain('kpi kpis update "Visits" --target-default N gives it one')
  expect(ran.stderr).not.toContain('kpi assign update')
})
