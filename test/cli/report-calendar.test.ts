import { expect, test } from 'vitest'
import { shellIn } from '../support/kpi.ts'
import { openDoors } from '../support/newer-import.ts'

/** Days with a value: around the begin of a week on Sunday, and of a fiscal year in April. */
const DAYS = [
  '2026-03-28',
  '2026-03-29',
  '2026-03-30',
  '2026-03-31',
  '2026-04-01',
  '2026-10-04',
  '2026-10-05',
  '2026-11-18',
]

test('weeks, quarters and years are those of the account, whichever way the service is reached', async () => {
  await using doors = await openDoors()
  const embedded = shellIn({ home: doors.folder.path, env: { KPI_DATA_DIR: doors.service.dataDir } })
  await embedded('service', 'settings', 'set', '--week-start', 'sunday', '--fiscal-year-start', '4')
  doors.write('data.csv', `user,kpi,date,actual\n${DAYS.map((day, at) => `Bob,Sales,${day},${2 ** at}\n`).join('')}`)
  await doors.classic('entries', 'import', 'data.csv', '--create-assignments')
  const [newer, classic] = [await doors.keyed(), doors.classic]
  const all = ['--from', '2026-03-28', '--to', '2026-11-21']
  for (const line of [
    [...all, '--by', 'W', '-o', 'csv'],
    [...all, '--by', 'Q', '--pivot', 'period', '-o', 'csv'],
    [...all, '--by', 'Y', '--total', '--compare', 'previous', '-o', 'ndjson'],
    ['--from', 'this-year', '--to', 'today', '-o', 'csv'],
    ['--from', 'this-week', '--to', 'this-week'],
  ]) {
    const expected = await embedded('report', ...line)
    expect(expected.code).toBe(0)
    for (const kpi of [classic, newer]) expect(await kpi('report', ...line)).toEqual(expected)
  }
  const { stdout } = await newer('report', ...all, '--by', 'W', '-o', 'csv')
  expect(stdout).toContain(',2026-03-29,30,')
  const fromApril = await classic('report', '--from', 'this-year', '--to', 'today', '-o', 'csv')
  expect(fromApril.stdout.trim().split('\n')).toHaveLength(5)
})
