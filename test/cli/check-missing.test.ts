import { Workbook } from '@cj-tech-master/excelts'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { peopleColumns } from '../../src/cli/commands/report/missing-people.ts'
import { reminderText } from '../../src/cli/commands/report/reminders.ts'
import { toAnswerRow } from '../../src/domain/analysis/answer-row.ts'
import { parseDay } from '../../src/domain/day.ts'
import { CIVIL_CALENDAR } from '../../src/domain/period.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'
import { pageRow } from '../support/page-rows.ts'
import { embeddedUser, newerUser, type User, users } from '../support/user.ts'

const RANGE = ['--from', '2026-11-09', '--to', '2026-11-15'] as const

const day = (text: string): number => parseDay(text) ?? NaN

/**
 * Ann reports Sales daily and has done so on two days of the range, Bob nothing since half a year ago, Cy nothing at all, and
 * Dee is locked; Visits are weekly.
 */
const fill = async ({ client }: User): Promise<void> => {
  const sales = await client.kpis.add(kpiNamed('Sales'))
  const visits = await client.kpis.add(kpiNamed('Visits', { frequency_id: 'W' }))
  const ids: number[] = []
  for (const name of ['Ann', 'Bob', 'Cy', 'Dee']) {
    const { id } = await client.users.add({ ...userNamed(name), email: `${name.toLowerCase()}@example.com` })
    await client.assignments(id).add({ id: sales.id, sort_order: 1 })
    ids.push(id)
  }
  const [ann = 0, bob = 0, , dee = 0] = ids
  await client.assignments(ann).add({ id: visits.id, sort_order: 2 })
  await client.users.update(dee, { user_status_id: 'L' })
  const put = (user_id: number, kpi_id: number, date: string, actual: bigint): Promise<unknown> =>
    client.entries.add({ user_id, kpi_id, entry_date: day(date), actual })
  await put(ann, sales.id, '2026-11-10', 20_0000n)
  await put(ann, sales.id, '2026-11-11', 21_0000n)
  await put(bob, sales.id, '2026-05-20', 5_0000n)
}

