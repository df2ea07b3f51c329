import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

test('percentages, decimals and totals that are not clear are told together', async () => {
  await using user = await openUser('Percent')
  await user.kpi('kpis', 'create', '--name', 'Revenue', '--frequency', 'D')
  const rows = [
    'user,date,Revenue,Quota',
    'Ann,2026-03-01,"1,500",0.4',
    'Ann,2026-03-02,"2,250",0.5',
    'Total,2026-03-03,"3,750",0.9',
  ]
  await user.kpi('users', 'create', '--first-name', 'Total', '--email', 'total@example.com')
  writeFileSync(user.folder.in('data.csv'), `${rows.join('\n')}\n`)
  const ran = await user.kpi('entries', 'import', 'data.csv', '--create-assignments', '-o', 'json')
  expect(ran.code).toBe(1)
  const { message, issues } = errorOf(ran)
  expect(message).toContain(
    'it is not clear what some numbers, dates or names mean; some rows look like totals; it is not clear what some percentages are; nothing was sent',
  )
  expect(issues.map(({ field }) => field)).toEqual(['Revenue', 'line 4', 'Quota'])
})

test.each([
  ['one is larger than 1', 'Percent', ['0.42', '12']],
  ['all are 0', 'Percent', ['0', '0']],
  ['they have the sign', 'Percent', ['0.42 %', '0.5 %']],
  ['they are no percentages', 'Decimal', ['0.42', '0.5']],
])('they are taken as they are where %s', async (_, unit, values) => {
  await using user = await openUser(unit)
  expect(jsonOf(await load(user, values))).toMatchObject({ created: 2 })
})

test('percentages that are 0 and 1 only are asked about', async () => {
  await using user = await openUser('Percent')
  expect(allOf(errorOf(await load(user, ['0', '1', '0'])))).toContain(
    'Quota: is a percentage, and all of its 3 values are between -1 and 1, such as 1 on line 3: that is 1 % (--percent as-is) or 100 % (--percent fraction)',
  )
  expect(await load(user, ['0', '1'], '--percent', 'fraction')).toMatchObject({ code: 0 })
  expect(await actuals(user)).toEqual([0, 100])
})

describe('several percentages', () => {
  let user: User
  beforeAll(async () => {
    user = await embeddedUser()
  })
  afterAll(() => user[Symbol.asyncDispose]())

  const FILE = 'Store,Date,A %,B %\nLake,2024-01-01,0.5,50\nLake,2024-01-02,0.1,20\n'
  const outcomeOf = async (text: string, ...flags: string[]): Promise<string> => {
    writeFileSync(user.folder.in('data.csv'), text)
    const ran = await user.kpi('entries', 'import', 'data.csv', '--create-missing', '--dry-run', '-o', 'json', ...flags)
    if (ran.code !== 0) return allOf(errorOf(ran))
    return (JSON.parse(ran.stdout) as { actual: number }[]).map(({ actual }) => String(actual)).join(' ')
  }

  test('are asked about by name, with flags that concern no other', async () => {
    expect(await outcomeOf(FILE)).toBe(
      'it is not clear what some percentages are; nothing was sent\nA %: is a percentage, and all of its 2 values are between -1 and 1, such as 0.5 on line 2: that is 0.5 % (--percent "as-is=A %") or 50 % (--percent "fraction=A %")',
    )
    expect(await outcomeOf(FILE, '--percent', 'fraction=A %')).toBe('50 10 50 20')
    expect(await outcomeOf(FILE, '--percent', 'as-is=a %')).toBe('0.5 0.1 50 20')
  })

  test('are not all fractions if one has larger values, unless that is said', async () => {
    expect(await outcomeOf(FILE, '--percent', 'fraction')).toBe(
      'it is not clear what some percentages are; nothing was sent\nB %: is a percentage, and not all of its values are between -1 and 1, such as 50 on line 2: that is 50 % (--percent "fraction,as-is=B %") or 5000 % (--percent "fraction,fraction=B %")',
    )
    expect(await outcomeOf(FILE, '--percent', 'fraction,as-is=B %')).toBe('50 10 50 20')
    expect(await outcomeOf(FILE, '--percent', 'fraction,fraction=B %')).toBe('50 10 5000 2000')
    expect(await outcomeOf(FILE, '--percent', 'as-is')).toBe('0.5 0.1 50 20')
  })

  test('are all given by one flag, or by several', async () => {
    const file = 'Store,Date,A %,B %,C %\nLake,2024-01-01,0.5,50,0.2\nLake,2024-01-02,0.1,20,0.3\n'
    expect(await outcomeOf(file, '--percent', 'fraction=A %')).toContain(
      'C %: is a percentage, and all of its 2 values are between -1 and 1, such as 0.2 on line 2: that is 0.2 % (--percent "fraction=A %,as-is=C %")',
    )
    expect(await outcomeOf(file, '--percent', 'fraction=A %,C %')).toBe('50 10 50 20 20 30')
    expect(await outcomeOf(file, '--percent', 'fraction=A %', '--percent', 'as-is=C %')).toBe('50 10 50 20 0.2 0.3')
  })

  test('a target that is no fraction stops an import as well', async () => {
    const file = 'Store,KPI,Date,Value,Target\nLake,A %,2024-01-01,0.5,50\nLake,A %,2024-01-02,0.1,50\n'
    expect(await outcomeOf(file, '--percent', 'fraction')).toContain('such as 50 on line 2: that is 50 %')
  })

  test('are named by their names', async () => {
    expect(await outcomeOf(FILE, '--percent', 'fraction=C %')).toContain(
      'C %: is named by --percent, and no percentage KPI has that name',
    )
  })

  test('are read by a mapping as its flags said', async () => {
    const flags = ['--percent', '"fraction=A, %"', '--percent', 'as-is=B %']
    const file = 'Store,Date,"A, %",B %\nLake,2024-01-01,0.5,0.7\nLake,2024-01-02,0.1,0.2\n'
    writeFileSync(user.folder.in('kept.csv'), file)
    const load = (...more: string[]): Promise<Ran> =>
      user.kpi('entries', 'import', 'kept.csv', '--create-missing', '--dry-run', '-o', 'json', ...more)
    const before = await load(...flags, '--save-mapping', 'rates')
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('50') })
    expect(await load('--mapping', 'rates')).toMatchObject({ code: 0, stdout: before.stdout })
  })

  test.each([
    ['half', '--percent half is not as-is, fraction or fraction=KPI'],
    ['fraction,A %', '--percent A % is not as-is, fraction or fraction=KPI'],
    ['fraction=A %,as-is=A %', '--percent says as-is and fraction of the same KPIs'],
  ])('--percent %s is a wrong flag', async (percent, says) => {
    const ran = await user.kpi('entries', 'import', 'data.csv', '--percent', percent)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(says)])
  })
})
