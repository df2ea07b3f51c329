import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { csvRows } from '../support/csv.ts'
import { kpiNamed } from '../support/import.ts'
import type { World } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

const NAMES = [
  'plain',
  'comma, here',
  'a "quoted" word',
  "'apostrophe",
  '=1+1',
  '+SUM(A1)',
  '@cmd',
  '-dash',
  'two\nlines',
  'wide 売上高',
  'emoji 👩‍👩‍👧',
  '\\n <b>&amp;',
]

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  for (const [at, name] of NAMES.entries()) {
    await user.client.kpis.add(kpiNamed(name, { sort_order: at, target_default: BigInt(at) * 1_2500n - 1n }))
  }
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

const list = async (world: Partial<World>, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await user.kpiIn(world, 'kpis', 'list', ...args)
  expect(code).toBe(0)
  expect(stderr).toMatch(/^(?:no KPIs that the filters select\n)?$/)
  return stdout
}

describe('csv', () => {
  test('gives every text back as it is: quoted where it must be, and not changed', async () => {
    const rows = csvRows(await list({}, '-o', 'csv', '--columns', 'name,target_default'))
    const targets = ['-0.0001', '1.2499', '2.4999', '3.7499', '4.9999', '6.2499', '7.4999', '8.7499', '9.9999']
    expect(rows.map(([name]) => name)).toEqual(['name', ...NAMES])
    expect(rows.map(([, target]) => target).slice(1, 10)).toEqual(targets)
  })

  test('quotes nothing that need not be', async () => {
    expect(await list({}, '-o', 'csv', '--columns', 'id,name,description', '--limit', '3')).toBe(
      'id,name,description\n1,plain,\n2,"comma, here",\n3,"a ""quoted"" word",\n',
    )
  })
})

describe('json', () => {
  test('is an array of objects with the names of the interface, and gives every text back', async () => {
    const records = JSON.parse(await list({}, '-o', 'json')) as Record<string, unknown>[]
    expect(records.map(({ name }) => name)).toEqual(NAMES)
    expect(records[0]).toMatchObject({
      id: 1,
      category_id: 1,
      target_default: -0.0001,
      is_active: true,
      description: null,
    })
  })

  test('of one is one object', async () => {
    expect(jsonOf(await user.kpi('kpis', 'get', 'plain', '-o', 'json'))).toMatchObject({ id: 1, name: 'plain' })
  })
})

describe('a table', () => {
  const COLUMNS = ['--columns', 'id,name,description']

  test('has numbers to the right, one line a row, and nothing at the ends of lines', async () => {
    const lines = (await list({}, ...COLUMNS, '--limit', '10')).split('\n')
    expect(lines[0]).toBe('id  name             description')
    expect(lines[1]).toBe(' 1  plain')
    expect(lines[9]).toBe(' 9  two ⏎ lines')
    expect(lines.filter((line) => /\s$/.test(line))).toEqual([])
  })

  test('is not cut where there is no terminal', async () => {
    expect(await list({}, '--limit', '4')).toContain(
      'id  name             category  unit    frequency_id  target_default  is_active',
    )
  })

  test.each([200, 80, 72])('fits a terminal of %i columns', async (terminal) => {
    const { default: widthOf } = await import('string-width')
    const lines = (await list({ terminal }, '--no-color')).trimEnd().split('\n')
    // A narrow one has titles of two lines.
    expect(lines).toHaveLength(NAMES.length + (terminal < 80 ? 2 : 1))
    expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(terminal)
  })

  test('with nothing in it is its header', async () => {
    expect(await user.kpi('kpis', 'list', '--filter', 'id=99', '--columns', 'id,name')).toEqual({
      code: 0,
      stdout: 'id  name\n',
      stderr: 'no KPIs that the filters select\n',
    })
    expect(await list({}, '--filter', 'id=99', '-o', 'json')).toBe('[]\n')
  })
})

describe('markdown', () => {
  test('is a table with the columns and names that people read, its numbers to the right, and nothing that runs', async () => {
    const lines = (await list({}, '--columns', 'id,name,category', '-o', 'markdown')).trimEnd().split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '| id | name | category |',
      '| ---: | --- | --- |',
      '| 1 | plain | General |',
      '| 2 | comma, here | General |',
    ])
    expect(lines).toContain(String.raw`| 12 | \\n \<b\>\&amp; | General |`)
    expect(lines).toContain('| 9 | two<br>lines | General |')
    expect((await list({}, '--limit', '1', '-o', 'markdown')).split('\n')[0]).toContain('| category | unit |')
  })

  test('has a field a line for one record', async () => {
    const { stdout } = await user.kpi('kpis', 'get', '1', '-o', 'markdown')
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      '| field | value |',
      '| --- | --- |',
      '| id | 1 |',
      '| category | General |',
    ])
  })
})

describe('the format', () => {
  test.each<[env: Record<string, string>, flags: string[], start: string]>([
    [{}, [], 'id\n'],
    [{ KPI_OUTPUT: 'json' }, [], '[\n{"id":1}'],
    [{ KPI_OUTPUT: 'json' }, ['-o', 'csv'], 'id\n1\n'],
    [{ KPI_OUTPUT: '' }, ['--output=json'], '[\n{"id":1}'],
    [{ KPI_OUTPUT: 'nonsense' }, ['-ocsv'], 'id\n1\n'],
  ])('in %j with %j comes from the flag before the environment', async (env, flags, start) => {
    expect(await list({ env }, '--columns', 'id', '--limit', '1', ...flags)).toMatch(
      new RegExp(`^${start.replaceAll(/[[{}]/g, '\\$&')}`),
    )
  })

  test('that does not exist is refused before anything is done', async () => {
    for (const [env, flags, named] of [
      [{}, ['-o', 'xml'], '--output'],
      [{ KPI_OUTPUT: 'xml' }, [], 'KPI_OUTPUT'],
    ] as const) {
      const ran = await user.kpiIn({ env }, 'kpis', 'create', '--name', 'Never', '--frequency', 'D', ...flags)
      expect(ran).toEqual({
        code: 2,
        stdout: '',
        stderr: `kpi kpis create: ${named} xml is no output format; there are table, csv, json, ndjson, yaml, markdown\n`,
      })
    }
    expect(await list({}, '-o', 'csv')).not.toContain('Never')
  })
})

test('notes go to standard error, and --quiet leaves them out', async () => {
  const { id } = await user.client.kpis.add(kpiNamed('Short-lived'))
  expect(await user.kpi('kpis', 'delete', String(id), '--yes', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
})
