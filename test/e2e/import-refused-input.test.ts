import { mkdirSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'
import { shellIn } from '../support/kpi.ts'

let importer: Importer
beforeAll(async () => {
  importer = await embeddedImporter()
  mkdirSync(importer.folder.in('folder.csv'))
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

const GOOD = 'user,kpi,date,actual\nBob,Sales,2026-01-01,1\n'
const FILE = 'data.csv'

/** Twenty bad rows, and a good one. */
const SWAPPED = `user,kpi,date,actual\n${'Bob,2026-01-01,Sales,1\n'.repeat(20)}Bob,Sales,2026-01-01,1\n`

test.each<[name: string, text: string | Uint8Array, args: string[], code: number, message: string | RegExp]>([
  ['a file that is not there', GOOD, ['no.csv'], 1, 'cannot read no.csv: there is no such file'],
  ['a directory', GOOD, ['folder.csv'], 1, 'cannot read folder.csv: it is a directory'],
  ['an empty file', '', [FILE], 1, `${FILE} is empty: there is not even a header`],
  ['a file of blank lines', '\n\n', [FILE], 1, `${FILE} is empty: there is not even a header`],
  [
    'a quote that is never closed',
    `${GOOD}"Bob,Sales,2026-01-02,1\n`,
    [FILE],
    1,
    'cannot read data.csv: line 3: a quoted cell is never closed; put a quote where it ends, or leave out the one it begins with',
  ],
  [
    'a byte that is no character',
    Buffer.from(`${GOOD}J\x81rg,Sales,2026-01-02,1\n`, 'latin1'),
    [FILE],
    1,
    /^cannot read data\.csv: line 3 holds byte 81, which is not UTF-8, and line 3 holds byte 81, which is no character/,
  ],
  [
    'a workbook of the old format',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    [FILE],
    1,
    /an Excel workbook of the old format .* save it as \.xlsx or as CSV$/,
  ],
  ['a file that may be read in two ways', 'a;b,c\nx;y,z\n', [FILE], 1, /^cells can be separated .*: --separator$/],
  ['a separator that there is not', GOOD, [FILE, '--separator', ':'], 2, /,, ;, tab, \|/],
  ['another separator', GOOD, [FILE, '--separator', 'tab'], 1, /^cannot understand the header user,kpi,date,actual:/],
  ['a header that means nothing', 'a,b\n1,2\n', [FILE], 1, /^cannot understand the header a, b:/],
  [
    'a header that lacks something',
    'user,date,actual\n',
    [FILE],
    1,
    /^the header does not say what each column is\n {2}kpi: /,
  ],
  [
    'a user of all rows who is not there',
    'kpi,date,actual\nSales,2026-01-01,1\n',
    [FILE, '--user', 'Bop'],
    1,
    /there is no user "Bop"; did you mean "Bob"\?/,
  ],
  ['a file whose first 20 rows are all bad', SWAPPED, [FILE], 1, /^the first 20 rows are all bad, .* nothing was sent/],
  ['no file', GOOD, [], 2, /^name a file, or - for standard input/],
  ['the same file twice', GOOD, [FILE, FILE], 2, /data\.csv is named twice/],
  ['an unknown flag', GOOD, [FILE, '--dryrun'], 2, /--dryrun/],
  ['a layout that there is not', GOOD, [FILE, '--layout', 'tall'], 2, /long, wide/],
  ['a way with duplicates that there is not', GOOD, [FILE, '--on-duplicate', 'add'], 2, /error, first, last, sum/],
  ['a meaning of empty cells that there is not', GOOD, [FILE, '--empty', 'drop'], 2, /keep, clear/],
  [
    'a column for something that there is not',
    GOOD,
    [FILE, '--map', 'value=actual'],
    2,
    /--map value=actual is not one of user=COLUMN/,
  ],
  ['a meaning without a column', GOOD, [FILE, '--map', 'actual'], 2, /--map actual is not one of user=COLUMN/],
  [
    'a date of all rows that does not exist',
    'user,kpi,actual\nBob,Sales,1\n',
    [FILE, '--date', '2026-02-30'],
    2,
    /2026-02-30.*does not exist/,
  ],
  ['an output format that there is not', GOOD, [FILE, '-o', 'xml'], 2, /--output xml is no output format/],
])('%s is refused, and nothing is sent', async (_, text, args, code, message) => {
  importer.write(FILE, text)
  const ran = await importer.kpi('entries', 'import', ...args)
  expect(ran).toMatchObject({ code, stdout: '' })
  expect(ran.stderr.replace(/^kpi(?: entries import)?: /, '').trimEnd()).toMatch(message)
  expect(ran.stderr).toMatch(/^kpi(?: entries import)?: /)
  expect(await heldIn(importer)).toEqual([])
  const left = readdirSync(importer.folder.path).filter((name) => name !== '.cache')
  expect(left.toSorted()).toEqual(['data', FILE, 'folder.csv'])
})

test('a header without rows is nothing to do, which is done', async () => {
  importer.write(FILE, 'user,kpi,date,actual\r\n')
  const ran = await importer.kpi('entries', 'import', FILE, '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { read: 0, created: 0, rejected: 0, left: 0 }])
})

test.each([
  ['where there are fewer than 20', 'Bop,Sales,2026-01-01,1\n'.repeat(19)],
  ['after a good one', `Bob,Sales,2026-01-01,1\n${'Bop,Sales,2026-01-01,1\n'.repeat(30)}`],
])('all rows may be bad %s', async (_, rows) => {
  importer.write(FILE, `user,kpi,date,actual\n${rows}`)
  expect((await importer.kpi('entries', 'import', FILE, '--dry-run')).code).toBe(3)
})

test('a refusal is one JSON object on standard error too, with --output json', async () => {
  const ran = await importer.kpi('entries', 'import', 'no.csv', '-o', 'json')
  expect(ran.stdout).toBe('')
  expect(JSON.parse(ran.stderr)).toEqual({
    error: { code: 'malformed', message: 'cannot read no.csv: there is no such file', exit_code: 1, issues: [] },
  })
})

test.each<[what: string, rows: string, args: readonly string[], note: RegExp]>([
  ['is verified', 'Bop,Sales,2026-01-01,1\nBob,Sales,2026-01-01,1\n', ['--verify'], /as they were sent|read back/],
  ['has numbers that look strange', 'Bop,Sales,2026-01-01,1e-2\nBob,Sales,2026-01-02,1\n', [], /1e-2/],
  ['has a column that is left out', 'Bop,Sales,2026-01-01,1,x\n', [], /left out: more/],
])('so is that of rows in a file that %s, and what is noted stands in it', async (_, rows, args, note) => {
  importer.write(FILE, `user,kpi,date,actual${rows.includes(',x') ? ',more' : ''}\n${rows}`)
  const ran = await importer.kpi('entries', 'import', FILE, '-o', 'json', ...args)
  const told = JSON.parse(ran.stderr) as { error: unknown; notes: string[] }
  expect([ran.code, told.error]).toMatchObject([3, { code: 'rejected', exit_code: 3 }])
  expect(told.notes.join('\n')).toMatch(note)
})

test('a dry run that finds bad rows tells it so, too', async () => {
  importer.write(FILE, 'user,kpi,date,actual\nBop,Sales,2026-01-01,1\nBob,Sales,2026-01-01,1\n')
  const ran = await importer.kpi('entries', 'import', FILE, '--dry-run', '-o', 'json')
  const message = expect.stringMatching(/^dry run, nothing was sent: /) as string
  expect([ran.code, JSON.parse(ran.stderr)]).toEqual([
    3,
    { error: { code: 'rejected', message, exit_code: 3, issues: [] } },
  ])
})

test('notes are told as they are where all goes well, with --output json', async () => {
  importer.write(FILE, `user,kpi,date,actual,more\nBob,Sales,2026-01-01,1,x\n`)
  const ran = await importer.kpi('entries', 'import', FILE, '-o', 'json')
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/left out: more/)])
})

test('a service that cannot be reached is exit code 5', async () => {
  importer.write(FILE, GOOD)
  const world = { ...importer.world, env: { KPI_BASE_URL: 'http://127.0.0.1:1/api', KPI_LOGIN: 'a', KPI_TOKEN: 'b' } }
  const ran = await shellIn(world)('entries', 'import', FILE)
  expect(ran).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('cannot reach') as unknown })
})
