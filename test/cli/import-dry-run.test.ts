import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, remoteUser, type User } from '../support/user.ts'

describe.each([
  ['on the embedded service', embeddedUser],
  ['through a profile to a server', remoteUser],
])('%s, a dry run', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const dry = (text: string, ...args: string[]): Promise<Ran> => {
    writeFileSync(user.folder.in('data.csv'), text)
    return user.kpi('entries', 'import', 'data.csv', '--dry-run', ...args)
  }
  const FILE = [
    'user,kpi,date,actual,target,notes',
    'ann@example.com,Revenue,2026-11-19,40,,',
    'ann@example.com,Revenue,2026-11-20,90,5,better',
    'ann@example.com,Revenue,2026-11-22,7,,',
  ].join('\n')

  test('shows old and new values of what would change, and the summary first', async () => {
    const rows = jsonOf(await dry(FILE, '-o', 'json')) as { action: string; changes: string | null }[]
    expect(rows.map(({ action, changes }) => [action, changes])).toEqual([
      ['unchanged', null],
      ['update', 'actual: 80.5 → 90; target: none → 5; notes: none → better'],
      ['create', null],
    ])
    const added = jsonOf(await dry(FILE, '-o', 'json', '--on-conflict', 'add')) as { changes: string | null }[]
    expect(added[1]?.changes).toBe('actual: 80.5 → 170.5; target: none → 5; notes: none → better')
  })

  test('only counts under --summary-only, which goes with --dry-run', async () => {
    expect(await dry(FILE, '--summary-only')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('1 entry to create, 1 to update, 1 unchanged, 0 rows to reject') as unknown,
    })
    const alone = await user.kpi('entries', 'import', 'data.csv', '--summary-only')
    expect([alone.code, alone.stderr]).toEqual([2, 'kpi entries import: --summary-only goes with --dry-run\n'])
  })

  test('of assignments does the same', async () => {
    writeFileSync(
      user.folder.in('a.csv'),
      'user,kpi,target,sort_order\nann@example.com,Revenue,90,\nann@example.com,Visits,,9\n',
    )
    const line = ['assign', 'import', 'a.csv', '--dry-run']
    const rows = jsonOf(await user.kpi(...line, '-o', 'json')) as { changes: string | null }[]
    expect(rows.map(({ changes }) => changes)).toEqual(['target: none → 90', 'sort_order: 2 → 9'])
    const counted = await user.kpi(...line, '--summary-only')
    expect([counted.stdout, counted.stderr]).toEqual([
      '',
      expect.stringMatching(
        /^dry run, nothing was sent: 0 assignments to add, 2 to update, 0 unchanged, 0 rows to reject\n3 stored entries .* 90 instead of 100 /,
      ) as string,
    ])
  })
})
