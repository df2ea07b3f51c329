import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, newerUser, newerUsers, remoteUser, type User, users } from '../support/user.ts'

const importText = (user: User, text: string | Uint8Array, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', ...args)
}

/** Everything that is stored: whose it is, the KPI, the day and the actual. */
const stored = async (user: User): Promise<string[]> => {
  const { stdout } = await user.kpi(
    'entries',
    'export',
    '--from',
    '1900-01-01',
    '--to',
    '2199-12-31',
    '--names',
    '--quiet',
  )
  const [header = '', ...rows] = stdout.trim().split('\n')
  const names = header.split(',')
  const owner = (cells: string[]): string => cells[names.indexOf('user')] || cells[names.indexOf('source_id')] || ''
  const at = names.indexOf('kpi')
  return rows
    .map((row) => row.split(','))
    .map((cells) => [owner(cells), ...cells.slice(at, at + 3)].join(' '))
    .toSorted()
}

type Shown = { name: string; frequency_id: string; unit: string; aggregate_function: string; target_default: unknown }

const kpisOf = async (user: User): Promise<string[]> => {
  const units = jsonOf(await user.kpi('units', 'list', '-o', 'json')) as { id: number; name: string }[]
  const kpis = jsonOf(await user.kpi('kpis', 'list', '-o', 'json')) as (Shown & { unit_id: number })[]
  const unitOf = (id: number): string => units.find((one) => one.id === id)?.name ?? ''
  return kpis.map(
    (one) => `${one.name} ${one.frequency_id} ${unitOf(one.unit_id)} ${one.aggregate_function} ${one.target_default}`,
  )
}

test('a percentage gets a unit of its own where an account has none', async () => {
  await using user = await embeddedUser()
  for (const { id, is_percentage } of await user.client.units.list())
    if (is_percentage) await user.client.units.remove(id)
  const text = 'user,kpi,date,actual\nAnn Lee,Margin,2026-03-02,42%\nAnn Lee,Margin,2026-03-03,7.5%\n'
  expect(await importText(user, text, '--email-pattern', '{name}@example.com')).toMatchObject({ code: 0 })
  expect((await user.client.units.list()).filter((one) => one.is_percentage)).toMatchObject([
    { name: 'Percent', display_format: '#.00%' },
  ])
})

