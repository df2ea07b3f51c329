import { Workbook } from '@cj-tech-master/excelts'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import { csvRows } from '../support/csv.ts'
import { displayed } from '../support/displayed.ts'
import { kpiNamed } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { faultyProxy, whole } from '../support/faulty-proxy.ts'
import { fillShop, newerUser, remoteUserBehind, SHOP, type User, users } from '../support/user.ts'

const RANGE = ['--from', '2026-10-01', '--to', '2026-11-21']

/** Ann and Bob report Revenue, a sum in pounds, and Ann a daily Mood and a quarterly Rating, which are averages. */
const fill = async (user: User): Promise<void> => {
  const { client } = user
  await fillShop(user)
  const { id: pounds } = await client.units.add({
    name: 'Pounds',
    entry_format: '#.00',
    display_format: '£ #,##0.00',
    is_percentage: false,
  })
  await client.kpis.update(SHOP.revenue, { unit_id: pounds })
  const mood = await client.kpis.add(kpiNamed('Mood', { aggregate_function: 'AVG', sort_order: 3 }))
  const rating = await client.kpis.add(
    kpiNamed('Rating', { aggregate_function: 'AVG', frequency_id: 'Q', sort_order: 4 }),
  )
  await client.assignments(SHOP.bob).add({ id: SHOP.revenue, sort_order: 1 })
  for (const [at, { id }] of [mood, rating].entries()) {
    await client.assignments(SHOP.ann).add({ id, sort_order: 3 + at })
  }
  for (const [user_id, kpi_id, date, actual] of [
    [SHOP.ann, SHOP.revenue, '2026-10-02', 1234_5678n],
    [SHOP.bob, SHOP.revenue, '2026-10-03', 99_9900n],
    [SHOP.bob, SHOP.revenue, '2026-11-19', 19_2500n],
    [SHOP.ann, mood.id, '2026-10-02', 1_0000n],
    [SHOP.ann, mood.id, '2026-11-03', 2_5000n],
    [SHOP.ann, rating.id, '2026-10-01', -4_2500n],
  ] as const) {
    await client.entries.add({ user_id, kpi_id, entry_date: parseDay(date) ?? 0, actual })
  }
}

const ways: readonly (readonly [string, () => Promise<User>])[] = [
  ...users,
  ['through a profile of the newer interface', newerUser],
]

const unescaped = (cell: string): string => cell.replaceAll('<br>', '\n').replaceAll(/\\(.)/g, '$1')

/** The cells of a Markdown table, without the line that says how they are aligned. */
const markdownCells = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| -'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => unescaped(cell.trim())),
    )

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }

/** The cells of the table of a page. */
const pageCells = (text: string): string[][] => {
  const table = /<section class="answer"[\s\S]*<\/section>/.exec(text)?.[0] ?? ''
  return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
      cell.replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity),
    ),
  )
}

const sheetOf = async (path: string) => {
  const book = new Workbook()
  await book.xlsx.load(readFileSync(path))
  const sheet = book.worksheets[0]
  if (!sheet) throw new Error('there is no sheet')
  return sheet
}

/** What a spreadsheet shows of the cells of a workbook, from a row on. */
const workbookCells = async (path: string, from = 1): Promise<string[][]> => {
  const sheet = await sheetOf(path)
  return Array.from({ length: sheet.rowCount - from + 1 }, (_, row) =>
    Array.from({ length: sheet.columnCount }, (_, column) => {
      const { value, numFmt } = sheet.getCell(from + row, column + 1)
      return displayed(value, typeof numFmt === 'string' ? numFmt : '')
    }),
  )
}

