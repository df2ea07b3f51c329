import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, newerUser, type User, users } from '../support/user.ts'

type Row = Record<string, unknown>

describe.each(users)('%s', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const write = (name: string, ...lines: string[]): void => writeFileSync(user.folder.in(name), `${lines.join('\n')}\n`)
  const list = async (...words: string[]): Promise<Row[]> =>
    jsonOf(await user.kpi(...words, 'list', '-o', 'json')) as Row[]

  test('creates KPIs by the words and names that people use, with the usual values for the rest', async () => {
    write(
      'kpis.csv',
      'KPI;Category;Unit;Frequency;Direction;Target;Active',
      'Sales;General;Number;monthly;down;1.234,5;no',
      'Visits;;;daily;;;',
    )
    const ran = await user.kpi('kpis', 'import', 'kpis.csv', '-o', 'json', '--decimal', ',')
    expect(jsonOf(ran)).toMatchObject({ read: 2, created: 2, rejected: 0, left: 0 })
    expect(await list('kpis')).toMatchObject([
      { name: 'Sales', frequency_id: 'M', value_direction: 'D', target_default: 1234.5, is_active: false },
      { name: 'Visits', frequency_id: 'D', value_direction: 'U', target_default: null, is_active: true },
    ])
  })

  test('changes what exists by name or address, where cells differ, and sends nothing a second time', async () => {
    write('users.csv', 'first_name,last_name,E-Mail,Status', 'Ann,Lee,ann@example.com,A', 'Bob,Ray,bob@example.com,A')
    await user.kpi('users', 'import', 'users.csv')
    write('users.csv', 'first_name,last_name,E-Mail,Status', 'Ann,,ANN@example.com,locked', 'Bob,Ray,bob@example.com,')
    const changed = jsonOf(await user.kpi('users', 'import', 'users.csv', '-o', 'json'))
    expect(changed).toMatchObject({ created: 0, updated: 1, unchanged: 1 })
    expect(await list('users')).toMatchObject([{}, { first_name: 'Ann', last_name: 'Lee', user_status_id: 'L' }, {}])
    const again = jsonOf(await user.kpi('users', 'import', 'users.csv', '-o', 'json'))
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
  })

  test('shows in a dry run what would change, old and new, and sends nothing', async () => {
    write('kpis.csv', 'name,frequency,target_default', 'Sales,D,100')
    await user.kpi('kpis', 'import', 'kpis.csv')
    await user.kpi('units', 'create', '--name', 'Hours', '--display-format', '#.0 h')
    write('kpis.csv', 'name,unit,frequency,target_default', 'Sales,Hours,D,120', 'Visits,Number,D,', 'Bad,None,D,1')
    const dry = await user.kpi('kpis', 'import', 'kpis.csv', '--dry-run', '-o', 'json')
    expect(dry.code).toBe(3)
    expect(JSON.parse(dry.stdout)).toEqual([
      {
        line: 2,
        action: 'update',
        id: 1,
        name: 'Sales',
        changes: 'unit: Number → Hours; target_default: 100 → 120',
        reason: null,
      },
      { line: 3, action: 'create', id: null, name: 'Visits', changes: null, reason: null },
      { line: 4, action: 'reject', id: null, name: null, changes: null, reason: 'unit_id there is no unit "None"' },
    ])
    expect(dry.stderr).toContain('1 to create, 1 to update, 0 unchanged, 0 to skip, 1 row to reject')
    const short = await user.kpi('kpis', 'import', 'kpis.csv', '--dry-run', '--summary-only')
    expect(short.stdout).toBe('')
    expect(await list('kpis')).toMatchObject([{ name: 'Sales', target_default: 100 }])
  })

  test('keeps rejected rows with all their reasons, to be imported once they are mended', async () => {
    write(
      'users.csv',
      'first_name,email,role',
      'Ann,ann@example.com,Boss',
      ',bob,User',
      'Cy,cy@example.com,User',
      'Cy,CY@example.com,User',
    )
    const ran = await user.kpi('users', 'import', 'users.csv')
    expect(ran.code).toBe(3)
    const rejects = readFileSync(user.folder.in('users.rejects.csv'), 'utf8')
    expect(rejects.trimEnd().split('\n')).toEqual([
      'first_name,email,role,_line,_reason',
      expect.stringMatching(/^Ann,ann@example\.com,Boss,2,"user_type must be/),
      expect.stringMatching(/^,bob,User,3,.*first_name is required; email must be an e-mail address/),
      'Cy,CY@example.com,User,5,"email is on line 4, too"',
    ])
    write('users.rejects.csv', rejects.replace('Boss', 'Manager'))
    const again = await user.kpi('users', 'import', 'users.rejects.csv', '-o', 'json')
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 1, unchanged: 1, rejected: 1 })
  })

  test.each<[flag: string, code: number, counts: object]>([
    ['update', 0, { updated: 1, skipped: 0, rejected: 0 }],
    ['skip', 0, { updated: 0, skipped: 1, rejected: 0 }],
    ['error', 3, { updated: 0, skipped: 0, rejected: 1 }],
  ])('--on-conflict %s says what becomes of those that exist', async (flag, code, counts) => {
    write('categories.csv', 'name,sort_order', 'General,7')
    const ran = await user.kpi('categories', 'import', 'categories.csv', '--on-conflict', flag, '-o', 'json')
    expect(ran.code).toBe(code)
    expect(JSON.parse(ran.stdout)).toMatchObject(counts)
  })

  test('puts group items into the group of a column, or of a flag', async () => {
    await user.kpi('groups', 'create', '--name', 'Region')
    write('items.csv', 'group,name', 'Region,North', 'Nowhere,X')
    const ran = await user.kpi('group-items', 'import', 'items.csv', '-o', 'json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1, rejected: 1 })
    write('more.csv', 'name', 'North', 'South')
    const more = jsonOf(await user.kpi('group-items', 'import', 'more.csv', '--group', 'Region', '-o', 'json'))
    expect(more).toMatchObject({ created: 1, unchanged: 1 })
    expect((await list('group-items')).map(({ name }) => name)).toEqual(['North', 'South'])
  })

  test('takes a list that was printed as CSV, and ids where a name changes', async () => {
    write('units.csv', 'name,display_format', 'Hours,#.0 h')
    await user.kpi('units', 'import', 'units.csv')
    const { stdout } = await user.kpi('units', 'list', '-o', 'csv')
    writeFileSync(user.folder.in('units.csv'), stdout)
    expect(jsonOf(await user.kpi('units', 'import', 'units.csv', '-o', 'json'))).toMatchObject({
      created: 0,
      updated: 0,
    })
    writeFileSync(user.folder.in('units.csv'), stdout.replace('Hours', 'Working hours'))
    expect(jsonOf(await user.kpi('units', 'import', 'units.csv', '-o', 'json'))).toMatchObject({ updated: 1 })
    expect((await list('units')).map(({ name }) => name)).toContain('Working hours')
  })

  test.each<[lines: string[], flags: string[], code: number, says: string]>([
    [['first_name,role', 'Ann,User'], [], 1, 'no column is the email of a user; name it with --map email=COLUMN'],
    [['first_name,Mail,E-mail', 'Ann,a@b,a@b'], [], 1, 'email: is both "Mail" and "E-mail"; leave one out'],
    [['a,b', 'Ann,ann@example.com'], ['--map', 'first_name=a,mail=b'], 0, 'imported'],
    [['a,b', 'Ann,ann@example.com'], ['--map', 'nick=a'], 2, '--map nick=a: a user has no field nick'],
    [
      ['email,first_name', 'x,y', 'y,z'],
      ['--max-errors', '1'],
      1,
      'nothing was sent: more than 1 of 2 rows were rejected',
    ],
    [[], [], 1, 'is empty'],
  ])('%j with %j', async (lines, flags, code, says) => {
    writeFileSync(user.folder.in('users.csv'), lines.map((line) => `${line}\n`).join(''))
    const ran = await user.kpi('users', 'import', 'users.csv', ...flags)
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain(says)
  })

  test('stops where numbers may be read in two ways, until a flag says which', async () => {
    write('kpis.csv', 'name,frequency,target', 'Sales,D,"1,500"')
    const ran = await user.kpi('kpis', 'import', 'kpis.csv')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(
      'target: "1,500" may have decimals or thousands; say which sign decimals have: --decimal . or --decimal ,',
    )
    await user.kpi('kpis', 'import', 'kpis.csv', '--decimal', '.')
    expect(await list('kpis')).toMatchObject([{ target_default: 1500 }])
  })
})

test('breakdown items are imported where the interface has them, and refused before anything is read elsewhere', async () => {
  await using newer = await newerUser()
  writeFileSync(newer.folder.in('items.csv'), 'breakdown_id,name\n2,North\n')
  await using classic = await embeddedUser()
  expect((await classic.kpi('breakdown-items', 'import', 'none.csv')).stderr).toContain('none.csv')
  const ran = await newer.kpi('breakdown-items', 'import', 'items.csv', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { rejected: 1 }])
  const kpis = await newer.kpi('users', 'import', 'items.csv')
  expect(kpis.code).toBe(7)
})
