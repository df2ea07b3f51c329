import { readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { testIo } from '../support/io.ts'
import type { Ran } from '../support/kpi.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await user.client.kpis.add(kpiNamed('Revenue'))
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

/** Runs a command line at a terminal where somebody types each text once the question before it is there. */
const answering = async (
  questions: readonly (readonly [question: string, text: string])[],
  ...args: string[]
): Promise<Ran> => {
  const stdin = new PassThrough()
  const { io, stdout, stderr } = testIo({ ...user.world, terminal: 80, stdin })
  const left = [...questions]
  const shown = io.stderr.stream
  const write = shown.write.bind(shown)
  let text = ''
  shown.write = (chunk: string | Uint8Array): boolean => {
    text += String(chunk)
    const [next] = left
    if (next && text.includes(next[0])) {
      left.shift()
      text = ''
      setImmediate(() => (next[1] === 'END' ? stdin.end() : stdin.write(next[1])))
    }
    return write(chunk)
  }
  const code = await run(args, io)
  expect(left).toEqual([])
  return { code, stdout: stdout(), stderr: stderr() }
}
const names = async (): Promise<string> => (await user.kpi('kpis', 'list', '--columns', 'name', '-o', 'csv')).stdout

describe('a delete at a terminal', () => {
  const line = ['kpis', 'delete', 'Revenue']

  test.each([
    ['y\r', 0, 'name\n'],
    ['n\r', 1, 'name\nRevenue\n'],
    ['\r', 1, 'name\nRevenue\n'],
    [CTRL_C, 130, 'name\nRevenue\n'],
    [CTRL_D, 130, 'name\nRevenue\n'],
    ['END', 130, 'name\nRevenue\n'],
  ])('that is answered with %j ends with %i', async (answer, code, left) => {
    const ran = await answering([['delete KPI 1, Revenue with 0 assignments and no entries?', answer]], ...line)
    expect(ran).toMatchObject({ code, stdout: '' })
    const last = { 0: 'deleted KPI 1, Revenue\n', 1: 'kpi: nothing was done\n', 130: 'kpi: interrupted\n' }[code] ?? ''
    expect(ran.stderr.slice(-last.length)).toBe(last)
    expect(await names()).toBe(left)
  })

  test('counts what goes with it, and names what ids stand for', async () => {
    const { client } = user
    const { id } = await client.users.add(userNamed('Ann'))
    await client.assignments(id).add({ id: 1, sort_order: 1 })
    for (const entry_date of [20_000, 20_001])
      await client.entries.add({ user_id: id, kpi_id: 1, entry_date, actual: 1n })
    const what = '2 entries of 2024-10-04 to'
    const asked = await answering([[what, 'n\r']], 'kpis', 'delete', '1')
    expect([asked.code, asked.stderr.includes('delete KPI 1, Revenue with 1 assignment and')]).toEqual([1, true])
    const person = 'with 1 assignment, 0 links to group items'
    expect((await answering([[person, 'n\r']], 'users', 'delete', String(id))).code).toBe(1)
  })

  test('is not asked for with --yes, and refused with --no-input', async () => {
    expect(await answering([], ...line, '--no-input')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'kpi: delete KPI Revenue with its assignments and all its entries needs --yes\nwhere nobody can be asked\n',
    })
    expect(await answering([], ...line, '--yes')).toMatchObject({ code: 0, stderr: 'deleted KPI 1, Revenue\n' })
  })
})

