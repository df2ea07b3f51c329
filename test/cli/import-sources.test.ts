import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'
import { rowsOf, xlsxOf } from '../support/workbook.ts'
import { zipOf } from '../support/zip.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(() => user[Symbol.asyncDispose]())

const HEADER = ['user', 'kpi', 'date', 'actual']
const SALES = rowsOf([HEADER, ['Ann Lee', 'Revenue', '2026-03-01', 1.5], ['Nobody', 'Revenue', '2026-03-02', 2]])
const VISITS = rowsOf([HEADER, ['Ann Lee', 'Visits', '2026-03-01', 7]])
const BOOK = xlsxOf({ sheets: { Sales: SALES, Visits: VISITS } })

const write = (name: string, content: string | Uint8Array): void => writeFileSync(user.folder.in(name), content)

describe('a workbook', () => {
  test('is imported from the sheet that is named, and its rejects are a CSV file that is imported in turn', async () => {
    write('book.xlsx', BOOK)
    expect((await user.kpi('entries', 'import', 'book.xlsx')).stderr).toContain(
      "several of its sheets hold rows: 1 (Sales, 3 rows of up to 4 cells), 2 (Visits, 2 rows of up to 4 cells); say which with --sheet NAME or its number, or read all with --sheet '*'",
    )
    const ran = await user.kpi('entries', 'import', 'book.xlsx', '--sheet', 'sales', '--save-mapping', 'book')
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('book.rejects.csv')])
    const rejects = readFileSync(user.folder.in('book.rejects.csv'), 'utf8')
    // The mark by which spreadsheets recognize UTF-8.
    expect(rejects).toMatch(/^\ufeffuser,kpi,date,actual,\S+,\S+\nNobody,Revenue,2026-03-02,2,3,/)
    write('book.rejects.csv', rejects.replace('Nobody', 'Ann Lee'))
    const fixed = await user.kpi('entries', 'import', 'book.rejects.csv', '--mapping', 'book', '-o', 'json')
    expect(jsonOf(fixed)).toMatchObject({ created: 1, rejected: 0 })
  })

  test('is read by a mapping, which saves the sheet and nothing of how a text would be written', async () => {
    write('book.xlsx', BOOK)
    await user.kpi('entries', 'import', 'book.xlsx', '--sheet', '2', '--save-mapping', 'visits')
    const saved: unknown = JSON.parse(readFileSync(join(user.folder.path, '.config/kpi/mappings/visits.json'), 'utf8'))
    expect(saved).toMatchObject({ sheet: ['2'] })
    expect(saved).not.toHaveProperty('separator')
    const ran = await user.kpi('entries', 'import', 'book.xlsx', '--mapping', 'visits', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ read: 1, unchanged: 1 })
  })

  test('is explained, also from standard input and an archive', async () => {
    const content = zipOf({ 'book.xlsx': BOOK })
    const ran = await user.kpiIn(
      { stdin: content },
      'entries',
      'import',
      '-',
      '--sheet',
      '1',
      '--explain',
      '-o',
      'json',
    )
    const found = jsonOf(ran) as { topic: string; found: string; evidence: string }[]
    expect(found.slice(0, 3)).toEqual([
      { topic: 'archive', found: 'zip', evidence: 'book.xlsx is the only file in it' },
      { topic: 'workbook', found: 'xlsx', evidence: 'it holds xl/workbook.xml' },
      { topic: 'sheet', found: 'Sales (1 of 2)', evidence: '--sheet 1' },
    ])
    expect(found.map(({ topic }) => topic)).not.toContain('encoding')
  })

  test('is imported from all its sheets, each with its own counts and rejects, and once', async () => {
    write('book.xlsx', xlsxOf({ sheets: { Cover: rowsOf([['Sales of 2026']]), Sales: SALES, Visits: VISITS } }))
    const all = ['entries', 'import', 'book.xlsx', '--sheet', '*']
    const ran = await user.kpi(...all, '-o', 'json')
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('left out 1 sheet: 1 (Cover, no table)') })
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { file: 'book.xlsx, sheet Sales', read: 2, created: 1, rejected: 1 },
      { file: 'book.xlsx, sheet Visits', read: 1, created: 1, rejected: 0 },
    ])
    expect(ran.stderr).toContain('1 row was rejected; it is in book-Sales.rejects.csv with the reasons')
    expect(readdirSync(user.folder.path).filter((name) => name.startsWith('book'))).toEqual([
      'book-Sales.rejects.csv',
      'book.xlsx',
    ])
    const again = await user.kpi(...all, '-o', 'json')
    expect(JSON.parse(again.stdout)).toMatchObject([{ unchanged: 1 }, { unchanged: 1 }])
    const people = await user.kpi(...all)
    expect(people.stderr).toMatch(/imported 2 sheets at \S+ 3 rows read/)
  })

  test('is read as one whose sheets correct each other, as their names say, or are asked about', async () => {
    const corrected = rowsOf([HEADER, ['Ann Lee', 'Revenue', '2026-03-01', 3]])
    const first = rowsOf([HEADER, ['Ann Lee', 'Revenue', '2026-03-01', 1]])
    write('book.xlsx', xlsxOf({ sheets: { 'Sales korrigiert': corrected, Sales: first, Other: first } }))
    const asked = await user.kpi('entries', 'import', 'book.xlsx', '--sheet', '*')
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('book.xlsx, sheet Other') })
    const ran = await user.kpi('entries', 'import', 'book.xlsx', '--sheet', 'Sales*', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject([
      { file: 'book.xlsx, sheet Sales', restated: 1, created: 0 },
      { file: 'book.xlsx, sheet Sales korrigiert', created: 1 },
    ])
  })

  test.each<[line: string, stderr: string]>([
    [
      'entries import book.xlsx --sheet Sales --sheet Vis* --rejects r.csv',
      'kpi entries import: --rejects would name one file for several sheets; import one sheet at a time\n',
    ],
    [
      'entries import book.xlsx --sheet * --save-mapping m',
      'kpi entries import: --save-mapping would name one file for several sheets; import one sheet at a time\n',
    ],
    ['entries import book.xlsx --sheet=', 'kpi entries import: --sheet is an empty list\n'],
    [
      'assign import book.xlsx --sheet *',
      'kpi assign import: --sheet * may be several sheets, and one is imported; name that, in double quotes if its name has a comma\n',
    ],
    [
      'kpis import book.xlsx --sheet 1 --sheet 2',
      'kpi kpis import: --sheet 1,2 may be several sheets, and one is imported; name that, in double quotes if its name has a comma\n',
    ],
  ])('kpi %s is refused', async (line, stderr) => {
    write('book.xlsx', BOOK)
    expect(await user.kpi(...line.split(' '))).toEqual({ code: 2, stdout: '', stderr })
  })

  test('has a sheet with a comma in its name, which is quoted as in every list', async () => {
    write('book.xlsx', xlsxOf({ sheets: { 'Visits, all': VISITS, Sales: SALES } }))
    const named = (name: string) => user.kpi('entries', 'import', 'book.xlsx', '--sheet', name, '-o', 'json')
    expect((await named('Visits, all')).stderr).toContain(
      'it has no sheet \\"Visits\\"; its sheets are 1 (\\"Visits, all\\"), 2 (Sales)',
    )
    expect(jsonOf(await named('"Visits, all"'))).toMatchObject({ created: 1 })
  })

  test('of assignments is imported as well', async () => {
    write(
      'assign.xlsx',
      xlsxOf({
        sheets: {
          A: rowsOf([
            ['user', 'kpi', 'target'],
            [3, 'Revenue', 5],
          ]),
          B: VISITS,
        },
      }),
    )
    const ran = await user.kpi('assign', 'import', 'assign.xlsx', '--sheet', 'A', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ read: 1, added: 1 })
  })

  test('has numbers and dates that are never in doubt', async () => {
    const cell = (kpi: string, serial: number, actual: string): string =>
      `<row><c t="inlineStr"><is><t>Ann Lee</t></is></c><c t="inlineStr"><is><t>${kpi}</t></is></c><c s="1"><v>${serial}</v></c><c><v>${actual}</v></c></row>`
    const sheet =
      rowsOf([HEADER]) + cell('Visits', 46082, '1.234') + cell('Visits', 46083, '2.5') + cell('Visits', 46084, '12.345')
    write('book.xlsx', xlsxOf({ sheets: { A: sheet }, formats: ['d/m/yy'] }))
    expect(jsonOf(await user.kpi('entries', 'import', 'book.xlsx', '-o', 'json'))).toMatchObject({ created: 3 })
    const { stdout } = await user.kpi(
      'entries',
      'list',
      '--kpi',
      'Visits',
      '--from',
      '2026-03-01',
      '--to',
      '2026-03-31',
      '-o',
      'csv',
    )
    for (const text of ['2026-03-01,1.234', '2026-03-02,2.5', '2026-03-03,12.345']) expect(stdout).toContain(text)
  })
})

