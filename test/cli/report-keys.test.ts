import { expect, test } from 'vitest'
import { openDoors } from '../support/newer-import.ts'

const DAYS = ['--from', '2026-01-01', '--to', '2026-12-31']

test('a report takes ids with a key that may only report, and names with one that may look them up', async () => {
  await using doors = await openDoors()
  doors.write('data.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,1\nAnn,Sales,2026-01-01,2\n')
  await doors.classic('entries', 'import', 'data.csv', '--create-assignments')
  const [reporting, all] = [await doors.keyed('reports:read'), await doors.keyed()]
  const byName = await all('report', ...DAYS, '--users', 'Bob', '--kpis', 'Sales', '-o', 'csv')
  const users = await doors.application.users.list()
  const bob = users.find(({ first_name }) => first_name === 'Bob')
  const [kpi] = await doors.application.kpis.list()
  const ids = ['--users', String(bob?.id), '--kpis', String(kpi?.id)]
  expect(await reporting('report', ...DAYS, ...ids, '-o', 'csv')).toEqual(byName)
  expect(byName.stdout.trim().split('\n')).toHaveLength(2)
  const refused = await reporting('report', ...DAYS, '--users', 'Bob')
  expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('users:read') as unknown })
})
