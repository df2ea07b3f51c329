import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillShop, newerUser, type User, users } from '../support/user.ts'

/** What the service keeps, and what the command line says of it before it asks or sends anything. */
const CLASSIC: readonly (readonly [line: readonly string[], says: RegExp])[] = [
  [
    ['users', 'delete', 'ann@example.com'],
    /^kpi: user 2 \(Ann Lee\) has entries .*\(kpi users update 2 --user-status locked\), .* \(kpi entries delete --user 2 /,
  ],
  [['groups', 'delete', 'Region'], /^kpi: group 2 \(Region\) has 1 group item .*kpi group-items list --group 2\)\n$/],
]

const BOTH: typeof CLASSIC = [
  [
    ['categories', 'delete', 'General'],
    /^kpi: category 1 \(General\) is in use by 2 KPIs \(1, Revenue; 2, Visits\) .*kpi kpis update 1 --category/,
  ],
  [['units', 'delete', '1'], /^kpi: unit 1 \(Number\) is in use by 2 KPIs .*kpi kpis update 1 --unit/],
]

describe.each([
  ...users.map(([name, open]) => ({ name, open, cases: [...CLASSIC, ...BOTH] })),
  { name: 'through a profile of the newer interface', open: () => newerUser(), cases: BOTH },
])('$name', ({ open, cases }) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fillShop(user)
    await user.client.groups.add({ name: 'Region' })
    await user.client.groupItems(2).add({ name: 'North' })
  })
  afterAll(() => user[Symbol.asyncDispose]())

  test.each(cases)('%j is not asked for, as the service would refuse it', async (line, says) => {
    for (const more of [[], ['--yes'], ['--dry-run']]) {
      const ran = await user.kpi(...line, ...more)
      expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) as unknown })
    }
  })
})