describe.each(users)('%s, a file of people', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const FILE =
    'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,3\n"Ray, Bob",Visits,2026-03-03,4\nann lee,visits,2026-03-04,5\n'

  test('goes into a new account with one command: users, KPIs and assignments are made', async () => {
    const ran = await importText(user, FILE, '--email-pattern', '{name}@example.com', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ read: 3, created: 3, rejected: 0, assigned: 2 })
    expect(await stored(user)).toEqual([
      'Ann Lee Visits 2026-03-02 3',
      'Ann Lee Visits 2026-03-04 5',
      'Bob Ray Visits 2026-03-03 4',
    ])
    expect(await kpisOf(user)).toEqual(['Visits D Number SUM null'])
    const people = jsonOf(await user.kpi('users', 'list', '-o', 'json')) as { email: string }[]
    expect(people.slice(1).map(({ email }) => email)).toEqual(['ann.lee@example.com', 'bob.ray@example.com'])
    const again = await importText(user, FILE, '--email-pattern', '{name}@example.com', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ created: 0, unchanged: 3, assigned: 0 })
    expect(again.stderr).not.toContain('to create')
  })

  test('is named once in a dry run of several files, beside what only a later one needs', async () => {
    for (const [name, who] of [
      ['one.csv', 'ann'],
      ['two.csv', 'ann'],
      ['three.csv', 'bob'],
    ] as const)
      writeFileSync(
        user.folder.in(name),
        `E-mail,kpi,date,actual\n${who}@example.com,Visits,2026-03-02,${name.length}\n`,
      )
    const flags = ['--create-missing', '--frequency', 'D', '--dry-run', '--summary-only']
    const ran = await user.kpi('entries', 'import', 'one.csv', 'two.csv', 'three.csv', ...flags)
    expect(ran.code).toBe(0)
    expect(ran.stderr.match(/to create: .*|KPI "Visits"|user ".*/g)).toEqual([
      'to create: 1 KPI, 1 user',
      'KPI "Visits"',
      'user "Ann", ann@example.com',
      'to create: 1 user',
      'user "Bob", bob@example.com',
    ])
  })

  test('is shown in a dry run, which makes nothing', async () => {
    const ran = await importText(user, FILE, '--email-pattern', '{name}@example.com', '--dry-run', '-o', 'csv')
    expect(ran.stderr).toContain('to create: 1 KPI, 2 users')
    expect(ran.stderr).toContain('user "Ann Lee", ann.lee@example.com')
    expect(ran.stderr).toContain('daily: 3 days, the nearest 1 day apart')
    expect(ran.stdout).toContain('2,create,,,2026-03-02,3,,,"new KPI ""Visits""; new user ""Ann Lee"""')
    expect(jsonOf(await user.kpi('kpis', 'list', '-o', 'json'))).toEqual([])
    expect(jsonOf(await user.kpi('users', 'list', '-o', 'json'))).toHaveLength(1)
  })

  test('says what new users need, and makes nothing of what it rejects', async () => {
    const ran = await importText(user, FILE, '-o', 'json')
    expect(ran.code).toBe(3)
    expect(jsonOf(await user.kpi('users', 'list', '-o', 'json'))).toHaveLength(1)
    expect(jsonOf(await user.kpi('kpis', 'list', '-o', 'json'))).toEqual([])
  })

  test('is only made in part where only a part is wanted', async () => {
    await user.kpi('users', 'create', '--first-name', 'Ann', '--last-name', 'Lee', '--email', 'ann@example.com')
    const ran = await user.kpi(
      'entries',
      'import',
      'data.csv',
      '--create-missing=kpis,assignments',
      '--max-errors',
      '5',
      '-o',
      'json',
    )
    expect(ran.code).toBe(1)
    writeFileSync(user.folder.in('data.csv'), FILE)
    const done = await user.kpi('entries', 'import', 'data.csv', '--create-missing=kpis,assignments', '-o', 'csv')
    expect(done.code).toBe(3)
    expect(await stored(user)).toEqual(['Ann Lee Visits 2026-03-02 3', 'Ann Lee Visits 2026-03-04 5'])
  })
})

const DAYS = Array.from({ length: 31 }, (_, at) => `2026-01-${String(at + 1).padStart(2, '0')}`)

