import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const text = (name: string): string => readFileSync(user.folder.in(name), 'utf8')

describe('--to-file', () => {
  test.each([
    ['k.csv', 'csv'],
    ['k.json', 'json'],
    ['k.ndjson', 'ndjson'],
    ['k.jsonl', 'ndjson'],
    ['k.yaml', 'yaml'],
    ['k.yml', 'yaml'],
    ['k.md', 'markdown'],
  ])('writes %s as -o %s prints it, and nothing to standard output', async (file, format) => {
    const printed = await user.kpi('kpis', 'list', '-o', format)
    const ran = await user.kpi('kpis', 'list', '--to-file', file)
    expect(ran).toEqual({ code: 0, stdout: '', stderr: `written to ${file}\n` })
    expect(text(file)).toBe(printed.stdout)
  })

  test('compresses a file that ends in .gz, and takes the format of other endings from -o', async () => {
    const { stdout } = await user.kpi('kpis', 'list', '-o', 'csv')
    await user.kpi('kpis', 'list', '--to-file', 'k.csv.gz')
    expect(gunzipSync(readFileSync(user.folder.in('k.csv.gz'))).toString()).toBe(stdout)
    await user.kpi('kpis', 'list', '--to-file', 'k.txt', '-o', 'csv')
    expect(text('k.txt')).toBe(stdout)
    await user.kpi('kpis', 'list', '--to-file', 'table.txt', '-o', 'table')
    expect(text('table.txt')).toBe((await user.kpi('kpis', 'list')).stdout)
  })

  test('works for records, reports, answers and what was created, and takes - for standard output', async () => {
    await user.kpi('kpis', 'get', 'Revenue', '--to-file', 'one.json')
    expect(JSON.parse(text('one.json'))).toMatchObject({ name: 'Revenue' })
    await user.kpi('report', '--from', '-2d', '--to-file', 'report.csv')
    expect(text('report.csv')).toBe((await user.kpi('report', '--from', '-2d', '-o', 'csv')).stdout)
    await user.kpi('categories', 'create', '--name', 'New', '--to-file', 'new.yaml')
    expect(text('new.yaml')).toContain('name: New')
    const dashed = await user.kpi('kpis', 'list', '-o', 'csv', '--to-file', '-')
    expect(dashed).toEqual(await user.kpi('kpis', 'list', '-o', 'csv'))
  })

  test('writes what --jq makes of the JSON, whatever the ending', async () => {
    await user.kpi('kpis', 'list', '--jq', '.[].name', '--to-file', 'names.txt')
    expect(text('names.txt')).toBe('Revenue\nVisits\n')
  })

  test('replaces no file unasked', async () => {
    writeFileSync(user.folder.in('k.csv'), 'mine')
    const ran = await user.kpi('kpis', 'list', '--to-file', 'k.csv')
    expect(ran).toEqual({ code: 1, stdout: '', stderr: 'kpi: k.csv exists already; --force replaces it\n' })
    expect(text('k.csv')).toBe('mine')
    expect((await user.kpi('kpis', 'list', '--to-file', 'k.csv', '--force')).code).toBe(0)
    expect(text('k.csv')).toContain('Revenue')
  })

  test('writes no file where the command fails, and prints what it had done until then', async () => {
    const people = ['new@example.com', 'ann@example.com'].map((email) => ({ first_name: 'New', email }))
    writeFileSync(user.folder.in('new.json'), JSON.stringify(people))
    const ran = await user.kpi('users', 'create', '--from-json', 'new.json', '--to-file', 'made.json')
    expect([ran.code, existsSync(user.folder.in('made.json'))]).toEqual([3, false])
    expect(JSON.parse(ran.stdout)).toMatchObject([{ email: 'new@example.com' }])
    const missing = await user.kpi('kpis', 'get', 'Nothing', '--to-file', 'k.json')
    expect([missing.code, missing.stdout, existsSync(user.folder.in('k.json'))]).toEqual([2, '', false])
  })

  test('refuses a folder in the place of the file before anything is done', async () => {
    mkdirSync(user.folder.in('made.json'))
    const ran = await user.kpi('categories', 'create', '--name', 'New', '--to-file', 'made.json')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('made.json is a folder')
    expect((await user.client.categories.list()).map(({ name }) => name)).not.toContain('New')
  })

  test('keeps what is in the store from others who cannot read that', async () => {
    await user.kpi('kpis', 'list', '--to-file', 'k.csv')
    expect(statSync(user.folder.in('k.csv')).mode & 0o077).toBe(0)
  })

  test.each([
    [['--to-file', 'k'], 'k has no ending; the endings are .csv, .json, .ndjson, .jsonl, .yaml, .yml, .md'],
    [['--to-file', 'k.xlsx'], 'k.xlsx ends in .xlsx, which is no format of this command'],
    [['--to-file', 'k.xlsx'], '.yml, .md; kpi report export --to-file k.xlsx writes all rows of a report there\n'],
    [['--to-file', 'k.csv', '-o', 'json'], 'the ending of k.csv says csv, and -o says json'],
    [['--to-file', 'k.json', '--excel', 'de-DE'], '--excel is for CSV, and this is json'],
    [['--to-file', 'none/k.csv'], 'cannot write'],
    [['--excel', 'xx-nowhere-at-all'], '--excel xx-nowhere-at-all is no locale'],
    [['-o', 'json', '--excel', 'de-DE'], '--excel is for CSV, and this is json'],
    [['--jq', '.', '--excel', 'de-DE'], '--excel is for CSV, and --jq filters JSON'],
  ])('and --excel refuse what does not go together before anything is done: %j', async (flags, told) => {
    const ran = await user.kpi('categories', 'create', '--name', 'New', ...flags)
    expect([ran.code > 0, ran.stdout]).toEqual([true, ''])
    expect(ran.stderr).toContain(told)
    expect((await user.client.categories.list()).map(({ name }) => name)).not.toContain('New')
  })

  test('is wrong usage for a command that prints no records', async () => {
    const ran = await user.kpi('profiles', 'use', '--none', '--to-file', 'x.csv')
    expect([ran.code, ran.stderr.includes("unknown option '--to-file'")]).toEqual([2, true])
  })
})

describe('--excel', () => {
  test('writes CSV as a spreadsheet of the locale reads it, from any command', async () => {
    await user.kpi('kpis', 'update', 'Revenue', '--target-default', '1234.5', '--description', '=1+1')
    const { stdout } = await user.kpi(
      'kpis',
      'list',
      '--columns',
      'name,target_default,description',
      '--limit',
      '1',
      '--excel',
      'de-DE',
    )
    expect(stdout).toBe("\uFEFFname;target_default;description\r\nRevenue;1234,5;'=1+1\r\n")
    await user.kpi('kpis', 'get', 'Revenue', '--excel', 'en-US', '--to-file', 'k.csv')
    expect(text('k.csv')).toMatch(/^\uFEFFid,category_id,.*\r\n/)
  })
})