describe('a create at a terminal', () => {
  const QUESTIONS: [string, string][] = [
    ['(--category)', '\r'],
    ['(--icon)', '\r'],
    ['(--unit)', '\r'],
    ['(--frequency)', '\u001b[B\r'],
    ['(--name)', 'Net sales\r'],
  ]

  test('asks for what is missing, with choices, and says the line that does the same, which does', async () => {
    const ran = await answering(QUESTIONS, 'kpis', 'create', '--target-default', '5')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('created KPI 2, Net sales\n')])
    const line = /the same without questions:\nkpi (.*)\n/.exec(ran.stderr)?.[1] ?? ''
    expect(line).toMatch(/^kpis create --category General .*--frequency weekly --name 'Net sales' --target-default 5$/)
    const [first] = (await user.client.kpis.list()).slice(1)
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    await user.kpi(...words, '--allow-duplicate')
    const [, , second] = await user.client.kpis.list()
    expect({ ...second, id: first?.id, sort_order: first?.sort_order }).toEqual(first)
  })

  test('takes only what a field may hold, and asks for nothing that has been given', async () => {
    const ran = await answering(
      [
        ['(--first-name)', 'Ann\r'],
        ['(--email)', 'ann\r'],
        ['must be', '@example.com\r'],
      ],
      'users',
      'create',
      '--last-name',
      'Lee',
    )
    expect(ran.code).toBe(0)
    expect(await user.client.users.list()).toMatchObject([{}, { first_name: 'Ann', email: 'ann@example.com' }])
    expect((await answering([], 'categories', 'create', '--name', 'Web')).stderr).not.toContain('without questions')
  })

  test('creates nothing where a question is left, and asks nothing with --no-input', async () => {
    const left = await answering([['(--category)', CTRL_C]], 'kpis', 'create')
    expect([left.code, (await user.client.kpis.list()).length]).toEqual([130, 1])
    const none = await answering([], 'kpis', 'create', '--no-input')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('a KPI needs --frequency')])
  })
})

describe('entries enter', () => {
  beforeEach(async () => {
    const { client } = user
    await client.kpis.update(1, { target_default: 100_0000n })
    await client.kpis.add(kpiNamed('Visits'))
    const { id } = await client.users.add(userNamed('Ann', { last_name: 'Lee' }))
    await client.assignments(id).add({ id: 1, sort_order: 2 })
    await client.assignments(id).add({ id: 2, sort_order: 1 })
    await client.entries.add({ user_id: id, kpi_id: 1, entry_date: 20_000, actual: 7_0000n, notes: 'kept' })
  })
  const line = ['entries', 'enter', '--user', 'Ann Lee', '--date', '2024-10-04']
  const held = async (): Promise<string> =>
    (
      await user.kpi(
        'entries',
        'list',
        '--from',
        '2024-10-04',
        '--to',
        '2024-10-04',
        '--jq',
        '.[] | "\\(.kpi_id) \\(.actual) \\(.notes)"',
      )
    ).stdout

  test('asks for the KPIs of a user in their order, stores all once it is confirmed, and says the lines that do the same', async () => {
    const ran = await answering(
      [
        ['Visits (', 'many\r'],
        ['must be a number', '\u007f\u007f\u007f\u007f12.5\r'],
        ['Revenue (', '8\r'],
        ['store 2 values of Ann Lee on 2024-10-04', 'y\r'],
      ],
      ...line,
    )
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('target 100, now 7')
    expect(await held()).toBe('1 8 kept\n2 12.5 null\n')
    const lines = ran.stderr.split('\n').filter((one) => one.startsWith('kpi entries add'))
    expect(lines).toEqual([
      'kpi entries add --user ann@example.com --kpi Visits --date 2024-10-04 --actual 12.5',
      'kpi entries add --user ann@example.com --kpi Revenue --date 2024-10-04 --actual 8',
    ])
    for (const one of lines) await user.kpi(...one.split(' ').slice(1))
    expect(await held()).toBe('1 8 kept\n2 12.5 null\n')
  })

  test('leaves what is answered with Enter, and stores nothing where it is left or not confirmed', async () => {
    const some = await answering(
      [
        ['Visits (', '\r'],
        ['Revenue (', '\r'],
      ],
      ...line,
    )
    expect([some.code, some.stderr]).toEqual([0, expect.stringContaining('nothing was entered')])
    const left = await answering(
      [
        ['Visits (', '5\r'],
        ['Revenue (', CTRL_C],
      ],
      ...line,
    )
    const refused = await answering(
      [
        ['Visits (', '5\r'],
        ['Revenue (', '\r'],
        ['store 1 value', 'n\r'],
      ],
      ...line,
    )
    expect([left.code, refused.code, await held()]).toEqual([130, 1, '1 7 kept\n'])
  })

  test('needs a terminal', async () => {
    const ran = await user.kpi(...line)
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'kpi: kpi entries enter asks at a terminal; in a script use kpi entries add, or kpi entries import\n',
    ])
  })
})

