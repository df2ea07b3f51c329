import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { timeZoneNamed } from '../../src/cli/target/time-zone.ts'
import { formatDay } from '../../src/domain/day.ts'
import { Fault } from '../../src/domain/errors.ts'
import { temporaryFolder } from '../support/folder.ts'
import { jsonOf } from '../support/kpi.ts'
import { KPI, startProgram } from '../support/process.ts'
import { embeddedUser, fillShop, type User, users } from '../support/user.ts'

test.each<[zone: string, at: string, day: string]>([
  ['Europe/Berlin', '2026-07-14T21:59:59.999Z', '2026-07-14'],
  ['Europe/Berlin', '2026-07-14T22:00:00Z', '2026-07-15'],
  ['Europe/Berlin', '2026-12-31T22:59:59Z', '2026-12-31'],
  ['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
  ['america/los_angeles', '2026-03-01T07:59:59Z', '2026-02-28'],
  ['Pacific/Kiritimati', '2026-03-01T10:00:00Z', '2026-03-02'],
  ['+05:30', '2026-03-01T18:30:00Z', '2026-03-02'],
  ['UTC', '2026-03-01T23:59:59Z', '2026-03-01'],
])('in %s it is at %s the day %s', (name, at, day) => {
  const zone = timeZoneNamed(name)
  if (zone instanceof Fault) throw new Error(zone.message)
  expect(formatDay(zone.dayAt(Date.parse(at)))).toBe(day)
})

/** Half past midnight in Berlin, when it is still the day before in UTC. */
const LATE = Date.parse('2026-07-14T22:30:00Z')

const addAt = async (user: User, ...flags: readonly string[]): Promise<{ day: unknown; stderr: string }> => {
  const line = ['entries', 'add', '--user', 'ann@example.com', '--kpi', 'Revenue', '--actual', '1', '-o', 'json']
  const ran = await user.kpiIn({ now: LATE }, ...line, ...flags)
  return { day: (jsonOf(ran) as { entry_date: unknown }).entry_date, stderr: ran.stderr }
}

test.each(users)('a value of today lands on the day of the user, %s', async (_, open) => {
  await using user = await open()
  await fillShop(user)
  const berlin = ['--time-zone', 'Europe/Berlin']
  expect(await addAt(user)).toMatchObject({ day: '2026-07-14', stderr: '' })
  expect(await addAt(user, ...berlin)).toMatchObject({ day: '2026-07-15' })
  expect(await addAt(user, ...berlin, '--date', 'yesterday')).toEqual({
    day: '2026-07-14',
    stderr: '--date yesterday is 2026-07-14 in Europe/Berlin\n',
  })
  const listed = await user.kpiIn({ now: LATE }, 'entries', 'list', '--from', 'today', ...berlin, '-o', 'json')
  expect(jsonOf(listed)).toMatchObject([{ entry_date: '2026-07-15' }])
})

test('the profile says the time zone, unless a flag does', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const folder = user.folder.in('.local/share/kpi')
  await user.kpi('profiles', 'add', 'home', '--data-dir', folder, '--time-zone', 'Europe/Berlin')
  expect(jsonOf(await user.kpi('profiles', 'show', 'home', '-o', 'json'))).toMatchObject({ time_zone: 'Europe/Berlin' })
  const home = ['--profile', 'home']
  expect(await addAt(user, ...home)).toMatchObject({ day: '2026-07-15' })
  expect(await addAt(user, ...home, '--time-zone', 'UTC')).toMatchObject({ day: '2026-07-14' })
})

test('a time zone that is none is wrong usage, wherever it stands', async () => {
  await using user = await embeddedUser()
  const told = '--time-zone Berlin is no time zone; write one such as Europe/Berlin or UTC'
  for (const line of [
    ['report', '--from', 'today'],
    ['kpis', 'list'],
    ['kpis', 'delete', '1', '--yes'],
    ['profiles', 'add', 'x', '--data-dir', 'x'],
  ]) {
    expect(await user.kpi(...line, '--time-zone', 'Berlin')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(told) as unknown,
    })
  }
})

test('a time zone of a profile that is none is told by each command that uses the profile', async () => {
  await using user = await embeddedUser()
  await user.kpi('profiles', 'add', 'home', '--data-dir', 'x', '--time-zone', 'Europe/Berlin')
  const file = user.folder.in('.config/kpi/config.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('Europe/Berlin', 'Europe/Berlim'))
  expect(await user.kpi('kpis', 'list', '--profile', 'home')).toEqual({
    code: 2,
    stdout: '',
    stderr: `kpi kpis list: profile home: time_zone Europe/Berlim is no time zone; write one such as Europe/Berlin or UTC\n`,
  })
  expect((await user.kpi('profiles', 'update', 'home', '--time-zone', 'Europe/Berlin')).code).toBe(0)
  expect((await user.kpi('kpis', 'list', '--profile', 'home')).code).toBe(0)
})

test('a file of --ca-file that is not there is told, although the embedded service needs none', async () => {
  await using user = await embeddedUser()
  const said = {
    code: 2,
    stdout: '',
    stderr: 'kpi kpis list: --ca-file none.pem: cannot read it (there is no such file)\n',
  }
  expect(await user.kpi('kpis', 'list', '--ca-file', 'none.pem')).toEqual(said)
})

test('a word for the date of all rows is told as a day', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const line = ['entries', 'import', '-', '--date', 'today', '--time-zone', 'Europe/Berlin']
  const ran = await user.kpiIn({ now: LATE, stdin: 'user,kpi,actual\n2,1,5\n' }, ...line)
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('--date today is 2026-07-15 in Europe/Berlin\n') as unknown,
  })
})

test('weeks and years are those of the account, on the embedded service', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const exported = async (from: string): Promise<string> =>
    (await user.kpi('entries', 'export', '--from', from, '--to', from, '--to-file', 'x.csv', '--force')).stderr
  // A Saturday.
  expect(await exported('this-week')).toContain('of 2026-11-16 to 2026-11-22 ')
  expect(
    await user.kpi('service', 'settings', 'set', '--week-start', 'sunday', '--fiscal-year-start', '4'),
  ).toMatchObject({
    code: 0,
  })
  expect(await exported('this-week')).toContain('of 2026-11-15 to 2026-11-21 ')
  expect(await exported('last year')).toContain('of 2025-04-01 to 2026-03-31 ')
})

/** The days that are somewhere on earth between two moments. */
const daysIn = (zone: string, moments: readonly number[]): string[] =>
  moments.map((at) => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at))

// Between these two clocks differ by 26 hours, so that they never show the same day.
test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])('TZ says whose day it is: %s', async (zone) => {
  using home = temporaryFolder()
  const before = Date.now()
  const line = ['entries', 'export', '--from', 'today', '--to', 'today', '--to-file', 'x.csv']
  const { code, stderr } = await startProgram(home, [...KPI, ...line], { TZ: zone }).ended
  expect(code).toBe(0)
  const [, day] = / of (\S+) to /.exec(stderr) ?? []
  expect(daysIn(zone, [before, Date.now()])).toContain(day)
})
