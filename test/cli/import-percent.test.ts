import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allOf, errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

const load = (user: User, values: readonly string[], ...flags: string[]): Promise<Ran> => {
  const rows = values.map((value, at) => `Ann,Quota,2026-03-0${at + 1},${value}\n`)
  writeFileSync(user.folder.in('data.csv'), `user,kpi,date,actual\n${rows.join('')}`)
  return user.kpi('entries', 'import', 'data.csv', '--create-assignments', '-o', 'json', ...flags)
}

const actuals = async (user: User): Promise<unknown[]> => {
  const range = ['--from', '2026-03-01', '--to', '2026-03-31']
  const entries = jsonOf(await user.kpi('entries', 'list', ...range, '-o', 'json')) as { actual: number }[]
  return entries.map(({ actual }) => actual)
}

const openUser = async (unit: string): Promise<User> => {
  const user = await embeddedUser()
  await user.kpi('users', 'create', '--first-name', 'Ann', '--email', 'ann@example.com')
  await user.kpi('kpis', 'create', '--name', 'Quota', '--frequency', 'D', '--unit', unit)
  return user
}

test('percentages that are all below 1 are asked about, and flags say what they are', async () => {
  await using user = await openUser('Percent')
  const ran = await load(user, ['0.42', '0.5', '0.123456'])
  expect(ran.code).toBe(1)
  expect(allOf(errorOf(ran))).toContain(
    'Quota: is a percentage, and all of its 3 values are between -1 and 1, such as 0.42 on line 2: that is 0.42 % (--percent as-is) or 42 % (--percent fraction)',
  )
  expect(await actuals(user)).toEqual([])
  expect(jsonOf(await load(user, ['0.42', '0.5', '0.123456'], '--percent', 'as-is'))).toMatchObject({ rounded: 1 })
  expect(await actuals(user)).toEqual([0.42, 0.5, 0.1235])
  expect(jsonOf(await load(user, ['0.42', '0.5', '0.123456'], '--percent', 'fraction'))).toMatchObject({ rounded: 0 })
  expect(await actuals(user)).toEqual([42, 50, 12.3456])
})

test.each([
  ['one is larger than 1', 'Percent', ['0.42', '12']],
  ['all are whole', 'Percent', ['0', '1']],
  ['they have the sign', 'Percent', ['0.42 %', '0.5 %']],
  ['they are no percentages', 'Decimal', ['0.42', '0.5']],
])('they are taken as they are where %s', async (_, unit, values) => {
  await using user = await openUser(unit)
  expect(jsonOf(await load(user, values))).toMatchObject({ created: 2 })
})
