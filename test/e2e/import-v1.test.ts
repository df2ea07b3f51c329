import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { embeddedImporter, heldIn, ID } from '../support/import.ts'
import { errorOf, jsonOf, type Ran, type Shell } from '../support/kpi.ts'
import { type Doors, openDoors } from '../support/newer-import.ts'

const { ann, bob, lou, sales, visits } = ID
const REPORT = ['report', '--from', '2026-01-01', '--to', '2026-12-31', '--rows', '-o', 'csv']

/** Rows as people write them: names and e-mail addresses, rounded values, empty cells, notes, a target that is dropped. */
const SAME = `user,kpi,date,actual,target,notes
Ann Lee,Sales,2026-03-01,1.5,,
bob@example.com,Sales,2026-03-01,2.00005,,"two
lines"
Ann Lee,Visits,2026-03-02,118,20,
2,2,2026-03-03,,30,no visits
Ann Lee,Sales,2026-04-01,7,99,
Bob,Sales,2026-04-01,,,
`

describe.each(databases)('on %s', (_, make) => {
  test('the same file gives the same report through both variants, persons named as users or as sources', async () => {
    await using classic = await openDoors(make)
    await using newer = await openDoors(make)
    await using sourced = await openDoors(make)
    for (const doors of [classic, newer]) doors.write('data.csv', SAME)
    sourced.write('data.csv', SAME.replace('user,', 'source,').replace('bob@example.com', 'Bob'))
    const load = async (kpi: Shell): Promise<unknown> =>
      jsonOf(await kpi('entries', 'import', 'data.csv', '-o', 'json'))
    const counts = { read: 6, created: 5, updated: 0, unchanged: 0, rejected: 0, rounded: 1, empty: 1 }
    const kpi = await newer.profiled('v1')
    expect(await load(await classic.profiled('classic'))).toMatchObject({ ...counts, unchecked: null })
    expect(await load(kpi)).toMatchObject({ ...counts, unchecked: 'assignments' })
    expect(await load(await sourced.keyed())).toMatchObject(counts)

    const expected = await classic.classic(...REPORT)
    expect(expected.stdout.split('\n').length).toBeGreaterThan(5)
    for (const shell of [newer.classic, kpi, sourced.classic, await sourced.keyed()]) {
      expect(await shell(...REPORT)).toEqual(expected)
    }
    expect(await newer.held()).toEqual(await classic.held())
    expect(await sourced.held()).toEqual(await classic.held())
    expect(await load(await sourced.keyed())).toMatchObject({ created: 0, updated: 0, unchanged: 5 })
  })

  test('entries of breakdown items are loaded, told apart from those of persons, and read back', async () => {
    await using doors = await openDoors(make)
    const { north, south } = doors.items
    const kpi = await doors.keyed()
    const rows = ['North,,Spare,2026-03-01,1', `${south},,Sales,2026-03-01,2`, ',Bob,Sales,2026-03-01,3']
    doors.write('data.csv', ['source,user,kpi,date,actual', ...rows, 'Bob,Bob,Sales,2026-03-02,4', ''].join('\n'))
    const dryRun = async (): Promise<unknown> =>
      jsonOf(await kpi('entries', 'import', 'data.csv', '--dry-run', '-o', 'json'))
    const verdicts = (action: string): unknown =>
      expect.arrayContaining([
        expect.objectContaining({ line: 2, action, user_id: null, source_id: north }),
        expect.objectContaining({ line: 3, action, user_id: null, source_id: south }),
        expect.objectContaining({ line: 4, action, user_id: bob, source_id: null }),
      ])
    expect(await dryRun()).toEqual(verdicts('create'))
    expect(jsonOf(await kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ created: 4 })
    expect(await doors.held()).toEqual([
      `item ${north} 4 2026-03-01 1 - -`,
      `item ${south} 1 2026-03-01 2 - -`,
      `user ${bob} 1 2026-03-01 3 - -`,
      `user ${bob} 1 2026-03-02 4 - -`,
    ])
    expect(await dryRun()).toEqual(verdicts('unchanged'))

    doors.write('clear.csv', 'kpi,date,actual,notes\nSpare,2026-03-01,,kept\nSpare,2026-03-02,,\n')
    const cleared = await kpi('entries', 'import', 'clear.csv', '--source', 'North', '--empty', 'clear', '-o', 'json')
    expect(jsonOf(cleared)).toMatchObject({ updated: 1, empty: 1, rejected: 0 })
    expect(await doors.held()).toContain(`item ${north} 4 2026-03-01 - - kept`)
  })
})

