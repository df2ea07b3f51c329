import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Importer, importers } from '../support/import.ts'
import type { Ran } from '../support/kpi.ts'

const ROWS = [
  ...Array.from(
    { length: 1204 },
    (_, at) => `Zacharias,Sales,20${10 + (at % 16)}-01-${String((at % 28) + 1).padStart(2, '0')},1`,
  ),
  'Bob,Sales,2026-03-01,1',
  'Bob,Sales,2026-03-01,2',
  ...Array.from({ length: 15 }, (_, at) => `Bob,Sales,2026-04-${at + 10},x${at}`),
]
const REASONS =
  'rejected: there is no user "Zacharias" (1,204 rows, first line 2)\n' +
  'rejected: the same user, KPI and date are on lines '
const WAYS =
  'rejected: and 7 other reasons\n' +
  '--create-missing=users creates the users that are not there, or create them with kpi users create\n' +
  '--on-duplicate makes one entry of rows with the same key: first, last, sum'

describe.each(importers)('%s, the reasons for rejects', (_, open) => {
  let importer: Importer
  beforeEach(async () => {
    importer = await open()
    importer.write('data.csv', ['user,kpi,date,actual', ...ROWS, ''].join('\n'))
  })
  afterEach(async () => {
    await importer[Symbol.asyncDispose]()
  })
  const load = (...flags: string[]): Promise<Ran> => importer.kpi('entries', 'import', 'data.csv', ...flags)

  test('are told with their counts and what to do about them, before the rejects file is named', async () => {
    const ran = await load()
    expect(ran.code).toBe(3)
    expect(ran.stderr.startsWith(REASONS)).toBe(true)
    expect(ran.stderr).toContain(WAYS)
    expect(ran.stderr.indexOf(WAYS)).toBeLessThan(ran.stderr.indexOf('kpi: 1221 rows were rejected; they are in data'))
    expect(ran.stderr.match(/^rejected: /gm)).toHaveLength(11)
  })

  test('are no more than the one line that matters with --quiet', async () => {
    expect((await load('--quiet')).stderr).toMatch(/^kpi: 1221 rows were rejected; .*\n$/)
  })

  test('are told below a dry run', async () => {
    const { stderr } = await load('--dry-run')
    expect(stderr).toMatch(/^dry run, nothing was sent: .*\n/)
    expect(stderr).toContain(REASONS)
    expect(stderr).toContain(WAYS)
  })

  test.each([
    ['10', 'nothing was sent: 11 of the first 11 rows are bad', '11 rows, first line 2'],
    ['50%', 'nothing was sent: 1,219 of 1,221 rows are bad', '1,204 rows, first line 2'],
  ])('are told where there are more than --max-errors %s', async (most, says, where) => {
    const { code, stderr } = await load('--max-errors', most)
    expect(code).toBe(1)
    expect(stderr).toContain(
      `kpi: ${says}, more than --max-errors ${most} allows\n  ${where}: there is no user "Zacharias"\n`,
    )
    expect(stderr).toContain('  --create-missing=users: creates the users that are not there')
  })
})
