import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { openKiller } from '../support/killer.ts'
import { runKpi } from '../support/process.ts'
import { startService, wayTo } from '../support/service.ts'

const KPIS = Array.from({ length: 5 }, (_, at) => `KPI ${at}`)
const PEOPLE = Array.from({ length: 4 }, (_, at) => `user${at}@example.com`)
const FILE = [
  'kpis:',
  ...KPIS.map((name) => `  - { name: ${name}, frequency: daily, target_default: 10 }`),
  'users:',
  ...PEOPLE.map((email) => `  - { email: ${email}, first_name: Somebody }`),
  'assignments:',
  ...PEOPLE.flatMap((user) => KPIS.map((kpi, at) => `  - { user: ${user}, kpi: ${kpi}, user_target: ${at} }`)),
].join('\n')
const ALL = KPIS.length + PEOPLE.length + KPIS.length * PEOPLE.length

test('an apply that is killed again and again is continued by the same command: each thing exactly once', async () => {
  using home = temporaryFolder()
  await using service = await startService()
  await using killer = await openKiller(home, service)
  const { env, killAt } = killer
  writeFileSync(home.in('kpi.yaml'), FILE)
  for (const [at, after] of [
    [1, true],
    [3, false],
    [4, true],
    [7, true],
    [2, false],
  ] as const) {
    await killAt(['apply', 'kpi.yaml'], at, after)
  }
  const last = await runKpi(home, ['apply', 'kpi.yaml', '-o', 'json'], env)
  expect(last).toMatchObject({ code: 0, signal: null })
  const again = await runKpi(home, ['apply', 'kpi.yaml', '-o', 'json'], env)
  expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: ALL })

  const { client } = await wayTo(service)
  expect((await client.kpis.list()).map(({ name }) => name)).toEqual(KPIS)
  const people = (await client.users.list()).slice(1)
  expect(people.map(({ email }) => email)).toEqual(PEOPLE)
  const held = await Promise.all(people.map(async ({ id }) => (await client.assignments(id).list()).length))
  expect(held).toEqual(PEOPLE.map(() => KPIS.length))

  // What was being created at a kill is not known to be made by the file, and stays.
  writeFileSync(home.in('kpi.yaml'), '{}')
  const pruned = await runKpi(home, ['apply', 'kpi.yaml', '--prune', '--yes', '-o', 'json'], env)
  expect(pruned.code).toBe(0)
  const { deleted } = JSON.parse(pruned.stdout) as { deleted: number }
  expect(deleted).toBeGreaterThanOrEqual(ALL - 3)
})
