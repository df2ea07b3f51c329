import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'
import { newerUser, type User, users } from '../support/user.ts'

/** Ann misses her target of Sales narrowly and Bob by far, Cy has reported nothing, and Cost is better below its target. */
const fill = async ({ client }: User): Promise<void> => {
  const sales = await client.kpis.add(kpiNamed('Sales', { target_default: 100_0000n }))
  const cost = await client.kpis.add(kpiNamed('Cost', { target_default: 10_0000n, value_direction: 'D' }))
  for (const [name, actual] of [
    ['Ann', 95_0000n],
    ['Bob', 50_0000n],
    ['Cy', undefined],
  ] as const) {
    const { id } = await client.users.add(userNamed(name))
    await client.assignments(id).add({ id: sales.id, sort_order: 1 })
    const day = parseDay('2026-11-20') ?? 0
    if (actual !== undefined) await client.entries.add({ user_id: id, kpi_id: sales.id, entry_date: day, actual })
    if (name !== 'Ann') continue
    await client.assignments(id).add({ id: cost.id, sort_order: 2 })
    await client.entries.add({ user_id: id, kpi_id: cost.id, entry_date: day, actual: 9_0000n })
  }
}

describe.each(users)('%s, kpi check', (_, open) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fill(user)
  })
  afterAll(() => user[Symbol.asyncDispose]())

  const found = (ran: Ran): string[] =>
    (JSON.parse(ran.stdout) as Record<string, unknown>[]).map(({ problem, kpiName, itemName, entryDate, actual }) =>
      [problem, kpiName, itemName, entryDate, actual].join(' '),
    )

  test.each<[flags: string[], code: number, problems: string[]]>([
    [[], 10, ['missed Sales Bob 2026-11-20 50', 'missing Sales Cy 2026-11-20 ']],
    [
      ['--near', 'missed'],
      10,
      ['near Sales Ann 2026-11-20 95', 'missed Sales Bob 2026-11-20 50', 'missing Sales Cy 2026-11-20 '],
    ],
    [['--near', 'sound', '--only', 'missed'], 10, ['missed Sales Bob 2026-11-20 50']],
    [['--allow-near', '--only', 'missed'], 10, ['missed Sales Bob 2026-11-20 50']],
    [['--users', 'Ann', '--only', 'missed'], 0, []],
    [['--users', 'Ann', '--only', 'missed', '--near', 'missed'], 10, ['near Sales Ann 2026-11-20 95']],
    [['--only', 'missing'], 10, ['missing Sales Cy 2026-11-20 ']],
    [['--kpis', 'Cost'], 0, []],
    [['--users', 'Ann', '--allow-near'], 0, []],
  ])('%j ends with %i', async (flags, code, problems) => {
    const ran = await user.kpi('check', '-o', 'json', ...flags)
    expect([ran.code, found(ran)]).toEqual([code, problems])
  })

  test('says what it found, and who and what in a table', async () => {
    const ran = await user.kpi('check', '--only', 'missed')
    expect(ran.code).toBe(10)
    expect(ran.stderr).toBe('checked 3 values: 1 target missed, 1 near\n')
    expect(ran.stdout).toMatch(/^problem +kpi +item +period +actual +target$/m)
    expect(ran.stdout).toMatch(/missed +Sales +Bob +2026-11-20 +50 +100/)
    const near = await user.kpi('check', '--users', 'Ann', '--only', 'missed')
    expect(near.stderr).toBe('checked 2 values: no target is missed (missing values were not looked for), 1 near\n')
    const both = await user.kpi('check', '--allow-near', '--near', 'missed')
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--near') as unknown })
    const sound = await user.kpi('check', '--kpis', 'Cost')
    expect(sound).toEqual({
      code: 0,
      stdout: '',
      stderr: 'checked 1 value: none is missing, and no target is missed\n',
    })
    const half = await user.kpi('check', '--kpis', 'Cost', '--only', 'missed')
    expect(half.stderr).toBe('checked 1 value: no target is missed (missing values were not looked for)\n')
    const other = await user.kpi('check', '--kpis', 'Cost', '--only', 'missing')
    expect(other.stderr).toBe('checked 1 value: none is missing (targets were not looked at)\n')
    const empty = await user.kpi('check', '--from', '2020-01-01', '--to', '2020-01-01', '--only', 'missed')
    expect([empty.code, empty.stderr]).toEqual([0, expect.stringContaining('nothing to check')])
    const program = await user.kpi('check', '-o', 'json', '--only', 'missed')
    expect(JSON.parse(program.stderr)).toMatchObject({ error: { code: 'problems', exit_code: 10 } })
  })
})

test('the newer interface knows no assignments: only targets can be checked there', async () => {
  await using newer = await newerUser()
  expect(await newer.kpi('check')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('--only missed checks the targets alone') as unknown,
  })
  expect((await newer.kpi('check', '--only', 'missed')).code).toBe(0)
})
