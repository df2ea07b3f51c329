import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waysIn } from '../support/advice.ts'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, newerUser, type User } from '../support/user.ts'
import { runs } from '../support/soak/tests.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const importText = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '--frequency', 'D', '-o', 'json', ...args)
}

const actuals = async (): Promise<string[]> => {
  const list = await user.kpi('entries', 'list', '--from', '2026-01-01', '--to', '2026-12-31', '-o', 'json')
  return (jsonOf(list) as { actual: number }[]).map(({ actual }) => String(actual))
}

const namesOf = async (noun: string): Promise<string[]> =>
  (jsonOf(await user.kpi(noun, 'list', '-o', 'json')) as { name: string }[]).map(({ name }) => name)

describe('values of a new KPI below 1 whose unit is given', () => {
  const FILE = 'Store,Date,Conversion\nA,2026-03-01,0.12\nA,2026-03-02,0.13\n'

  test('are asked about if the unit is a percentage', async () => {
    const ran = await importText(FILE, '--unit', 'Percent')
    expect([ran.code, allOf(errorOf(ran))]).toEqual([1, expect.stringContaining('--percent fraction')])
  })

  test.each([
    ['fraction', ['12', '13']],
    ['as-is', ['0.12', '0.13']],
  ])('are read as --percent %s says', async (percent, expected) => {
    expect((await importText(FILE, '--unit', 'Percent', '--percent', percent)).code).toBe(0)
    expect(await actuals()).toEqual(expected)
  })

  test('are no percentages with another unit, which is said', async () => {
    const ran = await importText(FILE, '--unit', 'Number', '--percent', 'fraction')
    expect(ran.stderr).toContain('--percent fraction changes nothing: no KPI of this file is a percentage\n')
    expect(await actuals()).toEqual(['0.12', '0.13'])
  })
})

describe('names of items that another group has', () => {
  const REGIONS = 'Region,Date,Sales\nNorth,2026-03-01,500\nSouth,2026-03-01,400\n'
  beforeEach(async () => {
    jsonOf(await importText('Store,Date,Sales\nNorth,2026-03-01,5\n'))
  })

  test('stop an import that creates items in a group of its own', async () => {
    const ran = await importText(REGIONS)
    expect(ran.code).toBe(1)
    expect(errorOf(ran).issues).toEqual([
      {
        field: 'North',
        message:
          'is in the group "Store", and new breakdown items of this file would go into "Region": --group "Store" takes it, and creates others beside it; --group "Region" creates an item of that name there as well',
      },
    ])
    expect(await actuals()).toEqual(['5'])
  })

  test('mean those of the group that is given', async () => {
    expect(jsonOf(await importText(REGIONS, '--group', 'Store'))).toMatchObject({ created: 1, updated: 1 })
    expect((await actuals()).toSorted()).toEqual(['400', '500'])
  })

  test('are created in another group that is given', async () => {
    expect(jsonOf(await importText(REGIONS, '--group', 'Region'))).toMatchObject({ created: 2, updated: 0 })
    expect((await actuals()).toSorted()).toEqual(['400', '5', '500'])
    expect(jsonOf(await importText(REGIONS, '--group', 'Region'))).toMatchObject({ created: 0, unchanged: 2 })
  })
})

test('names of a column that is called like another group mean that group', async () => {
  const rivers = await user.client.groups.add({ name: 'Rivers' })
  await user.client.groups.add({ name: 'Store' })
  const text = 'Rivers,Date,Sales\nLake,2026-03-01,5\n'
  jsonOf(await importText(text))
  const ran = await importText(text.replace('Rivers', 'Store').replace('5', '7'))
  expect(errorOf(ran).issues[0]?.message).toMatch(
    /^is in the group "Rivers", and .* "Store": --group "Rivers" takes it/,
  )
  expect(rivers.name).toBe('Rivers')
  const inStore = await importText(text.replace('Rivers', 'Store').replace('5', '7'), '--group', 'Store')
  expect(jsonOf(inStore)).toMatchObject({ created: 1 })
  expect((await actuals()).toSorted()).toEqual(['5', '7'])
})

