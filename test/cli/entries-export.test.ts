import { Workbook } from '@cj-tech-master/excelts'
import { gunzipSync } from 'node:zlib'
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kpiNamed, userNamed } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, SHOP, type User, users } from '../support/user.ts'

const TODAY = Math.floor(Date.parse('2026-11-21') / 86_400_000)

describe.each(users)('%s, kpi entries export', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const exported = (...args: string[]): Promise<Ran> => user.kpi('entries', 'export', ...args)

  test('writes a row an entry, of the last thirty days unless others are asked for', async () => {
    expect(await exported()).toEqual({
      code: 0,
      stdout: 'user,kpi,date,actual,target,notes\n2,1,2026-11-19,40,,\n2,1,2026-11-20,80.5,,\n2,1,2026-11-21,60.25,,\n',
      stderr: 'exported 3 entries of 2026-10-22 to 2026-11-21\n',
    })
    const one = await exported('--from', 'yesterday', '--to', 'yesterday', '--quiet')
    expect(one).toEqual({ code: 0, stdout: 'user,kpi,date,actual,target,notes\n2,1,2026-11-20,80.5,,\n', stderr: '' })
  })

  test('narrows to users and KPIs, which may be several', async () => {
    await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: TODAY, actual: 7_0000n })
    const rows = async (...args: string[]): Promise<number> =>
      (await exported(...args)).stdout.split('\n').filter((line) => line !== '').length - 1
    expect(await rows('--kpi', 'Visits')).toBe(1)
    expect(await rows('--kpi', 'Visits,Revenue')).toBe(4)
    expect(await rows('--user', 'Ann Lee,bobby@example.com')).toBe(4)
    expect(await rows('--user', '3')).toBe(0)
    expect(await exported('--kpi', 'Revenu')).toMatchObject({ code: 2, stdout: '' })
  })

  test('writes a file whole, compressed where its name says so', async () => {
    const ran = await exported('--to-file', 'out.csv')
    expect(ran).toEqual({
      code: 0,
      stdout: '',
      stderr: 'exported 3 entries of 2026-10-22 to 2026-11-21 to out.csv\n',
    })
    await exported('--to-file', 'out.csv.gz')
    const plain = readFileSync(user.folder.in('out.csv'), 'utf8')
    expect(plain).toBe((await exported()).stdout)
    expect(gunzipSync(readFileSync(user.folder.in('out.csv.gz'))).toString()).toBe(plain)
  })

  test('leaves no part of a file where it is interrupted', async () => {
    const ran = await user.kpiIn({ signal: AbortSignal.abort() }, 'entries', 'export', '--to-file', 'out.csv')
    expect([ran.code, existsSync(user.folder.in('out.csv'))]).toEqual([6, false])
    const packed = await user.kpiIn({ signal: AbortSignal.abort() }, 'entries', 'export', '--to-file', 'out.csv.gz')
    expect([packed.code, existsSync(user.folder.in('out.csv.gz'))]).toEqual([6, false])
  })

  test('gives wide files a column a KPI, or a user of the only KPI, and says what they cannot hold', async () => {
    await user.client.assignments(4).add({ id: SHOP.revenue, sort_order: 1 })
    await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: TODAY, actual: 7_0000n })
    await user.client.entries.add({ user_id: 4, kpi_id: SHOP.revenue, entry_date: TODAY, actual: 1n, notes: 'rain' })
    const byKpi = await exported('--layout', 'wide', '--from', '-1d')
    expect(byKpi.stdout).toBe(
      'user,date,Revenue,Visits\n2,2026-11-20,80.5,\n2,2026-11-21,60.25,7\n4,2026-11-21,0.0001,\n',
    )
    expect(byKpi.stderr).toContain('left out: 1 target or note, which a wide file cannot hold\n')
    // Two users are called alike, so their e-mail addresses stand above their columns.
    const byUser = await exported('--layout', 'wide', '--kpi', 'Revenue', '--from', 'today', '--names')
    expect(byUser.stdout).toBe(
      'kpi,date,Admin,Ann Lee,bob@example.com,bobby@example.com\nRevenue,2026-11-21,,60.25,,0.0001\n',
    )
  })

  test('calls things by names that an import finds, and marks those that would be ids or formulas', async () => {
    await user.client.kpis.add(kpiNamed('=SUM(A1)'))
    await user.client.kpis.add(kpiNamed('2'))
    await user.client.assignments(4).add({ id: 3, sort_order: 1 })
    await user.client.assignments(4).add({ id: 4, sort_order: 2 })
    for (const kpi_id of [3, 4])
      await user.client.entries.add({ user_id: 4, kpi_id, entry_date: TODAY, actual: 1_0000n })
    expect((await exported('--names', '--from', 'today')).stdout).toBe(
      'user,kpi,date,actual,target,notes\nAnn Lee,Revenue,2026-11-21,60.25,,\n' +
        "bobby@example.com,'=SUM(A1),2026-11-21,1,,\nbobby@example.com,'2,2026-11-21,1,,\n",
    )
  })

  test('refuses names that several things have, rather than write ids among names', async () => {
    await user.client.kpis.add(kpiNamed('Visits'))
    await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: TODAY, actual: 1_0000n })
    expect(await exported('--names', '--from', 'today', '--kpi', 'Revenue')).toMatchObject({ code: 0 })
    const ran = await exported('--names', '--from', '2026-11-21')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toBe(
      'kpi: --names: the KPIs 3 and 2 have one name, "Visits": rename one, or leave out --names; then ids are written, which mean the same in this account only\n',
    )
  })

  test('heads the columns of wide files by marked ids, where neither a name nor an id is clear', async () => {
    await user.client.kpis.add(kpiNamed('date'))
    await user.client.kpis.add(kpiNamed('3'))
    for (const id of [3, 4]) {
      await user.client.assignments(4).add({ id, sort_order: id })
      await user.client.entries.add({ user_id: 4, kpi_id: id, entry_date: TODAY, actual: 1_0000n })
    }
    const { stdout } = await exported('--layout', 'wide', '--from', 'today')
    expect(stdout.split('\n')[0]).toBe('user,date,Revenue,#3,4,Visits')
    const again = await user.kpiIn({ stdin: stdout }, 'entries', 'import', '-', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ unchanged: 3, created: 0, updated: 0, rejected: 0 })
  })

  test('imports as what is there already', async () => {
    const text = (await exported()).stdout
    const again = await user.kpiIn({ stdin: text }, 'entries', 'import', '-', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ read: 3, unchanged: 3, created: 0, updated: 0, rejected: 0 })
  })

  test.each(['csv', 'json', 'ndjson', 'xlsx'].flatMap((ending) => [[ending], [ending, '--names']] as const))(
    'imports as what is there already: %s %s',
    async (ending, ...flags) => {
      const file = `entries.${ending}`
      expect(await exported(...flags, '--to-file', file)).toMatchObject({ code: 0 })
      const again = await user.kpi('entries', 'import', file, '-o', 'json')
      expect(jsonOf(again)).toMatchObject({ read: 3, unchanged: 3, created: 0, updated: 0, rejected: 0 })
    },
  )

  test.each([
    [['--excel', 'nowhere!'], '--excel nowhere! is no locale; write a language and a country, such as de-DE or en-US'],
    [['--layout', 'tall'], 'Allowed choices are long, wide'],
    [['--from', 'someday'], '"someday" is not a date'],
  ])('%j is wrong usage', async (args, message) => {
    const ran = await exported(...args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })
})

