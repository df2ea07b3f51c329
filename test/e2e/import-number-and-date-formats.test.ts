import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { embeddedImporter, heldIn, ID, type Importer, importers, userNamed } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'

const load = (importer: Importer, text: string, ...flags: string[]): Promise<Ran> => {
  importer.write('data.csv', text)
  return importer.kpi('entries', 'import', 'data.csv', ...flags)
}

const GERMAN = 'Benutzer,Kennzahl,Datum,Ist\nBob,Sales,01.03.2026,"1.234,50 €"\nBob,Sales,2.3.2026,1.234\n'

test.each(importers)('numbers and dates are read as they are written: %s', async (_, open) => {
  await using importer = await open()
  expect(await load(importer, GERMAN)).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toEqual(['3 1 2026-03-01 1234.5 - -', '3 1 2026-03-02 1234 - -'])
})

test('what fits two readings stops the run before anything is sent, and is settled by flags', async () => {
  await using importer = await embeddedImporter()
  const text = 'user,kpi,date,actual\nBob,Sales,02/03/2026,1.234\n'
  expect(await load(importer, text)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /it is not clear[^]*date: "02\/03\/2026" on line 2[^]*actual: "1.234" on line 2[^]*--decimal \. or --decimal ,/,
    ) as unknown,
  })
  expect(await heldIn(importer)).toEqual([])
  expect(await load(importer, text, '--decimal', ',', '--date-format', 'DD/MM/YYYY')).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toEqual(['3 1 2026-03-02 1234 - -'])
})

test('rejects of a file that showed its forms are imported with the flags that are told', async () => {
  await using importer = await embeddedImporter()
  const ran = await load(importer, `${GERMAN}Nobody,Sales,03.03.2026,1.500\n`)
  expect(ran).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--decimal , --date-format DD.MM.YYYY') as unknown,
  })
  importer.write('mended.csv', importer.read('data.rejects.csv').replace('Nobody', 'Bob'))
  expect(await importer.kpi('entries', 'import', 'mended.csv')).toMatchObject({ code: 1 })
  const flags = ['--decimal', ',', '--date-format', 'DD.MM.YYYY']
  expect(await importer.kpi('entries', 'import', 'mended.csv', ...flags)).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toContain('3 1 2026-03-03 1500 - -')
})

test('rejects of a plain file need no flags', async () => {
  await using importer = await embeddedImporter()
  const { stderr } = await load(importer, 'user,kpi,date,actual\nNobody,Sales,2026-03-03,1.5\nBob,Sales,2026-03-03,2\n')
  expect(stderr).toMatch(/fix it there and import that file\n$/)
})

test('a form of dates that is none is wrong usage, and shows what there is', async () => {
  await using importer = await embeddedImporter()
  expect(await load(importer, GERMAN, '--date-format', 'dd.mm.yyyy')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--date-format "dd\.mm\.yyyy" .*YYYY, YY .*did you mean DD\.MM\.YYYY\?/) as unknown,
  })
})

test('units that do not go together stop the run', async () => {
  await using importer = await embeddedImporter()
  const { code, stderr } = await load(
    importer,
    'user,kpi,date,actual\nBob,Sales,2026-03-03,12.5 %\nBob,Sales,2026-03-04,0.125\n',
  )
  expect(code).toBe(1)
  expect(stderr).toContain('actual: has numbers of several kinds: "12.5 %" on line 2, "0.125" on line 3')
  expect(await heldIn(importer)).toEqual([])
})

test('what is said of a column names the file, where there are several', async () => {
  await using importer = await embeddedImporter()
  for (const [name, day] of [
    ['north.csv', '03'],
    ['south.csv', '04'],
  ]) {
    importer.write(
      `${name}`,
      `user,kpi,date,Actual,Shop\nBob,Sales,2026-03-${day},5 EUR,x\nBob,Sales,2026-04-${day},6,x\n`,
    )
  }
  const { stderr } = await importer.kpi('entries', 'import', 'north.csv', 'south.csv')
  for (const name of ['north.csv', 'south.csv']) {
    expect(stderr).toContain(`${name}: Actual has numbers with signs and without: "5 EUR" on line 2, "6" on line 3`)
    expect(stderr).toContain(`${name}: columns left out: Shop\n`)
  }
})

