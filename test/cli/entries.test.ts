import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { day } from '../support/calendar.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, kpi entries', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const entries = (...args: string[]): Promise<Ran> => user.kpi('entries', ...args)
  /** The days and actuals that a list has. */
  const listed = async (...args: string[]): Promise<string[]> => {
    const list = jsonOf(await entries('list', ...args, '-o', 'json')) as { entry_date: string; actual: number }[]
    return list.map(({ entry_date, actual }) => `${entry_date.slice(5)} ${actual}`)
  }
  const ALL = ['11-19 40', '11-20 80.5', '11-21 60.25']

  test.each<[line: string[], shown: string[]]>([
    [[], ALL],
    [['--from', 'yesterday'], ALL.slice(1)],
    [['--from', '2026-11-19', '--to', '-1d'], ALL.slice(0, 2)],
    [['--from', 'this-month', '--user', 'ann@example.com', '--kpi', 'revenue'], ALL],
    [['--kpi', 'Visits'], []],
    [['--user', '3'], []],
    [
      ['--sort', '-actual'],
      [ALL[1] ?? '', ALL[2] ?? '', ALL[0] ?? ''],
    ],
    [['--sort', 'actual', '--limit', '1'], ALL.slice(0, 1)],
    [['--limit', '2'], ALL.slice(0, 2)],
    [['--limit', '0'], []],
    [['--filter', 'actual=80.50'], ALL.slice(1, 2)],
    [['--filter', 'entry_date=2026-11-21', '--filter', 'user_id=2'], ALL.slice(2)],
    [['--filter', 'notes='], ALL],
  ])('list %j shows those of that range that are wanted', async (line, shown) => {
    expect(await listed(...line)).toEqual(shown)
  })

  test('list and delete take several users and KPIs, in the order of days', async () => {
    const { client } = user
    for (const other of [3, 4]) await client.assignments(other).add({ id: 1, sort_order: 1 })
    await client.entries.add({ user_id: 3, kpi_id: 1, entry_date: day('2026-11-20'), actual: 9_0000n })
    await client.entries.add({ user_id: 4, kpi_id: 1, entry_date: day('2026-11-20'), actual: 7_0000n })
    await client.entries.add({ user_id: 2, kpi_id: 2, entry_date: day('2026-11-19'), actual: 8_0000n })
    const both = ['--users', 'Ann Lee,bobby@example.com']
    const all = ['11-19 40', '11-19 8', '11-20 80.5', '11-20 7', '11-21 60.25']
    expect(await listed(...both)).toEqual(all)
    expect(await listed(...both, '--limit', '4')).toEqual(all.slice(0, 4))
    expect(await listed(...both, '--kpi', 'Revenue')).toEqual(all.filter((one) => !one.endsWith(' 8')))
    expect(await listed('--user', 'bobby@example.com', '--kpis', 'Revenue,Visits')).toEqual(['11-20 7'])
    const wrong = await entries('list', '--users', 'Ann Lee,Cid', '--kpis', 'Revenu')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('--users: there is no user "Cid"')
    expect(wrong.stderr).toContain('did you mean "Revenue"?')
    const gone = await entries(
      'delete',
      '--from',
      '2026-11-19',
      '--to',
      '2026-11-20',
      ...both,
      '--kpis',
      'Visits,1',
      '-y',
    )
    expect(gone.stderr).toContain(
      'delete 4 entries of 2026-11-19 to 2026-11-20 (Revenue: 3 entries, sum 127.5; Visits: 1 entry, sum 8)\n',
    )
    expect(await listed()).toEqual(['11-20 9', '11-21 60.25'])
  })

  test('a name in a filter that nothing has is refused, also where there are no entries', async () => {
    for (const days of [['--from', '2020-01-01', '--to', '2020-01-02'], []]) {
      const ran = await entries('list', ...days, '--filter', 'kpi=Revenu')
      expect(ran).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('did you mean "Revenue"?') as unknown,
      })
    }
    expect((await entries('list', '--from', '2020-01-01', '--to', '2020-01-02', '--filter', 'kpi=Revenue')).code).toBe(
      0,
    )
  })

  test('add makes the entry of today, then changes it, adds to it, and clears parts of it', async () => {
    const add = (...args: string[]): Promise<Ran> =>
      entries('add', '--user', 'Ann Lee', '--kpi', 'Visits', ...args, '-o', 'json')
    const made = jsonOf(await add('--actual', '-12.34567', '--notes', 'two\nlines, "quoted"'))
    expect(made).toMatchObject({ id: 4, user_id: 2, kpi_id: 2, entry_date: '2026-11-21', actual: -12.3457 })
    expect(jsonOf(await entries('get', '4', '-o', 'json'))).toMatchObject(Object(made))
    expect(jsonOf(await add('--actual', '2', '--add-to-actual'))).toMatchObject({ id: 4, actual: -10.3457 })
    expect(jsonOf(await add('--notes', ''))).toMatchObject({ id: 4, actual: -10.3457, notes: null })
    expect(jsonOf(await add('--date', '1999-12-31', '--actual', '0'))).toMatchObject({
      id: 5,
      entry_date: '1999-12-31',
    })
    expect(jsonOf(await add('--date', 'yesterday', '--actual', '1'))).toMatchObject({ entry_date: '2026-11-20' })
    expect(jsonOf(await add('--date', '-7d', '--actual', '1'))).toMatchObject({ entry_date: '2026-11-14' })
  })

  test('get and delete take ids; a delete has to be confirmed', async () => {
    expect((await entries('get', '2')).stdout).toMatch(/^actual +80\.5$/m)
    expect((await entries('delete', '2')).stderr).toBe(
      'kpi entries delete: delete entry 2, Revenue of Ann Lee on 2026-11-20: 80.5 needs --yes where nobody can be asked; --dry-run shows what would be done\n',
    )
    expect(await entries('delete', '2', '3', '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'deleted entry 2, Revenue of Ann Lee on 2026-11-20: 80.5\ndeleted entry 3, Revenue of Ann Lee on 2026-11-21: 60.25\n',
    })
    expect(await listed()).toEqual(ALL.slice(0, 1))
    expect(await entries('get', '2')).toMatchObject({ code: 1, stderr: 'kpi: there is no entry 2\n' })
  })

  test('an entry of a KPI that is not assigned is refused by name', async () => {
    const ran = await entries('add', '--user', '3', '--kpi', '1', '--actual', '1')
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr:
        "kpi: --kpi: KPI 1 (Revenue) is not assigned to user 3 (Bob Ray); assign it: kpi assign add --kpis Revenue --users 'Bob Ray'\n",
    })
  })

  test.each([
    [['add', '--user', '2', '--kpi', '1'], 'an entry needs --actual, --target or --notes'],
    [['add', '--user', '2', '--actual', '1'], "required option '--kpi <kpi>' not specified"],
    [
      [
        'add',
        '--user',
        'Anne Lee',
        '--kpi',
        'Sales',
        '--date',
        '2026-02-30',
        '--actual',
        '1e',
        '--target',
        '123456789012345',
      ],
      '--user: there is no user "Anne Lee"; did you mean "Ann Lee"?; --kpi: there is no KPI "Sales"; --date 2026-02-30 is a date that does not exist; --actual "1e" must be a number; write it like 1234.5; --target "123456789012345" must have at most 14 digits before the decimal point',
    ],
    [['add', '--user', '2', '--kpi', '1', '--date', '', '--actual', '1'], '--date must not be empty'],
    [['list', '--from', 'tomorrow'], '"tomorrow" is not a date; write YYYY-MM-DD, today, yesterday, -7d'],
    [['list', '--from', 'today', '--to', 'yesterday'], '--from today is after --to yesterday'],
    [['list', '--user', 'Bob Ray'], '--user: "Bob Ray" is the name of more than one user: 3, 4; use the id'],
    [
      ['get', 'Revenue'],
      'entries have no names: give the id instead of "Revenue", which kpi entries list --kpi KPI --user USER --from DAY --to DAY shows',
    ],
    [
      ['delete', '1', 'x', 'y', '-y'],
      'entries have no names: give the id instead of "x", "y", which kpi entries list --kpi KPI --user USER --from DAY --to DAY shows',
    ],
  ])('%j is wrong usage, all of it told at once, and does nothing', async (line, message) => {
    const ran = await entries(...line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr.trimEnd()).not.toContain('\n')
    expect(await listed('--from', '1900-01-01')).toEqual(ALL)
  })
})