describe('a query', () => {
  beforeEach(() => {
    const database = new DatabaseSync(user.folder.in('shop.sqlite'))
    database.exec(`CREATE TABLE counts (day TEXT, visits REAL);
      INSERT INTO counts VALUES ('2026-03-01', 1.234), ('2026-03-02', NULL), ('never', 3)`)
    database.close()
  })
  const QUERY = ['--sql', 'select day as date, visits from counts', '--from-db', 'shop.sqlite']

  test('is imported like a file, with rejects named after the database', async () => {
    const ran = await user.kpi('entries', 'import', ...QUERY, '--user', 'Ann Lee', '--verify', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toMatchObject({ read: 3, created: 1, empty: 1, rejected: 1 })
    expect(readFileSync(user.folder.in('shop.rejects.csv'), 'utf8')).toMatch(/^date,visits,.*\nnever,3,4,/)
    const receipt: unknown = JSON.parse(readFileSync(user.folder.in('shop.receipt.json'), 'utf8'))
    expect(receipt).toMatchObject({ file: { name: 'shop.sqlite' }, rejects_file: 'shop.rejects.csv' })
  })

  test('is explained', async () => {
    const found = jsonOf(await user.kpi('entries', 'import', ...QUERY, '--user', 'Ann Lee', '--explain', '-o', 'json'))
    expect(found).toContainEqual({
      topic: 'database',
      found: 'shop.sqlite',
      evidence: '--sql select day as date, visits from counts',
    })
  })

  test.each<[what: string, args: string[], code: number, message: string]>([
    ['beside a file', ['data.csv', ...QUERY], 2, 'data.csv and --sql are both given; import the files or the query'],
    ['without a database', QUERY.slice(0, 2), 2, '--sql needs --from-db FILE, the SQLite database'],
    ['that is missing', QUERY.slice(2), 2, "--from-db needs --sql 'select …', which says what to import"],
    ['or a file is needed', [], 2, 'name a file, or - for standard input, or a query with --sql and --from-db'],
    ['that writes', ['--sql', 'drop table counts', ...QUERY.slice(2)], 1, '--sql has to begin with SELECT or WITH'],
    ['of a file that is named', ['shop.sqlite'], 1, 'it is an SQLite database: kpi entries import --from-db FILE'],
    [
      'whose rejects would replace it',
      [...QUERY, '--rejects', 'shop.sqlite'],
      2,
      '--rejects shop.sqlite is the file that is imported',
    ],
  ])('%s', async (_, args, code, message) => {
    const ran = await user.kpi('entries', 'import', ...args)
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)])
  })
})

test.each([
  ['data.csv', 'data.rejects.csv'],
  ['data.csv.gz', 'data.rejects.csv'],
  ['data.csv.zst', 'data.rejects.csv'],
  ['data.csv.zip', 'data.rejects.csv'],
  ['sales.2026.zip', 'sales.2026.rejects.csv'],
])('the rejects of %s go to %s', async (name, rejects) => {
  write(name, 'user,kpi,date,actual\nNobody,Revenue,2026-03-02,2\n')
  expect((await user.kpi('entries', 'import', name)).stderr).toContain(`it is in ${rejects}`)
})
