import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf, shellIn } from '../support/kpi.ts'
import { remoteImporter } from '../support/import.ts'
import type { Handler } from '../../src/server/wire.ts'
import { embeddedUser, fillShop, type User, users } from '../support/user.ts'

const passed = (): AbortSignal => AbortSignal.abort()
const DAYS = ['--from', '2026-01-01', '--to', '2026-03-31']

/** Commands that read or send more than one thing; the receipt is that of an import. */
const COMMANDS: readonly (readonly string[])[] = [
  ['kpis', 'list'],
  ['users', 'list', '-o', 'csv'],
  ['assign', 'list'],
  ['entries', 'list', ...DAYS],
  ['entries', 'delete', ...DAYS, '--yes'],
  ['entries', 'delete', '1', '2', '--yes'],
  ['entries', 'update', '1', '2', '--actual', '5'],
  ['entries', 'undo', 'RECEIPT', '--yes'],
  ['entries', 'undo', 'RECEIPT', '--dry-run'],
  ['entries', 'export', ...DAYS],
  ['report', ...DAYS],
  ['report', ...DAYS, '--rows', '-o', 'json'],
  ['report', ...DAYS, '--rows', '--stream', '-o', 'csv'],
  ['report', 'export', ...DAYS, '--to-file', 'report.csv'],
  ['check', ...DAYS],
  ['users', 'update', '--from-json', 'users.json'],
  ['users', 'create', '--from-json', 'new.json'],
  ['users', 'delete', 'Bob', 'Ann', '--yes'],
  ['assign', 'add', '--kpis', 'Revenue,Visits', '--users', 'Bob'],
  ['assign', 'update', '--kpis', 'Revenue', '--users', 'Ann Lee', '--target', '5'],
  ['assign', 'remove', '--kpis', 'Revenue', '--users', 'Ann Lee', '--yes', '--keep-history'],
  ['plan', 'plan.yaml'],
  ['apply', 'plan.yaml', '--yes'],
  ['dump'],
]

const PEOPLE = 2000
const newPeople = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ user_type: 'User', first_name: `P${at}`, email: `p${at}@example.com` }))

describe.each(users)('%s, a deadline that has passed ends', (_, open) => {
  let user: User
  let receipt = ''
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    const rows = ['2026-01-05', '2026-01-06'].map((day) => `ann@example.com,Revenue,${day},3`)
    writeFileSync(user.folder.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))
    receipt = (jsonOf(await user.kpi('entries', 'import', 'data.csv', '-o', 'json')) as { receipt: string }).receipt
    writeFileSync(user.folder.in('users.json'), JSON.stringify([2, 3].map((id) => ({ id, last_name: 'New' }))))
    writeFileSync(user.folder.in('new.json'), JSON.stringify(newPeople(3)))
    writeFileSync(user.folder.in('plan.yaml'), 'units:\n  - {name: Tons, entry_format: "#", display_format: "#"}\n')
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const state = async (): Promise<unknown> => [
    await user.client.users.list(),
    await user.client.assignments(2).list(),
    await user.client.units.list(),
    await user.client.entries.list({ from: 0, to: 40_000 }),
  ]

  test('every command, with exit code 6, and nothing is changed', async () => {
    const before = await state()
    const told: string[] = []
    for (const line of COMMANDS) {
      const words = line.map((word) => (word === 'RECEIPT' ? receipt : word))
      const { code, stderr } = await user.kpiIn({ alarm: passed }, ...words, '--deadline', '2s')
      if (code !== 6 || !stderr.includes('the deadline (2s) has passed'))
        told.push(`kpi ${words.join(' ')}: ${code} ${stderr}`)
    }
    expect(told).toEqual([])
    expect(await state()).toEqual(before)
  })
})

test.each([
  [1, 'json'],
  [50, 'csv'],
  [200, 'table'],
])('a deadline ends the sending of many, and tells what is left: after %i, as %s', async (count, format) => {
  await using user = await embeddedUser()
  writeFileSync(user.folder.in('new.json'), JSON.stringify(newPeople(PEOPLE)))
  const controller = new AbortController()
  const line = ['users', 'create', '--from-json', 'new.json', '-o', format]
  const running = user.kpiIn({ alarm: () => controller.signal }, ...line)
  const countStored = async (): Promise<number> => (await user.client.users.list()).length - 1
  for (let turn = 0; turn < 5000 && (await countStored()) < count; turn += 1) await setImmediate()
  controller.abort()
  const { code, stdout, stderr } = await running
  const stored = await countStored()
  expect({ code, listed: stdout.match(/p\d+@example\.com/g)?.length, stderr }).toEqual({
    code: 6,
    listed: stored,
    stderr: expect.stringContaining(`stopped with ${PEOPLE - stored} of ${PEOPLE} left`) as unknown,
  })
  expect(stderr).toContain('the deadline (24h) has passed')
})

