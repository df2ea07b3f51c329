import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, ID, importers, lockedMeanwhile } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'

const HEADER = 'user,kpi,date,actual,target,notes'

describe.each(importers)('%s', (_, open) => {
  test('bad rows go to the rejects file with all their reasons, the others are loaded', async () => {
    await using importer = await open()
    importer.write(
      'data.csv',
      [
        HEADER,
        'Ann Lee,Sales,2026-01-01,5,,fine',
        'Ann Lee,Sales,2026-02-30,x,,"a, b"',
        'Ann Lee,Salez,2026-01-02,1,,',
        'Ann Lee,Closed,2026-01-02,1,,',
        'Bob,Visits,2026-01-02,1,,',
        'Lou,Sales,2026-01-02,1,,',
        'Ann Lee,Visits,2026-01-03,1,2,',
        'Bob,Sales,2026-01-04,1,,first',
        'Bob,Sales,2026-01-04,2,,again',
        'Bob,Sales,2026-01-05,1,,,,x',
        'Bob,Sales,2026-01-06,7',
        '',
      ].join('\n'),
    )
    const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(/8 rows were rejected; they are in data\.rejects\.csv/)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      read: 11,
      created: 3,
      updated: 0,
      unchanged: 0,
      rejected: 8,
      left: 0,
    })
    expect(await heldIn(importer)).toEqual(['2 1 2026-01-01 5 - fine', '2 2 2026-01-03 1 2 -', '3 1 2026-01-06 7 - -'])
    expect(importer.read('data.rejects.csv').split('\n')).toEqual([
      `${HEADER},_line,_reason`,
      'Ann Lee,Sales,2026-02-30,x,,"a, b",3,"""2026-02-30"" is a date that does not exist; actual ""x"" must be a number"',
      'Ann Lee,Salez,2026-01-02,1,,,4,"there is no KPI ""Salez""; did you mean ""Sales""?"',
      'Ann Lee,Closed,2026-01-02,1,,,5,KPI 3 (Closed) is inactive and takes no entries',
      'Bob,Visits,2026-01-02,1,,,6,KPI 2 (Visits) is not assigned to user 3 (Bob)',
      'Lou,Sales,2026-01-02,1,,,7,user 4 (Lou) is locked',
      'Bob,Sales,2026-01-04,1,,first,9,"the same user, KPI and date are on lines 9, 10"',
      'Bob,Sales,2026-01-04,2,,again,10,"the same user, KPI and date are on lines 9, 10"',
      expect.stringMatching(/^Bob,Sales,2026-01-05,1,,,.*,11,"?the row has 8 cells, the header has 6"?$/),
      '',
    ])
  })

  test.each(['error', 'last'])(
    'a row with too many cells puts the other rows of its key in doubt, with --on-duplicate %s',
    async (onDuplicate) => {
      await using importer = await open()
      const rows = [
        'Bob,Sales,01.01.2026,1,5',
        'Bob,Sales,01.01.2026,2',
        'Bob,Sales,13.01.2026,3',
        'x,Bob,Sales,13.01.2026,4',
      ]
      importer.write('data.csv', ['user,kpi,date,actual', ...rows, ''].join('\n'))
      await importer.kpi('entries', 'import', 'data.csv', '--on-duplicate', onDuplicate)
      expect(await heldIn(importer)).toEqual(['3 1 2026-01-13 3 - -'])
      const twice = '"the same user, KPI and date are on lines 2, 3, of which line 2 is bad"'
      const surplus = 'the row has 5 cells, the header has 4'
      expect(importer.read('data.rejects.csv').split('\n').slice(1)).toEqual([
        `${rows[0]},2,"${surplus}; ${twice.slice(1)}`,
        `${rows[1]},3,${twice}`,
        `${rows[3]},5,"${surplus}"`,
        '',
      ])
    },
  )

  test('rows of one key that are all bad by themselves are told so', async () => {
    await using importer = await open()
    importer.write('data.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,x\nBob,Sales,2026-01-01,y\n')
    await importer.kpi('entries', 'import', 'data.csv')
    const twice = 'the same user, KPI and date are on lines 2, 3, all of them bad for other reasons'
    expect(importer.read('data.rejects.csv').split('\n').slice(1)).toEqual([
      `Bob,Sales,2026-01-01,x,2,"actual ""x"" must be a number; ${twice}"`,
      `Bob,Sales,2026-01-01,y,3,"actual ""y"" must be a number; ${twice}"`,
      '',
    ])
  })

  test('a row of a wide file with too many cells puts all cells of its keys in doubt', async () => {
    await using importer = await open()
    importer.write(
      'data.csv',
      'user,date,Sales,Visits\nAnn Lee,2026-01-01,1,5,\nAnn Lee,2026-01-02,1,5,2\nAnn Lee,2026-01-02,3,\n',
    )
    await importer.kpi('entries', 'import', 'data.csv')
    expect(await heldIn(importer)).toEqual(['2 1 2026-01-01 1 - -', '2 2 2026-01-01 5 - -'])
    expect(importer.read('data.rejects.csv').split('\n')).toHaveLength(4)
  })

  test('a mended rejects file is imported as it is', async () => {
    await using importer = await open()
    importer.write(
      'data.csv',
      `${HEADER}\nBob,Sales,2026-02-30,1,,"a\nb"\nBob,Sales,2026-03-01,x,,\nZed,Sales,2026-03-01,1,,\n`,
    )
    expect((await importer.kpi('entries', 'import', 'data.csv')).code).toBe(3)
    const mended = importer.read('data.rejects.csv').replace('2026-02-30', '2026-02-28').replace(',x,', ',2,')
    importer.write('data.rejects.csv', mended)

    const ran = await importer.kpi('entries', 'import', 'data.rejects.csv', '-o', 'json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 3, created: 2, rejected: 1 })
    expect(await heldIn(importer)).toEqual(['3 1 2026-02-28 1 - a\nb', '3 1 2026-03-01 2 - -'])
    expect(importer.read('data.rejects.rejects.csv')).toBe(
      `${HEADER},_line,_reason\nZed,Sales,2026-03-01,1,,,5,"there is no user ""Zed"""\n`,
    )
  })

  test('a row of a wide file that is partly good is a reject, and is imported again without harm', async () => {
    await using importer = await open()
    importer.write('wide.csv', 'date,user,Sales,Visits\n2026-01-01,Ann Lee,1,x\n2026-01-02,Ann Lee,1,\n')
    const ran = await importer.kpi('entries', 'import', 'wide.csv', '-o', 'json')
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 2, created: 2, rejected: 1, empty: 1 }])
    importer.write('wide.rejects.csv', importer.read('wide.rejects.csv').replace(',x,', ',9,'))
    expect(jsonOf(await importer.kpi('entries', 'import', 'wide.rejects.csv', '-o', 'json'))).toMatchObject({
      read: 1,
      created: 1,
      empty: 1,
      rejected: 0,
    })
  })
})

