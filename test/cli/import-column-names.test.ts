import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allOf, errorOf } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(() => user[Symbol.asyncDispose]())

/** Returns why an import stops, or the KPIs and values that it would send. */
const outcomeOf = async (text: string, ...args: string[]): Promise<string> => {
  writeFileSync(user.folder.in('data.csv'), text)
  const flags = ['--create-missing', '--frequency', 'D', '--dry-run', '-o', 'json']
  const ran = await user.kpi('entries', 'import', 'data.csv', ...flags, ...args)
  if (ran.code === 1) return allOf(errorOf(ran))
  const rows = JSON.parse(ran.stdout) as {
    reason: string
    actual: number
    target: number | null
    notes: string | null
  }[]
  return rows
    .map(({ reason, actual, target, notes }) =>
      [/KPI "(.*?)"/.exec(reason)?.[1] ?? '', actual, target, notes].filter((one) => one !== null).join(' '),
    )
    .join(', ')
}

const fileOf = (column: string): string => `Store,Date,Sales,${column}\nLake,2024-01-01,5,7\n`

test('a column called like the target stops an import, and a flag settles each reading', async () => {
  const file = fileOf('Target')
  expect(await outcomeOf(file)).toBe(
    'it is not clear what some new names mean; nothing was sent\nTarget: would be a new KPI, and may be the target of "Sales" instead: --kpi Sales --map actual=Sales,target=Target reads it so; --map-kpi Target=Target makes it a KPI; --ignore Target leaves the column out',
  )
  expect(await outcomeOf(file, '--kpi', 'Sales', '--map', 'actual=Sales,target=Target')).toBe('Sales 5 7')
  expect(await outcomeOf(file, '--map-kpi', 'Target=Target')).toBe('Sales 5, Target 7')
  expect(await outcomeOf(file, '--map-kpi', 'Target=Planned Sales')).toBe('Sales 5, Planned Sales 7')
  expect(await outcomeOf(file, '--ignore', 'Target')).toBe('Sales 5')
})

test.each(['Plan', 'Soll', 'Ziel', 'Budget', 'Objectif', 'presupuesto', 'План', '目標', 'Sales Target', 'Soll Sales'])(
  'a column called %s may be the target of the KPI beside it',
  async (name) => {
    expect(await outcomeOf(fileOf(name))).toContain(
      `${name}: would be a new KPI, and may be the target of "Sales" instead`,
    )
  },
)

test.each([
  ['Notes', 'notes of "Sales" instead: --kpi Sales --map actual=Sales,notes=Notes reads it so'],
  ['Bemerkung', 'notes of "Sales" instead: '],
])('numbers in a column called %s stop an import', async (name, says) => {
  expect(await outcomeOf(fileOf(name))).toContain(`${name}: would be a new KPI, and may be the ${says}`)
})

test.each(['Month', 'Year'])('numbers in a column called %s stop an import', async (name) => {
  expect(await outcomeOf(fileOf(name))).toContain(
    `${name}: holds whole numbers, and is named for a part of a date or time`,
  )
})

test('notes that are numbers are read by the flag that the message names', async () => {
  expect(await outcomeOf(fileOf('Notes'), '--kpi', 'Sales', '--map', 'actual=Sales,notes=Notes')).toBe('Sales 5 7')
})

test('of several KPIs, it says how a target of one is read', async () => {
  const file = 'Store,Date,Sales,Visits,Target\nLake,2024-01-01,5,6,7\n'
  expect(await outcomeOf(file)).toContain(
    'Target: would be a new KPI, and may be the target instead: --kpi KPI --map actual=COLUMN,target=Target reads it so',
  )
  expect(await outcomeOf(file, '--kpi', 'Visits', '--map', 'actual=Visits,target=Target')).toBe('Visits 6 7')
  expect(await outcomeOf(file.replace('Target', 'Visits Target'))).toContain(
    `may be the target of "Visits" instead: --kpi Visits --map "actual=Visits,target=Visits Target" reads it so`,
  )
})

test('rows of a KPI that is called like the target stop an import as well', async () => {
  const file = 'Store,KPI,Date,Value\nLake,Sales,2024-01-01,5\nLake,Target,2024-01-01,7\n'
  expect(await outcomeOf(file)).toContain(
    'Target: would be a new KPI, and is called like the target of one: --ignore-rows Target leaves its rows out; --map-kpi Target=Target makes it a KPI',
  )
  expect(await outcomeOf(file, '--ignore-rows', 'Target')).toBe('Sales 5')
  expect(await outcomeOf(file, '--map-kpi', 'Target=Target')).toBe('Sales 5, Target 7')
})

test('KPIs above dates that are called like the target name their columns', async () => {
  const file = ',Sales,,Target,\nStore,2024-01-01,2024-01-02,2024-01-01,2024-01-02\nLake,1,2,3,4\n'
  expect(await outcomeOf(file)).toContain(
    '--ignore "#4,#5" leaves its columns out; --map-kpi Target=Target makes it a KPI',
  )
  expect(await outcomeOf(file, '--ignore', '#4,#5')).toBe('Sales 1, Sales 2')
})
