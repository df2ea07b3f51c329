import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, where no record of a run can be kept', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    mkdirSync(user.folder.in('elsewhere'))
    writeFileSync(user.folder.in('elsewhere/kpi'), 'in the way of the state folder')
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const kpiWithoutState = (...args: string[]) =>
    user.kpiIn({ env: { XDG_STATE_HOME: user.folder.in('elsewhere') } }, ...args)

  const DELETES = [
    ['kpis', 'delete', 'Revenue', '--yes'],
    ['users', 'delete', 'bobby@example.com', '--yes'],
  ] as const

  test.each(DELETES)('%s %s %s is refused, as nothing could bring it back', async (...line) => {
    const [group] = line
    const before = await user.kpi(group, 'list', '-o', 'json')
    const { code, stdout, stderr } = await kpiWithoutState(...line)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^kpi: cannot make the state folder .*: .*; nothing is deleted, as kpi undo could not bring it back: make room for it there, or set XDG_STATE_HOME to another folder$/m,
    )
    expect(await user.kpi(group, 'list', '-o', 'json')).toEqual(before)
  })

  test.each([
    ['create', ['kpis', 'create', '--name', 'Leads', '--frequency', 'D']],
    ['update', ['kpis', 'update', 'Revenue', '--name', 'Leads']],
  ])('%s goes on with a warning', async (_verb, line) => {
    const { code, stderr } = await kpiWithoutState(...line)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^warning: .*; kpi undo cannot take this back$/m)
    expect((await user.client.kpis.list()).map(({ name }) => name)).toContain('Leads')
  })
})