test('--explain says how a file is read and which line shows that, and sends nothing', async () => {
  await using importer = await embeddedImporter()
  const ran = await load(importer, GERMAN.replace('Ist', 'Ist,Region'), '--explain', '-o', 'json')
  expect(ran.code).toBe(0)
  expect(JSON.parse(ran.stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ topic: 'encoding', found: 'utf-8' }),
      expect.objectContaining({ topic: 'separator', found: 'comma' }),
      { topic: 'layout', found: 'long: a row for each entry', evidence: 'the names of the columns' },
      { topic: 'date', found: 'column 3, Datum', evidence: '"Datum" is a name of it' },
      { topic: 'left out', found: 'Region', evidence: 'its name is not one that is imported' },
      { topic: 'format of Datum', found: 'DD.MM.YYYY', evidence: '"01.03.2026" on line 2' },
      { topic: 'format of Ist', found: 'a decimal comma', evidence: '"1.234,50 €" on line 2' },
    ]),
  )
  expect(await heldIn(importer)).toEqual([])
})

test('--explain tells what a run would warn of: what is assumed, shortened and rounded', async () => {
  await using importer = await embeddedImporter()
  const rows = ['user,kpi,date,actual', 'Bob,Sales,2026-03-01,1.234567', 'J\xf6rg,Sales,2026-03-02,12E3', '']
  importer.write('data.csv', Buffer.from(rows.join('\n'), 'latin1'))
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--explain', '-o', 'json')
  expect(ran.code).toBe(0)
  const warnings = (JSON.parse(ran.stdout) as { topic: string; found: string }[])
    .filter(({ topic }) => topic === 'warning')
    .map(({ found }) => found)
  expect(warnings).toEqual([
    expect.stringMatching(/^data\.csv is read as windows-1252/),
    expect.stringMatching(/^actual has numbers with exponents, such as "12E3" on line 3/),
    'actual has numbers with more than four decimals, such as "1.234567" on line 2, which are rounded',
  ])
})

test('--explain shows what is in doubt', async () => {
  await using importer = await embeddedImporter()
  const ran = await load(importer, 'user,kpi,date,actual\nBob,Sales,2026-03-03,1.234\n', '--explain', '-o', 'csv')
  expect(ran).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('format of actual,in doubt,"""1.234"" on line 2 is') as unknown,
  })
})

test('--explain says what it knows of a file whose header leaves something unclear, then what that is', async () => {
  await using importer = await embeddedImporter()
  const ran = await load(importer, 'Wer;kpi;date;actual\nBob;Sales;2026-03-03;1\n', '--explain', '-o', 'csv')
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('\nkpi: user: no column is the user; give one with --map user=COLUMN') as unknown,
  })
  const known = ['separator,semicolon,', 'user,not found,', 'kpi,"column 2, kpi",', 'left out,Wer,']
  for (const line of known) expect(ran.stdout).toContain(`\n${line}`)
})

test('--explain does not say of a wide file that a column is left out, which then refuses it', async () => {
  await using importer = await embeddedImporter()
  const ran = await load(importer, 'user;date;Sales;Remarks;\nBob;2026-03-03;1;x;\n', '--explain', '-o', 'csv')
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('header: there is no KPI "Remarks"') as unknown])
  expect(ran.stdout).toContain('\nnot known,Remarks,it names no KPI of its own\n')
  expect(ran.stdout).toContain('\nleft out,"column 5, which has no name",')
})

test('a file without a header is refused with the line that it lacks, which makes it one that is read', async () => {
  await using importer = await embeddedImporter()
  const rows = 'Bob,Sales,2026-03-03,10.50\nBob,Sales,2026-03-04,20\n'
  expect(await load(importer, rows)).toMatchObject({
    code: 1,
    stderr:
      'kpi: the first line looks like a row, and not like a header, as "2026-03-03" is a date and "10.50" a number: write a line above it that names the columns, separated as its cells are: user, kpi, date, actual\n',
  })
  expect(await load(importer, `user, kpi, date, actual\n${rows}`)).toMatchObject({ code: 0 })
})

test.each(['2026', 'Q1 2026', '2026-Q1'])(
  'years and quarters are those of the calendar, which is told also where quiet is wanted: %s',
  async (text) => {
    await using importer = await embeddedImporter()
    const ran = await load(importer, `user,kpi,date,actual\nBob,Sales,${text},1\n`, '--quiet')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(
      new RegExp(`^warning: date: "${text}" on line 2 is taken as 2026-01-01 .* by the calendar year`),
    )
  },
)

