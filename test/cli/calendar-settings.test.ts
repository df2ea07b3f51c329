import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { jsonOf, shellIn } from '../support/kpi.ts'
import { embeddedUser, fillShop } from '../support/user.ts'

/** A service that does not tell when weeks and years begin; it notes the days that it is asked for. */
let server: Server
let baseUrl: string
let asked: string[] = []
let home: Folder
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost')
    const [from, to] = ['dateFrom', 'dateTo'].map((name) => searchParams.get(name))
    if (from && to) asked.push(`${from} ${to}`)
    response.writeHead(200, { 'content-type': 'application/json', 'x-total-count': '0' }).end('[]')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`
})
afterAll(async () => {
  server.close()
  await once(server, 'close')
})
beforeEach(async () => {
  asked = []
  home = temporaryFolder()
  const line = ['profiles', 'add', 'acme', '--base-url', baseUrl, '--login', 'ann', '--token-stdin', '--no-check']
  await shellIn({ home: home.path, stdin: 'secret-token' })(...line)
})
afterEach(() => {
  home[Symbol.dispose]()
})

/** A Saturday: 2026-11-21. */
const listed = async (from: string, to: string, ...flags: string[]): Promise<string | undefined> => {
  const ran = await shellIn({ home: home.path })('-p', 'acme', 'entries', 'list', '--from', from, '--to', to, ...flags)
  expect(ran).toMatchObject({ code: 0 })
  return asked.at(-1)
}

describe('where the service does not tell, weeks and years begin', () => {
  test('on Monday and in January', async () => {
    expect(await listed('this-week', 'this-week')).toBe('2026-11-16 2026-11-22')
    expect(await listed('ytd', 'ytd')).toBe('2026-01-01 2026-11-21')
  })

  test('as the profile says, for words that depend on it, and for numbered periods', async () => {
    const settings = ['--fiscal-year-start', '04', '--week-start', 'sunday']
    await shellIn({ home: home.path })('profiles', 'update', 'acme', ...settings)
    expect(await listed('this-week', 'this-week')).toBe('2026-11-15 2026-11-21')
    expect(await listed('ytd', 'ytd')).toBe('2026-04-01 2026-11-21')
    expect(await listed('last-quarter', 'last-quarter')).toBe('2026-07-01 2026-09-30')
    expect(await listed('last month', 'last month')).toBe('2026-10-01 2026-10-31')
    expect(await listed('2025-Q4', '2025-Q4')).toBe('2026-01-01 2026-03-31')
    expect(await listed('2026-W07', '2026-W07')).toBe('2026-02-08 2026-02-14')
  })

  test('as the project file says, before the profile', async () => {
    await shellIn({ home: home.path })('profiles', 'update', 'acme', '--fiscal-year-start', '4')
    writeFileSync(home.in('kpi.yaml'), 'fiscal_year_start: 10\n')
    expect(await listed('ytd', 'ytd')).toBe('2026-10-01 2026-11-21')
  })
})

test('what the account says comes before the profile', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const folder = user.folder.in('.local/share/kpi')
  await user.kpi('profiles', 'add', 'shop', '--data-dir', folder, '--fiscal-year-start', '11', '--week-start', 'sunday')
  const line = ['entries', 'add', '--user', 'ann@example.com', '--kpi', 'Revenue', '--actual', '1']
  await user.kpi('-p', 'shop', ...line, '--date', '2026-02-01')
  const ran = await user.kpi('-p', 'shop', 'entries', 'list', '--from', 'ytd', '-o', 'csv', '--columns', 'entry_date')
  expect(ran.stdout).toMatch(/^entry_date\n2026-02-01\n/)
})

test.each([
  [['--fiscal-year-start', '13'], '--fiscal-year-start 13 is no month; write 1 to 12'],
  [
    ['--fiscal-year-start', '0', '--week-start', 'Sunday'],
    '1 to 12; --week-start Sunday is no first day of weeks; there are monday, sunday; did you mean sunday?',
  ],
  [
    [],
    'say what to change: --time-zone, --output, --fiscal-year-start, --week-start, --ca-file, --token-command, --token-file or --unset',
  ],
  [['--unset', 'colour,output', '--output', 'csv'], '--unset colour is no setting of a profile; there are time-zone,'],
  [['--unset', 'output', '--output', 'csv'], '--unset output and --output contradict each other'],
])('profiles update %j is wrong usage', async (flags, told) => {
  const ran = await shellIn({ home: home.path })('profiles', 'update', 'acme', ...flags)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(told)
})

test.each([
  ['Europe/Berlin', '2026-07-14T21:59:59.999Z', '2026-07-14'],
  ['Europe/Berlin', '2026-07-14T22:00:00Z', '2026-07-15'],
  ['Europe/Berlin', '2026-12-31T22:59:59.999Z', '2026-12-31'],
  ['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
  ['America/New_York', '2026-03-08T04:59:59.999Z', '2026-03-07'],
  ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08'],
  ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-08'],
  ['America/New_York', '2026-03-09T04:00:00Z', '2026-03-09'],
  ['Pacific/Kiritimati', '2026-03-01T10:00:00Z', '2026-03-02'],
  ['Asia/Kathmandu', '2026-03-01T18:14:59.999Z', '2026-03-01'],
  ['Asia/Kathmandu', '2026-03-01T18:15:00Z', '2026-03-02'],
])('with --time-zone %s, today is at %s the day %s', async (zone, at, day) => {
  const shell = shellIn({ home: home.path, now: Date.parse(at) })
  await shell('-p', 'acme', 'entries', 'list', '--from', 'today', '--to', 'today', '--time-zone', zone)
  expect(asked.at(-1)).toBe(`${day} ${day}`)
})

test('profiles update --unset takes back what a profile says', async () => {
  await using user = await embeddedUser()
  const settings = [
    '--time-zone',
    'Europe/Berlin',
    '--output',
    'json',
    '--fiscal-year-start',
    '4',
    '--week-start',
    'sunday',
  ]
  await user.kpi('profiles', 'add', 'shop', '--data-dir', 'shop', ...settings)
  const shown = async (): Promise<unknown> => jsonOf(await user.kpi('profiles', 'show', 'shop', '-o', 'json'))
  expect(
    (await user.kpi('profiles', 'update', 'shop', '--unset', 'output,week-start', '--time-zone', 'UTC')).code,
  ).toBe(0)
  expect(await shown()).toMatchObject({ output: null, week_start: null, fiscal_year_start: 4, time_zone: 'UTC' })
  expect((await user.kpi('profiles', 'update', 'shop', '--unset', 'fiscal-year-start,time-zone')).code).toBe(0)
  expect(await shown()).toMatchObject({ fiscal_year_start: null, time_zone: null })
})
