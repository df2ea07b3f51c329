import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { embeddedImporter, type Importer } from '../support/import.ts'
import { NOW, testIo, type World } from '../support/io.ts'
import type { Ran } from '../support/kpi.ts'

let importer: Importer
beforeAll(async () => {
  importer = await embeddedImporter()
  const rows = [
    'Bob,Sales,2026-01-01,1,N',
    'Bob,Sales,2026-01-02,1.00001,S',
    'Bob,Sales,2026-01-03,,',
    'Zed,Sales,2026-01-04,1,',
  ]
  importer.write('data.csv', ['user,kpi,date,actual,Region', ...rows, ''].join('\n'))
  importer.write('one.csv', 'user,kpi,date,actual\nBob,Sales,2026-02-01,1\nZed,Sales,2026-02-01,1\n')
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

/** Runs a command in a world where `step` milliseconds pass between two looks at the clock. */
const runIn = async (world: Partial<World>, step: number, ...args: string[]): Promise<Ran> => {
  const { io, stdout, stderr } = testIo({ ...importer.world, ...world })
  let time = NOW
  const code = await run(args, { ...io, now: () => (time += step) })
  return { code, stdout: stdout(), stderr: stderr() }
}

const IMPORT = ['entries', 'import', 'data.csv']
const FIELDS = [
  'read',
  'created',
  'updated',
  'unchanged',
  'sent',
  'skipped',
  'rejected',
  'rounded',
  'empty',
  'assigned',
  'left',
  'restated',
  'requests',
  'refused',
  'waited',
  'seconds',
  'unchecked',
  'receipt',
]

describe('standard output', () => {
  test('is one JSON object and nothing else, with --output json', async () => {
    const { code, stdout } = await runIn({}, 31_000, ...IMPORT, '-o', 'json')
    const summary = JSON.parse(stdout) as Record<string, number>
    expect(code).toBe(3)
    expect(Object.keys(summary)).toEqual(FIELDS)
    expect(summary).toMatchObject({ read: 4, created: 2, rejected: 1, rounded: 1, empty: 1, assigned: 0, left: 0 })
    const { unchecked, receipt, ...counts } = summary
    expect([unchecked, typeof receipt]).toEqual([null, 'string'])
    expect(Object.values(counts).filter((value) => typeof value !== 'number')).toEqual([])
  })

  test('is a header and a row, with --output csv', async () => {
    const { stdout } = await runIn({}, 0, ...IMPORT, '-o', 'csv')
    const [header, row, end] = stdout.split('\n')
    expect(header).toBe(FIELDS.join(','))
    expect(row).toMatch(/^4,0,0,2,0,0,1,1,1,0,0,0,\d+,0,0,0,,$/)
    expect(end).toBe('')
  })

  test('is a table by itself, also at a terminal with its spinner', async () => {
    for (const world of [{}, { terminal: 80 }]) {
      const { code, stdout, stderr } = await runIn(world, 31_000, ...IMPORT, '--no-color')
      expect(code).toBe(3)
      expect(stderr).toMatch(
        /^imported data\.csv at \d\d:\d\d:\d\d: 4 rows read, 2 entries unchanged, 1 row rejected$/m,
      )
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.trim().split(/\s+/)[0]),
      ).toEqual(['field', 'read', 'unchanged', 'rejected', 'rounded', 'empty', 'requests'])
    }
  })

  test('of a dry run is an array of its rows, by entry, then the rejects', async () => {
    const { code, stdout, stderr } = await runIn({}, 31_000, ...IMPORT, '--dry-run', '-o', 'json')
    const nothing = {
      user_id: null,
      kpi_id: null,
      entry_date: null,
      actual: null,
      target: null,
      notes: null,
      changes: null,
    }
    const entry = { user_id: 3, kpi_id: 1, target: null, notes: null, reason: null, changes: null }
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toEqual([
      { ...entry, line: 2, action: 'unchanged', entry_date: '2026-01-01', actual: 1 },
      { ...entry, line: 3, action: 'unchanged', entry_date: '2026-01-02', actual: 1 },
      { ...nothing, line: 5, action: 'reject', reason: 'there is no user "Zed"' },
    ])
    expect(stderr).toContain('dry run, nothing was sent: 0 entries to create, 0 to update, 2 unchanged, 1 row')
  })
})

describe('standard error', () => {
  test('has a note of the columns that are left out', async () => {
    expect((await runIn({}, 0, ...IMPORT)).stderr).toContain('columns left out: Region\n')
  })

  test('says which targets are not kept, as their KPI has none', async () => {
    importer.write('targets.csv', 'user,kpi,date,actual,target\nBob,Sales,2026-02-01,1,5\nBob,Sales,2026-02-02,1,5\n')
    const { stderr } = await runIn({}, 0, 'entries', 'import', 'targets.csv', '--dry-run')
    expect(stderr).toContain(
      '2 targets are not stored, because their KPIs have none: Sales; kpi kpis update "Sales" --target-default N gives it one\n',
    )
  })

  test('warns of a file that has nothing but a header, also where quiet is wanted', async () => {
    importer.write('bare.csv', 'user,kpi,date,actual\n')
    const { code, stderr } = await runIn({}, 0, 'entries', 'import', 'bare.csv', '--quiet')
    expect([code, stderr]).toEqual([0, 'warning: bare.csv holds no rows\n'])
    const explained = await runIn({}, 0, 'entries', 'import', 'bare.csv', '--explain', '-o', 'csv')
    expect(explained.stdout).toContain('\nwarning,bare.csv holds no rows,')
    const assigned = await runIn({}, 0, 'assign', 'import', 'bare.csv', '--quiet')
    expect([assigned.code, assigned.stderr]).toEqual([0, 'warning: bare.csv holds no rows\n'])
  })

  test('has a line of progress at most every 30 seconds where there is no terminal', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => `Bob,Sales,${String(1900 + (at % 300))}-01-01,1`)
    importer.write('long.csv', ['user,kpi,date,actual', ...rows].join('\n'))
    const slow = await runIn({}, 31_000, 'entries', 'import', 'long.csv', '--dry-run', '-o', 'csv')
    expect(slow.stderr).toMatch(/^[\d,]+ rows read and checked\n/)
    expect(slow.stderr.match(/rows read and checked/g)?.length).toBeGreaterThan(1)
    const quick = await runIn({}, 0, 'entries', 'import', 'long.csv', '--dry-run', '-o', 'csv')
    expect(quick.stderr).not.toContain('read and checked')
  })

  test('says how many entries are sent', async () => {
    const { stderr } = await runIn({}, 31_000, ...IMPORT)
    expect(stderr).toContain('2 of 2 entries sent (100 %)\n')
  })

  test('has neither notes nor progress with --quiet', async () => {
    const { stderr } = await runIn({}, 31_000, ...IMPORT, '--quiet')
    expect(stderr).not.toMatch(/left out|read and checked|entries sent/)
  })

  test('speaks of one row as of one', async () => {
    const { stderr } = await runIn({}, 0, 'entries', 'import', 'one.csv')
    expect(stderr).toMatch(/\b1 row was rejected; it is in one\.rejects\.csv/)
  })
})
