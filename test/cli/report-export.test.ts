import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { csvRows } from '../support/csv.ts'
import { kpiNamed } from '../support/import.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, SHOP, type User, users } from '../support/user.ts'

const NOTE = '=1+1 | "a", \u{1F600}\n<b>x</b>'

describe.each(users)('%s, kpi report export', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    const day = Math.floor(Date.parse('2026-11-21') / 86_400_000)
    await user.client.entries.add({
      user_id: SHOP.ann,
      kpi_id: SHOP.visits,
      entry_date: day,
      actual: -12_3456_7890_1234_5678n,
      notes: NOTE,
    })
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })

  const exported = (...args: string[]): Promise<Ran> => user.kpi('report', 'export', '--from', '2026-11-01', ...args)
  const text = (name: string): string => readFileSync(user.folder.in(name), 'utf8')

  test('writes the same as the report prints, and says what was written', async () => {
    for (const format of ['csv', 'json', 'ndjson']) {
      const printed = await user.kpi('report', '--from', '2026-11-01', '-o', format)
      expect(await exported('--to-file', `r.${format}`)).toEqual({
        code: 0,
        stdout: '',
        stderr: `wrote 4 rows of 2026-11-01 to 2026-11-21 to r.${format}\n`,
      })
      expect(text(`r.${format}`)).toBe(printed.stdout)
      expect(await exported('-o', format)).toMatchObject({ code: 0, stdout: printed.stdout })
      await exported('--to-file', `r.${format}.gz`)
      expect(gunzipSync(readFileSync(user.folder.in(`r.${format}.gz`))).toString()).toBe(printed.stdout)
    }
  })

  test('writes only what the flags select, which may stand before export as well', async () => {
    await exported('--kpis', 'Visits', '--to-file', 'r.ndjson')
    expect(text('r.ndjson').trimEnd().split('\n').length).toBe(1)
    const early = await user.kpi('report', '--from', '2026-11-01', 'export', '-o', 'ndjson')
    expect(early.stdout.trimEnd().split('\n').length).toBe(4)
  })

  test('writes CSV for spreadsheets of a locale, in which texts cannot run and numbers stay numbers', async () => {
    await exported('--kpis', 'Visits', '--excel', 'de-DE', '--to-file', 'r.csv')
    expect(text('r.csv')).toMatch(/^\uFEFFkpiId;kpiName;/)
    expect(text('r.csv')).toContain(';-12345678901234,5678;')
    expect(text('r.csv')).toContain(`"'=1+1 | ""a"", \u{1F600}\n<b>x</b>"`)
    expect(text('r.csv').endsWith('\r\n')).toBe(true)
  })

  test('writes a Markdown table with one line a row, in which no text ends a cell', async () => {
    await exported('--to-file', 'r.md')
    const lines = text('r.md').trimEnd().split('\n')
    expect(lines.length).toBe(2 + 4)
    expect(lines[0]).toBe('| period | kpi | item | actual | target | notes |')
    expect(lines[1]).toBe('| --- | --- | --- | ---: | ---: | --- |')
    expect((await exported('-o', 'markdown')).stdout).toBe(text('r.md'))
    expect(text('r.md')).toContain('=1+1 \\| "a", \u{1F600}<br>\\<b\\>x\\</b\\>')
  })

  test.each([
    [['--to-file', 'r.pdf'], 'ends in .pdf'],
    [
      ['--to-file', 'report'],
      'has no ending; the endings are .csv, .json, .ndjson, .jsonl, .yaml, .yml, .md, .xlsx, .html, .htm',
    ],
    [['--to-file', 'r.csv', '-o', 'json'], 'the ending of r.csv says csv, and -o says json'],
    [['--to-file', 'r.xlsx.gz'], 'is not compressed'],
    [['--to-file', 'r.json', '--excel', 'de-DE'], '--excel is for CSV'],
    [['-o', 'table'], 'an export is no table'],
    [['-o', 'xml'], 'there are table, csv, json, ndjson, yaml, markdown, xlsx, html'],
    [['-o', 'xlsx'], 'xlsx is a format of files; name one with --to-file'],
    [['--stream', '--to-file', 'r.csv'], '--stream is for kpi report'],
    [['--manifest'], 'name one with --to-file'],
    [['--append-since', 'r.xlsx'], '--append-since takes a file that ends in .csv or .ndjson'],
    [['--append-since', 'r.csv', '--to-file', 'r.ndjson'], 'writes one in the same format'],
    [['--append-since', 'r.csv', '--total'], '--append-since adds plain rows'],
    [['--only-missing', '--group-items', 'x'], '--only-missing and --group-items do not go together'],
    [['--append-since', 'r.csv', '--excel', 'de-DE'], '--append-since adds to CSV for programs'],
  ])('refuses %j before it reads anything', async (args, why) => {
    const ran = await exported(...args)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(why)
  })

  test('takes the format from -o where the ending says none', async () => {
    await exported('--to-file', 'r.txt', '-o', 'csv')
    expect(csvRows(text('r.txt')).length).toBe(5)
    await exported('--to-file', 'page', '-o', 'html')
    expect(text('page')).toMatch(/^<!doctype html>/i)
    await exported('--to-file', 'sheet', '-o', 'xlsx')
    expect(text('sheet').slice(0, 2)).toBe('PK')
  })

  test('says in its manifest what was asked, and writes one again that is there', async () => {
    await exported('--by', 'M', '--only-missed', '--to-file', 'r.csv', '--manifest')
    expect(text('r.csv.manifest.json')).toMatch(/"question": \{\s+"by": "M",\s+"only_missed": true\s+\}/)
    await exported('--to-file', 'r.csv', '--force')
    expect((await user.kpi('report', 'verify', 'r.csv')).stdout).toContain(': 4 rows')
  })

  test('says at once that there is no such folder', async () => {
    const ran = await exported('--to-file', 'none/r.csv', '--by', 'M', '--pace')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/^kpi: cannot write \S+none\/r\.csv: there is no such folder; make it first\n$/)
  })

  test('takes - for standard output', async () => {
    const printed = await exported('-o', 'csv')
    expect(await exported('-o', 'csv', '--to-file', '-')).toEqual(printed)
  })

  test('writes through no link, also with --force', async () => {
    writeFileSync(user.folder.in('old.csv'), 'old')
    symlinkSync('old.csv', user.folder.in('r.csv'))
    const refused = await exported('--to-file', 'r.csv', '--force')
    expect(refused).toMatchObject({
      code: 1,
      stderr: `kpi: cannot write ${user.folder.in('r.csv')}: it is a link to old.csv, and nothing is written through a link; remove the link, or name the file itself\n`,
    })
    expect(readlinkSync(user.folder.in('r.csv'))).toBe('old.csv')
    expect(text('old.csv')).toBe('old')
  })

  test('adds no rows of other filters to a file whose manifest tells', async () => {
    const adding = ['--append-since', 'r.csv', '--manifest']
    await exported(...adding, '--kpis', 'Visits')
    const before = text('r.csv')
    const refused = await exported(...adding, '--kpis', 'Visits,Revenue')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('r.csv was made with other filters')
    expect(text('r.csv')).toBe(before)
    expect(await exported(...adding, '--kpis', 'Visits')).toMatchObject({ code: 0 })
  })

  test('leaves the earlier file where it is interrupted, and nothing beside it', async () => {
    await exported('--to-file', 'r.csv')
    for (const name of ['r.csv', 'new.csv.gz', 'new.xlsx']) {
      const ran = await user.kpiIn({ signal: AbortSignal.abort() }, 'report', 'export', '--to-file', name, '--force')
      expect(ran.code).toBe(6)
    }
    expect(csvRows(text('r.csv')).length).toBe(5)
    expect(readdirSync(user.folder.path).filter((name) => /^new|^\.kpi/.test(name))).toEqual([])
  })

  test.each([[[]], [['--excel', 'de-DE']], [['--excel', 'en-US']]])(
    'writes CSV that imports as unchanged (%j)',
    async (look) => {
      await exported('--kpis', 'Visits', '--to-file', 'r.csv', ...look)
      const ran = jsonOf(await user.kpi('entries', 'import', 'r.csv', '-o', 'json'))
      expect(ran).toMatchObject({ read: 1, unchanged: 1 })
    },
  )

  test('writes the answer to a question', async () => {
    const asked = ['--kpis', 'Revenue', '--group-by', 'kpi', '--compare', 'previous']
    const printed = await user.kpi('report', '--from', '2026-11-01', '-o', 'csv', ...asked)
    await exported(...asked, '--to-file', 'r.csv', '--manifest')
    expect(text('r.csv')).toBe(printed.stdout)
    expect(await exported(...asked, '--to-file', 'r.xlsx')).toMatchObject({ code: 0 })
    expect((await user.kpi('report', 'verify', 'r.csv')).stdout).toContain(': 1 row,')
  })

  test('writes a page of the rows', async () => {
    await exported('--to-file', 'r.html')
    expect(text('r.html')).toContain('<title>KPI report</title>')
    expect(text('r.html')).toContain('<span>2026-11-01 to 2026-11-21</span>')
    expect(text('r.html')).toContain('"Revenue"')
  })

  test('writes a manifest by which the file can be checked', async () => {
    await exported('--kpis', 'Revenue', '--to-file', 'r.csv', '--manifest')
    const manifest = jsonOf({ code: 0, stdout: text('r.csv.manifest.json'), stderr: '' })
    expect(manifest).toMatchObject({
      format_version: 1,
      file: 'r.csv',
      format: 'csv',
      from: '2026-11-01',
      to: '2026-11-21',
      filters: { kpis: 'Revenue' },
      rows: 3,
      bytes: Buffer.byteLength(text('r.csv')),
      sha256: createHash('sha256').update(text('r.csv')).digest('hex'),
    })
  })

  const withManifest = (name: string, change: (manifest: string) => string): void => {
    const path = user.folder.in(`${name}.manifest.json`)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }

  test.each([
    ['csv', true],
    ['csv.gz', true],
    ['json', true],
    ['ndjson', true],
    ['yaml', true],
    ['yaml.gz', true],
    ['md', false],
    ['xlsx', false],
    ['html', false],
  ])('verifies a file that ends in .%s; its rows are counted: %s', async (ending, isCounted) => {
    const name = `r.${ending}`
    await exported('--to-file', name, '--manifest')
    expect(await user.kpi('report', 'verify', name)).toEqual({
      code: 0,
      stdout: `${name}: whole, and unchanged since it was written at 2026-11-21T12:00:00.000Z: 4 rows, 2026-11-01 to 2026-11-21, SHA-256 matches; no service was asked\n`,
      stderr: '',
    })
    withManifest(name, (all) => all.replace('"rows": 4', '"rows": 5'))
    const other = await user.kpi('report', 'verify', name)
    expect([other.code, other.stderr.includes('it has 4 rows, not 5;')]).toEqual(isCounted ? [1, true] : [0, false])
    writeFileSync(user.folder.in(name), readFileSync(user.folder.in(name)).subarray(0, -1))
    const cut = await user.kpi('report', 'verify', name)
    expect([cut.code, cut.stdout]).toEqual([1, ''])
    expect(cut.stderr).toMatch(/is not what its manifest says: it has \d+ bytes, not \d+; its SHA-256 is/)
  })

  test('says what to do about a file without a manifest, or with one that is none', async () => {
    await exported('--to-file', 'r.csv')
    const none = await user.kpi('report', 'verify', 'r.csv')
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toContain('r.csv has no manifest (r.csv.manifest.json); export it again with --manifest')
    await exported('--to-file', 'r.csv', '--manifest', '--force')
    withManifest('r.csv', () => '{')
    expect((await user.kpi('report', 'verify', 'r.csv')).stderr).toContain('is no manifest of this version')
    expect(existsSync(user.folder.in('r.csv'))).toBe(true)
  })

  describe('with --append-since', () => {
    const appended = (name: string, ...args: string[]): Promise<Ran> =>
      exported('--append-since', name, '--manifest', ...args)

    test.each(['r.csv', 'r.ndjson', 'r.csv.gz', 'r.ndjson.gz'])('%s grows to what a whole export is', async (name) => {
      expect(await appended(name, '--to', '2026-11-20')).toMatchObject({ code: 0 })
      const ran = await appended(name)
      expect(ran.stderr).toBe(`${name} has 4 rows of 2026-11-01 to 2026-11-21 now\n`)
      await exported('--to-file', `whole-${name}`)
      expect(readFileSync(user.folder.in(name))).toEqual(readFileSync(user.folder.in(`whole-${name}`)))
      expect((await user.kpi('report', 'verify', name)).stdout).toContain(': 4 rows')
      const before = readFileSync(user.folder.in(name))
      expect((await appended(name)).code).toBe(0)
      expect(readFileSync(user.folder.in(name))).toEqual(before)
    })

    test('goes on from the last day of the file, however long that is ago', async () => {
      const old = ['--from', '2026-08-01', '--to', '2026-08-31', '--append-since', 'r.csv', '--manifest']
      const day = Math.floor(Date.parse('2026-08-07') / 86_400_000)
      await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: day, actual: 1_0000n })
      await user.kpi('report', 'export', ...old)
      const ran = await user.kpi('report', 'export', '--to', '2026-09-30', '--append-since', 'r.csv')
      expect(ran).toMatchObject({ code: 0, stderr: 'r.csv has 1 row of 2026-08-01 to 2026-09-30 now\n' })
      const before = await user.kpi('report', 'export', '--to', '2026-08-06', '--append-since', 'r.csv')
      expect(before.stderr).toContain(
        'r.csv has days up to 2026-08-07, and --to 2026-08-06 is before that; give a later',
      )
    })

    test('goes on without a manifest, too, also up to a day of long ago', async () => {
      const day = Math.floor(Date.parse('2026-08-07') / 86_400_000)
      await user.client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: day, actual: 1_0000n })
      await user.kpi('report', 'export', '--from', '2026-08-01', '--to', '2026-08-31', '--to-file', 'r.csv')
      const ran = await user.kpi('report', 'export', '--to', '2026-09-30', '--append-since', 'r.csv')
      expect(ran).toMatchObject({ code: 0, stderr: 'r.csv has 1 row of 2026-08-07 to 2026-09-30 now\n' })
    })

    test('writes to another file, and leaves the earlier one', async () => {
      await exported('--to', '2026-11-20', '--to-file', 'old.csv')
      const old = text('old.csv')
      await appended('old.csv', '--to-file', 'r.csv.gz')
      await exported('--to-file', 'whole.csv.gz')
      expect(readFileSync(user.folder.in('r.csv.gz'))).toEqual(readFileSync(user.folder.in('whole.csv.gz')))
      expect(text('old.csv')).toBe(old)
    })

    test('finds the value of a month that comes when days after it are there', async () => {
      await user.client.kpis.add(kpiNamed('Rent', { frequency_id: 'M', sort_order: 3 }))
      await user.client.assignments(SHOP.ann).add({ id: 3, sort_order: 3 })
      const from = ['report', 'export', '--from', '2026-10-01']
      await user.kpi(...from, '--append-since', 'r.csv', '--manifest')
      for (const date of ['2026-10-01', '2026-11-01']) {
        const entry_date = Math.floor(Date.parse(date) / 86_400_000)
        await user.client.entries.add({ user_id: SHOP.ann, kpi_id: 3, entry_date, actual: 7_0000n })
      }
      await user.kpi('report', 'export', '--append-since', 'r.csv', '--manifest')
      await user.kpi(...from, '--to-file', 'whole.csv')
      expect(text('r.csv')).toBe(text('whole.csv'))
      expect(csvRows(text('r.csv')).length).toBe(7)
    })

    test('begins where its manifest says while the file has no rows', async () => {
      await appended('r.csv', '--to', '2026-11-02')
      expect(csvRows(text('r.csv')).length).toBe(1)
      await user.kpi('report', 'export', '--append-since', 'r.csv', '--manifest')
      await exported('--to-file', 'whole.csv')
      expect(text('r.csv')).toBe(text('whole.csv'))
      expect(text('r.csv.manifest.json')).toContain('"from": "2026-11-01"')
    })

    test('writes a file as a whole that is not what its manifest says', async () => {
      await appended('r.csv')
      const whole = text('r.csv')
      writeFileSync(user.folder.in('r.csv'), whole.split('\n').toSpliced(2, 1).join('\n'))
      expect((await appended('r.csv')).stderr).toContain('r.csv is not what its manifest says; all of it is read again')
      expect(text('r.csv')).toBe(whole)
      expect(await user.kpi('report', 'verify', 'r.csv')).toMatchObject({ code: 0 })
    })

    test.each<[what: string, change: (manifest: string) => string, why: string]>([
      ['another service', (all) => all.replace('"kind": "', '"kind": "other-'), 'was made from another service'],
      ['the answer to a question', (all) => all.replace('"question": {}', '"question": {"by": "M"}'), '{"by":"M"}'],
      ['nobody knows what', () => '{', 'is no manifest of this version'],
    ])('adds nothing to a file with the manifest of %s', async (_what, change, why) => {
      await appended('r.csv')
      withManifest('r.csv', change)
      const before = text('r.csv')
      const ran = await appended('r.csv')
      expect([ran.code, text('r.csv')]).toEqual([1, before])
      expect(ran.stderr).toContain(why)
      expect(ran.stderr).toContain('--to-file')
    })

    test('reads a month under way again as a whole', async () => {
      await user.client.kpis.add(kpiNamed('Rent', { frequency_id: 'M', sort_order: 3 }))
      await user.client.assignments(SHOP.ann).add({ id: 3, sort_order: 3 })
      const day = Math.floor(Date.parse('2026-11-01') / 86_400_000)
      const { id } = await user.client.entries.add({
        user_id: SHOP.ann,
        kpi_id: 3,
        entry_date: day,
        actual: 1_0000n,
      })
      await appended('r.ndjson')
      await user.client.entries.update(id, { actual: 2_0000n })
      await appended('r.ndjson')
      await exported('--to-file', 'whole.ndjson')
      expect(text('r.ndjson')).toBe(text('whole.ndjson'))
    })

    test.each([
      ['r.csv', (all: string) => all.slice(0, -1), 'cannot add to r.csv: its last line has no end'],
      ['r.csv', (all: string) => all.replace('kpiName', 'name'), 'line 1 has other columns than this report'],
      ['r.csv', (all: string) => `${all}1,2\n`, 'line 7 is damaged'],
      ['r.csv', (all: string) => `${all}"\n`, 'its last row has no end'],
      ['r.csv', (all: string) => all.replace('2026-11-19', '2026-11-31'), 'line 2 is damaged'],
      ['r.csv', (all: string) => all.replace('2026-11-19', '2026-11-22'), 'not in the order of their days'],
      ['r.ndjson', (all: string) => all.replace('kpiName', 'name'), 'line 1 has other columns than this report'],
      ['r.ndjson', (all: string) => `${all}{"kpiId":\n`, 'line 5 is damaged'],
      ['r.ndjson', (all: string) => all.slice(0, -3), 'its last line has no end'],
    ])('leaves %s alone where it is damaged or of another report (%#)', async (name, damage, why) => {
      await exported('--to-file', name)
      const damaged = damage(text(name))
      writeFileSync(user.folder.in(name), damaged)
      const ran = await appended(name)
      expect([ran.code, text(name)]).toEqual([1, damaged])
      expect(ran.stderr).toContain(why)
      expect(ran.stderr).toContain('write it again as a whole with --to-file')
    })
  })
})

test('a manifest that lacks something, or has it in another form, is none', async () => {
  await using user = await embeddedUser()
  await user.kpi('report', 'export', '--from', '2026-11-01', '--to-file', 'r.csv', '--manifest')
  const path = user.folder.in('r.csv.manifest.json')
  const whole = readFileSync(path, 'utf8')
  for (const [from, to] of [
    [whole, '[]'],
    ['"format_version": 1', '"format_version": 2'],
    ['"rows": 0', '"rows": -1'],
    ['"rows": 0', '"rows": "0"'],
    ['"bytes": ', '"bytes": 0.1'],
    ...['format', 'made_at', 'from', 'to', 'sha256'].map((name) => [`"${name}": "`, `"no_${name}": "`] as const),
  ] as const) {
    expect(whole).toContain(from)
    writeFileSync(path, whole.replace(from, to))
    expect([to, (await user.kpi('report', 'verify', 'r.csv')).stderr]).toEqual([
      to,
      expect.stringContaining('is no manifest of this version'),
    ])
  }
})