test('a deadline ends the sending of many that are refused', async () => {
  await using user = await embeddedUser()
  const taken = newPeople(400).map((person) => ({ ...person, email: 'admin@localhost' }))
  writeFileSync(user.folder.in('new.json'), JSON.stringify(taken))
  const controller = new AbortController()
  const running = user.kpiIn({ alarm: () => controller.signal }, 'users', 'create', '--from-json', 'new.json')
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  controller.abort()
  const { code, stderr } = await running
  expect([code, stderr]).toEqual([6, expect.stringMatching(/stopped with \d+ of 400 left/)])
})

describe('a deadline in the middle of an outage', () => {
  const FAILING = { status: 503, headers: {}, body: '' }
  const LIMITED = { status: 403, headers: { 'retry-after': '30' }, body: '{"message":"slow down"}' }

  test.each<[line: string[], failing: string, why: RegExp, answer?: typeof LIMITED | typeof FAILING]>([
    [['entries', 'import', 'a.csv'], 'GET /kpis', /answered with status 503/],
    [['entries', 'import', 'a.csv'], 'GET /kpis', /slow down/, LIMITED],
    [
      ['entries', 'import', 'new.csv', '--create-missing', 'kpis', '--create-assignments', '--frequency', 'D'],
      'POST /kpis',
      /answered with status 503/,
    ],
    [['kpis', 'import', 'kpis.csv'], 'POST /kpis', /answered with status 503/],
    [['assign', 'add', '--kpis', 'Spare', '--users', 'Ann Lee,Bob'], 'POST /users/3/kpis', /answered with status 503/],
    [['report', 'export', '--to-file', 'r.csv'], 'GET /reports/alldataentries', /answered with status 503/],
    [['apply', 'plan.yaml', '--yes'], 'POST /kpiunits', /answered with status 503/],
  ])('says what was tried, and why it failed last: %j', async (line, failing, why, answer = FAILING) => {
    const controller = new AbortController()
    let failed = 0
    const wrap =
      (handler: Handler): Handler =>
      (request) => {
        const name = `${request.method} ${new URL(request.target, 'http://kpi').pathname.toLowerCase().replace('/api', '')}`
        if (name !== failing) return handler(request)
        failed += 1
        if (failed === 3) setTimeout(() => controller.abort(), 0)
        return failed <= 3 ? Promise.resolve(answer) : new Promise(() => undefined)
      }
    await using importer = await remoteImporter({ wrap })
    importer.write('a.csv', 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\n')
    importer.write('new.csv', 'user,kpi,date,actual\nAnn Lee,Costs,2026-03-01,1\n')
    importer.write('kpis.csv', 'name,frequency\nCosts,Daily\n')
    importer.write('plan.yaml', 'units:\n  - {name: Tons, entry_format: "#", display_format: "#"}\n')
    const world = { ...importer.world, alarm: () => controller.signal }
    const { code, stderr } = await shellIn(world)(...line, '--deadline', '9m')
    expect([code, stderr]).toEqual([6, expect.stringContaining('the deadline (9m) has passed')])
    const [, name, count, last] =
      /(\w+ \/[\w/]+) (?:failed|was refused) (\w+)(?: times)?, the last time: (.*)/i.exec(stderr) ?? []
    expect([name?.toLowerCase(), Number(count) >= 2, last]).toEqual([
      failing.toLowerCase(),
      true,
      expect.stringMatching(why),
    ])
  })
})

describe.runIf(process.platform === 'linux')('a pipe as --to-file ends with Ctrl-C where', () => {
  test.each([
    ['nobody reads from it', constants.O_RDONLY, 'nobody reads from that pipe'],
    ['what reads from it has stopped', constants.O_RDWR, 'what reads from that pipe has stopped reading'],
  ])('%s', async (_, flags, why) => {
    await using user = await embeddedUser()
    const path = user.folder.in('pipe.csv')
    execFileSync('mkfifo', [path])
    const held = flags === constants.O_RDWR ? openSync(path, flags) : undefined
    const ran = await user.kpiIn({ signal: AbortSignal.abort() }, 'profiles', 'list', '--to-file', 'pipe.csv')
    expect(ran).toMatchObject({ code: 6, stderr: `no profiles\nkpi: cannot write ${path}: ${why}\n` })
    expect(ran.stdout).toMatch(/^name,current/)
    if (held !== undefined) closeSync(held)
  })
})
