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
