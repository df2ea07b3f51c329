import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answeringIn } from '../support/answering.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { some } from '../support/soak/tests.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

const DAY = Math.floor(Date.parse('2026-11-21') / 86_400_000)
const DAYS = 6

/** Ann has a target of her own, Bob has not, Cy is locked, and Eve's KPI was taken from her. */
const fill = async ({ client }: User): Promise<void> => {
  await client.kpis.add(kpiNamed('Revenue', { target_default: 100_0000n }))
  await client.kpis.add(kpiNamed('Free', { target_default: null }))
  for (const [at, name] of ['Ann', 'Bob', 'Cy', 'Eve'].entries()) {
    const user = await client.users.add(userNamed(name))
    await client.assignments(user.id).add({ id: 1, sort_order: 1, ...(at === 0 && { user_target: 70_0000n }) })
    await client.assignments(user.id).add({ id: 2, sort_order: 2 })
    for (let ago = 0; ago < DAYS; ago += 1) {
      const target = ago === 0 ? { target: 5_0000n } : {}
      await client.entries.add({ user_id: user.id, kpi_id: 1, entry_date: DAY - ago, actual: BigInt(ago), ...target })
      await client.entries.add({ user_id: user.id, kpi_id: 2, entry_date: DAY - ago, actual: 1n })
    }
  }
  await client.users.update(4, { user_status_id: 'L' })
  await client.assignments(5).remove(1)
}

const FROM_INSTEAD = 'here --from DAY gives a target a first day, and writes nothing onto entries\n'

/** The service is the same in both. */
const WAYS = [
  ['on the embedded service', embeddedUser],
  ['through a profile to a server', remoteUser],
] as const

