import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOf, errorOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(() => user[Symbol.asyncDispose]())

/** Imports a text into an empty account, without sending anything. */
const importText = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  const flags = ['--create-missing', '--frequency', 'D', '--dry-run', '-o', 'json']
  return user.kpi('entries', 'import', 'data.csv', ...flags, ...args)
}

/** Returns why an import stops, or the actuals that it would send, in order. */
const outcomeOf = async (text: string, ...args: string[]): Promise<string> => {
  const ran = await importText(text, ...args)
  if (ran.code === 1) return allOf(errorOf(ran))
  const rows = JSON.parse(ran.stdout) as { action: string; actual: number }[]
  const actuals = rows.filter(({ action }) => action === 'create').map(({ actual }) => actual)
  return actuals.toSorted((one, other) => one - other).join(' ')
}

describe('a total below the rows', () => {
  const FILE = 'Store,Date,Sales\nLake,2024-01-01,1\nHill,2024-01-02,6\nTotal,2024-01-02,7\nSource: ERP,,\n'

  test.each([
    [
      ['--ignore-rows', 'Source:*'],
      '--ignore-rows "Source:*,Total" leaves it out, --ignore-rows "Source:*,none" imports it',
    ],
    [['--ignore-rows', 'Lake,Source:*'], '"Total" looks like a total of the rows above'],
    [['--ignore-rows', ''], '--ignore-rows Total leaves it out, --ignore-rows none imports it'],
  ])('stops an import whose %j leaves out other rows', async (flags, says) => {
    expect(await outcomeOf(FILE, ...flags)).toContain(says)
  })

  test.each([
    ['Source:*,Total', '1 6'],
    ['Source:*,Tot*', '1 6'],
    ['Source:*,none', '1 6 7'],
    ['NONE,Source:*', '1 6 7'],
  ])('is settled by --ignore-rows %s', async (rows, actuals) => {
    expect(await outcomeOf(FILE, '--ignore-rows', rows)).toBe(actuals)
  })
})

test('one total is kept and another left out by a flag that the message names', async () => {
  const file = 'Store,Date,Sales\nLake,2024-01-01,1\nSubtotal,2024-01-01,1\nHill,2024-01-02,6\nTotal,2024-01-02,7\n'
  expect(await outcomeOf(file)).toContain(
    '"Subtotal", "Total" look like totals of the rows above: --ignore-rows Subtotal,Total leaves them out, --ignore-rows none imports them, --ignore-rows Subtotal,none leaves out "Subtotal" and imports the rest',
  )
  expect(await outcomeOf(file, '--ignore-rows', 'Subtotal,none')).toBe('1 6 7')
})

describe('new names that look like totals', () => {
  const HEAD = 'Store,Date,Sales\nLake,2024-01-01,1\n'

  test('stop an import that would create items', async () => {
    const told = await outcomeOf(`${HEAD}Lake Total,2024-01-01,1\nHill,2024-01-01,6\nMax,2024-01-01,6\n`)
    expect(told).toContain(
      `Lake Total: would be a new breakdown item, and looks like a total or an average of "Lake": --ignore-rows "Lake Total" leaves its rows out; --ignore-rows none imports it`,
    )
    expect(told).toContain('Max: would be a new breakdown item, and looks like a total or an average: ')
    expect(told).toContain(
      `all: --ignore-rows "Lake Total,Max" leaves all of these out; --ignore-rows "Lake Total,none" leaves out "Lake Total" and imports the rest`,
    )
  })

  test('are settled by flags about them alone', async () => {
    const file = `${HEAD}Lake Total,2024-01-02,1\nMax,2024-01-03,6\n`
    expect(await outcomeOf(file, '--ignore-rows', 'Lake Total')).toContain(
      '--ignore-rows "Lake Total,Max" leaves its rows',
    )
    expect(await outcomeOf(file, '--ignore-rows', 'Lake Total,none')).toBe('1 6')
    expect(await outcomeOf(file, '--ignore-rows', 'Lake Total,Max')).toBe('1')
    expect(await outcomeOf(file, '--ignore-rows', 'none')).toBe('1 1 6')
  })

  test('may be a part of a name of several columns', async () => {
    const file = 'Region,Store,Date,Sales\nN,Lake,2024-01-01,1\nN,Hill,2024-01-01,2\nN,Total,2024-01-01,3\n'
    expect(await outcomeOf(file, '--map', 'source=Region+Store')).toContain(
      'N / Total: would be a new breakdown item, and looks like a total or an average: --ignore-rows Total leaves its rows out',
    )
    expect(await outcomeOf(file, '--map', 'source=Region+Store', '--ignore-rows', 'Total')).toBe('1 2')
  })

  test('may head a column, which --ignore leaves out', async () => {
    const file = 'Store,Date,Food,Drinks,Total\nLake,2024-01-01,1,2,3\n'
    expect(await outcomeOf(file)).toContain(
      'Total: would be a new KPI, and looks like a total or an average: --ignore Total leaves its column out; --map-kpi Total=NAME imports it as the KPI of that name; --ignore-rows none imports it',
    )
    expect(await outcomeOf(file, '--ignore-rows', 'Total')).toContain('--ignore-rows Total,none imports it')
    expect(await outcomeOf(file, '--ignore', 'Total')).toBe('1 2')
  })

  test('are meant if a flag gives them to all rows, or to a column', async () => {
    const flags = ['--kpi', 'Total', '--map', 'actual=Sales']
    expect(await outcomeOf(HEAD, ...flags)).toBe('1')
    expect(await outcomeOf(HEAD, '--map-kpi', 'Sales=Total')).toBe('1')
  })
})
