import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, ID, type Importer, importers } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'

const HEADER = 'user,kpi,date,actual,target,notes'

/** Imports a text with some options, and answers the summary and what the account then holds. */
const load = async (
  importer: Importer,
  text: string | Uint8Array,
  ...options: string[]
): Promise<{ code: number; summary: unknown; held: string[] }> => {
  importer.write('data.csv', text)
  const { code, stdout, stderr } = await importer.kpi('entries', 'import', 'data.csv', '-o', 'json', ...options)
  if (stdout === '') throw new Error(stderr)
  return { code, summary: JSON.parse(stdout), held: await heldIn(importer) }
}

describe.each(importers)('%s', (_, open) => {
  test('an empty cell keeps what is stored, and clears it where asked to', async () => {
    await using importer = await open()
    const first = `${HEADER}\nAnn Lee,Visits,2026-01-01,1,2,a\nAnn Lee,Visits,2026-01-02,1,2,b\n`
    await load(importer, first)
    const second = `${HEADER}\nAnn Lee,Visits,2026-01-01,,3,\nAnn Lee,Visits,2026-01-02,5,,\n`
    expect(await load(importer, second)).toMatchObject({
      summary: { updated: 2, created: 0 },
      held: ['2 2 2026-01-01 1 3 a', '2 2 2026-01-02 5 2 b'],
    })
    expect(await load(importer, second, '--empty', 'clear')).toMatchObject({
      summary: { updated: 2, created: 0 },
      held: ['2 2 2026-01-01 - 3 -', '2 2 2026-01-02 5 - -'],
    })
    expect(await load(importer, second, '--empty', 'clear')).toMatchObject({ summary: { unchanged: 2, updated: 0 } })
  })

  test('a key that stands in the file twice is settled as asked', async () => {
    await using importer = await open()
    const twice = (date: string): string => `${HEADER}\nBob,Sales,${date},1,,a\nBob,Sales,${date},2.5,,b\n`
    expect(await load(importer, twice('2026-01-01'))).toMatchObject({ code: 3, summary: { rejected: 2 }, held: [] })
    await load(importer, twice('2026-01-02'), '--on-duplicate', 'first')
    await load(importer, twice('2026-01-03'), '--on-duplicate', 'last')
    expect(await load(importer, twice('2026-01-04'), '--on-duplicate', 'sum')).toEqual({
      code: 0,
      summary: expect.objectContaining({ read: 2, created: 1, rejected: 0 }) as unknown,
      held: ['3 1 2026-01-02 1 - a', '3 1 2026-01-03 2.5 - b', '3 1 2026-01-04 3.5 - b'],
    })
  })
})

test('values over four decimals are rounded and counted; --strict rejects them', async () => {
  await using importer = await embeddedImporter()
  const text = `${HEADER}\nAnn Lee,Visits,2026-01-01,1.00005,2.12344,\nAnn Lee,Visits,2026-01-02,-1.00005,3,\n`
  expect(await load(importer, text, '--strict')).toMatchObject({
    code: 3,
    summary: { rejected: 2, rounded: 0 },
    held: [],
  })
  expect(importer.read('data.rejects.csv')).toContain(
    ',2,"actual ""1.00005"" has more than four decimals; target ""2.12344"" has more than four decimals"\n',
  )
  expect(await load(importer, text)).toMatchObject({
    code: 0,
    summary: { rejected: 0, rounded: 3 },
    held: ['2 2 2026-01-01 1.0001 2.1234 -', '2 2 2026-01-02 -1.0001 3 -'],
  })
})

const ONE = ['3 1 2026-01-31 5 - -']

