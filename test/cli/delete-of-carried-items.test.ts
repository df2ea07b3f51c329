import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fillShop, newerUser, SHOP, type User, users } from '../support/user.ts'

const WAYS = [
  ...users.map(([way, open]) => [way, open, 'group-items', 'group item', 'is carried by entries'] as const),
  [users[0]?.[0] ?? '', users[0]?.[1] ?? newerUser, 'breakdown-items', 'breakdown item', 'has entries'] as const,
  ['through a profile of the newer interface', newerUser, 'breakdown-items', 'breakdown item', 'has entries'] as const,
]

describe.each(WAYS)('%s, %3$s delete', (_way, open, group, title, why) => {
  let user: User
  let [north, south]: readonly [number, number] = [0, 0]
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    const region = await user.client.groups.add({ name: 'Region' })
    const items = user.client.groupItems(region.id)
    ;[north, south] = [(await items.add({ name: 'North' })).id, (await items.add({ name: 'South' })).id]
    await user.client.userGroupItems(SHOP.ann).add({ id: north })
    // New entries carry the items of their users.
    await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: 20_000, actual: 1_0000n })
    await user.client.userGroupItems(SHOP.ann).remove(north)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test('refuses what entries carry in a dry run as in the run', async () => {
    const dry = await user.kpi(group, 'delete', 'North', '--dry-run')
    const real = await user.kpi(group, 'delete', 'North', '--yes')
    expect(dry).toEqual(real)
    expect(dry.code).toBe(1)
    expect(dry.stderr).toContain(`${title} ${north} (North) ${why} and cannot be deleted; archive it instead`)
  })

  test('refuses a whole line for one of them, and deletes nothing', async () => {
    expect((await user.kpi(group, 'delete', 'South', 'North', '--yes')).code).toBe(1)
    const left = await user.kpi(group, 'list', '-o', 'csv', '--columns', 'name')
    expect(left.stdout).toContain('North\nSouth\n')
  })

  test('foresees and deletes what no entry carries', async () => {
    const dry = await user.kpi(group, 'delete', 'South', '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, `dry run, nothing was sent: 1 ${title} to delete\n`])
    expect((await user.kpi(group, 'delete', String(south), '--yes')).code).toBe(0)
  })
})