const BAD = `${HEADER}\nBob,Sales,2026-01-01,1,,\nBob,Sales,2026-01-02,x,,\n`

describe('the rejects file', () => {
  test.each([
    ['beside the file', ['data.csv'], 'data.rejects.csv'],
    ['beside a file elsewhere', ['sub/data.txt'], 'sub/data.rejects.csv'],
    ['where --rejects says', ['data.csv', '--rejects', 'sub/bad.csv'], 'sub/bad.csv'],
    ['in the working directory for standard input', ['-'], 'stdin.rejects.csv'],
  ])('is written %s', async (_, args, path) => {
    await using importer = await embeddedImporter()
    mkdirSync(importer.folder.in('sub'))
    for (const name of ['data.csv', 'sub/data.txt']) importer.write(name, BAD)
    const { code, stderr } = await importer.kpiWith(BAD)('entries', 'import', ...args)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(`in ${path} `) as unknown })
    expect(importer.read(path)).toBe(
      `${HEADER},_line,_reason\nBob,Sales,2026-01-02,x,,,3,"actual ""x"" must be a number"\n`,
    )
    expect(
      readdirSync(importer.folder.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /part|stdin-|sort/.test(name),
      ),
    ).toEqual([])
  })

  test('is not written where there are no rejects, nor by a dry run', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', `${HEADER}\nBob,Sales,2026-01-01,1,,\n`)
    importer.write('bad.csv', BAD)
    expect((await importer.kpi('entries', 'import', 'data.csv')).code).toBe(0)
    expect((await importer.kpi('entries', 'import', 'bad.csv', '--dry-run')).code).toBe(3)
    expect(['data.rejects.csv', 'bad.rejects.csv'].filter((name) => existsSync(importer.folder.in(name)))).toEqual([])
  })

  test('is never the file itself, whose other rows would be lost', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', BAD)
    const { code, stderr } = await importer.kpi('entries', 'import', 'data.csv', '--rejects', './data.csv')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('name another') as unknown })
    expect(importer.read('data.csv')).toBe(BAD)
  })

  test('names the first lines of a key that stands on many', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', `${HEADER}\n${'Bob,Sales,2026-01-01,1,,\n'.repeat(30)}`)
    expect((await importer.kpi('entries', 'import', 'data.csv')).code).toBe(3)
    const [, ...rows] = importer.read('data.rejects.csv').trimEnd().split('\n')
    expect(rows).toHaveLength(30)
    expect(rows[29]).toContain('are on lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 20 more')
  })

  test('that cannot be written is told of before anything is sent', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', BAD)
    const { code, stderr } = await importer.kpi('entries', 'import', 'data.csv', '--rejects', 'none/bad.csv')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^kpi: cannot write .*none\/bad\.csv: /) as unknown,
    })
    expect(await heldIn(importer)).toEqual([])
  })
})

