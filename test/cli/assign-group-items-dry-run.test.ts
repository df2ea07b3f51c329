import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Ran } from '../support/kpi.ts'
import { fillShop, SHOP, type User, users } from '../support/user.ts'

describe.each(users)('%s, a dry run of assign group-items', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    const { id } = await user.client.groups.add({ name: 'Region' })
    for (const name of ['North', 'South']) await user.client.groupItems(id).add({ name })
    const [north] = await user.client.groupItems(id).list()
    await user.client.userGroupItems(SHOP.ann).add({ id: north?.id ?? 0 })
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const items = (verb: string, which: string, whose: string, ...flags: string[]): Promise<Ran> =>
    user.kpi('assign', 'group-items', verb, '--group-items', which, '--users', whose, ...flags)

  const held = async (): Promise<string> =>
    (await user.kpi('assign', 'group-items', 'list', '-o', 'csv', '--columns', 'user,name', '--sort', 'id')).stdout

  /** Names a command, its code, what its dry run says, and which rows that prints. */
  type Case = [verb: string, which: string, whose: string, code: number, said: string, counts: object, rows: string[]]
  test.each<Case>([
    [
      'add',
      'North,South',
      '2,3',
      0,
      '3 group items of 2 users to add',
      { added: 3, users: 2 },
      ['Ann Lee | South', 'Bob Ray | North', 'Bob Ray | South'],
    ],
    ['add', 'North', '2', 0, '0 group items of 0 users to add', { added: 0, users: 0 }, []],
    ['remove', 'North', '2', 0, '1 group item of users to remove', { removed: 1 }, ['Ann Lee | North']],
    ['remove', 'North', '2,3', 3, '1 group item of users to remove', { removed: 1 }, ['Ann Lee | North']],
  ])('%s %s of %s foresees what the run does', async (verb, which, whose, code, said, counts, rows) => {
    const before = await held()
    const dry = await items(verb, which, whose, '--dry-run')
    expect(dry.code).toBe(code)
    expect(dry.stderr).toContain(`dry run, nothing was sent: ${said}\n`)
    const lines = dry.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').trimEnd())
    expect(lines).toEqual(['user | group_item', ...rows, ''])
    const summary = await items(verb, which, whose, '--dry-run', '--summary-only', '-o', 'json')
    expect([summary.code, JSON.parse(summary.stdout)]).toEqual([code, counts])
    expect(await held()).toBe(before)
    const real = await items(verb, which, whose, ...(verb === 'remove' ? ['--yes'] : []))
    expect(real.code).toBe(code)
    const after = (await held()).split('\n').length - before.split('\n').length
    expect(Math.abs(after)).toBe(rows.length)
  })

  test('of what nobody has fails as the run does', async () => {
    const dry = await items('remove', 'South', '2', '--dry-run')
    const real = await items('remove', 'South', '2', '--yes')
    expect(dry).toEqual(real)
    expect([dry.code, dry.stdout]).toEqual([1, ''])
  })

  test.each(['add', 'remove'])('%s takes --summary-only with --dry-run alone', async (verb) => {
    const ran = await items(verb, 'South', '2', '--summary-only')
    expect([ran.code, ran.stderr]).toEqual([2, `kpi assign group-items ${verb}: --summary-only goes with --dry-run\n`])
  })
})
