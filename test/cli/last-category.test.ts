import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type User, users } from '../support/user.ts'

describe.each(users)('%s, the last category', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
  })
  afterEach(async () => {
    await user[Symbol.asyncDispose]()
  })
  const MAKES = 'kpi categories create --name General makes'

  test('can be deleted, and what is needed then is said before and afterwards', async () => {
    const planned = await user.kpi('categories', 'delete', 'General', '--dry-run')
    expect(planned.stderr).toContain(`no category is left then, and every new KPI needs one: ${MAKES} the usual one`)
    const ran = await user.kpi('categories', 'delete', 'General', '--yes')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('no category is left now')])
  })

  test('is named by what needs it, and the command that makes it works', async () => {
    await user.kpi('categories', 'delete', 'General', '--yes')
    const kpi = ['kpis', 'create', '--name', 'Visits', '--frequency', 'daily']
    expect((await user.kpi(...kpi)).stderr).toBe(
      `kpi kpis create: --category: there is no category "General", which is the default: ${MAKES} it\n`,
    )
    writeFileSync(user.folder.in('kpis.csv'), 'name,frequency\nVisits,daily\n')
    expect((await user.kpi('kpis', 'import', 'kpis.csv')).stderr).toContain(
      `new KPIs go to the category General, which is not there: ${MAKES} it, --category NAME takes another\n`,
    )
    await user.kpi('categories', 'create', '--name', 'Sales')
    expect((await user.kpi(...kpi)).stderr).toContain(`--category takes another, such as Sales; ${MAKES} it\n`)
    await user.kpi('categories', 'create', '--name', 'General')
    expect((await user.kpi(...kpi)).code).toBe(0)
  })

  test('is not mentioned where another is left, nor of other records', async () => {
    await user.kpi('categories', 'create', '--name', 'Sales')
    for (const line of [
      ['categories', 'delete', 'General', '--yes'],
      ['units', 'delete', 'Currency', '--yes'],
    ])
      expect((await user.kpi(...line)).stderr).not.toContain('is left')
  })
})