describe.each(users)('%s, kpi check --only missing', (_, open) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fill(user)
  })
  afterAll(() => user[Symbol.asyncDispose]())

  const check = (...flags: string[]): Promise<Ran> => user.kpi('check', '--only', 'missing', ...RANGE, ...flags)
  const cells = ({ stdout }: Ran): string[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, ' | ').trim())

  test('has a line for each person in a table: how many, since when, the latest value', async () => {
    const ran = await check()
    expect(ran.code).toBe(10)
    expect(ran.stderr).toBe('checked 22 values: 20 values missing, of 3 people\n')
    expect(cells(ran)).toEqual([
      'user | missing | since | latest | kpis',
      'Bob | 7 | 2026-11-09 | 2026-05-20, Sales 5 | Sales',
      'Cy | 7 | 2026-11-09 | none in a year | Sales',
      'Ann | 6 | 2026-11-09 | 2026-11-11, Sales 21 | Sales, Visits',
    ])
    expect(cells(await user.kpi('report', '--only-missing', ...RANGE))).toEqual(cells(ran))
  })

  test('the latest value may be later than the range', async () => {
    const ran = await user.kpi('check', '--only', 'missing', '--from', '2026-05-01', '--to', '2026-05-02')
    expect(cells(ran).slice(1)).toEqual([
      expect.stringMatching(/^Ann \| 2 .* 2026-11-11, Sales 21/),
      expect.stringMatching(/^Bob \| 2 .* 2026-05-20, Sales 5/),
      expect.stringMatching(/^Cy \| 2 .* none in a year/),
    ])
  })

  test.each<[flags: string[], count: number, first: string]>([
    [['--rows'], 20, 'missing | Sales | Ann | 2026-11-09'],
    [['--rows', '--frequency', 'weekly'], 1, 'missing | Visits | Ann | 2026-11-09'],
    [['--rows', '--frequency', 'D,monthly', '--users', 'Bob'], 7, 'missing | Sales | Bob | 2026-11-09'],
    [['--frequency', 'W'], 1, 'Ann | 1 | 2026-11-09 | none in a year | Visits'],
  ])('%j has %i lines', async (flags, count, first) => {
    const [, ...lines] = cells(await check(...flags))
    expect([lines.length, lines[0]]).toEqual([count, first])
  })

  test('programs get rows unless they ask for people', async () => {
    const rowsOf = ({ stdout }: Ran): unknown => JSON.parse(stdout)
    expect(rowsOf(await check('-o', 'json'))).toHaveLength(20)
    const people = rowsOf(await check('-o', 'json', '--per-person'))
    expect(people).toHaveLength(3)
    expect(people).toContainEqual({
      user_id: expect.any(Number) as number,
      user: 'Ann',
      email: 'ann@example.com',
      missing: 6,
      since: '2026-11-09',
      latest_date: '2026-11-11',
      latest_kpi: 'Sales',
      latest_actual: 21,
      latest_label_format: '#',
      kpi_count: 2,
      kpis: 'Sales, Visits',
    })
    expect(rowsOf(await user.kpi('report', '--only-missing', ...RANGE, '--per-person', '-o', 'json'))).toEqual(people)
  })

  test('a file has people by --per-person, and a workbook by report export', async () => {
    const [csv, book] = [user.folder.in('people.csv'), user.folder.in('people.xlsx')]
    await check('--per-person', '--to-file', csv)
    expect(readFileSync(csv, 'utf8')).toContain(',Bob,bob@example.com,7,2026-11-09,2026-05-20,Sales,5,#,1,Sales')
    const ran = await user.kpi('report', 'export', '--only-missing', '--per-person', ...RANGE, '--to-file', book)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('wrote 3 rows')
    const read = new Workbook()
    await read.xlsx.load(readFileSync(book))
    // The latest value follows its day and KPI.
    const latest = read.worksheets[0]?.getCell('H2')
    expect([latest?.value, latest?.numFmt]).toEqual([5, '#,##0'])
  })

  test('reminders are messages, one for each person, and name what is missing', async () => {
    const folder = user.folder.in('reminders')
    const ran = await check('--reminders', folder)
    expect(ran.code).toBe(10)
    expect(ran.stderr).toContain(`wrote 3 reminders to ${folder}, such as `)
    expect(readdirSync(folder).toSorted()).toEqual(['ann@example.com.txt', 'bob@example.com.txt', 'cy@example.com.txt'])
    expect(readFileSync(`${folder}/ann@example.com.txt`, 'utf8')).toBe(`To: ann@example.com
Subject: 6 values are missing from 2026-11-09 to 2026-11-15
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit
X-Kpi-Reminder: 2026-11-09 2026-11-15

Ann,

6 values are missing from 2026-11-09 to 2026-11-15:

Sales (daily), 5 values:
  2026-11-09
  2026-11-12 to 2026-11-15

Visits (weekly), 1 value:
  week of 2026-11-09

Your latest value: 2026-11-11, Sales 21
`)
    const again = await check('--reminders', folder)
    expect([again.code, again.stderr]).toEqual([
      1,
      `kpi: ${folder} holds 3 reminders already; --force replaces them, or name another folder\n`,
    ])
    // Who has reported since is not reminded again.
    const other = await check('--users', 'Bob', '--reminders', folder, '--force')
    expect([other.code, readdirSync(folder)]).toEqual([10, ['bob@example.com.txt']])
    writeFileSync(`${folder}/letter.txt`, 'mine')
    const kept = await check('--users', 'Bob', '--reminders', folder, '--force')
    expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('holds other files, such as letter.txt')])
  })

  test.each<[flags: string[], fault: string]>([
    [['--rows'], '--rows goes with --only missing'],
    [['--only', 'missed', '--reminders', 'x'], '--reminders goes with --only missing'],
    [['--only', 'missing', '--rows', '--per-person'], '--rows and --per-person do not go together'],
    [['--group-items', 'North'], '--group-items finds no missing values'],
    [['--frequency', 'dayly'], '--frequency dayly must be one of daily (D), '],
    [['--frequency', ','], '--frequency names none'],
  ])('%j is refused', async (flags, fault) => {
    const ran = await user.kpi('check', ...flags)
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringContaining(fault)])
  })

  test.each([
    [['--per-person'], '--per-person goes with --only-missing'],
    [['--only-missing', '--per-person', '--top', '1'], '--per-person and --top do not go together'],
    [['--only-missing', '--per-person', '--rows'], '--rows and --per-person do not go together'],
  ])('kpi report %j is refused', async (flags, fault) => {
    const ran = await user.kpi('report', ...flags)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(fault)])
  })
})

test('names and addresses of people neither leave the folder nor add lines to a message', async () => {
  await using user = await embeddedUser()
  const sales = await user.client.kpis.add(kpiNamed('Sales'))
  const { id } = await user.client.users.add({ ...userNamed('Eve'), email: '../up/eve@example.com' })
  await user.client.assignments(id).add({ id: sales.id, sort_order: 1 })
  const folder = user.folder.in('deep/reminders')
  expect((await user.kpi('check', '--only', 'missing', '--reminders', folder)).code).toBe(10)
  expect(readdirSync(folder)).toEqual([`_._up_eve@example.com-${id}.txt`])
  const row = toAnswerRow(pageRow({ kpiName: 'Sales\nBcc: x', itemId: 7, entryDate: 20_000, actual: null }))
  const text = reminderText(
    {
      user: { id: 7, name: 'Eve\nBcc: x@example.com', email: 'eve@example.com\r\nBcc: x@example.com' },
      rows: [row],
    },
    new Map(),
    { from: 20_000, to: 20_000 },
    CIVIL_CALENDAR,
  )
  expect(text.split(/\r?\n/).filter((line) => line.startsWith('Bcc'))).toEqual([])
})

test.each([
  [3, 'A, B, C'],
  [25, '25 KPIs'],
])('of %i KPIs a table says %s', (kpi_count, text) => {
  const column = peopleColumns().find(({ name }) => name === 'kpis')
  expect(column?.textOf?.({ kpi_count, kpis: 'A, B, C' })).toBe(text)
})

test('the newer interface does not tell who lacks values', async () => {
  await using newer = await newerUser()
  const ran = await newer.kpi('check', '--only', 'missing', '--reminders', newer.folder.in('reminders'))
  expect([ran.code, existsSync(newer.folder.in('reminders'))]).toEqual([7, false])
})