test.each<[name: string, text: string | Uint8Array, options: string[]]>([
  ['a byte order mark', '\ufeffuser,kpi,date,actual\nBob,Sales,2026-01-31,5\n', []],
  ['CRLF and blank lines', '\r\nuser,kpi,date,actual\r\n\r\nBob,Sales,2026-01-31,5\r\n\r\n', []],
  ['a header that ends in CRLF and rows that end in LF', 'user,kpi,date,actual\r\nBob,Sales,2026-01-31,5\n', []],
  [
    'rows after those, too',
    'user,kpi,date,actual\r\nBob,Sales,2026-01-31,4\nBob,Sales,2026-01-31,5\n',
    ['--on-duplicate', 'last'],
  ],
  ['rows of empty cells, as spreadsheets leave them', 'user,kpi,date,actual\nBob,Sales,2026-01-31,5\n,,,\n,,,\n', []],
  [
    'other headers',
    'Wer,Was,Tag,"Ist, netto"\nBob,Sales,2026-01-31,5\n',
    ['--map', 'user=Wer,kpi=Was', '--map', 'date=Tag,actual="Ist, netto"'],
  ],
  [
    'columns to ignore',
    'date,Sales,"A, b",c\n2026-01-31,5,x,y\n',
    ['--user', 'bob@example.com', '--ignore', '"A, b",C'],
  ],
  ['constants', 'actual\n5\n', ['--user', '3', '--kpi', 'sales', '--date', '2026-01-31']],
  ['a column for each KPI', 'date,user,Sales\n2026-01-31,Bob,5\n', ['--layout', 'wide']],
  ['a column for each user', 'date,kpi,Ann Lee,Bob\n2026-01-31,Sales,,5\n', []],
])('a file may have %s', async (_, text, options) => {
  await using importer = await embeddedImporter()
  expect(await load(importer, text, ...options)).toMatchObject({ code: 0, held: ONE })
})

test('a file may come from standard input', async () => {
  await using importer = await embeddedImporter()
  const kpi = importer.kpiWith('user,kpi,date,actual\nBob,Sales,2026-01-31,5\n')
  expect(jsonOf(await kpi('entries', 'import', '-', '-o', 'json'))).toMatchObject({ read: 1, created: 1 })
  expect(await heldIn(importer)).toEqual(ONE)
})

describe('with --empty clear', () => {
  test.each<[name: string, text: string]>([
    ['an empty cell', 'date,user,Sales,Visits\n2026-01-31,Ann Lee,5,\n'],
    ['an empty cell of a KPI that is not assigned', 'date,user,Sales,Visits\n2026-01-31,Bob,5,\n'],
    ['an empty row', `${HEADER}\nBob,Sales,2026-01-31,5,,\nBob,Sales,2026-02-01,,,\n`],
  ])('%s that has nothing to clear is no reject', async (_, text) => {
    await using importer = await embeddedImporter()
    const user = text.includes('Bob') ? 3 : 2
    expect(await load(importer, text, '--empty', 'clear')).toMatchObject({
      code: 0,
      summary: { created: 1, rejected: 0, empty: 1 },
      held: [`${user} 1 2026-01-31 5 - -`],
    })
  })

  test.each(importers)('what would be left with nothing, or may not be changed, is a reject: %s', async (_, open) => {
    await using importer = await open()
    await load(importer, 'date,user,Sales,Visits\n2026-01-30,Ann Lee,4,\n2026-01-31,Ann Lee,5,6\n')
    await importer.client.assignments(ID.ann).remove(ID.visits)
    const text = 'date,user,Sales,Visits\n2026-01-30,Ann Lee,,\n2026-01-31,Ann Lee,7,\n'
    expect(await load(importer, text, '--empty', 'clear')).toMatchObject({
      code: 3,
      summary: { updated: 1, rejected: 2, empty: 1 },
      held: ['2 1 2026-01-30 4 - -', '2 1 2026-01-31 7 - -', '2 2 2026-01-31 6 - -'],
    })
    expect(importer.read('data.rejects.csv').split('\n').slice(1, -1)).toEqual([
      expect.stringMatching(/^2026-01-30,Ann Lee,,,2,actual: is required/),
      '2026-01-31,Ann Lee,7,,3,KPI 2 (Visits) is not assigned to user 2 (Ann Lee)',
    ])
  })
})
