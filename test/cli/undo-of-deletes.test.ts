import { expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

/** Runs a line that is to succeed. */
const run = async (user: User, ...args: string[]): Promise<void> => {
  const { code, stderr } = await user.kpi(...args)
  expect([args, code, stderr]).toEqual([args, 0, expect.any(String)])
}

type Run = { receipt: string; command: string }

/** Returns the receipt of the run of a command. */
const receiptOf = async (user: User, command: string): Promise<string> => {
  const runs = jsonOf(await user.kpi('history', '-o', 'json')) as Run[]
  return runs.find((one) => one.command === command)?.receipt ?? 'none'
}

/** Returns what Ann is linked to: the names of her KPIs with their targets, and of her group items. */
const linksOf = async ({ client }: User): Promise<unknown> => {
  const ann = (await client.users.list()).find(({ email }) => email === 'ann@example.com')
  const kpis = new Map((await client.kpis.list()).map(({ id, name }) => [id, name]))
  const assigned = await client.assignments(ann?.id ?? 0).list()
  return {
    kpis: assigned.map(({ id, user_target }) => [kpis.get(id), user_target]),
    items: (await client.userGroupItems(ann?.id ?? 0).list()).map(({ name }) => name),
  }
}

const LINKED = { kpis: [['Visits', 90_000n]], items: ['North'] }

const DELETES = [
  ['users', 'ann@example.com', ['Visits of ann@example.com', 'North of ann@example.com']],
  ['kpis', 'Visits', ['Visits of ann@example.com']],
  ['group-items', 'North', ['North of ann@example.com']],
] as const

const WAYS = [
  ['embedded', embeddedUser],
  ['over the classic interface', remoteUser],
] as const

const CASES = WAYS.flatMap(([way, open]) => DELETES.map((one) => [...one, way, open] as const))

test.each(CASES)('undo brings back what went with %s %s: %j, %s', async (what, name, gone, _, open) => {
  await using user = await open()
  await run(user, 'kpis', 'create', '--name', 'Visits', '--frequency', 'D', '--target-default', '3')
  await run(user, 'users', 'create', '--first-name', 'Ann', '--email', 'ann@example.com')
  await run(user, 'groups', 'create', '--name', 'Region')
  await run(user, 'group-items', 'create', '--group', 'Region', '--name', 'North')
  await run(user, 'assign', 'group-items', 'add', '--group-items', 'North', '--users', 'ann@example.com')
  await run(user, 'assign', 'add', '--kpis', 'Visits', '--users', 'ann@example.com', '--target', '9')
  expect(await linksOf(user)).toEqual(LINKED)
  await run(user, what, 'delete', name, '--yes')
  expect(await linksOf(user).catch(() => undefined)).not.toEqual(LINKED)
  const receipt = await receiptOf(user, `${what} delete`)
  const planned = jsonOf(await user.kpi('undo', receipt, '--dry-run', '-o', 'json')) as { name: string }[]
  expect(planned).toHaveLength(gone.length + 1)
  for (const one of gone) expect(planned.some((row) => row.name.endsWith(one))).toBe(true)
  await run(user, 'undo', receipt, '--yes')
  expect(await linksOf(user)).toEqual(LINKED)
})