describe('for a spreadsheet', () => {
  const NOTES = ['=1+1', "'=1+1", "'tis", '-5', '+1; and', '@home', 'a "quote"\nand a line', 'plain', '＝1']

  /** Ann's notes, a day each, with values of three decimals and none. */
  const openNoted = async (): Promise<User> => {
    const user = await embeddedUser()
    await fillShop(user)
    for (const [at, notes] of NOTES.entries()) {
      await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: at, actual: -1_2340n, notes })
    }
    return user
  }
  const RANGE = ['--from', '1970-01-01', '--to', '1970-12-31']

  test.each([
    ['en-US', ',', '-1.2340'],
    ['de-DE', ';', '-1,2340'],
    ['fr-FR', ';', '-1,2340'],
    ['de-CH', ';', '-1.2340'],
    ['ja-JP', ',', '-1.2340'],
  ])('%s has its separator and decimal sign, and no text that would run', async (locale, separator, number) => {
    await using user = await openNoted()
    const { stdout } = await user.kpi('entries', 'export', ...RANGE, '--excel', locale)
    const lines = stdout.split('\r\n')
    expect(lines[0]).toBe(`\uFEFF${['user', 'kpi', 'date', 'actual', 'target', 'notes'].join(separator)}`)
    expect(lines[1]).toBe(['2', '2', '1970-01-01', number, '', "'=1+1"].join(separator))
    expect(stdout).not.toMatch(/[,;][=+@＝]|[,;]-(?!1[.,]2340)/)
  })

  test('quotes what another spreadsheet would take for the end of a cell', async () => {
    await using user = await openNoted()
    const { stdout } = await user.kpi('entries', 'export', ...RANGE, '--excel', 'en-US')
    expect(stdout).toContain(`,"'+1; and"\r\n`)
  })

  test.each([[[]], [['--excel', 'en-US']], [['--excel', 'de-DE']]])(
    'notes come back as they were, exported with %j',
    async (flags) => {
      await using user = await openNoted()
      const { stdout } = await user.kpi('entries', 'export', ...RANGE, ...flags)
      const again = await user.kpiIn({ stdin: stdout }, 'entries', 'import', '-', '-o', 'json')
      expect(jsonOf(again)).toMatchObject({ unchanged: NOTES.length, updated: 0, rejected: 0 })
    },
  )
})

