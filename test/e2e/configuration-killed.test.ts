import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accountsWith, type Account, hasIds, linesOf, make, nameOf } from '../support/drawn-accounts.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openKiller } from '../support/killer.ts'
import { runHere } from '../support/kpi.ts'
import { runs } from '../support/soak/tests.ts'
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
  const last = await runHere(home, ['apply', 'kpi.yaml', '-o', 'json'], env)
  expect(last).toMatchObject({ code: 0 })
  const again = await runHere(home, ['apply', 'kpi.yaml', '-o', 'json'], env)
  expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: ALL })

  const { client } = await wayTo(service)
  expect((await client.kpis.list()).map(({ name }) => name)).toEqual(KPIS)
  const people = (await client.users.list()).slice(1)
  expect(people.map(({ email }) => email)).toEqual(PEOPLE)
  const held = await Promise.all(people.map(async ({ id }) => (await client.assignments(id).list()).length))
  expect(held).toEqual(PEOPLE.map(() => KPIS.length))

  // What was being created at a kill is not known to be made by the file, and stays.
  writeFileSync(home.in('kpi.yaml'), '{}')
  const pruned = await runHere(home, ['apply', 'kpi.yaml', '--prune', '--yes', '-o', 'json'], env)
  expect(pruned.code).toBe(0)
  const { deleted } = JSON.parse(pruned.stdout) as { deleted: number }
  expect(deleted).toBeGreaterThanOrEqual(ALL - 3)
})

const CLASSIC = { formulas: false, archive: false }
const MEANT = ['--by-name', 'categories,units,groups,group_items,kpis,users']

/** Opens a service with an account of what is described, and a way to it on which commands are killed. */
const openFilled = async (account: Account) => {
  const home = temporaryFolder()
  const service = await startService()
  const killer = await openKiller(home, service)
  const kpi = (...line: string[]) => runHere(home, line, killer.env)
  const { client } = await wayTo(service)
  await make({ client, kpi: () => Promise.reject(new Error('nothing is made by command')) }, account, CLASSIC)
  const dump = async (): Promise<string> => {
    const { code, stdout, stderr } = await kpi('dump')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const close = async (): Promise<void> => {
    await killer[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    home[Symbol.dispose]()
  }
  return { home, kpi, dump, run: killer.run, [Symbol.asyncDispose]: close }
}

const killsOf = fc.array(fc.record({ write: fc.integer({ min: 1, max: 9 }), isDone: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
})

test(
  'an apply that is killed anywhere comes to what one is that is not, and is taken back as one',
  {
    timeout: 240_000 * runs(1, 10),
  },
  async () => {
    const accounts = accountsWith(nameOf(0))
    await fc.assert(
      fc.asyncProperty(accounts, accounts, killsOf, async (before, after, kills) => {
        await using other = await openFilled(after)
        const text = await other.dump()
        fc.pre(!hasIds(text))
        await using whole = await openFilled(before)
        writeFileSync(whole.home.in('kpi.yaml'), text)
        const line = ['apply', 'kpi.yaml', ...MEANT, '-o', 'json']
        const once = await whole.kpi(...line)
        fc.pre(once.code === 0)

        await using user = await openFilled(before)
        writeFileSync(user.home.in('kpi.yaml'), text)
        const earlier = await user.dump()
        let killed = 0
        for (const { write, isDone } of kills) if ((await user.run(line, write, isDone)).signal !== null) killed += 1
        fc.pre(killed > 0)
        const last = await user.kpi(...line)
        expect(last).toMatchObject({ code: 0 })
        expect(await user.dump()).toBe(await whole.dump())
        const history = JSON.parse((await user.kpi('history', '-o', 'json')).stdout) as { receipt: string }[]
        expect(history).toHaveLength(1)
        const undone = await user.kpi('undo', history[0]?.receipt ?? '', '--yes')
        expect({ code: undone.code, said: undone.code === 0 ? '' : undone.stderr + undone.stdout }).toEqual({
          code: 0,
          said: '',
        })
        expect(linesOf(await user.dump())).toEqual(linesOf(earlier))
      }),
      { numRuns: runs(1, 30), endOnFailure: true },
    )
  },
)