test('a rejects file of an earlier run is told apart, and stays', async () => {
  await using importer = await embeddedImporter()
  importer.write('data.csv', `${HEADER}\nBob,Salez,2026-01-01,1,,\n`)
  expect(await importer.kpi('entries', 'import', 'data.csv')).toMatchObject({ code: 3 })
  importer.write('data.csv', `${HEADER}\nBob,Sales,2026-01-01,1,,\n`)
  const ran = await importer.kpi('entries', 'import', 'data.csv')
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^nothing was rejected; data\.rejects\.csv is from an earlier run\nimported /,
    ) as string,
  })
  expect(importer.read('data.rejects.csv')).toContain('Salez')
})

test('rejects that cannot be written in the end are written by the same command, which adds nothing again', async () => {
  await using importer = await lockedMeanwhile()
  importer.write('data.csv', 'user,kpi,date,actual\nAnn Lee,Sales,2026-01-01,1\nBob,Sales,2026-01-01,1\n')
  const args = ['entries', 'import', 'data.csv', '--on-conflict', 'add', '--rejects', 'out/r.csv', '-o', 'json']
  const first = await importer.kpi(...args)
  expect([first.code, JSON.parse(first.stdout)]).toMatchObject([1, { created: 1, rejected: 1, left: 0 }])
  expect(first.stderr).toContain('1 row was rejected, but cannot write ')
  expect(first.stderr).toContain('once that is fixed, the same command writes the rejects')
  mkdirSync(importer.folder.in('out'))
  await importer.client.users.update(ID.ann, { user_status_id: 'A' })
  const again = await importer.kpi(...args)
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([3, { created: 1, rejected: 1, left: 0 }])
  expect(importer.read('out/r.csv')).toContain('Ann Lee,Sales,2026-01-01,1,2,')
  expect(await heldIn(importer)).toEqual(['3 1 2026-01-01 1 - -'])
})

