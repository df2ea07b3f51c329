import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedUser, type User } from '../support/user.ts'

/** Holds an account with a KPI of each frequency; today is Saturday, 2026-11-21. */
let user: User
beforeAll(async () => {
  user = await embeddedUser()
  for (const frequency of ['daily', 'weekly', 'monthly', 'quarterly', 'yearly']) {
    await user.kpi('kpis', 'create', '--name', frequency, '--frequency', frequency)
  }
  await user.kpi('assign', 'add', '--kpis', 'all', '--users', '1')
})
afterAll(() => user[Symbol.asyncDispose]())

const add = (kpi: string, date: string) =>
  user.kpi('entries', 'add', '--user', '1', '--kpi', kpi, '--date', date, '--actual', '1', '-o', 'csv')

describe('a word for a period is the first day of such a period', () => {
  test.each([
    ['daily', 'Yesterday', '2026-11-20'],
    ['weekly', '2026-W07', '2026-02-09'],
    ['weekly', 'last week', '2026-11-09'],
    ['monthly', '2026-10', '2026-10-01'],
    ['monthly', ' Last_Month ', '2026-10-01'],
    ['quarterly', '2026-q3', '2026-07-01'],
    ['yearly', '2025', '2025-01-01'],
    ['monthly', 'yesterday', '2026-11-20'],
  ])('a %s KPI takes %s as %s', async (kpi, word, day) => {
    const { code, stdout, stderr } = await add(kpi, word)
    expect(code).toBe(0)
    expect(stdout).toContain(`,${day},`)
    expect(stderr).toMatch(new RegExp(`^--date .+ is ${day} in UTC\n`))
  })

  test('a date as it is needs no note', async () => {
    expect(await add('monthly', '2026-10-31')).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['daily', '2026-10', '--date 2026-10 is 2026-10-01 to 2026-10-31, and daily is daily; write a day'],
    ['weekly', '2026-10', 'and weekly is weekly; write a day, or a week such as 2026-W07'],
    ['quarterly', 'last month', "--date 'last month' is 2026-10-01 to 2026-10-31, and quarterly is quarterly"],
    ['monthly', 'ytd', 'is 2026-01-01 to 2026-11-21, and monthly is monthly; write a day, or a month such as 2026-10'],
    ['daily', 'yesterdy', '--date "yesterdy" is not a date; did you mean yesterday? write YYYY-MM-DD'],
  ])('a %s KPI has no value of %s', async (kpi, word, message) => {
    const { code, stderr } = await add(kpi, word)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

test('a period belongs to the account: weeks from Sunday, years from April', async () => {
  await using other = await embeddedUser()
  await other.kpi('service', 'settings', 'set', '--week-start', 'sunday', '--fiscal-year-start', '4')
  for (const frequency of ['weekly', 'quarterly']) {
    await other.kpi('kpis', 'create', '--name', frequency, '--frequency', frequency)
  }
  await other.kpi('assign', 'add', '--kpis', 'all', '--users', '1')
  const whose = ['entries', 'add', '--user', '1', '--actual', '1', '-o', 'csv']
  expect((await other.kpi(...whose, '--kpi', 'weekly', '--date', '2026-W07')).stdout).toContain(',2026-02-08,')
  expect((await other.kpi(...whose, '--kpi', 'quarterly', '--date', '2026-Q1')).stdout).toContain(',2026-04-01,')
})

test('a file is imported for a day, and a period is refused with the flag that helps', async () => {
  const ran = await user.kpiIn({ stdin: 'user,kpi,actual\n1,3,1\n' }, 'entries', 'import', '-', '--date', 'last month')
  expect(ran).toMatchObject({
    code: 2,
    stderr:
      "kpi entries import: --date 'last month' is a period; write a day of it, and --period-dates first for KPIs that are not daily\n",
  })
})
