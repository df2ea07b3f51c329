import { expect, test } from 'vitest'
import { embeddedUser } from '../support/user.ts'

const listAt = ['entries', 'list', '--from', 'today']

test('a time zone in TZ that there is none of is refused, not taken for UTC', async () => {
  await using user = await embeddedUser()
  const world = { env: { TZ: 'Europe/Berln' } }
  expect(await user.kpiIn(world, ...listAt)).toMatchObject({
    code: 2,
    stderr: 'kpi entries list: TZ Europe/Berln is no time zone; write one such as Europe/Berlin or UTC\n',
  })
  expect((await user.kpiIn(world, ...listAt, '--time-zone', 'Europe/Berlin')).code).toBe(0)
  const { stdout } = await user.kpiIn(world, 'doctor', '-o', 'csv')
  expect(stdout).toMatch(/TZ Europe\/Berln is no time zone/)
})

test.each([
  ['UTC', 'UTC', '2026-07-14'],
  ['', 'UTC', '2026-07-14'],
  ['Europe/Berlin', 'Europe/Berlin', '2026-07-15'],
  ['europe/berlin', 'Europe/Berlin', '2026-07-15'],
  [':Europe/Berlin', 'Europe/Berlin', '2026-07-15'],
  ['/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin', '2026-07-15'],
  [':/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin', '2026-07-15'],
  ['EST5EDT', 'America/New_York', '2026-07-14'],
  ['MST7', '-07:00', '2026-07-14'],
  ['GMT+5', '-05:00', '2026-07-14'],
  ['<+03>-3', '+03:00', '2026-07-15'],
  ['<+0530>-5:30', '+05:30', '2026-07-15'],
])('TZ=%s is %s', async (TZ, zone, day) => {
  await using user = await embeddedUser()
  const world = { env: { TZ }, now: Date.parse('2026-07-14T22:30:00Z') }
  const ran = await user.kpiIn(world, ...listAt, '--to', 'today')
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.stderr).toContain(`--from today --to today is ${day} in ${zone}\n`)
  expect((await user.kpiIn(world, 'doctor', '-o', 'csv')).stdout).toContain(`\ntime zone,${zone},`)
})

test.each(['CET-1CEST', 'CET-1CEST,M3.5.0,M10.5.0/3', 'XYZ99'])('TZ=%s is refused as a rule', async (TZ) => {
  await using user = await embeddedUser()
  expect(await user.kpiIn({ env: { TZ } }, ...listAt)).toMatchObject({
    code: 2,
    stderr: `kpi entries list: TZ ${TZ} is a POSIX rule, which is not understood; write one such as Europe/Berlin or UTC\n`,
  })
})

test.each(['/nowhere/at/all', '/etc/hostname'])('TZ=%s is no file of a time zone', async (TZ) => {
  await using user = await embeddedUser()
  const { code, stderr } = await user.kpiIn({ env: { TZ } }, ...listAt)
  expect([code, stderr]).toEqual([
    2,
    `kpi entries list: TZ ${TZ} is no time zone; write one such as Europe/Berlin or UTC\n`,
  ])
})