describe('the last line', () => {
  const ONE = 'kpi: 1 row was rejected; it is in data.rejects.csv with the reasons: fix it there and import that file'
  const DATED = 'kpi,date,actual\nSales,2026-01-01,1\nSales,2026-01-02,x\n'
  const PLAIN = `user,${DATED.replaceAll('\nSales', '\nBob,Sales')}`

  test.each<[string, text: string, flags: readonly string[], said: string]>([
    ['says no more where nothing was given that the rejects need', PLAIN, ['--rate', '100', '--only-changes'], ''],
    ['says that the rejects need what was given', DATED, ['--user', 'Bob'], ' with the same flags'],
    ['says so of how the file is written', PLAIN, ['--decimal', '.'], ' with the same flags'],
    ['says so of what is created', PLAIN, ['--create-missing'], ' with the same flags'],
    ['says so of the columns that are used', PLAIN, ['--columns', 'user,kpi,date,actual'], ' with the same flags'],
    ['says so of what becomes of entries', PLAIN, ['--on-conflict', 'skip'], ' with the same flags'],
    [
      'says that rejects are UTF-8',
      DATED,
      ['--user', 'Bob', '--encoding', 'windows-1252'],
      ' with the same flags, but --encoding utf-8',
    ],
  ])('%s', async (_, text, flags, said) => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', text)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--quiet', ...flags)
    expect([ran.code, ran.stderr]).toEqual([3, `${ONE}${said}\n`])
    importer.write('data.rejects.csv', importer.read('data.rejects.csv').replace(',x,', ',7,'))
    const again = said.includes('--encoding') ? [...flags, '--encoding', 'utf-8'] : flags
    expect(await importer.kpi('entries', 'import', 'data.rejects.csv', '--quiet', ...again)).toMatchObject({ code: 0 })
  })

  const GERMAN = 'user;kpi;date;actual\nBob;Sales;13.05.2026;1,5\nBob;Visits;1.5.2026;2\nBob;Sales;2.5.2026;x\n'
  const TWO = ONE.replace('1 row was', '2 rows were').replace('it is in', 'they are in').replace('fix it', 'fix them')
  const FORMS = '--decimal , --date-format DD.MM.YYYY --create-assignments'

  test.each<[string, flags: readonly string[], said: string, again: readonly string[]]>([
    ['alone', [], ` with ${FORMS}`, []],
    ['beside the same ones', ['--on-conflict', 'skip'], ` with the same flags and ${FORMS}`, ['--on-conflict', 'skip']],
    [
      'but for those that were given',
      ['--decimal', ',', '--encoding', 'windows-1252'],
      ' with the same flags, but --encoding utf-8, and --date-format DD.MM.YYYY --create-assignments',
      ['--decimal', ','],
    ],
    ['as a mapping', ['--save-mapping', 'bank'], ' with --mapping bank --create-assignments', []],
  ])('names all flags that the rejects need, %s', async (_, flags, said, again) => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', GERMAN)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--quiet', ...flags)
    expect(ran.stderr.split('\n')[0]).toBe(TWO + said)
    importer.write('data.rejects.csv', importer.read('data.rejects.csv').replace(';x;', ';1;'))
    const more = / (?:with|and) (--.*)$/.exec(said)?.[1]?.split(' ') ?? []
    const mended = await importer.kpi('entries', 'import', 'data.rejects.csv', '--quiet', ...again, ...more)
    expect(mended).toMatchObject({ code: 0, stderr: '' })
  })

  test('is followed by how missing assignments are made, which is nothing to mend in a file', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,1\nBob,Visits,2026-01-02,1\n')
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--quiet')
    expect(ran.stderr).toBe(
      `${ONE} with --create-assignments\nkpi: rows whose KPI is not assigned to its user need no fix: --create-assignments creates the missing assignments\n`,
    )
    const again = await importer.kpi('entries', 'import', 'data.rejects.csv', '--quiet', '--create-assignments')
    expect(again).toMatchObject({ code: 0, stderr: '' })
  })
})

test('where rejects cannot go, the flag that names another file is told', async () => {
  await using importer = await embeddedImporter()
  importer.write('data.csv', `${HEADER}\nAnn Lee,Sales,2026-01-01,x,,\n`)
  symlinkSync('elsewhere', importer.folder.in('data.rejects.csv'))
  const linked = await importer.kpi('entries', 'import', 'data.csv')
  expect([linked.code, linked.stderr]).toEqual([
    1,
    expect.stringContaining('remove the link, or name another file with --rejects FILE\n'),
  ])
  const { code, stderr } = await importer.kpi('entries', 'import', 'data.csv', '--rejects', '-')
  expect([code, stderr]).toEqual([
    2,
    'kpi entries import: --rejects - is no file, and standard output is for the summary; name a file\n',
  ])
  expect([await heldIn(importer), existsSync(importer.folder.in('-'))]).toEqual([[], false])
})