test('entries of what is no person are said to be left out in the classic interface, and are written in the newer one', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  await user.client.users.add(userNamed('Cy'))
  await user.kpi('groups', 'create', '--name', 'Regions')
  await user.kpi('group-items', 'create', '--group', 'Regions', '--name', 'North')
  await user.kpi('entries', 'add', '--source', 'North', '--kpi', 'Visits', '--actual', '5')
  const ran = await user.kpi('entries', 'export', '--from', 'today', '--names')
  expect(ran.stdout).toBe(
    'user,source_id,kpi,date,actual,target,notes\n,North,Visits,2026-11-21,5,,\nAnn Lee,,Revenue,2026-11-21,60.25,,\n',
  )
  const again = await user.kpiIn({ stdin: ran.stdout }, 'entries', 'import', '-', '-o', 'json')
  expect(jsonOf(again)).toMatchObject({ unchanged: 2, rejected: 0 })
  const wide = await user.kpi('entries', 'export', '--from', 'today', '--kpi', 'Visits', '--layout', 'wide')
  expect(wide.stderr).toContain('left out: 1 entry of breakdown items, which this file has no column for\n')
})

describe('in other formats than CSV', () => {
  test('are the entries as the interface has them, with names beside ids where these are wanted', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    const yesterday = ['entries', 'export', '--from', '2026-11-20', '--to', '2026-11-20']
    const [listed] = jsonOf(await user.kpi('entries', 'list', ...yesterday.slice(2), '-o', 'json')) as object[]
    expect(jsonOf(await user.kpi(...yesterday, '-o', 'json'))).toEqual([listed])
    const ran = await user.kpi(...yesterday, '--names', '--to-file', 'e.ndjson.gz')
    expect(ran).toEqual({
      code: 0,
      stdout: '',
      stderr: 'exported 1 entry of 2026-11-20 to 2026-11-20 to e.ndjson.gz\n',
    })
    const line = gunzipSync(readFileSync(user.folder.in('e.ndjson.gz'))).toString()
    expect(JSON.parse(line)).toMatchObject({ ...listed, user: 'Ann Lee', kpi: 'Revenue' })
  })

  test('may be a workbook, in which numbers are numbers and dates are dates', async () => {
    await using user = await embeddedUser()
    await fillShop(user)
    await user.kpi('entries', 'export', '--names', '--to-file', 'e.xlsx')
    const book = new Workbook()
    await book.xlsx.load(readFileSync(user.folder.in('e.xlsx')))
    const sheet = book.worksheets[0]
    const header = sheet?.getRow(1).values as unknown[]
    const cell = (name: string): unknown => sheet?.getRow(3).getCell(header.indexOf(name)).value
    expect([sheet?.name, cell('user'), cell('kpi'), cell('actual'), cell('entry_date')]).toEqual([
      'Entries',
      'Ann Lee',
      'Revenue',
      80.5,
      new Date('2026-11-20'),
    ])
  })

  test.each([
    [['-o', 'table'], 'an export is no table; there are csv, json, ndjson, yaml, markdown, xlsx'],
    [['-o', 'xlsx'], 'xlsx is a format of files; name one with --to-file'],
    [['--to-file', 'x.html'], 'x.html ends in .html, which is no format of this command; the endings are .csv, .json'],
    [['--to-file', 'x.csv', '-o', 'json'], 'the ending of x.csv says csv, and -o says json'],
    [['--to-file', 'x.json', '--layout', 'wide'], '--layout wide is for CSV, and this is json'],
    [['--to-file', 'x.json', '--excel', 'de-DE'], '--excel is for CSV, and this is json'],
  ])('refuse what does not go together: %j', async (flags, told) => {
    await using user = await embeddedUser()
    const ran = await user.kpi('entries', 'export', ...flags)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(told)
  })
})