describe.each(newerUsers)('%s, a file of items', (_, open) => {
  let user: User
  let region: string
  beforeEach(async () => {
    user = await open()
    region = String((await user.client.groups.add({ name: 'Region' })).id)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test.each<[name: string, text: string, flags: string[], entries: string[], kpis: string[]]>([
    [
      'with a row for each entry',
      'Region,KPI,Date,Value\nNorth,Sales,2026-01-01,1.5\nSouth,Sales,2026-02-01,2\n',
      [],
      ['North Sales 2026-01-01 1.5', 'South Sales 2026-02-01 2'],
      ['Sales M Decimal SUM null'],
    ],
    [
      'with a column for each KPI',
      'Region;Monat;Umsatz in €;Kunden;Quote in %\nNord;01.2026;1.234,50;120;12,5\nSüd;01.2026;2.000,00;130;14\n',
      [],
      [
        'Nord Kunden 2026-01-01 120',
        'Nord Quote in % 2026-01-01 12.5',
        'Nord Umsatz in € 2026-01-01 1234.5',
        'Süd Kunden 2026-01-01 130',
        'Süd Quote in % 2026-01-01 14',
        'Süd Umsatz in € 2026-01-01 2000',
      ],
      ['Umsatz in € M EUR SUM null', 'Kunden M Number SUM null', 'Quote in % M Percent AVG null'],
    ],
    [
      'with a column for each year',
      'Country,Indicator,2020,2021\nFrance,GDP,1,2\nPeru,GDP,,4\n',
      [],
      ['France GDP 2020-01-01 1', 'France GDP 2021-01-01 2', 'Peru GDP 2021-01-01 4'],
      ['GDP Y Number SUM null'],
    ],
    [
      'with months below KPIs',
      ',Sales,,Cost,\nStore,2026-01,2026-02,2026-01,2026-02\nNorth,1,2,3,4\n',
      [],
      ['North Cost 2026-01-01 3', 'North Cost 2026-02-01 4', 'North Sales 2026-01-01 1', 'North Sales 2026-02-01 2'],
      ['Sales M Number SUM null', 'Cost M Number SUM null'],
    ],
    [
      'with months beside the year',
      'Year,Jan,Feb\n2025,1,2\n2026,3,4\n',
      ['--kpi', 'Rain', '--source', 'Berlin'],
      ['Berlin Rain 2025-01-01 1', 'Berlin Rain 2025-02-01 2', 'Berlin Rain 2026-01-01 3', 'Berlin Rain 2026-02-01 4'],
      ['Rain M Number SUM null'],
    ],
    [
      'with a column for each item',
      'date,North,South\n2026-01-05,1,2\n2026-01-12,3,4\n2026-01-19,5,6\n',
      ['--kpi', 'Stock', '--as', 'items'],
      [
        'North Stock 2026-01-05 1',
        'North Stock 2026-01-12 3',
        'North Stock 2026-01-19 5',
        'South Stock 2026-01-05 2',
        'South Stock 2026-01-12 4',
        'South Stock 2026-01-19 6',
      ],
      ['Stock W Number AVG null'],
    ],
    [
      'with a date in three columns, and items in two',
      'y,m,d,country,store,Sales\n2026,1,31,DE,1,5\n2026,2,1,DE,2,6\n',
      ['--map', 'date=y+m+d,source=country+store'],
      ['DE / 1 Sales 2026-01-31 5', 'DE / 2 Sales 2026-02-01 6'],
      ['Sales D Number SUM null'],
    ],
    [
      'with names of other KPIs, and only some columns',
      'Region,Date,Revenue (EUR),Zip,Visits\nNorth,2026-01-01,5,123,6\nNorth,2026-01-02,7,123,8\n',
      ['--map-kpi', 'Revenue (EUR)=Revenue', '--ignore', 'Zip'],
      [
        'North Revenue 2026-01-01 5',
        'North Revenue 2026-01-02 7',
        'North Visits 2026-01-01 6',
        'North Visits 2026-01-02 8',
      ],
      ['Revenue D Number SUM null', 'Visits D Number SUM null'],
    ],
    [
      'with a title, a total and a footer',
      'Sales report;;;\n;;;\nRegion;Month;Sales;Cost\nNorth;2026-01;1;2\nSouth;2026-01;3;4\nTotal;2026-01;4;6\nSource: us;;;\n',
      ['--ignore-rows', 'Total,Source:*'],
      ['North Cost 2026-01-01 2', 'North Sales 2026-01-01 1', 'South Cost 2026-01-01 4', 'South Sales 2026-01-01 3'],
      ['Sales M Number SUM null', 'Cost M Number SUM null'],
    ],
    [
      'with a column whose first cells stand for no value',
      'Region,Date,Sales,Stock\nNorth,2026-01,5,*\nSouth,2026-01,6,\nSouth,2026-02,6,7\n',
      ['--missing', '*'],
      ['North Sales 2026-01-01 5', 'South Sales 2026-01-01 6', 'South Sales 2026-02-01 6', 'South Stock 2026-02-01 7'],
      ['Sales M Number SUM null', 'Stock M Number AVG null'],
    ],
    [
      'of one item, and whose form the last row shows',
      `Region;KPI;Date;Value\n${DAYS.map((day) => `North;Sales;${day};${day.endsWith('31') ? '1.234.567' : '2.500'}\n`).join('')}`,
      [],
      DAYS.map((day) => `North Sales ${day} ${day.endsWith('31') ? 1234567 : 2500}`),
      ['Sales D Number SUM null'],
    ],
    [
      'with targets',
      'Region,KPI,Date,Value,Target\nNorth,Sales,2026-01-01,1,10\nNorth,Sales,2026-01-02,2,20\n',
      [],
      ['North Sales 2026-01-01 1', 'North Sales 2026-01-02 2'],
      ['Sales D Number SUM 20'],
    ],
  ])('%s is read as a person reads it', async (_name, text, flags, entries, kpis) => {
    const ran = await importText(user, text, '--group', region, '-o', 'json', ...flags)
    expect(ran).toMatchObject({ code: 0 })
    expect(await stored(user)).toEqual(entries)
    expect(await kpisOf(user)).toEqual(kpis)
    const again = await importText(user, text, '--group', region, '-o', 'json', ...flags)
    expect(jsonOf(again)).toMatchObject({ created: 0, unchanged: entries.length })
  })

  const LONG = 'x'.repeat(101)

  test.each([
    ['an item', `${LONG},Sales`, 'cannot be the name of a breakdown item: it has 101 characters'],
    ['a KPI', `South,${LONG}`, 'cannot be the name of a KPI: it has 101 characters'],
  ])('has rows of %s rejected whose name is too long', async (_what, names, says) => {
    const text = `Region,KPI,Date,Value\nNorth,Sales,2026-01-01,1\n${names},2026-01-02,2\nNorth,Sales,2026-01-03,3\n`
    const ran = await importText(user, text, '--group', region, '--dry-run', '-o', 'json', '--frequency', 'D')
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining(says)])
  })

  test.each<[name: string, text: string, flags: string[], says: string]>([
    [
      'one day may be of any frequency',
      'Region,KPI,Date,Value\nNorth,Sales,2026-01-01,1\n',
      [],
      'Sales: may be daily, weekly, monthly, quarterly or yearly: there is only one day, 2026-01-01; say which: --frequency D|W|M|Q|Y',
    ],
    [
      'a total may be an item',
      'Region,KPI,Date,Value\nNorth,Sales,2026-01,1\nTotal,Sales,2026-01,1\n',
      [],
      'line 3: "Total" looks like a total of the rows above: --ignore-rows Total leaves it out, --ignore-rows none imports it',
    ],
    [
      'two columns may say whose it is',
      'Country,City,KPI,Date,Value\nDE,Berlin,Sales,2026-01,1\n',
      [],
      'source: may be "Country" or "City"; say which: --map source=Country, --map source=City, or all together: --map source=Country+City',
    ],
    [
      'numbers may be ids',
      'Region,KPI,Date,Value\n1,Sales,2026-01,1\n2,Sales,2026-01,1\n',
      [],
      'Region: "1" is the id of "Admin", or the name of something new; say which: --by-id source or --by-name source',
    ],
    [
      'days may be written in two ways',
      'Region,KPI,01/02/2026,02/02/2026\nNorth,Sales,1,2\n',
      [],
      'header: "01/02/2026" on line 1 is 2026-02-01 (DD/MM/YYYY) or 2026-01-02 (MM/DD/YYYY)',
    ],
    [
      'a column has numbers and other texts',
      'Region,Date,Sales,Stock\nNorth,2026-01,5,*\nSouth,2026-01,6,7\n',
      [],
      'Stock: has numbers, and other texts such as "*" on line 2: --missing "*" takes such cells as empty, --map-kpi Stock=Stock rejects the rows of these texts, --ignore Stock leaves the column out',
    ],
    [
      'a unit may not be there',
      'Region,KPI,Date,Value\nNorth,Sales,2026-01,1\n',
      ['--unit', 'Liter'],
      'unit: there is no unit "Liter"; there are Number, Decimal, Percent, Currency',
    ],
  ])('is not imported as long as %s', async (_name, text, flags, says) => {
    const ran = await importText(user, text, '--group', region, '-o', 'json', ...flags)
    expect(ran.code).toBe(1)
    expect(allOf(errorOf(ran))).toContain(says)
    expect(jsonOf(await user.kpi('kpis', 'list', '-o', 'json'))).toEqual([])
  })
})

