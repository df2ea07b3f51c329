import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

describe.each(users)('%s, --summary-only prints the counts of the dry run of', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    writeFileSync(user.folder.in('units.json'), '[{"name":"Bolts"},{"name":"Nuts"}]')
    writeFileSync(user.folder.in('kpi.yaml'), 'units:\n  - name: Bolts\n')
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test.each<[line: string[], counts: object]>([
    [['units', 'create', '--from-json', 'units.json'], { created: 2 }],
    [['kpis', 'update', 'Revenue', 'Visits', '--target-default', '100'], { updated: 1, unchanged: 1 }],
    [['users', 'delete', '3', '4'], { deleted: 2 }],
    [['entries', 'delete', '1', '2'], { deleted: 2 }],
    [['entries', 'delete', '--from', '2026-11-19', '--to', '2026-11-20'], { deleted: 2 }],
    [['entries', 'delete', '--from', '2020-11-19', '--to', '2020-11-20'], { deleted: 0 }],
    [['assign', 'add', '--users', '#3,#4', '--kpis', 'all'], { added: 4, users: 2 }],
    [['assign', 'update', '--users', 'Ann Lee', '--kpis', 'all', '--sort-order', '5'], { updated: 2, unchanged: 0 }],
    [['assign', 'remove', '--users', 'Ann Lee', '--kpis', 'all'], { removed: 2 }],
    [['plan', 'kpi.yaml'], { created: 1, updated: 0, deleted: 0, unchanged: 0, not_in_file: 4 }],
  ])('%j', async (line, counts) => {
    const dry = [...line, ...(line[0] === 'plan' ? [] : ['--dry-run']), '--summary-only']
    expect(jsonOf(await user.kpi(...dry, '-o', 'json'))).toEqual(counts)
    expect(jsonOf(await user.kpi(...dry, '-o', 'ndjson'))).toEqual(counts)
    const fields = Object.entries(counts).map(([name, count]) => `${name}: ${count}\n`)
    expect((await user.kpi(...dry, '-o', 'yaml')).stdout).toBe(fields.join(''))
    expect((await user.kpi(...dry)).stdout).toBe('')
  })

  test.each([
    [['assign', 'add', '--users', '#3', '--kpis', 'all']],
    [['assign', 'update', '--users', 'Ann Lee', '--kpis', 'all', '--target', '5']],
    [['assign', 'remove', '--users', 'Ann Lee', '--kpis', 'all', '--yes']],
    [['entries', 'undo', 'none', '--yes']],
  ])('nothing without --dry-run: %j is refused', async (line) => {
    const ran = await user.kpi(...line, '--summary-only')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      `kpi ${line.slice(0, 2).join(' ')}: --summary-only goes with --dry-run\n`,
    ])
    const held = await Promise.all([2, 3].map((id) => user.client.assignments(id).list()))
    expect(held.map((list) => list.map(({ user_target }) => user_target))).toEqual([[null, null], []])
  })

  test('an undo, also of what was taken back already', async () => {
    const text =
      'user,kpi,date,actual\nann@example.com,Revenue,2026-11-19,7\nann@example.com,Wins,2026-11-25,7\nann@example.com,Revenue,2026-11-25,7\n'
    writeFileSync(user.folder.in('data.csv'), text)
    const create = ['--create-missing', '--frequency', 'D']
    const { receipt } = jsonOf(await user.kpi('entries', 'import', 'data.csv', ...create, '-o', 'json')) as {
      receipt: string
    }
    const line = ['entries', 'undo', receipt, '--dry-run', '--summary-only']
    const counts = { restored: 1, removed: 2, things: 1, unchanged: 0, skipped: 0 }
    expect(jsonOf(await user.kpi(...line, '-o', 'json'))).toEqual(counts)
    expect((await user.kpi(...line)).stdout).toBe('')
    await user.kpi('entries', 'undo', receipt, '--yes')
    const none = { restored: 0, removed: 0, things: 0, unchanged: 0, skipped: 0 }
    expect(jsonOf(await user.kpi(...line, '-o', 'json'))).toEqual(none)
  })
})
