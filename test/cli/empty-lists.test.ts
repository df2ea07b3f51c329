import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await user.kpi('kpis', 'create', '--name', 'Visits', '--frequency', 'D')
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

test.each([
  ['assign list', /^no .+\n$/],
  ['assign group-items list', /^no .+\n$/],
  ['profiles list', /^no profiles\n$/],
  ['service keys list', /^no keys\n$/],
  ['kpis list --limit 0', /^no KPIs within --limit 0\n$/],
  ['entries list --from 2026-11-01 --to 2026-11-02 -o csv', /^no entries from 2026-11-01 to 2026-11-02\n$/],
  ['entries list --from 2026-10 --to 2026-10 -o json', /\nno entries from 2026-10-01 to 2026-10-31\n$/],
  ['entries list --filter user=1 --from 2026-10 --to 2026-10', /\nno entries that the filters select from 2026-10-01/],
  [
    'entries delete --from 2026-10 --yes',
    /^--from 2026-10 is 2026-10-01 to 2026-10-31 in UTC\nthere are no such entries from 2026-10-01 to 2026-10-31\n$/,
  ],
])('%s says that it is empty, and why', async (line, note) => {
  expect((await user.kpi(...line.split(' '))).stderr).toMatch(note)
})

test('a word for a day is noted with the days meant; dates are not, and a list says which days it shows by default', async () => {
  await user.kpi('assign', 'add', '--kpis', 'Visits', '--users', '1')
  await user.kpi('entries', 'add', '--user', '1', '--kpi', 'Visits', '--date', 'yesterday', '--actual', '5')
  const list = async (...args: string[]): Promise<string> => (await user.kpi('entries', 'list', ...args)).stderr
  expect(await list('--from', 'this month')).toBe("--from 'this month' is 2026-11-01 to 2026-11-21 in UTC\n")
  expect(await list('--from', '2026-11-01', '--to', '2026-11-21')).toBe('')
  expect(await list()).toBe('listed 2026-10-22 to 2026-11-21; --from lists earlier days\n')
  expect((await user.kpi('check', '--from', 'yesterday')).stderr).toContain('--from yesterday is 2026-11-20 in UTC\n')
})

test.each([
  ['kpis list', 'no KPIs; kpi demo shows what an account with data is like; create one with: kpi kpis create\n'],
  ['groups list', 'no groups; create one with: kpi groups create\n'],
  ['assign list', 'no assignments; add one with: kpi assign add\n'],
  ['profiles list', 'no profiles; add one with: kpi profiles add\n'],
  ['kpis list --limit 0', 'no KPIs within --limit 0\n'],
])('at a terminal %s says how there comes to be a first one', async (line, note) => {
  await using fresh = await embeddedUser()
  expect((await fresh.kpiIn({ terminal: 120 }, ...line.split(' '))).stderr).toBe(note)
})