test('items of another group than the one that their column names are refused; groups are read only for items', async () => {
  await using user = await embeddedUser()
  const [region, store] = [
    await user.client.groups.add({ name: 'Region' }),
    await user.client.groups.add({ name: 'Store' }),
  ]
  await user.client.groupItems(region.id).add({ name: 'North' })
  await user.client.groupItems(store.id).add({ name: 'South' })
  const fileOf = (item: string): string =>
    `Store,KPI,Date,Value\n${item},Sales,2026-01-01,1\n${item},Sales,2026-01-02,2\n`
  const ran = await importText(user, fileOf('North'), '-o', 'json')
  expect([ran.code, allOf(errorOf(ran))]).toEqual([1, expect.stringContaining('is in the group "Region"')])
  const told = async (text: string): Promise<unknown[]> => {
    const { code, stderr } = await importText(user, text, '--verbose')
    return [code, stderr.split('GET /groups').length - 1]
  }
  expect(await told(fileOf('South'))).toEqual([0, 1])
  expect(await told(fileOf('Admin').replace('Store', 'user'))).toEqual([0, 0])
})

test.each([
  ['one column', 'E-mail,Name,KPI,Date,Value', 'Ann Lee'],
  ['two columns', 'E-mail,First name,Last name,KPI,Date,Value', 'Ann,Lee'],
  ['a name beside the last one', 'E-mail,Name,Surname,KPI,Date,Value', 'Ann,Lee'],
  ['a whole name beside the last one', 'E-mail,Name,Surname,KPI,Date,Value', 'Ann Lee,Lee'],
])('people get their first and last names from %s beside their addresses', async (_, header, name) => {
  await using user = await embeddedUser()
  const text = `${header}\n${[1, 2].map((day) => `ann@example.com,${name},Sales,2026-01-0${day},1\n`).join('')}`
  expect(await importText(user, text)).toMatchObject({ code: 0 })
  expect(await user.client.users.list()).toMatchObject([{}, { first_name: 'Ann', last_name: 'Lee' }])
})