describe.each(some(1, WAYS))('%s, when targets change', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fill(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  /** The targets that a report shows, of each user from the first day to the last. */
  const reported = async (): Promise<unknown> =>
    jsonOf(
      await user.kpi(
        'report',
        '--kpis',
        'Revenue',
        '--from',
        '-10d',
        '--rows',
        '-o',
        'json',
        '--jq',
        'group_by(.itemId) | map(map(.target)) | tojson',
      ),
    )

  const OLD = [
    [70, 70, 70, 70, 70, 5],
    [100, 100, 100, 100, 100, 5],
    [100, 100, 100, 100, 100, 5],
    [100, 100, 100, 100, 100, 5],
  ]

  test('says how many stored entries follow a default, and shows the new one for them', async () => {
    expect(await reported()).toEqual(OLD)
    const ran = await user.kpi('kpis', 'update', 'Revenue', '--target-default', '120')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      '15 stored entries have no target of their own: past reports show 120 instead of 100 for them; to keep past reports at 100, set --target-default 100 again, then change it with --keep-history\n',
    ])
    expect(await reported()).toEqual(OLD.map((row) => row.map((target) => (target === 100 ? 120 : target))))
  })

  test('keeps past reports of all users under --keep-history, and changes nothing when run again', async () => {
    const line = ['kpis', 'update', 'Revenue', '--target-default', '120', '--keep-history']
    const ran = await user.kpi(...line)
    expect([ran.code, ran.stderr]).toEqual([
      0,
      `15 stored entries got the target that counted until now\n${FROM_INSTEAD}`,
    ])
    expect(await reported()).toEqual(OLD)
    const entries = await user.kpi('entries', 'list', '--from', '2026-01-01', '-o', 'csv')
    const again = await user.kpi(...line)
    expect([again.code, again.stderr]).toEqual([0, ''])
    expect(await user.kpi('entries', 'list', '--from', '2026-01-01', '-o', 'csv')).toEqual(entries)
    await user.kpi('entries', 'add', '--user', 'Bob', '--kpi', 'Revenue', '--date', '2026-11-01', '--actual', '1')
    const [{ target }] = jsonOf(
      await user.kpi('report', '--users', '3', '--from', '2026-11-01', '--to', '2026-11-01', '--rows', '-o', 'json'),
    ) as [{ target: number }]
    expect(target).toBe(120)
  })

  test('says what cannot be kept: that there was no target', async () => {
    const ran = await user.kpi('kpis', 'update', 'Free', '--target-default', '7', '--keep-history')
    expect(ran.stderr).toBe(
      '24 stored entries have no target of their own: past reports show 7 instead of no target for them; an entry cannot say that it has no target\n',
    )
  })

  test('refuses to keep targets of a KPI that loses its default, and says who loses theirs', async () => {
    const kept = await user.kpi('kpis', 'update', 'Revenue', '--target-default', '', '--keep-history')
    expect(kept.code).toBe(1)
    expect(kept.stderr).toContain('a KPI without a default target shows no target at all')
    const file = '[{"id":2,"target_default":7},{"id":1,"target_default":null}]'
    writeFileSync(user.folder.in('changes.json'), file)
    expect((await user.kpi('kpis', 'update', '--from-json', 'changes.json', '--keep-history')).code).toBe(1)
    writeFileSync(
      user.folder.in('kpi.yaml'),
      'kpis: [{ name: Free, target_default: 7 }, { name: Revenue, target_default: null }]',
    )
    expect((await user.kpi('apply', 'kpi.yaml', '--keep-history')).code).toBe(1)
    expect((await user.client.kpis.get(2)).target_default).toBe(null)
    expect(await reported()).toEqual(OLD)
    const ran = await user.kpi('kpis', 'update', 'Revenue', '--target-default', '')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      '24 stored entries lose their targets, also those of their own; to get them back, set --target-default 100 again\n',
    ])
    const again = await user.kpi('kpis', 'update', 'Revenue', '--target-default', '8')
    expect(again.stderr).toContain(
      '15 stored entries have no target of their own: past reports show 8 instead of no target for them',
    )
    expect(await reported()).toEqual(OLD.map((row) => row.map((target) => (target === 100 ? 8 : target))))
  })

  test('does the same for the target of a user', async () => {
    const told = await user.kpi('assign', 'update', '--kpis', 'Revenue', '--users', 'bob@example.com', '--target', '90')
    expect(told.stderr).toContain('5 stored entries have no target of their own: past reports show 90 instead of 100')
    const kept = await user.kpi('assign', 'update', '--kpis', '1', '--users', '2', '--target', '', '--keep-history')
    expect([kept.code, kept.stderr]).toEqual([
      0,
      `5 stored entries got the target that counted until now\n${FROM_INSTEAD}`,
    ])
    const back = await user.kpi('assign', 'add', '--kpis', '1', '--users', '5', '--target', '50', '--keep-history')
    expect(back.stderr).toContain('5 stored entries got the target that counted until now\n')
    expect(await reported()).toEqual([OLD[0], [90, 90, 90, 90, 90, 5], OLD[2], OLD[3]])
  })

  test('keeps past reports or says what they show when an assignment is removed', async () => {
    const line = ['assign', 'remove', '--kpis', 'Revenue', '--users', 'ann@example.com']
    const looked = await user.kpi(...line, '--dry-run', '-o', 'csv')
    expect([looked.code, looked.stdout]).toEqual([0, 'user_id,id,old_target,new_target\n2,1,70,\n'])
    expect(looked.stderr).toContain(
      '5 stored entries have no target of their own: past reports would show 100 instead of 70 for them; with --keep-history they keep the old target\n',
    )
    expect(await reported()).toEqual(OLD)
    const kept = await user.kpi(...line, '--yes', '--keep-history')
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('5 stored entries got the target')])
    expect(await reported()).toEqual(OLD)
    await user.kpi('assign', 'update', '--kpis', '1', '--users', '3', '--target', '90', '--keep-history')
    await user.kpi('entries', 'add', '--user', 'Bob', '--kpi', 'Revenue', '--date', '2026-11-01', '--actual', '1')
    const one = (...flags: string[]) =>
      user.kpi('assign', 'remove', '--kpis', '1', '--users', '3', '--dry-run', ...flags)
    const seen = '1 stored entry has no target of its own: '
    expect((await one()).stderr).toContain(
      `${seen}past reports would show 100 instead of 90 for it; with --keep-history it keeps the old target\n`,
    )
    expect((await one('--keep-history')).stderr).toContain(
      `${seen}--keep-history would first write the old target onto it\n`,
    )
    const told = await user.kpi('assign', 'remove', '--kpis', '1', '--users', '3', '--yes')
    expect(told.stderr).toContain('1 stored entry has no target of its own: past reports show 100 instead of 90 for it')
  })

  test('says before it asks whether to remove an assignment what past reports would show, and not again', async () => {
    const line = ['assign', 'remove', '--kpis', 'Revenue,Free', '--users', 'ann@example.com']
    const question = 'remove 2 assignments (KPIs Revenue,Free from users ann@example.com)?'
    const would = '5 stored entries have no target of their own: past reports would show 100 instead of 70 for them; '
    const left = await answeringIn(user.world, [[question, 'n\r']], ...line)
    const asked = left.stderr.replaceAll(/\s+/g, ' ')
    expect(left.code).toBe(1)
    expect(asked.indexOf(`${would}with --keep-history they keep the old target`)).toBeGreaterThanOrEqual(0)
    expect(asked.indexOf(would)).toBeLessThan(asked.indexOf(question))
    const done = await answeringIn(user.world, [[question, 'y\r']], ...line)
    expect(done.code).toBe(0)
    expect(done.stderr).not.toContain('past reports show')
  })

  test('asks at a terminal before a default changes that past reports follow', async () => {
    const line = ['kpis', 'update', 'Revenue', '--target-default', '120']
    const question = '15 stored entries follow the new target'
    const left = await answeringIn(user.world, [[question, '\r']], ...line)
    const asked = 'in past reports; --keep-history keeps them. Change it?'
    expect([left.code, left.stderr.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(asked)])
    expect(left.stderr).toContain('nothing was done')
    expect(await reported()).toEqual(OLD)
    const done = await answeringIn(user.world, [[question, 'y\r']], ...line)
    expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('set --target-default 100 again')])
    const confirmed = await answeringIn(user.world, [], ...line.slice(0, 4), '130', '--yes')
    expect([confirmed.code, confirmed.stderr]).toEqual([0, expect.stringContaining('show 130 instead of 120')])
    const same = await answeringIn(user.world, [], 'kpis', 'update', 'Revenue', '--target-default', '130')
    expect(same.code).toBe(0)
    const kept = await answeringIn(user.world, [], ...line, '--keep-history')
    expect(kept.code).toBe(0)
  })

  test('asks so what cannot be kept', async () => {
    const free = ['kpis', 'update', 'Free', '--target-default', '7']
    const hidden = 'up to 24 stored entries follow the new target'
    expect((await answeringIn(user.world, [[hidden, 'n\r']], ...free)).code).toBe(1)
    const cleared = ['kpis', 'update', 'Revenue', '--target-default', '']
    const loses = '24 stored entries lose their targets'
    expect((await answeringIn(user.world, [[loses, 'n\r']], ...cleared)).code).toBe(1)
    expect(await reported()).toEqual(OLD)
  })

  test('asks at a terminal before targets of users change', async () => {
    const five = '5 stored entries follow the new target'
    const line = ['--kpis', 'Revenue', '--users', 'Bob', '--target', '90']
    expect((await answeringIn(user.world, [[five, 'n\r']], 'assign', 'update', ...line)).code).toBe(1)
    const added = ['assign', 'add', '--kpis', '1', '--users', '5', '--target', '50']
    expect((await answeringIn(user.world, [[five, 'n\r']], ...added)).code).toBe(1)
    expect(await user.client.assignments(5).list()).toMatchObject([{ id: 2 }])
    expect(await reported()).toEqual(OLD)
    expect((await answeringIn(user.world, [[five, 'y\r']], 'assign', 'update', ...line)).code).toBe(0)
  })

  test('asks at a terminal before files change targets, and leaves no unfinished run behind', async () => {
    writeFileSync(
      user.folder.in('targets.csv'),
      'user,kpi,target\nann@example.com,Revenue,75\nbob@example.com,Revenue,80\n',
    )
    const ten = '10 stored entries follow the new targets'
    const assigned = ['assign', 'import', 'targets.csv']
    expect((await answeringIn(user.world, [[ten, 'n\r']], ...assigned)).code).toBe(1)
    writeFileSync(user.folder.in('kpis.csv'), 'name,target_default\nRevenue,130\n')
    const fifteen = '15 stored entries follow the new target'
    const kpis = ['kpis', 'import', 'kpis.csv']
    expect((await answeringIn(user.world, [[fifteen, 'n\r']], ...kpis)).code).toBe(1)
    expect(await reported()).toEqual(OLD)
    writeFileSync(user.folder.in('kpis.csv'), 'name,target_default\nRevenue,100\n')
    expect((await user.kpi(...kpis)).stderr).not.toContain('unfinished')
    expect((await answeringIn(user.world, [], ...kpis, '--yes')).code).toBe(0)
    expect((await answeringIn(user.world, [[ten, 'y\r']], ...assigned)).code).toBe(0)
  })

  test('asks once at a terminal before a configuration is applied', async () => {
    writeFileSync(user.folder.in('kpi.yaml'), 'kpis: [{ name: Revenue, target_default: 130 }]')
    const would = 'past reports would show 130 instead of 100 for them; with --keep-history they keep the old target'
    const left = await answeringIn(user.world, [['make this change?', '\r']], 'apply', 'kpi.yaml')
    expect([left.code, left.stderr.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(would)])
    expect(await reported()).toEqual(OLD)
    const done = await answeringIn(user.world, [['make this change?', 'y\r']], 'apply', 'kpi.yaml', '--keep-history')
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('15 stored entries got the target')])
    expect(await reported()).toEqual(OLD)
    expect((await answeringIn(user.world, [], 'apply', 'kpi.yaml')).code).toBe(0)
    writeFileSync(user.folder.in('kpi.yaml'), 'categories: [{ name: Shops }, { name: Web }]')
    const two = await answeringIn(user.world, [['make these 2 changes?', 'y\r']], 'apply', 'kpi.yaml')
    expect(two.code).toBe(0)
    writeFileSync(user.folder.in('kpi.yaml'), 'categories: [{ name: Mail }]')
    expect((await answeringIn(user.world, [], 'apply', 'kpi.yaml', '--yes')).code).toBe(0)
  })

  test('says after a removal a way back that there is', async () => {
    const line = ['--kpis', 'Revenue', '--users', 'ann@example.com']
    const told = await user.kpi('assign', 'remove', ...line, '--yes')
    expect(told.stderr).toContain(
      'past reports show 100 instead of 70 for them; to keep past reports at 70, assign the KPI with --target 70 again, then remove it with --keep-history\n',
    )
    expect((await user.kpi('assign', 'add', ...line, '--target', '70')).code).toBe(0)
    expect((await user.kpi('assign', 'remove', ...line, '--yes', '--keep-history')).code).toBe(0)
    expect(await reported()).toEqual(OLD)
  })

  test('says in a dry run what past reports would show', async () => {
    const line = ['kpis', 'update', 'Revenue', '--target-default', '120', '--dry-run']
    const looked = await user.kpi(...line)
    expect(looked.stderr).toContain(
      '15 stored entries have no target of their own: past reports would show 120 instead of 100',
    )
    const kept = await user.kpi(...line, '--keep-history')
    expect(kept.stderr).toContain('15 stored entries have no target of their own: --keep-history would first write')
    const added = await user.kpi('assign', 'add', '--kpis', '1', '--users', '5', '--target', '50', '--dry-run')
    expect(added.stderr).toContain('5 stored entries have no target of their own: past reports would show 50')
    const updated = await user.kpi('assign', 'update', '--kpis', '1', '--users', '3', '--target', '50', '--dry-run')
    expect(updated.stderr).toContain('5 stored entries have no target of their own: past reports would show 50')
    expect(await reported()).toEqual(OLD)
  })

  test('says so in dry runs of files and in plans', async () => {
    writeFileSync(user.folder.in('targets.csv'), 'user,kpi,target\nann@example.com,Revenue,75\nNobody,Revenue,1\n')
    const looked = await user.kpi('assign', 'import', 'targets.csv', '--dry-run')
    expect(looked.stderr).toContain(
      '5 stored entries have no target of their own: past reports would show 75 instead of 70',
    )
    expect(looked.stderr).toMatch(/^rejected: .*Nobody.*\(line 3\)$/m)
    const table = await user.kpi('assign', 'import', 'targets.csv', '--dry-run', '-o', 'table')
    expect(table.stdout).toMatch(/Ann .*Revenue/)
    writeFileSync(user.folder.in('kpis.csv'), 'name,target_default\nRevenue,130\n')
    const kpis = await user.kpi('kpis', 'import', 'kpis.csv', '--dry-run')
    expect(kpis.stderr).toContain('past reports would show 130 instead of 100')
    const ran = await user.kpi('assign', 'import', 'targets.csv', '--keep-history')
    expect(ran.stderr).toMatch(/^rejected: .*Nobody.*\(line 3\)$/m)
    writeFileSync(user.folder.in('kpi.yaml'), 'kpis: [{ name: Revenue, target_default: 130 }]')
    const planned = await user.kpi('plan', 'kpi.yaml')
    expect(planned.stderr).toContain('past reports would show 130 instead of 100')
  })

  test('and in files of KPIs and of assignments', async () => {
    writeFileSync(user.folder.in('kpis.csv'), 'name,target_default\nRevenue,130\n')
    const told = await user.kpi('kpis', 'import', 'kpis.csv', '--keep-history')
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining('15 stored entries got the target')])
    writeFileSync(
      user.folder.in('targets.csv'),
      'user,kpi,target\nann@example.com,Revenue,75\nbob@example.com,Revenue,85\n',
    )
    const assigned = await user.kpi('assign', 'import', 'targets.csv', '--keep-history')
    expect([assigned.code, assigned.stderr]).toEqual([0, expect.stringContaining('5 stored entries got the target')])
    expect(await reported()).toEqual(OLD)
    const again = await user.kpi('assign', 'import', 'targets.csv', '--keep-history', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ unchanged: 2, updated: 0 })
  })

  test('and in configurations', async () => {
    writeFileSync(
      user.folder.in('kpi.yaml'),
      [
        'kpis: [{ name: Revenue, target_default: 130 }]',
        'assignments: [{ user: ann@example.com, kpi: Revenue, user_target: 75 }]',
      ].join('\n'),
    )
    const ran = await user.kpi('apply', 'kpi.yaml', '--keep-history')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('20 stored entries got the target')])
    expect(await reported()).toEqual(OLD)
  })
})