describe('through the newer interface', () => {
  let doors: Doors
  let kpi: Shell
  beforeAll(async () => {
    doors = await openDoors()
    kpi = await doors.keyed()
  })
  afterAll(async () => {
    await doors[Symbol.asyncDispose]()
  })
  const load = (text: string, ...args: string[]): Promise<Ran> => {
    doors.write('data.csv', text)
    return kpi('entries', 'import', 'data.csv', '-o', 'json', ...args)
  }
  /** The reasons of the rejected rows, by line. */
  const reasons = (): string[] =>
    doors
      .read('data.rejects.csv')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(5).join(','))

  test('what cannot be loaded is told before anything is sent, with all reasons', async () => {
    const { north, west } = doors.items
    const rows = [
      'West,,Sales,2026-01-01,1',
      'Norht,,Closed,2026-01-01,1',
      `North,Bob,Sales,2026-01-01,1`,
      `${ann},Bob,Sales,2026-01-01,1`,
      ',,Sales,2026-01-01,1',
      'Lou,,Sales,2026-01-01,1',
      'Nowhere,Nobody,Sales,2026-01-01,1',
    ]
    const ran = await load(['source,user,kpi,date,actual', ...rows, ''].join('\n'))
    // Two read what is stored of the locked user, who may have just these values.
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { rejected: 7, requests: 6 }])
    expect(reasons()).toEqual([
      `2,breakdown item ${west} (West) is archived and takes no new entries`,
      '3,"there is no breakdown item ""Norht""; did you mean ""North""?"',
      '4,"the source is ""North"", who is not ""Bob""; give one of them"',
      '5,"the source is ""Ann Lee"", who is not ""Bob""; give one of them"',
      '6,user and source are empty',
      `7,user ${lou} (Lou) is locked`,
      '8,"there is no user ""Nobody""; there is no breakdown item ""Nowhere"""',
    ])
    expect(await doors.held()).toEqual([])
    expect(north).toBeGreaterThan(0)
  })

  test('an item and a day twice is one key, also where a person is named as a user and as a source', async () => {
    const rows = [
      'North,,Sales,2026-01-02,1',
      'North,,Sales,2026-01-02,2',
      'Bob,,Sales,2026-01-02,3',
      ',3,Sales,2026-01-02,4',
    ]
    const ran = await load(['source,user,kpi,date,actual', ...rows, ''].join('\n'))
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { rejected: 4, created: 0 }])
    expect(reasons()[0]).toBe('2,"the same user or source, KPI and date are on lines 2, 3"')
    const last = await load(['source,user,kpi,date,actual', ...rows, ''].join('\n'), '--on-duplicate', 'last')
    expect(jsonOf(last)).toMatchObject({ created: 2 })
    expect(await doors.held()).toEqual([
      `item ${doors.items.north} 1 2026-01-02 2 - -`,
      `user ${bob} 1 2026-01-02 4 - -`,
    ])
  })

  test('an assignment that is missing is found out by the service, in its words', async () => {
    const ran = await load('user,kpi,date,actual\nBob,Visits,2026-01-03,1\nAnn Lee,Visits,2026-01-03,1\n')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 1, rejected: 1 }])
    expect(ran.stderr).not.toContain('--create-assignments')
    expect(doors.read('data.rejects.csv')).toContain(
      `kpi_id: KPI ${visits} (Visits) is not assigned to user ${bob} (Bob)`,
    )
  })

  test('a wide file is of one source, or has a column of them', async () => {
    const ran = await load('item,date,Sales,Visits\nSouth,2026-01-04,1,2\n')
    expect(jsonOf(ran)).toMatchObject({ created: 2, unchecked: null })
    const constant = await load('date,Sales,Visits\n2026-01-04,1,3\n', '--source', 'south')
    expect(jsonOf(constant)).toMatchObject({ updated: 1, unchanged: 1 })
  })

  test('keys that may not read breakdown items give their ids', async () => {
    const some = await doors.keyed('entries:write', 'kpis:read', 'users:read')
    const { north } = doors.items
    const rows = [`${north},,Sales,2026-01-05,1`, 'South,,Sales,2026-01-05,1']
    doors.write('data.csv', ['source,user,kpi,date,actual', ...rows, ''].join('\n'))
    const ran = await some('entries', 'import', 'data.csv', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
      3,
      { created: 1, rejected: 1, unchecked: 'breakdown items' },
    ])
    expect(ran.stderr).toContain(
      'the key may not read breakdown items (breakdowns:read): only the service can check what the rows say',
    )
    const unread = 'the key may not read breakdown items (breakdowns:read)'
    expect(reasons()).toEqual([`3,"${unread}, so give the id instead of ""South"""`])
  })

  test.each([
    ['source,kpi,date,actual\n5,1,2026-01-07,1\n', 'KPIs, breakdown items'],
    ['user,source,kpi,date,actual\n2,,1,2026-01-07,1\n', 'KPIs, users, assignments'],
    ['user,kpi,date,actual\n2,1,2026-01-07,1\n', 'KPIs, users, assignments'],
  ])('what could not be checked is what rows needed: of %j %s', async (text, unchecked) => {
    const writer = await doors.keyed('entries:write')
    doors.write('needed.csv', text)
    const ran = await writer('entries', 'import', 'needed.csv', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { rejected: 0, unchecked }])
    expect(ran.stderr.includes('users:read')).toBe(unchecked.includes('users'))
    expect(ran.stderr.includes('breakdowns:read')).toBe(unchecked.includes('items'))
  })

  test('a file that does not say whose its rows are may be given a source, too', async () => {
    const ran = await load('kpi,date,actual\nSales,2026-01-07,1\n')
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toContain('--map user=COLUMN or --user, or the source with --map source=COLUMN or --source')
  })

  test('assignments are not created there, which is said before anything is sent', async () => {
    const ran = await load('user,kpi,date,actual\nBob,Visits,2026-01-06,1\n', '--create-assignments')
    expect([ran.code, ran.stdout]).toEqual([7, ''])
    expect(errorOf(ran).message).toMatch(
      /^--create-assignments: .*: assign the KPIs in the application, or with a classic profile$/,
    )
  })

  test('a user and a source of all rows are too much', async () => {
    expect((await load('kpi,date,actual\n', '--user', 'Bob', '--source', 'North')).code).toBe(2)
  })
})

