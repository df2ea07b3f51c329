import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, what was done is printed as data', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const json = async (...line: string[]): Promise<unknown> => jsonOf(await user.kpi(...line, '-o', 'json'))

  test('by a delete: a record of each, with the counts of what went with it', async () => {
    expect(await json('kpis', 'delete', 'Revenue', '--yes')).toEqual([
      {
        action: 'delete',
        id: 1,
        name: 'Revenue',
        goes_with: 'with 1 assignment and 3 entries of 2026-11-19 to 2026-11-21',
        assignments: 1,
        entries: 3,
        links: null,
      },
    ])
    const gone = await user.kpi('users', 'delete', 'ann@example.com', '3', '--yes', '-o', 'csv')
    expect(gone.stdout).toBe(
      'action,id,name,goes_with,assignments,entries,links\n' +
        'delete,2,Ann Lee,"with 1 assignment, 0 links to group items and their keys",1,,0\n' +
        'delete,3,Bob Ray,"with 0 assignments, 0 links to group items and their keys",0,,0\n',
    )
    expect((await user.kpi('users', 'delete', '4', '--yes')).stdout).toBe('')
  })

  test('by a delete of entries, by ids and of a range', async () => {
    const names = (rows: unknown): unknown => (rows as { action: string; name: string }[]).map(({ name }) => name)
    expect(names(await json('entries', 'delete', '1', '--yes'))).toEqual(['Revenue of Ann Lee on 2026-11-19: 40'])
    const range = ['entries', 'delete', '--from', '2026-11-20', '--to', '2026-11-20', '--yes']
    expect(names(await json(...range))).toEqual(['Revenue of Ann Lee on 2026-11-20: 80.5'])
    expect(await json(...range)).toEqual([])
  })

  test('by assign remove, with the target that was lost', async () => {
    await user.kpi('assign', 'update', '--users', 'Ann Lee', '--kpis', 'Revenue', '--target', '9')
    expect(await json('assign', 'remove', '--users', 'Ann Lee', '--kpis', 'all', '--yes')).toEqual([
      { user_id: 2, id: 1, old_target: 9, new_target: null },
      { user_id: 2, id: 2, old_target: null, new_target: null },
    ])
    await user.kpi('assign', 'add', '--users', 'Ann Lee', '--kpis', 'Revenue')
    const again = await user.kpi('assign', 'remove', '--users', 'Ann Lee', '--kpis', 'Revenue', '--yes')
    expect([again.stdout, again.stderr]).toEqual(['', 'removed Revenue from Ann Lee\n'])
  })

  test('by assign group-items remove', async () => {
    await user.kpi('groups', 'create', '--name', 'Region')
    await user.kpi('group-items', 'create', '--group', 'Region', '--name', 'North')
    await user.kpi('assign', 'group-items', 'add', '--group-items', 'North', '--users', 'Ann Lee')
    const line = ['assign', 'group-items', 'remove', '--group-items', 'North', '--users', 'Ann Lee', '--yes']
    expect(await json(...line)).toEqual([expect.objectContaining({ user_id: 2, name: 'North' })])
  })

  test('by the dry run of an import, with --summary-only: the counts', async () => {
    const text = 'user,kpi,date,actual\nann@example.com,Revenue,2026-11-19,40\nann@example.com,Revenue,2026-11-25,7\n'
    writeFileSync(user.folder.in('data.csv'), text)
    writeFileSync(user.folder.in('more.csv'), text)
    const line = ['entries', 'import', 'data.csv', '--dry-run', '--summary-only']
    const counts = { read: 2, created: 1, updated: 0, unchanged: 1, rejected: 0, left: 0, receipt: null }
    expect(await json(...line)).toMatchObject(counts)
    expect(await json(...line, 'more.csv')).toMatchObject([
      { file: 'data.csv', ...counts, created: 0, unchanged: 0, restated: 2 },
      { file: 'more.csv', ...counts },
    ])
    expect((await user.kpi(...line, '-o', 'csv')).stdout).toMatch(/^read,created,.*\n2,1,0,1,.*\n$/)
    expect((await user.kpi(...line)).stdout).toBe('')
  })

  test('by the dry run of an import of assignments, with --summary-only', async () => {
    writeFileSync(user.folder.in('a.csv'), 'user,kpi,target\nann@example.com,Revenue,90\n#3,Visits,\n')
    const line = ['assign', 'import', 'a.csv', '--dry-run', '--summary-only']
    expect(await json(...line)).toMatchObject({ read: 2, added: 1, updated: 1, unchanged: 0, rejected: 0 })
    expect((await user.kpi(...line)).stdout).toBe('')
  })
})