test('a file that is taken to be windows-1252 is told with what it says, also where quiet is wanted', async () => {
  await using importer = await embeddedImporter()
  writeFileSync(
    importer.folder.in('data.csv'),
    Buffer.from('user,kpi,date,actual\nJ\xf6rg,Sales,2026-03-01,1\n', 'latin1'),
  )
  const ran = await importer.kpi('entries', 'import', 'data.csv', '--quiet')
  expect(ran.stderr).toContain('warning: data.csv is read as windows-1252: line 2 says "Jörg"; if that is wrong')
})

const APOSTROPHES = ["'-5' and falling", "'=1", "''=1", "'tis"]

test.each([
  ['a plain file', 'user,kpi,date,actual,target,notes', APOSTROPHES],
  ['a file of a spreadsheet', '\uFEFFuser,kpi,date,actual,notes', APOSTROPHES],
  ['our export for spreadsheets', '\uFEFFuser,kpi,date,actual,target,notes', ["-5' and falling", '=1', "'=1", "'tis"]],
])('an apostrophe before notes is text, unless our export put it there: %s', async (_, header, notes) => {
  await using importer = await embeddedImporter()
  const target = header.includes('target') ? ',' : ''
  const rows = APOSTROPHES.map((text, at) => `3,1,2026-03-0${at + 1},1,${target}${text}\n`).join('')
  expect(await load(importer, `${header}\n${rows}`)).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toEqual(notes.map((text, at) => `3 1 2026-03-0${at + 1} 1 - ${text}`))
})

const addStores = async (importer: Importer): Promise<number> => {
  const ids: number[] = []
  for (const number of [1, 2, 3]) {
    const { id } = await importer.client.users.add(
      userNamed('Store', { last_name: String(number), email: `s${number}@example.com` }),
    )
    await importer.client.assignments(id).add({ id: ID.sales, sort_order: 1 })
    ids.push(id)
  }
  return ids[0] ?? 0
}

test.each(importers)('stores that are numbered in the file are no ids, unless that is said: %s', async (_, open) => {
  await using importer = await open()
  const first = await addStores(importer)
  const text = 'Store,kpi,date,actual\n2,Sales,2026-03-01,20\n3,Sales,2026-03-01,30\n'
  const stopped = await load(importer, text, '--map', 'user=Store')
  expect(stopped).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `Store: "2" is the id of "Ann Lee", and the name of "Store 2" (#${first + 1}); of the numbers of this column 2 are ids and 2 are names; say which: --by-id user or --by-name user`,
    ) as unknown,
  })
  expect(await heldIn(importer)).toEqual([])
  const explained = await load(importer, text, '--map', 'user=Store', '--by-name', 'user', '--explain', '-o', 'csv')
  expect(explained.stdout).toContain('numbers in Store,names,--by-name user\n')
  expect(await load(importer, text, '--map', 'user=Store', '--by-name', 'user')).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toEqual([`${first + 1} 1 2026-03-01 20 - -`, `${first + 2} 1 2026-03-01 30 - -`])
  expect(await load(importer, text, '--map', 'user=Store', '--by-id', 'user')).toMatchObject({ code: 0 })
  expect(await heldIn(importer)).toContain('2 1 2026-03-01 20 - -')
})

test('headers that are numbers of stores stop the run, too, and what is exported of them is loaded again', async () => {
  await using importer = await embeddedImporter()
  await addStores(importer)
  const text = 'date,2,3\n2026-03-01,20,30\n'
  const flags = ['--kpi', 'Sales', '--layout', 'wide']
  expect(await load(importer, text, ...flags)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('header: "2" is the id of "Ann Lee", and the name of "Store 2"') as unknown,
  })
  expect(await load(importer, text, ...flags, '--by-id', 'user')).toMatchObject({ code: 0 })
  const before = await heldIn(importer)
  expect(before).toEqual(['2 1 2026-03-01 20 - -', '3 1 2026-03-01 30 - -'])
  for (const more of [[], ['--names']]) {
    const { stdout } = await importer.kpi('entries', 'export', '--from', '2026-01-01', ...more)
    await load(importer, text.replace('20,30', '1,1'), ...flags, '--by-id', 'user')
    expect(await load(importer, stdout)).toMatchObject({ code: 0 })
    expect(await heldIn(importer)).toEqual(before)
  }
})

test('a role that is none is wrong usage, and so is one that is said to be both', async () => {
  await using importer = await embeddedImporter()
  expect(await load(importer, GERMAN, '--by-name', 'date')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--by-name date is not one of user, source, kpi') as unknown,
  })
  expect(await load(importer, GERMAN, '--by-id', 'user', '--by-name', 'user,kpi')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--by-id user does not go with --by-name user') as unknown,
  })
})
