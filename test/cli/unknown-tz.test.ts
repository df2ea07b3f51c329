import { expect, test } from 'vitest'
import { embeddedUser } from '../support/user.ts'

const listAt = ['entries', 'list', '--from', 'today']

test('a time zone in TZ that there is none of is refused, not taken for UTC', async () => {
  await using user = await embeddedUser()
  const world = { env: { TZ: 'Europe/Berln' } }
  expect(await user.kpiIn(world, ...listAt)).toMatchObject({
    code: 2,
    stderr: 'kpi: TZ "Europe/Berln" is no time zone; write one such as Europe/Berlin or UTC\n',
  })
  expect((await user.kpiIn(world, ...listAt, '--time-zone', 'Europe/Berlin')).code).toBe(0)
  const { stdout } = await user.kpiIn(world, 'doctor', '-o', 'csv')
  expect(stdout).toMatch(/TZ ""Europe\/Berln"" is no time zone/)
})

test.each(['', 'UTC', ':Europe/Berlin', 'CET-1CEST', '<+03>-3', ':/etc/localtime'])('TZ=%s is used', async (TZ) => {
  await using user = await embeddedUser()
  expect((await user.kpiIn({ env: { TZ } }, ...listAt)).code).toBe(0)
})
