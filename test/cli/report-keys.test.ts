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
  const byId = await reporting('report', ...DAYS, ...ids, '-o', 'csv')
  expect(byId).toMatchObject({ code: 0, stdout: byName.stdout })
  expect(byId.stderr).toMatch(/periods that began before the range are not looked for, .* \(scope kpis:read\)\n$/)
  expect(byName.stdout.trim().split('\n')).toHaveLength(2)
  const refused = await reporting('report', ...DAYS, '--users', 'Bob')
  expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('users:read') as unknown })
})

test('a question asks no more of a key than it needs, and says which scope it lacks', async () => {
  await using doors = await openDoors()
  doors.write('data.csv', 'user,kpi,date,actual\nBob,Sales,2026-01-01,1\nAnn,Sales,2026-01-01,2\n')
  await doors.classic('entries', 'import', 'data.csv', '--create-assignments')
  const reporting = await doors.keyed('reports:read')
  for (const line of [['--top', '1'], ['--sort', 'actual'], ['--share'], ['--pivot', 'item']]) {
    expect(await reporting('report', ...DAYS, ...line)).toMatchObject({ code: 0, stderr: '' })
  }
  const refused = await reporting('report', ...DAYS, '--by', 'M')
  expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('kpis:read') as unknown })
})

test('what is missing is refused through the newer interface, which does not say who is expected to report what', async () => {
  await using doors = await openDoors()
  const all = await doors.keyed()
  const refused = await all('report', ...DAYS, '--only-missing')
  expect(refused).toMatchObject({ code: 7, stdout: '' })
  expect(refused.stderr).toMatch(/^kpi: the newer interface \(\/v1\) has no assignments of KPIs: use a profile/)
})