describe('the newer interface alone', () => {
  const FILE = 'Shop,Date,Sales\nLake,2026-03-01,5\nHill,2026-03-01,6\n'
  const runIn = (newer: User, text: string, ...args: string[]): Promise<Ran> => {
    writeFileSync(newer.folder.in('data.csv'), text)
    return newer.kpi('entries', 'import', 'data.csv', '--create-missing', '--frequency', 'D', '-o', 'json', ...args)
  }

  test('is told the group of new items, or takes that of the others in the file', async () => {
    await using newer = await newerUser()
    const { id } = await newer.client.groups.add({ name: 'Store' })
    const unclear = await runIn(newer, FILE, '--dry-run')
    expect([unclear.code, errorOf(unclear).issues]).toEqual([
      1,
      [
        {
          field: 'group',
          message:
            'new breakdown items need a group, and the newer interface does not name groups: give its id with --group ID',
        },
      ],
    ])
    expect(jsonOf(await runIn(newer, FILE, '--group', String(id)))).toMatchObject({ created: 2 })
    const more = await runIn(newer, `${FILE}Moor,2026-03-01,7\n`)
    expect(more.stderr).toContain(`to create: 1 breakdown item in the group "${id}"`)
    const other = await runIn(newer, 'Shop,Date,Sales\nDale,2026-03-02,1\n')
    expect(errorOf(other).issues[0]?.message).toContain(`--group ${id} puts them beside "Lake", "Hill"`)
    const byName = await runIn(newer, 'Shop,Date,Sales\nDale,2026-03-02,1\n', '--group', 'Store')
    expect(errorOf(byName).issues[0]?.message).toContain('"Store" is no id of a group')
  })

  test('creates no people, which a dry run says as well', async () => {
    await using newer = await newerUser()
    const text = 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,3\n'
    const ran = await runIn(newer, text, '--email-pattern', '{name}@example.com', '--dry-run')
    expect([ran.code, errorOf(ran).message]).toEqual([7, expect.stringContaining('creates no people: 1 are missing')])
  })
})

test('values that are rounded to nothing are warned of', async () => {
  const ran = await importText('Store,Date,Rate\nA,2026-03-01,0.0000123\nB,2026-03-01,0.00002\nC,2026-03-01,0.00005\n')
  expect(ran.stderr).toContain(
    '2 values, the first on line 2, are too small for four decimals, and became 0: count in smaller units, or reject such rows with --strict',
  )
})

describe('two columns of one KPI', () => {
  const FILE = 'Store,Date,Online,Phone orders\nLake,2026-03-01,10,5\nLake,2026-03-02,11,6\n'
  const BOTH = ['--map-kpi', 'Online=Sales,Phone orders=Sales']

  test('stop an import, as long as nothing says what becomes of two values', async () => {
    expect(errorOf(await importText(FILE, ...BOTH)).issues[0]?.message).toBe(
      '"Online" and "Phone orders" are both Sales; keep one of the columns, as --ignore "#4" does, or say what becomes of two values: --on-duplicate sum adds them up',
    )
  })

  test('are added up if a flag says so', async () => {
    expect(jsonOf(await importText(FILE, ...BOTH, '--on-duplicate', 'sum'))).toMatchObject({ created: 2 })
    expect(await actuals()).toEqual(['15', '17'])
  })
})

test('words for no value are named together with those that were given', async () => {
  const file = 'Date,Store,Sales\n2026-03-01,A,1\n2026-03-02,A,sick\n2026-03-03,A,closed\n2026-03-04,A,7\n'
  const ran = await importText(file, '--missing', 'sick')
  expect(errorOf(ran).issues[0]?.message).toContain('--missing sick,closed takes such cells as empty')
  expect(jsonOf(await importText(file, '--missing', 'sick,closed'))).toMatchObject({ created: 2, empty: 2 })
})