describe('the classic interface, which has no sources,', () => {
  test.each<[name: string, text: string, args: string[]]>([
    ['a source of all rows', 'kpi,date,actual\nSales,2026-01-01,1\n', ['--source', 'North']],
    ['a column that is said to be one', 'user,region,kpi,date,actual\n', ['--map', 'source=region']],
    ['a file whose rows have nothing else', 'source,kpi,date,actual\nNorth,Sales,2026-01-01,1\n', []],
  ])('refuses %s, and says what to give instead', async (_, text, args) => {
    await using doors = await openDoors()
    doors.write('data.csv', text)
    const ran = await doors.classic('entries', 'import', 'data.csv', ...args)
    expect([ran.code, ran.stdout]).toEqual([7, ''])
    expect(ran.stderr).toMatch(/breakdown items: (values belong to users there: --map user=COLUMN|use --user)/)
    expect(existsSync(doors.folder.in('data.rejects.csv'))).toBe(false)
  })

  test.each(['source', 'source_id'])('leaves %s out beside a column of the user, and says so', async (name) => {
    await using doors = await openDoors()
    doors.write('data.csv', `user,${name},kpi,date,actual\nBob,the till,Sales,2026-01-01,1\n`)
    const ran = await doors.classic('entries', 'import', 'data.csv', '-o', 'csv')
    expect([ran.code, ran.stderr]).toEqual([0, `columns left out: ${name}\n`])
    expect(await doors.held()).toEqual([`user ${bob} ${sales} 2026-01-01 1 - -`])
  })
})

