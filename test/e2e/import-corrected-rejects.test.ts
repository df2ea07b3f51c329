import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'

/** Loads a file, mends its rejects by replacing a text, and loads those: what is held then. */
const loadMended = async (
  importer: Importer,
  text: string,
  [bad, good]: readonly [string, string],
  ...flags: string[]
): Promise<{ readonly rejects: string; readonly held: readonly string[]; readonly ran: Ran }> => {
  importer.write('data.csv', text)
  expect((await importer.kpi('entries', 'import', 'data.csv', ...flags)).code).toBe(3)
  const rejects = importer.read('data.rejects.csv')
  importer.write('mended.csv', rejects.replaceAll(bad, good))
  const ran = await importer.kpi('entries', 'import', 'mended.csv', ...flags)
  return { rejects, held: await heldIn(importer), ran }
}

describe('the mended rejects of a wide file', () => {
  const WIDE = 'user,date,Sales,Visits\n2,2026-05-01,10,x\n2,2026-05-02,1,2\n'

  test.each(['add', 'error', 'skip', 'update'])('hold what was not loaded, with --on-conflict %s', async (way) => {
    await using importer = await embeddedImporter()
    const { rejects, held, ran } = await loadMended(importer, WIDE, [',x,', ',20,'], '--on-conflict', way)
    expect(rejects).toBe('user,date,Sales,Visits,_line,_reason\n2,2026-05-01,,x,2,"Visits ""x"" must be a number"\n')
    expect(ran.code).toBe(0)
    expect(held).toEqual([
      '2 1 2026-05-01 10 - -',
      '2 2 2026-05-01 20 - -',
      '2 1 2026-05-02 1 - -',
      '2 2 2026-05-02 2 - -',
    ])
  })

  test('hold the cells that are there already where that is an error, and no others', async () => {
    await using importer = await embeddedImporter()
    importer.write('first.csv', 'user,kpi,date,actual\n2,2,2026-05-01,7\n')
    await importer.kpi('entries', 'import', 'first.csv')
    const file = 'user,date,Sales,Visits\n2,2026-05-01,10,20\n'
    const { rejects } = await loadMended(importer, file, ['', ''], '--on-conflict', 'error')
    expect(rejects).toContain('\n2,2026-05-01,,20,2,')
  })

  test('hold the cells of a key that another row has, too', async () => {
    await using importer = await embeddedImporter()
    const file = 'user,date,Sales,Visits\n2,2026-05-01,1,2\n2,2026-05-01,,x\n'
    const { rejects, held } = await loadMended(importer, file, [',x,', ',5,'], '--on-duplicate', 'sum')
    expect(rejects.split('\n').slice(1, 3)).toEqual([
      '2,2026-05-01,,2,2,"the same user, KPI and date are on lines 2, 3, of which line 3 is bad"',
      '2,2026-05-01,,x,3,"Visits ""x"" must be a number; the same user, KPI and date are on lines 2, 3, of which line 3 is bad"',
    ])
    expect(held).toEqual(['2 1 2026-05-01 1 - -', '2 2 2026-05-01 7 - -'])
  })

  test('hold whole rows where empty cells clear, of which nothing was loaded', async () => {
    await using importer = await embeddedImporter()
    const { rejects, held } = await loadMended(importer, WIDE, [',x,', ',20,'], '--empty', 'clear')
    expect(rejects).toContain('\n2,2026-05-01,10,x,2,')
    expect(held).toContain('2 1 2026-05-01 10 - -')
    expect(held).toContain('2 2 2026-05-01 20 - -')
  })

  test('cannot be told where empty cells clear and others are added', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', WIDE)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '--empty', 'clear', '--on-conflict', 'add')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('--empty clear does not go with --on-conflict add')
  })
})

describe('a key of which one row is bad', () => {
  const FILE = 'user,kpi,date,actual\n2,1,2026-07-01,10\n2,1,2026-07-02,1\n2,1,2026-07-01,x\n'

  test.each([
    ['sum', 15],
    ['first', 10],
    ['last', 5],
  ])(
    'is rejected as a whole with --on-duplicate %s, and comes to the same once that is mended',
    async (way, actual) => {
      await using importer = await embeddedImporter()
      const { rejects, held } = await loadMended(importer, FILE, [',x,', ',5,'], '--on-duplicate', way)
      expect(rejects.split('\n')).toHaveLength(4)
      expect(held).toEqual([`2 1 2026-07-01 ${actual} - -`, '2 1 2026-07-02 1 - -'])
    },
  )

  test('is an error where duplicates are', async () => {
    await using importer = await embeddedImporter()
    const { rejects, held, ran } = await loadMended(importer, FILE, [',x,', ',5,'])
    expect(rejects).toContain('\n2,1,2026-07-01,10,2,"the same user, KPI and date are on lines 2, 4, of which line 4')
    expect(ran.code).toBe(3)
    expect(held).toEqual(['2 1 2026-07-02 1 - -'])
  })

  test('says nothing of work that is left', async () => {
    await using importer = await embeddedImporter()
    importer.write('data.csv', FILE)
    const ran = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 3, created: 1, rejected: 2, left: 0 })
  })
})

test('a sum keeps the last target and the last notes that a row gives', async () => {
  await using importer = await embeddedImporter()
  importer.write(
    'data.csv',
    'user,kpi,date,actual,target,notes\n2,2,2026-07-21,10,100,first note\n2,2,2026-07-21,5,,\n2,2,2026-07-21,1,90,\n',
  )
  await importer.kpi('entries', 'import', 'data.csv', '--on-duplicate', 'sum')
  expect(await heldIn(importer)).toEqual(['2 2 2026-07-21 16 90 first note'])
})

test('cells that a row has beyond the header are no fault where they are empty', async () => {
  await using importer = await embeddedImporter()
  importer.write('data.csv', 'user;kpi;date;actual\n2;1;2026-07-07;1;;\n2;1;2026-07-08;x;;\n2;1;2026-07-09;3;;4\n')
  expect((await importer.kpi('entries', 'import', 'data.csv')).code).toBe(3)
  expect(await heldIn(importer)).toEqual(['2 1 2026-07-07 1 - -'])
  expect(importer.read('data.rejects.csv').split('\n').slice(0, 3)).toEqual([
    'user;kpi;date;actual;_line;_reason',
    '2;1;2026-07-08;x;3;"actual ""x"" must be a number"',
    '2;1;2026-07-09;3;;4;4;the row has 6 cells, the header has 4',
  ])
})