test('times that end a day, or are not given, are of that day', async () => {
  const rows = ['2026-03-01,01:00,A,1.5', '2026-03-01,24:00,A,2', '2026-03-01,,A,4']
  const flags = ['--map', 'date=Date+Time', '--time', 'drop', '--on-duplicate', 'sum']
  expect(jsonOf(await importText(`Date,Time,Store,kwh\n${rows.join('\n')}\n`, ...flags))).toMatchObject({ created: 1 })
  expect(await actuals()).toEqual(['7.5'])
})

test('new names that lack a part of several columns are warned of', async () => {
  const rows = ['North,2026-03-01,Bikes,10', ',2026-03-01,Parts,20', 'South,2026-03-01,Boats,30']
  const ran = await importText(`Region,Date,Product,Sales\n${rows.join('\n')}\n`, '--map', 'source=Region+Product')
  expect(ran.stderr.replaceAll('\\"', '"')).toContain(
    '"Parts": one of the columns Region+Product is empty in their rows; if it is written only once for several rows, fill it in',
  )
})

test.each<[what: string, text: string, flags: readonly string[], told: string]>([
  [
    'a user without an address',
    'user,kpi,date,actual\nAnn Leds,Visits,2026-03-02,3\n',
    [],
    'takes it from a column, --email-pattern',
  ],
  ['a header', 'date,Ann Leds,Ann Leeds\n2026-03-02,3,4\n', ['--kpi', 'Visits', '--as', 'users'], '--email-pattern'],
])('%s that cannot be new is told with the name that was probably meant', async (_, text, flags, told) => {
  await user.kpi('users', 'create', '--email', 'ann@example.com', '--first-name', 'Ann', '--last-name', 'Leeds')
  const ran = await importText(text, ...flags)
  expect(ran.stderr).toMatch(new RegExp(`Ann Leds.*${told}.*; did you mean .{1,2}Ann Leeds`))
})

test('a new group that is nearly a known one is warned of', async () => {
  await user.client.groups.add({ name: 'Stores' })
  const ran = await importText('Store,Date,Sales\nLake,2026-03-01,5\n')
  expect(ran.stderr).toContain('the new group "Store" is nearly "Stores", which exists')
})