test('the embedded service takes sources where a file has them, and is as ever where it has not', async () => {
  await using importer = await embeddedImporter()
  const { id } = await importer.client.groups.add({ name: 'Regions' })
  const north = await importer.client.groupItems(id).add({ name: 'North' })
  importer.write('data.csv', 'source,kpi,date,actual\nNorth,Sales,2026-01-01,1\nBob,Sales,2026-01-02,2\n')
  const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect(jsonOf(ran)).toMatchObject({ created: 2, unchecked: 'assignments' })
  importer.write('users.csv', 'user,source,kpi,date,actual\nBob,the till,Sales,2026-01-03,3\n')
  const users = await importer.kpi('entries', 'import', 'users.csv', '-o', 'json')
  expect([users.code, users.stderr, JSON.parse(users.stdout)]).toMatchObject([
    0,
    'columns left out: source\n',
    { created: 1, unchecked: null },
  ])
  expect(await heldIn(importer)).toEqual([
    '- 1 2026-01-01 1 - -',
    `${bob} 1 2026-01-02 2 - -`,
    `${bob} 1 2026-01-03 3 - -`,
  ])
  const piped = await importer.kpiWith(`item,kpi,date,actual\n${north.id},1,2026-01-01,1\n`)('entries', 'import', '-')
  expect(piped.code).toBe(0)
})

test('the embedded service reads source_id as sources beside users, too, so that no row is loaded for somebody else', async () => {
  await using importer = await embeddedImporter()
  const { id } = await importer.client.groups.add({ name: 'Regions' })
  await importer.client.groupItems(id).add({ name: 'North' })
  const load = (text: string, ...args: string[]): Promise<Ran> => {
    importer.write('data.csv', text)
    return importer.kpi('entries', 'import', 'data.csv', '-o', 'json', ...args)
  }
  const rows = 'Bob,North,Sales,2026-01-01,1\n,North,Sales,2026-01-01,2\nBob,Bob,Sales,2026-01-01,3\n'
  const ran = await load(`user,source_id,kpi,date,actual\n${rows}`)
  expect([ran.code, ran.stderr, JSON.parse(ran.stdout)]).toMatchObject([
    3,
    expect.not.stringContaining('left out'),
    { created: 2, rejected: 1 },
  ])
  expect(importer.read('data.rejects.csv')).toContain('the source is ""North"", who is not ""Bob""; give one of them')
  expect(await heldIn(importer)).toEqual(['- 1 2026-01-01 2 - -', `${bob} 1 2026-01-01 3 - -`])
  const constant = await load('source_id,kpi,date,actual\nNorth,Sales,2026-01-02,1\n', '--user', 'Bob')
  expect([constant.code, JSON.parse(constant.stdout)]).toMatchObject([3, { created: 0, rejected: 1 }])
  const ignored = await load('user,source_id,kpi,date,actual\nBob,North,Sales,2026-01-03,4\n', '--ignore', 'source_id')
  expect(jsonOf(ignored)).toMatchObject({ created: 1, unchecked: null })
})

test.each<[name: string, header: string, args: string[]]>([
  ['rows of sources', 'source,kpi,date,actual', []],
  ['a column source_id beside users', 'user,source_id,kpi,date,actual', []],
  ['a source of all rows', 'kpi,date,actual', ['--source', 'North']],
])('the embedded service makes no assignments for %s, and says what to do', async (_, header, args) => {
  await using importer = await embeddedImporter()
  importer.write('data.csv', `${header}\n`)
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--create-assignments', ...args)
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([
    7,
    '',
    'kpi: --create-assignments is for files of users alone: assign the KPIs first (kpi assign add), or leave the sources out (--ignore)\n',
  ])
})
