import { expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

const WAYS = [
  ['embedded', embeddedUser],
  ['over the classic interface', remoteUser],
] as const

const FOR_ANN = ['--users', 'ann@example.com'] as const

/** Opens somebody with two KPIs, of which one has no target, and a user. */
const openWithKpis = async (open: () => Promise<User>): Promise<User> => {
  const user = await open()
  await user.kpi('kpis', 'create', '--name', 'Visits', '--frequency', 'D', '--target-default', '1')
  await user.kpi('kpis', 'create', '--name', 'Sales', '--frequency', 'D')
  await user.kpi('users', 'create', '--first-name', 'Ann', '--email', 'ann@example.com')
  return user
}

/** Returns the targets of Ann, by KPI. */
const targetsOf = async ({ client }: User): Promise<unknown> => {
  const ann = (await client.users.list()).find(({ email }) => email === 'ann@example.com')
  return (await client.assignments(ann?.id ?? 0).list()).map(({ id, user_target }) => [
    id,
    Number(user_target) / 10_000,
  ])
}

/** Returns the states of the runs that assigned KPIs. */
const assignStates = async (user: User): Promise<unknown> => {
  const runs = jsonOf(await user.kpi('history', '-o', 'json')) as { command: string; state: string }[]
  return runs.filter(({ command }) => command === 'assign add').map(({ state }) => state)
}

test.each(WAYS)(
  'assign add of which some was refused has ended: the next one assigns all anew, %s',
  async (_, open) => {
    await using user = await openWithKpis(open)
    const add = ['assign', 'add', '--kpis', 'Visits,Sales', ...FOR_ANN, '--target', '5']
    expect(await user.kpi(...add)).toMatchObject({ code: 3 })
    expect(await assignStates(user)).toEqual(['done'])
    expect(await user.kpi('assign', 'remove', '--kpis', 'Visits', ...FOR_ANN, '--yes')).toMatchObject({ code: 0 })
    expect(await user.kpi('kpis', 'update', 'Sales', '--target-default', '1')).toMatchObject({ code: 0 })
    const again = await user.kpi(...add)
    expect(again.code).toBe(0)
    expect(again.stderr).not.toContain('continuing')
    expect(await targetsOf(user)).toEqual([[1, 5], [2, 5]]) // prettier-ignore
  },
)

test.each(WAYS)(
  'assign update and remove of which some was refused do all of it the next time, %s',
  async (_, open) => {
    await using user = await openWithKpis(open)
    const assign = (...args: string[]) => user.kpi('assign', ...args, ...FOR_ANN)
    const update = ['update', '--kpis', 'Visits,Sales', '--target', '7']
    const remove = ['remove', '--kpis', 'Visits,Sales', '--yes']
    await assign('add', '--kpis', 'Visits')
    expect(await assign(...update)).toMatchObject({ code: 3 })
    expect(await assign('update', '--kpis', 'Visits', '--target', '6')).toMatchObject({ code: 0 })
    expect(await assign(...update)).toMatchObject({ code: 3 })
    expect(await targetsOf(user)).toEqual([[1, 7]])
    expect((await assign(...remove)).code).toBe(3)
    await assign('add', '--kpis', 'Visits,Sales')
    expect(await assign(...remove)).toMatchObject({ code: 0 })
    expect(await targetsOf(user)).toEqual([])
  },
)

test.each(WAYS)('a dry run of assign add tells what would be refused, as adding does, %s', async (_, open) => {
  await using user = await openWithKpis(open)
  const add = ['assign', 'add', '--kpis', 'Visits,Sales', ...FOR_ANN, '--target', '5']
  const foreseen = await user.kpi(...add, '--dry-run', '-o', 'json')
  expect(foreseen.code).toBe(3)
  expect(foreseen.stderr).toContain('dry run, nothing was sent: 1 assignment of 1 user to add')
  expect(JSON.parse(foreseen.stdout)).toMatchObject([{ id: 1 }])
  const refusal = 'no. 2 of 2: user_target: Sales has no target, so a user cannot have one either'
  expect(foreseen.stderr).toContain(refusal)
  expect((await user.kpi(...add)).stderr).toContain(refusal)
  expect(await user.kpi('assign', 'add', '--kpis', 'Sales', ...FOR_ANN, '--target', '5', '--dry-run')).toMatchObject({
    code: 1,
    stdout: '',
  })
})