describe('what does not exist yet', () => {
  const word = fc.constantFrom('Ann Lee', 'Bob Ray', 'Visits', 'Calls', 'Lake', 'Old One', 'Archived', '', 'N/A')
  const cell = fc.constantFrom('3', '4.5', 'x', '', '9'.repeat(30))
  const rows = fc.array(fc.tuple(word, word, fc.constantFrom('2026-03-02', '2026-03-03', '2026-02-30', ''), cell), {
    minLength: 1,
    maxLength: 6,
  })
  const kinds = fc.subarray(['kpis', 'users', 'items', 'assignments'], { minLength: 1 })
  const ways = fc.constantFrom([], ['--dry-run'], ['--explain'], ['--max-errors', '1'], ['--strict', '--dry-run'])
  const owner = fc.constantFrom('user', 'Store')

  test('is told by its name in all messages', async () => {
    await fc.assert(
      fc.asyncProperty(owner, rows, kinds, ways, fc.boolean(), async (column, drawn, created, way, isWide) => {
        await using own = await embeddedUser()
        await own.kpi('users', 'create', '--email', 'old@example.com', '--first-name', 'Old', '--last-name', 'One')
        const lines = drawn.map(([who, what, date, value]) =>
          isWide ? [who, date, value, value] : [who, what, date, value],
        )
        const header = isWide ? [column, 'date', 'Visits', 'Calls'] : [column, 'kpi', 'date', 'actual']
        writeFileSync(own.folder.in('data.csv'), [header, ...lines].map((line) => line.join(',')).join('\n'))
        const flags = [
          '--frequency',
          'D',
          '--email-pattern',
          '{name}@example.com',
          `--create-missing=${created.join(',')}`,
        ]
        const ran = await own.kpi('entries', 'import', 'data.csv', ...flags, ...way)
        const rejects = own.folder.in('data.rejects.csv')
        const texts = [ran.stdout, ran.stderr, existsSync(rejects) ? readFileSync(rejects, 'utf8') : '']
        const numbers = texts.join('\n').match(/\d+/g) ?? []
        expect(numbers.filter((text) => text.length === 13 && Number(text) >= 2 ** 40)).toEqual([])
      }),
      { numRuns: runs(10, 100) },
    )
  })

  test('is told so where its KPI is not assigned to its user', async () => {
    writeFileSync(user.folder.in('data.csv'), 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,3\n')
    const flags = ['--create-missing=kpis,users', '--frequency', 'D', '--email-pattern', '{name}@example.com']
    const ran = await user.kpi('entries', 'import', 'data.csv', ...flags, '--dry-run')
    expect(ran.stdout).toContain('new KPI (Visits) is not assigned to new user (Ann Lee)')
    expect(ran.stderr).toContain('KPI "Visits" is not assigned to user "Ann Lee"')
  })
})

test('new names that are nearly known ones are warned of', async () => {
  await importText('Store,Date,Sales\nHarbour,2026-03-01,5\n')
  const flags = ['--group', 'Store', '--map-kpi', 'Salse=Salse', '--dry-run']
  const ran = await importText('Store,Date,Salse\nHarbor,2026-03-02,5\n', ...flags)
  expect(ran.stderr).toContain(
    'the new KPI "Salse" is nearly "Sales", which exists: if that is meant, correct the file\n',
  )
  expect(ran.stderr).toContain('the new breakdown item "Harbor" is nearly "Harbour", which exists')
})

test('nothing is created that only rows name whose key is there twice', async () => {
  const file = 'Store,Date,Sales\nA,2026-03-01,1\nB,2026-03-01,2\nA,2026-03-01,3\n'
  expect(jsonOf({ ...(await importText(file)), code: 0 })).toMatchObject({ created: 1, rejected: 2 })
  expect((await namesOf('group-items')).toSorted()).toEqual(['B'])
  const none = await importText('Shop,Date,Visits\nX,2026-03-01,1\nX,2026-03-01,3\n', '--map-kpi', 'Visits=Visits')
  expect([none.code, await namesOf('kpis')]).toEqual([3, ['Sales']])
})

describe('people whose addresses are made of their names', () => {
  const FILE = 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,3\nAnna Lee,Visits,2026-03-02,4\n'

  test('are rejected if another one has the address already', async () => {
    const ran = await importText(FILE, '--email-pattern', '{initial}{last}@example.com')
    expect(ran.code).toBe(3)
    const why = 'cannot become a user: its e-mail address alee@example.com is already that of'
    expect(ran.stderr.replaceAll('\\"', '"')).toContain(`"Anna Lee" ${why} "Ann Lee" in this file; give both addresses`)
    expect(await actuals()).toEqual(['3'])
  })

  test('are one person however the name is written', async () => {
    const file = 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,3\n"Lee, Ann",Visits,2026-03-03,4\n'
    expect(jsonOf(await importText(file, '--email-pattern', '{name}@example.com'))).toMatchObject({ created: 2 })
    expect(jsonOf(await user.kpi('users', 'list', '-o', 'json'))).toHaveLength(2)
  })
})

test('a name whose address another user has is rejected', async () => {
  await user.client.users.add({
    user_type: 'User',
    user_status_id: 'A',
    first_name: 'Bob',
    last_name: 'Ray',
    email: 'ann.lee@example.com',
  })
  const file = 'user,kpi,date,actual\nAnn Lee,Visits,2026-03-02,3\nAmy Lee,Visits,2026-03-02,4\n'
  const ran = await importText(file, '--email-pattern', '{name}@example.com')
  expect(ran.code).toBe(3)
  expect(ran.stderr).toContain('the address ann.lee@example.com is that of user 2')
  expect(await actuals()).toEqual(['4'])
})

test.each(['Person', 'Employee', 'User', 'Name'])('--as items makes breakdown items of a column %s', async (header) => {
  const ran = await importText(`${header},Date,Visits\nAnn Lee,2026-03-01,1\nAmy Lee,2026-03-02,2\n`, '--as', 'items')
  expect(jsonOf(ran)).toMatchObject({ created: 2, rejected: 0 })
  expect(await namesOf('group-items')).toEqual(['Ann Lee', 'Amy Lee'])
})

test('what is marked as an id is never created', async () => {
  const ran = await importText(
    'Store,KPI,Date,Value\nLake,#77,2026-03-01,1\nLake,Sales,2026-03-01,1\n#5,Sales,2026-03-01,1\n',
  )
  expect(jsonOf({ ...ran, code: 0 })).toMatchObject({ created: 1, rejected: 2 })
  expect([await namesOf('kpis'), await namesOf('group-items')]).toEqual([['Sales'], ['Lake']])
})

test('--map-kpi that names nothing in the file is warned of', async () => {
  const ran = await importText('Store,Date,Revenue (EUR)\nLake,2026-03-01,5\n', '--map-kpi', 'Revenue (EU)=Revenue')
  expect(ran.stderr.replaceAll('\\"', '"')).toContain(
    '--map-kpi "Revenue (EU)"=… names nothing in this file; did you mean "Revenue (EUR)"?',
  )
  const right = await importText('Store,Date,Revenue (EUR)\nLake,2026-03-01,5\n', '--map-kpi', 'Revenue (EUR)=Revenue')
  expect(right.stderr).not.toContain('names nothing')
  const many = await importText(
    'Store,Date,Revenue (EUR)\nLake,2026-03-01,5\n',
    '--map-kpi',
    Array.from({ length: 1013 }, (_, at) => `No ${at}=Revenue`).join(','),
  )
  expect(many.stderr.match(/names nothing in this file/g)).toHaveLength(10)
  expect(many.stderr).toContain('and 1,003 more names of --map-kpi that are not in this file')
})

test('a dry run of undo leaves alone what things use that stay', async () => {
  const ran = await importText('Region,Date,Revenue in EUR\nNorth,2026-01-01,1\n', '--no-undo')
  const receipt = /kpi entries undo (\S+)/.exec(ran.stderr)?.[1] ?? ''
  const dry = await user.kpi('entries', 'undo', receipt, '--dry-run', '-o', 'csv')
  expect(dry.stdout.split('\n').map((line) => line.split(',').toSpliced(2, 1).join(','))).toEqual([
    'action,kind,name,entries,reason,change',
    'leave,kpi,Revenue in EUR,1,"has 1 entry; --with-entries removes them, too",',
    'leave,item,North,1,"has 1 entry; --with-entries removes them, too",',
    'leave,group,Region,0,"is used by the item ""North""",',
    'leave,unit,EUR,0,"is used by the KPI ""Revenue in EUR""",',
    '',
  ])
})

describe('years with marks beside others', () => {
  const fileOf = (year: string): string => `Store,2024,2025,${year}\nA,1,2,3\n`
  const importYears = (year: string, ...args: string[]): Promise<Ran> =>
    importText(fileOf(year), '--kpi', 'Sales', ...args)

  test('are read without the sign of a footnote, which is said', async () => {
    const ran = await importYears('2026*')
    expect(ran.stderr).toContain('headings read without the signs or brackets beside their dates: 2026*\n')
    expect(await actuals()).toEqual(['3'])
  })

  test('stop with flags if letters may mean estimates', async () => {
    const ran = await importYears('2026e')
    expect([ran.code, allOf(errorOf(ran))]).toEqual([1, expect.stringContaining('--ignore 2026e leaves it out')])
    expect((await importYears('2026e', '--date-format', 'YYYY[e]')).code).toBe(0)
    expect(await actuals()).toEqual(['3'])
  })
})

describe('a KPI of a new name in a file of a kind that was imported before', () => {
  const importAs = (files: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> => {
    for (const [name, text] of Object.entries(files)) writeFileSync(user.folder.in(name), text)
    const line = ['--create-missing', '--frequency', 'D', '-o', 'json', ...args]
    return user.kpi('entries', 'import', ...Object.keys(files), ...line)
  }
  const JUNE = { 'umsatz-2026-06.csv': 'Store,Date,Umsatz,Kunden\nA,2026-06-01,5.5,2\nA,2026-06-02,6.5,3\n' }
  const july = (header: string, file = 'umsatz-2026-07.csv') => ({
    [file]: `Store,Date,${header}\nA,2026-07-01,7.5,4\nA,2026-07-02,8.5,5\n`,
  })
  beforeEach(async () => {
    jsonOf(await importAs(JUNE))
  })

  test('is asked about where another is missing, and each way out is right', async () => {
    const ran = await importAs(july('Umsatz netto,Kunden'))
    expect([ran.code, await namesOf('kpis')]).toEqual([1, ['Umsatz', 'Kunden']])
    const told = allOf(errorOf(ran))
    expect(told).toContain('Umsatz netto: would be a new KPI, and "Umsatz" of umsatz-2026-06.csv is not in this file')
    const [renamed = [], created = []] = waysIn(told)
    expect(jsonOf(await importAs(july('Umsatz netto,Kunden'), ...renamed))).toMatchObject({ created: 4 })
    expect(await namesOf('kpis')).toEqual(['Umsatz', 'Kunden'])
    jsonOf(await importAs(july('Umsatz netto,Kunden'), ...created))
    expect(await namesOf('kpis')).toEqual(['Umsatz', 'Kunden', 'Umsatz netto'])
  })

  test.each([
    ['umsatz-2026-07.csv', true],
    ['Umsatz 7.csv', true],
    ['umsatz-Juli-26.csv', true],
    ['umsatz_jul.csv', true],
    ['umsatz.csv', true],
    ['umsatz-2026-07 (1).csv', true],
    ['umsatz-2026-07-v2.csv', true],
    ['kunden-2026-07.csv', false],
    ['umsatz-netto-2026-07.csv', false],
  ])('is asked about by the name of the file: %s', async (file, isAsked) => {
    expect((await importAs(july('Umsatz netto,Kunden', file))).code).toBe(isAsked ? 1 : 0)
  })

  test('is created in a file of other owners and KPIs, although its name is the same', async () => {
    const other = { 'umsatz-2026-07.csv': 'Region,Date,Besuche\nNord,2026-07-01,5\nNord,2026-07-02,6\n' }
    expect((await importAs(other)).code).toBe(0)
  })

  test('is asked about behind another file of the same command', async () => {
    const august = { 'shops-08.csv': 'Store,Date,Umsatz,Kunden\nA,2026-08-01,7.5,4\nA,2026-08-02,7,4\n' }
    const september = { 'shops-09.csv': 'Store,Date,Umsatz netto\nA,2026-09-01,7.5\nA,2026-09-02,7\n' }
    const ran = await importAs({ ...august, ...september })
    expect([ran.code, await namesOf('kpis')]).toEqual([1, ['Umsatz', 'Kunden']])
    expect(allOf(errorOf(ran))).toContain('shops-09.csv')
  })

  test('is asked about by the mapping of the file, from the first file that it is used for', async () => {
    const mapped = await importAs(july('Umsatz,Kunden', 'a.csv'), '--save-mapping', 'shop')
    expect(jsonOf(mapped)).toMatchObject({ created: 4 })
    expect((await importAs(july('Umsatz netto,Kunden', 'b.csv'), '--mapping', 'shop')).code).toBe(1)
    jsonOf(await importAs({ 'b.csv': 'Store,Date,Umsatz,Kunden\nA,2026-08-01,7.5,4\n' }, '--mapping', 'shop'))
    expect((await importAs(july('Umsatz netto,Kunden', 'c.csv'), '--mapping', 'shop')).code).toBe(1)
  })

  test('is created where none is missing, or has only empty cells', async () => {
    const more = {
      'umsatz-2026-07.csv': 'Store,Date,Umsatz,Kunden,Retouren\nA,2026-07-01,7.5,,9.5\nA,2026-07-02,8.5,,9\n',
    }
    jsonOf(await importAs(more))
    expect(await namesOf('kpis')).toEqual(['Umsatz', 'Kunden', 'Retouren'])
  })

  test('is created where the import before was taken back', async () => {
    const { receipt } = jsonOf(await importAs(july('Umsatz,Kunden'))) as { receipt: string }
    jsonOf(await user.kpi('entries', 'undo', receipt, '--yes', '-o', 'json'))
    expect((await importAs(july('Umsatz netto,Kunden', 'shop-08.csv'))).code).toBe(0)
  })
})

test('a constant column that is called like the target is asked about as the target', async () => {
  const rows = Array.from({ length: 8 }, (_, at) => `A,2026-03-0${at + 1},${(at * 7) % 5}.5,200`)
  writeFileSync(user.folder.in('t.csv'), ['Shop,Date,Sales,Target', ...rows, ''].join('\n'))
  const ran = await user.kpi('entries', 'import', 't.csv', '--create-missing', '-o', 'json')
  expect([ran.code, allOf(errorOf(ran))]).toEqual([1, expect.stringContaining('may be the target of "Sales" instead')])
})

describe('a name and an e-mail address beside each other', () => {
  const file = (header: string, cells: string): string =>
    `${header},Date,Visits\n${cells},2026-03-01,12.5\nBob Oh,bob@example.com,2026-03-01,3\n`

  beforeEach(async () => {
    for (const name of ['Ann Lee', 'Max Boss', 'Bob Oh']) {
      const [first = '', last = ''] = name.split(' ')
      const email = `${first.toLowerCase()}@example.com`
      await user.kpi('users', 'create', '--first-name', first, '--last-name', last, '--email', email)
    }
    await user.kpi('kpis', 'create', '--name', 'Visits', '--frequency', 'D')
  })

  test.each(['Employee,E-mail', 'Mitarbeiter,Mitarbeiter-E-Mail', 'Name,E-Mail', 'User name,User e-mail'])(
    'reject a row if they are those of two users: %s',
    async (header) => {
      for (const flags of [
        ['--create-missing'],
        ['--create-assignments', '--kpi', 'Visits', '--map', 'actual=Visits'],
      ]) {
        writeFileSync(user.folder.in('data.csv'), file(header, 'Ann Lee,max@example.com'))
        const map = header.startsWith('Name') ? [] : ['--map', `user=${header.split(',')[0]}`]
        for (const more of [[], map]) {
          const ran = await user.kpi('entries', 'import', 'data.csv', '--dry-run', ...flags, ...more)
          expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('is user 2, "Ann Lee"')])
          expect(ran.stdout).toMatch(/is user 3, "(?:Max Boss|max@example.com)"/)
          const [way = []] = waysIn(ran.stdout.replaceAll('\n', ' '))
          const settled = await user.kpi('entries', 'import', 'data.csv', '--dry-run', ...flags, ...more, ...way)
          expect([way[0], settled.code]).toEqual(['--ignore', 0])
        }
      }
    },
  )

  test('are of one user, however the name is written or whoever else is called so', async () => {
    await user.kpi('users', 'create', '--first-name', 'Ann', '--last-name', 'Lee', '--email', 'ann2@example.com')
    for (const cells of ['"Lee, Ann",ann@example.com', 'Ann Lee,ann2@example.com', 'A. Lee,ann@example.com'])
      expect(jsonOf(await importText(file('Employee,E-mail', cells)))).toMatchObject({ rejected: 0, read: 2 })
  })

  test('are of nobody where the address is that of somebody else', async () => {
    const text = 'Employee,Manager,Manager E-mail,Date,Visits\nAnn Lee,Max Boss,max@example.com,2026-03-01,12.5\n'
    jsonOf(await importText(text))
    const list = await user.kpi('entries', 'list', '--from', '2026-01-01', '--to', '2026-12-31', '-o', 'json')
    expect(jsonOf(list)).toMatchObject([{ user_id: 2 }])
    const ran = await importText(text.replace('Ann Lee', 'Cid Poe'))
    expect([ran.code, await namesOfUsers()]).toEqual([3, ['Admin', 'Ann', 'Max', 'Bob']])
    expect(ran.stderr).toContain('there is no user \\"Cid Poe\\", and a new user needs an e-mail address')
  })

  const namesOfUsers = async (): Promise<string[]> =>
    (await user.client.users.list()).map(({ first_name }) => first_name)
})

