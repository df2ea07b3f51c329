import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, kpi entries delete', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const left = async (): Promise<string> =>
    (await user.kpi('entries', 'list', '--from', '2026-01-01', '--jq', 'map(.entry_date)|join(" ")')).stdout.trim()

  test('asks with a count and a sum before it deletes a range, and says where nobody can be asked', async () => {
    const range = ['--from', '2026-11-19', '--to', '2026-11-20']
    const unasked = await user.kpi('entries', 'delete', ...range)
    expect([unasked.code, unasked.stderr]).toEqual([
      2,
      'kpi entries delete: delete 2 entries of 2026-11-19 to 2026-11-20 (Revenue, sum 120.5) needs --yes where nobody can be asked; --dry-run shows what would be done\n',
    ])
    expect(await left()).toBe('2026-11-19 2026-11-20 2026-11-21')
    const ran = await user.kpi('entries', 'delete', ...range, '--yes')
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('deleted 2 entries\n')
    expect(await left()).toBe('2026-11-21')
  })

  test('deletes only those of a user and a KPI, and of today where --to is left out', async () => {
    const of = (...more: string[]): string[] => ['entries', 'delete', '--from', 'today', '--yes', ...more]
    const none = '--from today is 2026-11-21 in UTC\nthere are no such entries from 2026-11-21 to 2026-11-21\n'
    expect((await user.kpi(...of('--kpi', 'Visits'))).stderr).toBe(none)
    expect((await user.kpi(...of('--user', 'bobby@example.com'))).stderr).toBe(none)
    expect((await user.kpi(...of('--kpi', 'Revenue', '--user', 'Ann Lee'))).stderr).toContain('deleted 1 entry\n')
    expect(await left()).toBe('2026-11-19 2026-11-20')
  })

  test.each<[line: string[], says: string]>([
    [[], 'say which: ids, or a range of days with --from and --to'],
    [['--user', '2'], 'say which: ids, or a range of days with --from and --to'],
    [['1', '--from', 'today'], 'ids and a range of days are both given'],
  ])('%j is wrong usage, and nothing is deleted', async (line, says) => {
    const ran = await user.kpi('entries', 'delete', ...line, '--yes')
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(says)])
    expect(await left()).toBe('2026-11-19 2026-11-20 2026-11-21')
  })

  test.each([
    [['--from', '2026-11-19', '--to', '2026-11-20'], 'delete 2 entries of 2026-11-19 to 2026-11-20'],
    [['1', '2'], '2 entries to delete'],
  ])('%j with --dry-run names each entry, and deletes none', async (line, said) => {
    const ran = await user.kpi('entries', 'delete', ...line, '--dry-run', '-o', 'csv')
    expect(ran.stderr).toContain(`dry run, nothing was sent: ${said}`)
    expect(ran.stdout).toBe(
      'action,id,name,goes_with,assignments,entries,links\ndelete,1,Revenue of Ann Lee on 2026-11-19: 40,,,,\ndelete,2,Revenue of Ann Lee on 2026-11-20: 80.5,,,,\n',
    )
    expect((await user.kpi('entries', 'delete', ...line, '--dry-run', '--summary-only')).stdout).toBe('')
    expect(await left()).toBe('2026-11-19 2026-11-20 2026-11-21')
  })

  test('still deletes by ids', async () => {
    const ran = await user.kpi('entries', 'delete', '1', '2', '--yes')
    expect(ran.stderr).toBe(
      'deleted entry 1, Revenue of Ann Lee on 2026-11-19: 40\ndeleted entry 2, Revenue of Ann Lee on 2026-11-20: 80.5\n',
    )
    expect(await left()).toBe('2026-11-21')
  })
})