test('the flags of what is created need the one that creates', async () => {
  await using user = await embeddedUser()
  const told = async (...flags: string[]): Promise<[number, string]> => {
    const { code, stderr } = await user.kpi('entries', 'import', 'data.csv', ...flags)
    return [code, stderr.split('\n')[0] ?? '']
  }
  expect(await told('--unit', 'Number')).toEqual([2, 'kpi entries import: --unit needs --create-missing'])
  // There is no such file: what is said of it comes after the flags.
  expect(await told('--create-missing=All', '--user', 'Ann')).toEqual([
    1,
    'kpi: cannot read data.csv: there is no such file',
  ])
  expect(await told('--create-missing=people')).toEqual([
    2,
    'kpi entries import: --create-missing people is not one of all, users, kpis, items, assignments',
  ])
  expect(await told('--create-missing', '--email-pattern', 'x@example.com')).toEqual([
    2,
    "kpi entries import: --email-pattern x@example.com needs {name}, {first}, {last} or {initial}, and an @: '{name}@example.com'",
  ])
  expect(await told('--create-missing', '--email-pattern', '{vorname}.{last}@example.com')).toEqual([
    2,
    'kpi entries import: --email-pattern {vorname}.{last}@example.com: {vorname} is none of {name}, {first}, {last}, {initial}',
  ])
  expect(await told('--create-missing', '--frequency', 'hourly')).toEqual([
    2,
    'kpi entries import: --frequency must be one of daily (D), weekly (W), monthly (M), quarterly (Q), yearly (Y)',
  ])
})

test('the newer interface makes no people, and the classic one has no items: nothing is made there', async () => {
  await using newer = await newerUser()
  const people = await importText(
    newer,
    'user,kpi,date,actual\nAnn Lee,Visits,2026-03,3\n',
    '--email-pattern',
    '{name}@example.com',
  )
  expect(people).toMatchObject({ code: 7 })
  expect(people.stderr).toContain('the newer interface creates no people: 1 are missing, such as "Ann Lee"')
  expect(jsonOf(await newer.kpi('kpis', 'list', '-o', 'json'))).toEqual([])
  await using classic = await remoteUser()
  const items = await importText(classic, 'Region,kpi,date,actual\nNorth,Visits,2026-03,3\n')
  expect(items).toMatchObject({ code: 7 })
})