describe.each(ways)('%s, what a report looks like', (_, open) => {
  let user: User
  beforeAll(async () => {
    user = await open()
    await fill(user)
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  const report = (...args: string[]): Promise<Ran> => user.kpi('report', ...RANGE, ...args)
  const exported = async (...args: string[]): Promise<void> => {
    expect(await user.kpi('report', 'export', ...RANGE, '--force', ...args)).toMatchObject({ code: 0 })
  }
  const text = (name: string): string => readFileSync(user.folder.in(name), 'utf8')

  test.each([
    '--by M',
    '--by M --compare previous --units',
    '--by M --total --share --heads kpi=Kennzahl,share=Anteil',
    '--by Q --pivot kpi --totals --units',
    '--by M --pivot period --totals --units --title Year',
    '--by M --pivot item --totals --columns kpi,period,total --heads total=Summe',
    '--group-by category',
    '--columns item,kpi,actual,notes,direction --heads actual=Ist --title T',
    '--by M --only-missed',
  ])('%s is the same in Markdown, in a workbook and on a page', async (line) => {
    const asked = line.split(' ')
    for (const name of ['r.md', 'r.xlsx', 'r.html']) await exported(...asked, '--to-file', name)
    const cells = markdownCells(text('r.md'))
    expect(cells.length).toBeGreaterThan(1)
    expect(pageCells(text('r.html'))).toEqual(cells)
    expect(await workbookCells(user.folder.in('r.xlsx'), line.includes('--title') ? 4 : 1)).toEqual(cells)
    expect(markdownCells((await report(...asked, '--rows', '-o', 'markdown')).stdout)).toEqual(cells)
  })

  test('numbers are numbers in the format of their unit, and periods are dates, in a workbook', async () => {
    await exported('--by', 'M', '--kpis', 'Revenue', '--users', '2', '--to-file', 'r.xlsx')
    const sheet = await sheetOf(user.folder.in('r.xlsx'))
    expect(['A2', 'D2', 'F2'].map((at) => [sheet.getCell(at).value, sheet.getCell(at).numFmt])).toEqual([
      [new Date('2026-10-01T00:00:00Z'), 'yyyy-mm'],
      [1234.5678, '"£ "#,##0.00'],
      [1234.5678, '0" %"'],
    ])
  })

  test('totals are bold, and are not sorted with the other rows, in a workbook', async () => {
    const asked = ['--by', 'M', '--kpis', 'Revenue', '--pivot', 'period', '--totals', '--title', 'T']
    await exported(...asked, '--to-file', 'r.xlsx')
    const sheet = await sheetOf(user.folder.in('r.xlsx'))
    expect([5, 6, 7].map((row) => [sheet.getCell(row, 2).value, sheet.getCell(row, 2).font?.bold ?? false])).toEqual([
      ['Ann Lee', false],
      ['Bob Ray', false],
      ['Total', true],
    ])
    expect(sheet.autoFilter).toBe('A4:E6')
    await exported(...asked, '--to-file', 'r.html')
    expect(text('r.html').match(/<tr class="total">/g)).toHaveLength(1)
    expect(jsonOf(await report('--by', 'M', '--pivot', 'period', '--totals', '-o', 'json'))).not.toContainEqual(
      expect.objectContaining({ isTotal: true }),
    )
  })

  test('columns and heads are those that are asked for, in each format', async () => {
    const asked = [
      '--by',
      'M',
      '--kpis',
      'Mood',
      '--columns',
      'actual, kpi',
      '--heads',
      'kpi=Kennzahl,actual="Ist, neu"',
    ]
    expect((await report(...asked)).stdout).toBe('Ist, neu  Kennzahl\n       1  Mood\n       3  Mood\n')
    expect(jsonOf(await report(...asked, '-o', 'json'))).toEqual([
      { 'Ist, neu': 1, Kennzahl: 'Mood' },
      { 'Ist, neu': 2.5, Kennzahl: 'Mood' },
    ])
    expect(csvRows((await report(...asked, '-o', 'csv')).stdout)).toEqual([
      ['Ist, neu', 'Kennzahl'],
      ['1', 'Mood'],
      ['2.5', 'Mood'],
    ])
    expect((await report(...asked, '-o', 'markdown')).stdout).toContain('| Ist, neu | Kennzahl |\n')
    await exported(...asked, '--to-file', 'r.csv', '--manifest')
    expect(JSON.parse(text('r.csv.manifest.json'))).toMatchObject({
      columns: ['Ist, neu', 'Kennzahl'],
      question: { columns: 'actual, kpi' },
    })
    expect((await user.kpi('report', 'verify', 'r.csv')).stdout).toContain(': 2 rows,')
    const streamed = await report(
      '--stream',
      '--kpis',
      'Mood',
      '--columns',
      'kpi,period',
      '--heads',
      'kpi=K',
      '-o',
      'csv',
    )
    expect(streamed.stdout).toBe('K,entryDate\nMood,2026-10-02\nMood,2026-11-03\n')
  })

  test('fields keep the names of the interface in files for programs, unless heads are given', async () => {
    const json = jsonOf(await report('--kpis', 'Mood', '--columns', 'kpi,period,frequency', '-o', 'json'))
    expect(json).toEqual([
      { kpiName: 'Mood', entryDate: '2026-10-02', period: 'Daily' },
      { kpiName: 'Mood', entryDate: '2026-11-03', period: 'Daily' },
    ])
  })

  test('the overview has the columns, heads and title that are asked for', async () => {
    const asked = ['--kpis', 'Mood', '--columns', 'kpi,actual,period', '--heads', 'actual=Ist', '--title', 'Laune']
    const { stdout } = await report(...asked)
    expect(stdout).toMatch(/^Laune\n2026-10-01 to 2026-11-21: .*\nkpi +Ist +period\nMood +3 +2026-11-03\n$/)
    const markdown = await report(...asked, '-o', 'markdown')
    expect(markdown.stdout).toMatch(/^# Laune\n\n2026-10-01 .*\n\n\| kpi \| Ist \| period \|\n/)
  })

  test('a title stands above tables, and names a page and a sheet', async () => {
    const asked = ['--by', 'M', '--title', 'Sales & <costs>']
    expect((await report(...asked)).stdout).toMatch(/^Sales & <costs>\n2026-10-01 to 2026-11-21\n\nperiod /)
    expect((await report('--rows', '--stream', '--title', 'T')).stdout).toMatch(
      /^T\n2026-10-01 to 2026-11-21\n\nperiod /,
    )
    for (const name of ['r.md', 'r.xlsx', 'r.html']) await exported(...asked, '--to-file', name)
    expect(text('r.md')).toMatch(/^# Sales \\& \\<costs\\>\n\n2026-10-01 to 2026-11-21\n\n\| period /)
    expect(text('r.html')).toContain('<h1>Sales &amp; &lt;costs&gt;</h1>')
    expect((await sheetOf(user.folder.in('r.xlsx'))).name).toBe('Sales & <costs>')
  })

  test('a page of what no chart shows has a table, and no script', async () => {
    await exported('--by', 'M', '--pivot', 'period', '--to-file', 'r.html')
    expect(text('r.html')).not.toContain('<script')
    await exported('--by', 'M', '--to-file', 'r.html')
    expect(text('r.html')).toContain('<script type="application/json" id="report">')
  })
})

describe('what a report looks like', () => {
  let user: User
  beforeAll(async () => {
    user = (await users[0]?.[1]()) as User
    await fill(user)
  })
  afterAll(async () => {
    await user[Symbol.asyncDispose]()
  })

  test.each<[line: string, why: string]>([
    ['--rows --columns kpi,actul', '--columns: there is no column "actul"; did you mean actual?'],
    ['--rows --columns kpi,kpi', '--columns names kpi twice'],
    ['--rows --columns kpi,kpiName', '--columns names kpi twice'],
    ['--rows --columns ,', '--columns is an empty list'],
    ['--by M --columns kpi,change', '--columns: --compare makes the column change; give that, too'],
    ['--columns kpi,notes', 'the fields of a report are columns with --rows'],
    ['--heads kpi', '--heads kpi names no column and its head; write kpi=Kennzahl'],
    ['--heads kpi=', '--heads kpi= takes a text of one line'],
    ['--heads kpi=A,kpi=B', '--heads names kpi twice'],
    ['--rows --heads kpi=A,item=A', '--heads: two columns would be called "A"; give each its own head'],
    ['--rows --heads kpi=item', '--heads: two columns would be called "item"; give each its own head'],
    ['--by M --pivot period --columns kpi,total', '--columns: --totals makes the column total; give that, too'],
    ['--by M --pivot period --columns kpi,change', '--columns: --compare makes the column change; give that, too'],
    ['--totals', '--totals is for pivots: add --pivot period, kpi or item (--total makes one row of all items)'],
    ['-o json --title T', '--title: json has no place for a title'],
    ['export --to-file r.csv --title T', '--title: csv has no place for a title'],
    ['export --append-since r.csv --heads kpi=K', '--append-since adds rows with all their fields'],
  ])('%s is wrong usage', async (line, why) => {
    const ran = await user.kpi('report', ...RANGE, ...line.split(' '))
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(why)
  })

  test('says that there are no totals over KPIs that are not added up', async () => {
    const ran = await user.kpi('report', ...RANGE, '--by', 'Q', '--pivot', 'kpi', '--totals')
    expect(ran.stderr).toContain('no column of totals: only KPIs that are sums in one unit')
  })

  test('a service that has none of our extensions gives the same', async () => {
    await using plain = await remoteUserBehind(async (url) => {
      const proxy = await faultyProxy(
        url,
        () => async (response, pass) => {
          const { status, headers, body } = await pass()
          whole(response, { status, headers: { 'content-type': headers['content-type'] ?? '' }, body })
        },
        () => true,
      )
      return proxy.url
    })
    await fill(plain)
    const asked = ['--by', 'M', '--pivot', 'period', '--totals', '--units', '--title', 'T', '-o', 'markdown']
    const { code, stdout } = await plain.kpi('report', ...RANGE, ...asked)
    expect([code, stdout]).toEqual([0, (await user.kpi('report', ...RANGE, ...asked)).stdout])
    expect(stdout).toContain('| Revenue | Total | Pounds |')
  })

  test('a column of a pivot that has no values is blank, and needs no head', async () => {
    const asked = [
      '--by',
      'M',
      '--pivot',
      'period',
      '--kpis',
      'Mood',
      '--heads',
      'kpi=K,2026-12=December,2027-01=January',
    ]
    expect(await user.kpi('report', ...RANGE, ...asked, '--columns', 'kpi,2026-12,2026-11', '-o', 'csv')).toEqual({
      code: 0,
      stdout: 'K,December,2026-11\nMood,,2.5\n',
      stderr: 'the pivot has no values for "2026-12"; "2027-01"\n',
    })
  })

  test.each(['constructor', 'kpi percent', 'period'])('a KPI may be called %s', async (name) => {
    await user.client.kpis.update(SHOP.revenue, { name })
    const asked = ['--by', 'Y', '--total', '--pivot', 'kpi', '--kpis', String(SHOP.revenue), '-o', 'markdown']
    const { stdout } = await user.kpi('report', ...RANGE, ...asked)
    expect(markdownCells(stdout)).toEqual([
      ['period', name === 'period' ? 'period (1)' : name],
      ['2026', '£ 1,534.56'],
    ])
    await user.client.kpis.update(SHOP.revenue, { name: 'Revenue' })
  })

  test('an own column may be called as another field is', async () => {
    const asked = [
      '--rows',
      '--columns',
      'actual,target',
      '--heads',
      'actual=target,target=actual',
      '--kpis',
      'Revenue',
    ]
    const ran = await user.kpi('report', ...RANGE, ...asked, '--users', '3', '-o', 'csv')
    expect(ran.stdout.split('\n').slice(0, 2)).toEqual(['target,actual', '99.99,100'])
  })
})
