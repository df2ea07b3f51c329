import { describe, expect, test } from 'vitest'
import { embeddedImporter, heldIn, importers } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'

const RECORDS = [
  { user: { name: 'Ann Lee' }, kpi: 'Visits', date: '2026-01-01', actual: 1.234 },
  { user: { name: 'Zed' }, kpi: 'Sales', date: '2026-01-02', actual: 2 },
  { user: { name: 'Bob' }, kpi: 'Sales', date: '2026-01-03', actual: -0.0001, notes: 'rain, all day' },
]
const HELD = ['2 2 2026-01-01 1.234 - -', '3 1 2026-01-03 -0.0001 - rain, all day']
const LINES = RECORDS.map((one) => `${JSON.stringify(one)}\n`).join('')
const FLAGS = ['--map', 'user=user.name', '-o', 'json']

describe.each(importers)('%s', (_, open) => {
  test.each([
    ['data.json', JSON.stringify(RECORDS, null, 1), []],
    ['data.ndjson', LINES, []],
    ['data.json', JSON.stringify({ page: { items: RECORDS } }), ['--records', 'page.items']],
  ])('entries of %s are imported, and what is rejected is CSV that can be fixed', async (file, text, flags) => {
    await using importer = await open()
    importer.write(file, text)
    const ran = await importer.kpi('entries', 'import', file, ...FLAGS, ...flags)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 3, created: 2, rejected: 1, rounded: 0 }])
    expect(await heldIn(importer)).toEqual(HELD)
    const rejects = importer.read('data.rejects.csv')
    const line = file === 'data.ndjson' || flags.length > 0 ? 2 : 10
    expect(rejects).toMatch(
      new RegExp(`^user\\.name,kpi,date,actual,notes,_line,_reason\nZed,Sales,2026-01-02,2,,${line},`),
    )
    importer.write('fixed.csv', rejects.replace('Zed', 'Bob'))
    expect(jsonOf(await importer.kpi('entries', 'import', 'fixed.csv', ...FLAGS))).toMatchObject({ created: 1 })
  })
})

test('standard input is JSON where it begins as JSON does, which --explain tells', async () => {
  await using importer = await embeddedImporter()
  const explained = async (text: string): Promise<unknown> => {
    const ran = await importer.kpiWith(text)('entries', 'import', '-', '--explain', ...FLAGS)
    return (jsonOf(ran) as { topic: string; found: string; evidence: string }[]).slice(0, 2)
  }
  expect(await explained(JSON.stringify(RECORDS, null, 2))).toEqual([
    { topic: 'format', found: 'JSON', evidence: 'it begins with [' },
    { topic: 'records', found: '3', evidence: 'a list' },
  ])
  expect(await explained(LINES)).toEqual([
    { topic: 'format', found: 'NDJSON', evidence: 'its first line is an object' },
    { topic: 'records', found: '3', evidence: 'one on each line' },
  ])
  const around = await importer.kpiWith(JSON.stringify({ data: RECORDS }))('entries', 'import', '-', ...FLAGS)
  expect([around.code, around.stderr]).toEqual([
    1,
    expect.stringContaining(
      'it is an object, and no list of records; its lists of objects are read with --records data',
    ),
  ])
  const within = importer.kpiWith(JSON.stringify({ data: RECORDS }))
  const read = await within('entries', 'import', '-', '--records', 'data', '--dry-run', '--summary-only', ...FLAGS)
  expect([read.code, JSON.parse(read.stdout)]).toMatchObject([3, { read: 3, created: 2, rejected: 1 }])
  expect(read.stderr).toContain('several records of standard input begin on line 1, so they are counted')
})

test('a mapping keeps where the records are, and reads the rejected rows, too', async () => {
  await using importer = await embeddedImporter()
  importer.write('one.json', JSON.stringify({ data: RECORDS.slice(0, 1) }))
  importer.write('two.json', JSON.stringify({ data: RECORDS.slice(1) }))
  await importer.kpi('entries', 'import', 'one.json', ...FLAGS, '--records', 'data', '--save-mapping', 'shop')
  const ran = await importer.kpi('entries', 'import', 'two.json', '--mapping', 'shop', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { read: 2, created: 1, rejected: 1 }])
  importer.write('fixed.csv', importer.read('two.rejects.csv').replace('Zed', 'Bob'))
  const fixed = await importer.kpi('entries', 'import', 'fixed.csv', '--mapping', 'shop', '-o', 'json')
  expect(jsonOf(fixed)).toMatchObject({ read: 1, created: 1 })
})

test.each([
  ['users', ['users', 'list']],
  ['kpis', ['kpis', 'list']],
  ['assign', ['assign', 'list']],
])('%s are imported from their own lists as unchanged', async (noun, list) => {
  await using importer = await embeddedImporter()
  for (const format of ['json', 'ndjson']) {
    const { code, stdout } = await importer.kpi(...list, '-o', format)
    expect([code, stdout]).toEqual([0, expect.stringContaining('"')])
    importer.write(`all.${format}`, stdout)
    const summary = jsonOf(await importer.kpi(noun, 'import', `all.${format}`, '-o', 'json'))
    expect(summary).toMatchObject({ updated: 0, rejected: 0, ...(noun === 'assign' ? { added: 0 } : { created: 0 }) })
    expect(summary).not.toMatchObject({ unchanged: 0 })
  }
})
