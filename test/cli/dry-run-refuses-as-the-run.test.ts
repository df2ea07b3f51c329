import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Ran } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, a dry run refuses what the run does', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  /** Runs a line without and then with effect; the last lines of both say what is refused. */
  const runBoth = async (...line: string[]): Promise<{ readonly dry: Ran; readonly real: Ran }> => ({
    dry: await user.kpi(...line, '--dry-run'),
    real: await user.kpi(...line),
  })

  const refusals = ({ stderr }: Ran): string[] => stderr.match(/(?:no\. \d of \d: )?there is no KPI \d+/g) ?? []

  const file = (name: string, content: object): string => {
    writeFileSync(user.folder.in(name), JSON.stringify(content))
    return user.folder.in(name)
  }

  const named = (...ids: number[]): object[] => ids.map((id) => ({ id, target_default: 20 }))

  test.each([
    ['one of two in a file', named(1, 99)],
    ['the first of two', named(99, 1)],
    ['some of more than are read one by one', named(1, 90, 2, 91, 92, 93, 94)],
  ])('an update of what is not there: %s', async (_what, changes) => {
    const path = file('u.json', changes)
    const { dry, real } = await runBoth('kpis', 'update', '--from-json', path, '-o', 'json')
    expect([dry.code, real.code]).toEqual([3, 3])
    expect(refusals(dry)).toEqual(refusals(real))
    expect(refusals(dry).length).toBeGreaterThan(0)
    expect(dry.stderr).toMatch(/dry run, nothing was sent: \d KPIs? to update, 0 unchanged/)
    expect(JSON.parse(dry.stdout)).toMatchObject([
      { action: 'update', id: 1, field: 'target_default', new: '20' },
      ...(changes.length > 2 ? [{ id: 2 }] : []),
    ])
  })

  test.each([
    ['by ids', ['1', '99', '--target-default', '7'], 3],
    ['with names to compare', ['99', '--name', 'Leads'], 1],
    ['nothing but what is not there', ['98', '99', '--target-default', '7'], 1],
  ])('an update by flags, %s', async (_what, line, code) => {
    const { dry, real } = await runBoth('kpis', 'update', ...line)
    expect([dry.code, real.code]).toEqual([code, code])
    expect(refusals(dry)).toEqual(refusals(real))
  })

  test('the counts alone stand beside the refusal', async () => {
    const path = file('u.json', named(1, 99))
    const ran = await user.kpi('kpis', 'update', '--from-json', path, '--dry-run', '--summary-only', '-o', 'json')
    expect(ran.code).toBe(3)
    expect(JSON.parse(ran.stdout)).toEqual({ updated: 1, unchanged: 0 })
  })
})
