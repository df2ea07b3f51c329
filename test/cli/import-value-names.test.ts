import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

/* Columns whose names are words for values or people, and which may be KPIs as well. */

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const importText = (text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '-o', 'json', ...args)
}

const kpis = async (): Promise<string[]> =>
  (jsonOf(await user.kpi('kpis', 'list', '-o', 'json')) as { name: string }[]).map(({ name }) => name).toSorted()

describe('names of values below months', () => {
  const fileOf = (actual: string, target: string): string =>
    `Dept,2026-01,,2026-02,\n,${actual},${target},${actual},${target}\nSales,1,2,3,4\n`

  test.each([
    ['Actual', 'Budget'],
    ['Ist', 'Plan'],
    ['Réel', 'Budget'],
    ['Actual', 'Target'],
  ])('are KPIs, and a target is asked about: %s and %s', async (actual, target) => {
    const ran = await importText(fileOf(actual, target))
    expect([ran.code, errorOf(ran).issues]).toEqual([
      1,
      [
        {
          field: target,
          message: `would be a new KPI, and is called like the target of one: --ignore "#3,#5" leaves its columns out; --map-kpi ${target}=${target} makes it a KPI`,
        },
      ],
    ])
    const mapped = await importText(fileOf(actual, target), '--map-kpi', `${actual}=Cost,${target}=${target}`)
    expect([jsonOf(mapped), await kpis()]).toEqual([
      expect.objectContaining({ created: 4 }),
      [target, 'Cost'].toSorted(),
    ])
  })

  test('are KPIs without their targets, if these are left out', async () => {
    const ran = await importText(fileOf('Actual', 'Budget'), '--ignore', '#3,#5')
    expect([jsonOf(ran), await kpis()]).toEqual([expect.objectContaining({ created: 2 }), ['Actual']])
  })
})

describe('columns of numbers beside one that is named for actuals', () => {
  const FILE = 'Date,Store,Amount,Items\n2026-01-01,Rome,10.5,3\n2026-01-02,Rome,11.5,4\n'

  test('are all KPIs with --layout wide, which is named where no column is the KPI', async () => {
    const ran = await importText(FILE)
    expect([ran.code, errorOf(ran).issues]).toEqual([
      1,
      [
        {
          field: 'kpi',
          message:
            'no column is the kpi: --kpi NAME says what is measured, and is created, --map kpi=COLUMN takes names from a column, and "Items" is left out; --layout wide makes KPIs of "Amount", "Items" instead',
        },
      ],
    ])
    expect([jsonOf(await importText(FILE, '--layout', 'wide')), await kpis()]).toEqual([
      expect.objectContaining({ created: 4 }),
      ['Amount', 'Items'],
    ])
  })

  test('are left out with a note if a KPI is given', async () => {
    const ran = await importText(FILE, '--kpi', 'Turnover')
    expect([jsonOf(ran), await kpis()]).toEqual([expect.objectContaining({ created: 2 }), ['Turnover']])
    expect(ran.stderr).toContain('columns left out: Items\n')
  })
})

describe('a column that is called like a target', () => {
  const FILE = 'Month,Cost center,Actual,Budget\n2026-01,Rome,10.5,12\n2026-02,Rome,11,12\n'
  const LEFT_OUT = {
    field: 'Budget',
    message:
      'is called like the target, and would be left out: --map target=Budget reads it so; --ignore Budget leaves the column out',
  }

  test('is not left out unasked', async () => {
    const ran = await importText(FILE, '--kpi', 'Cost')
    expect([ran.code, errorOf(ran).issues]).toEqual([1, [LEFT_OUT]])
    const ignoring = await importText(FILE, '--kpi', 'Cost', '--ignore', 'Budget')
    expect(jsonOf(ignoring)).toMatchObject({ created: 2 })
    const mapped = await importText(FILE, '--kpi', 'Plans', '--map', 'target=Budget')
    expect(jsonOf(mapped)).toMatchObject({ created: 2 })
    expect(mapped.stderr).toContain('target 12')
  })

  test('can be a KPI beside that of the actuals', async () => {
    const ran = await importText(FILE)
    expect(errorOf(ran).issues).toEqual([
      LEFT_OUT,
      {
        field: 'kpi',
        message: expect.stringContaining('; --layout wide --map-kpi Budget=Budget makes KPIs of "Actual", "Budget"'),
      },
    ])
    const both = await importText(FILE, '--layout', 'wide', '--map-kpi', 'Budget=Budget')
    expect([jsonOf(both), await kpis()]).toEqual([expect.objectContaining({ created: 4 }), ['Actual', 'Budget']])
  })
})

describe('numbers in a column that is named for people', () => {
  const FILE = 'Month,Site,Revenue,Employee\n2026-01,Rome,10.5,12\n2026-02,Rome,11.5,13\n'

  test('stop the import with both readings', async () => {
    const ran = await importText(FILE)
    expect([ran.code, errorOf(ran).issues]).toEqual([
      1,
      [
        {
          field: 'user',
          message: `"Employee" holds numbers, such as "12" on line 2, which name no user that exists: --map user=Employee takes them as ids or names of users (new ones need e-mail addresses: --map email=COLUMN or --email-pattern '{name}@example.com'), --map-kpi Employee=Employee imports them as the KPI of that name, --ignore Employee leaves the column out`,
        },
      ],
    ])
  })

  test('are a KPI with --map-kpi', async () => {
    expect(jsonOf(await importText(FILE, '--map-kpi', 'Employee=Employee'))).toMatchObject({ created: 4, rejected: 0 })
    expect(await kpis()).toEqual(['Employee', 'Revenue'])
  })

  test('are users with --map user', async () => {
    const ran = await importText(FILE, '--map', 'user=Employee', '--email-pattern', '{name}@example.com')
    expect(jsonOf(ran)).toMatchObject({ created: 2, rejected: 0 })
    expect(ran.stderr).toContain('user "12", 12@example.com\n')
  })
})