test.each([
  ['y\r', 0, 'wrote'],
  ['n\r', 1, 'nothing was done'],
])('a file that is there is replaced only after a yes: %j', async (answer, code, says) => {
  writeFileSync(user.folder.in('there.csv'), 'earlier')
  const line = ['report', 'export', '--from', '2026-01-01', '--to-file', 'there.csv']
  const ran = await answering([['replace there.csv?', answer]], ...line)
  expect(ran.code).toBe(code)
  expect(ran.stderr).toContain(says)
  expect(readFileSync(user.folder.in('there.csv'), 'utf8') === 'earlier').toBe(code === 1)
})

describe('a profile at a terminal', () => {
  const SECRET = 'kpi_token_hunter2'

  test('asks for what is missing, and does not show the token', async () => {
    const ran = await answering(
      [
        ['Base URL', 'https://acme.example.com/api\r'],
        ['Login name', 'ann@example.com\r'],
        ['Account token', `${SECRET}\r`],
      ],
      'profiles',
      'add',
      'acme',
    )
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('added profile acme')
    expect(ran.stderr).not.toContain(SECRET)
    expect(readFileSync(user.folder.in('.config/kpi/secrets/acme'), 'utf8')).toBe(`${SECRET}\n`)
  })

  test('refuses a base URL at once, before it asks for more', async () => {
    const ran = await answering([['Base URL', 'http://acme.example.com\r']], 'profiles', 'add', 'acme')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('kpi: the base URL http://acme.example.com is not HTTPS')
  })

  test('is replaced only after a yes, or with --yes', async () => {
    const line = ['profiles', 'add', 'mine', '--data-dir']
    expect((await answering([], ...line, 'one')).stderr).toContain('added profile mine')
    expect(await answering([['replace profile mine?', 'n\r']], ...line, 'two')).toMatchObject({ code: 1 })
    expect((await user.kpi('profiles', 'show', 'mine')).stdout).toContain('/one')
    expect((await answering([], ...line, 'two', '--yes')).stderr).toContain('replaced profile mine')
    expect((await user.kpi('profiles', 'show', 'mine')).stdout).toContain('/two')
  })

  test('is warned of where its URL does not end as those of services do', async () => {
    const line = ['profiles', 'add', 'acme', '--base-url', 'https://acme.example.com', '--login', 'a', '--token-stdin']
    const ran = await user.kpiIn({ stdin: SECRET }, ...line)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(
      'warning: https://acme.example.com does not end in /api, as the address of a service mostly does; kpi profiles check acme tells whether it answers',
    )
  })

  test('that is interrupted is not kept', async () => {
    const ran = await answering([['Base URL', CTRL_C]], 'profiles', 'add', 'acme')
    expect(ran.code).toBe(130)
    expect((await user.kpi('profiles', 'show', 'acme')).code).toBe(2)
  })
})

describe('what ends credentials at a terminal', () => {
  const create = ['service', 'token', 'create', '-o', 'csv']
  const question = 'make a new token for account default, which replaces the one in use?'

  test('is asked for: a token that ends the one before, but not the first', async () => {
    expect(await answering([], ...create)).toMatchObject({ code: 0 })
    expect(await answering([[question, 'n\r']], ...create)).toMatchObject({ code: 1, stdout: '' })
    expect(await answering([[question, 'y\r']], ...create)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the previous token no longer works') as unknown,
    })
    expect(await answering([], ...create, '--no-input')).toMatchObject({ code: 2 })
    expect(await answering([], ...create, '--no-input', '--yes')).toMatchObject({ code: 0 })
  })

  test.each([
    [['profiles', 'remove', 'there'], 'remove profile there and its secret?'],
    [['service', 'token', 'revoke'], 'revoke the token of account default?'],
    [['service', 'keys', 'revoke', 'nightly'], 'revoke key nightly, for good?'],
  ])('is asked for, and refused where nobody can be asked: %j', async (line, asked) => {
    await user.kpi('profiles', 'add', 'there', '--data-dir', 'other')
    await user.kpi('service', 'token', 'create')
    await user.kpi('service', 'keys', 'create', 'nightly', '--user', 'admin@localhost', '--scopes', 'kpis:read')
    expect(await answering([[asked, 'n\r']], ...line)).toMatchObject({ code: 1 })
    expect(await user.kpi(...line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs --yes') as unknown,
    })
    expect(await answering([[asked, 'y\r']], ...line)).toMatchObject({ code: 0 })
  })
})