describe('a mistyped KPI of one row', () => {
  test('is told to be nearly the one that exists, where its frequency is asked for', async () => {
    await user.kpi('kpis', 'create', '--name', 'Revenue', '--frequency', 'D')
    writeFileSync(user.folder.in('data.csv'), 'Store,Date,Revenu\nA,2026-03-01,5\n')
    const args = ['entries', 'import', 'data.csv', '--create-missing', '-o', 'json'] as const
    const told = allOf(errorOf(await user.kpi(...args)))
    expect(told).toContain('say which: --frequency D|W|M|Q|Y; it is nearly "Revenue", which exists:')
    const [way = []] = waysIn(told.slice(told.indexOf('which exists: ')))
    expect(jsonOf(await user.kpi(...args, ...way))).toMatchObject({ created: 1 })
    expect(await namesOf('kpis')).toEqual(['Revenue'])
  })
})

test('kinds that --create-missing names several times add up', async () => {
  const create = async (...flags: string[]): Promise<unknown> => {
    await using own = await embeddedUser()
    writeFileSync(own.folder.in('data.csv'), 'user,Date,Visits\nann@example.com,2026-03-01,5\n')
    return jsonOf(await own.kpi('entries', 'import', 'data.csv', '--frequency', 'D', '-o', 'json', ...flags))
  }
  const kinds = ['users', 'kpis,items', 'assignments'].map((names) => `--create-missing=${names}`)
  expect(await create(...kinds)).toMatchObject({ created: 1 })
  expect(await create('--create-missing', '--create-missing=users')).toMatchObject({ created: 1 })
  expect(await create('--create-missing=users', '--create-missing')).toMatchObject({ created: 1 })
  expect(await create('--create-missing=users,all')).toMatchObject({ created: 1 })
})

test('files behind one that a question stops are imported once that is settled, with the flag that settles it', async () => {
  for (const [at, name] of ['Revenue', 'Revenu', 'Revenue'].entries())
    writeFileSync(user.folder.in(`f${at}.csv`), `Store,Date,${name}\nA,2026-03-0${at + 1},5\n`)
  const files = ['f0.csv', 'f1.csv', 'f2.csv']
  const run = (...args: string[]) =>
    user.kpi('entries', 'import', ...files, '--create-missing', '--frequency', 'D', '-o', 'json', ...args)
  const { message } = errorOf(await run())
  expect(message).toMatch(/not started: f2\.csv; once that is settled, the same command continues$/)
  const [way = []] = waysIn(message)
  const ran = await run(...way)
  expect([way[0], ran.code, await actuals()]).toEqual(['--map-kpi', 0, ['5', '5', '5']])
})

test('a file without a name is called so', async () => {
  for (const noun of ['entries', 'users'])
    expect((await user.kpi(noun, 'import', '')).stderr).toContain("cannot read '': the name of the file is empty")
})
