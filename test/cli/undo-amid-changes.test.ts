import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NOW } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

const SHOP = `kpis:
  - { name: Visits, frequency: daily, target_default: 10 }
  - { name: Sales, frequency: daily }
users:
  - { email: ann@example.com, first_name: Ann }
assignments:
  - { user: ann@example.com, kpi: Visits, user_target: 5 }
groups:
  - { name: Region }
group_items:
  - { group: Region, name: North }
`
const ENTRIES = 'user,kpi,date,actual\nann@example.com,Visits,2026-03-01,1\nann@example.com,Visits,2026-03-02,2\n'

const fill = async (user: User): Promise<void> => {
  writeFileSync(user.folder.in('kpi.yaml'), SHOP)
  expect(await user.kpi('apply', 'kpi.yaml', '--yes')).toMatchObject({ code: 0 })
  writeFileSync(user.folder.in('data.csv'), ENTRIES)
  expect(await user.kpi('entries', 'import', 'data.csv')).toMatchObject({ code: 0 })
}

/** Runs command lines, each some minutes after the one before. */
const minutesApart = (user: User) => {
  let now = NOW
  return async (line: string): Promise<string> => {
    now += 300_000
    const ran = await user.kpiIn({ now }, ...line.split(' '))
    expect({ line, code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({ line, code: 0, stderr: '' })
    const runs = jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string; began_at: string }[]
    return runs.toSorted((one, other) => other.began_at.localeCompare(one.began_at))[0]?.receipt ?? ''
  }
}

const dumped = async (user: User): Promise<string> => (await user.kpi('dump')).stdout

test.each([
  ['kpis delete Visits --yes', 'kpis create --frequency D --name VISITS', /^KPI VISITS \(id \d+\) has the name now$/],
  [
    'kpis update Visits --name Hits',
    'kpis create --frequency D --name Visits',
    /^KPI Visits \(id \d+\) has the name now$/,
  ],
  ['kpis create --frequency D --name Leads', 'kpis update Leads --target-default 7', /was changed since/],
  [
    'kpis create --frequency D --name Leads',
    'assign add --kpis Leads --users Ann',
    /was assigned or linked since: Leads of ann@example.com/,
  ],
  ['group-items create --group Region --name South', 'assign group-items add --group-items South --users Ann', /since/],
  ['users create --email bob@example.com --first-name Bob', 'assign add --kpis Visits --users Bob', /since/],
])('undo of "%s" after "%s" leaves alone what is not of the run, and says why', async (line, since, why) => {
  await using user = await embeddedUser()
  await fill(user)
  const run = minutesApart(user)
  const receipt = await run(line)
  await run(since)
  const before = await dumped(user)
  const planned = await user.kpi('undo', receipt, '--dry-run', '-o', 'json')
  expect(planned.code).toBe(3)
  const undone = await user.kpi('undo', receipt, '--yes', '-o', 'json')
  expect(undone.code).toBe(3)
  expect(JSON.parse(undone.stdout)).toContainEqual(
    expect.objectContaining({ action: 'leave', reason: expect.stringMatching(why) }),
  )
  expect(await dumped(user)).toBe(before)
})

test('runs that are taken back one after another, the last first, leave nothing of them', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const before = await dumped(user)
  const run = minutesApart(user)
  const receipts: string[] = []
  for (const line of [
    'kpis create --frequency D --name Leads',
    'kpis update Leads --target-default 7',
    'assign add --kpis Leads --users Ann',
    'assign update --kpis Leads --users Ann --target 3',
    'kpis delete Sales --yes',
  ])
    receipts.unshift(await run(line))
  for (const receipt of receipts) await run(`undo ${receipt} --yes`)
  expect((await dumped(user)).split('\n').toSorted()).toEqual(before.split('\n').toSorted())
})

test('entries of a KPI that had ended come back, and it ends again', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const run = minutesApart(user)
  await run('kpis update Visits --is-active false')
  const before = await dumped(user)
  const receipt = await run('kpis delete Visits --yes')
  await run(`undo ${receipt} --yes`)
  expect((await dumped(user)).split('\n').toSorted()).toEqual(before.split('\n').toSorted())
  expect(await user.client.entries.list({ from: 0, to: 40_000 })).toHaveLength(2)
})

test('entries that could not be stored again are by the same undo, once they can be', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const run = minutesApart(user)
  await run('assign remove --kpis Visits --users Ann --yes')
  const receipt = await run('kpis delete Visits --yes')
  const first = await user.kpi('undo', receipt, '--yes')
  expect(first.code).toBe(3)
  expect(first.stderr).toMatch(/stored 0 entries again; 2 could not be stored: .*is not assigned to user/)
  await run('assign add --kpis Visits --users Ann')
  const again = await user.kpi('undo', receipt, '--yes')
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('stored 2 entries again') as string })
  expect(await user.client.entries.list({ from: 0, to: 40_000 })).toHaveLength(2)
})

test('a calculated KPI and its category go in one undo', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const before = await dumped(user)
  const more =
    'categories: [{name: Own}]\ncalculated:\n  - {name: Twice, unit: Number, frequency: daily, formula: "[Visits]*2", category: Own}\n'
  writeFileSync(user.folder.in('more.yaml'), more)
  const run = minutesApart(user)
  const receipt = await run('apply more.yaml --yes')
  await run(`undo ${receipt} --yes`)
  expect(await dumped(user)).toBe(before)
})

test.each([
  'kpis update Visits --target-default 12 --keep-history',
  'assign update --kpis Visits --users Ann --target 9 --keep-history --yes',
  'assign remove --kpis Visits --users Ann --keep-history --yes',
  'apply next.yaml --keep-history --yes',
  'assign import next.csv --keep-history',
])('undo of "%s" takes the targets off the entries that got them', async (line) => {
  await using user = await embeddedUser()
  await fill(user)
  const run = minutesApart(user)
  await run('entries add --user Ann --kpi Visits --date 2026-03-03 --actual 3 --target 4')
  // Bob has no target of his own, so that the default counts for him.
  await run('users create --email bob@example.com --first-name Bob')
  await run('assign add --kpis Visits --users Bob')
  await run('entries add --user Bob --kpi Visits --date 2026-03-03 --actual 3')
  writeFileSync(user.folder.in('next.yaml'), SHOP.replace('user_target: 5', 'user_target: 8').replace(': 10', ': 12'))
  writeFileSync(user.folder.in('next.csv'), 'user,kpi,target\nAnn,Visits,7\n')
  const targets = async (): Promise<unknown> =>
    (await user.client.entries.list({ from: 0, to: 40_000 })).map(({ user_id, entry_date, target }) => [
      user_id,
      entry_date,
      target,
    ])
  const [before, entries] = [await dumped(user), await targets()]
  const receipt = await run(line)
  const kept = (await targets()) as unknown[]
  expect(kept).not.toEqual(entries)
  await run(`undo ${receipt} --yes`)
  expect(await targets()).toEqual(entries)
  expect((await dumped(user)).split('\n').toSorted()).toEqual(before.split('\n').toSorted())
})

test.each([
  ['kpis delete Visits --yes', 'kpis update Visits --target-default 12'],
  ['kpis delete Visits --yes', 'kpis create --frequency D --name Hits', 'kpis delete Hits --yes'],
  ['kpis delete Visits --yes', 'assign update --kpis Visits --users Ann --target 9 --yes'],
  ['users delete cid@example.com --yes', 'users update Cid --last-name Poe'],
  ['users delete cid@example.com --yes', 'assign add --kpis Sales --users Cid'],
  ['group-items delete South --yes', 'group-items update South --name East', 'group-items delete East --yes'],
])(
  'once an undo has taken back "%s", earlier runs are taken back as ever: "%s"',
  async (deleting, line, own = deleting) => {
    await using user = await embeddedUser()
    await fill(user)
    const run = minutesApart(user)
    await run('users create --email cid@example.com --first-name Cid')
    await run('group-items create --group Region --name South')
    const before = await dumped(user)
    const first = await run(line)
    const deleted = await run(own)
    await run(`undo ${deleted} --yes`)
    await run(`undo ${first} --yes`)
    expect((await dumped(user)).split('\n').toSorted()).toEqual(before.split('\n').toSorted())
  },
)

test('a dry run leaves alone what the undo does: a group item with entries, and its group', async () => {
  await using user = await embeddedUser()
  await fill(user)
  const run = minutesApart(user)
  const more =
    'groups: [{name: Shop}]\ngroup_items: [{group: Shop, name: Mitte}]\nkpis: [{name: Sold, frequency: daily}]\n'
  writeFileSync(user.folder.in('more.yaml'), more)
  const receipt = await run('apply more.yaml --yes')
  await run('entries add --source Mitte --kpi Visits --date 2026-03-03 --actual 3')
  const rows = async (...flags: string[]): Promise<unknown> => {
    const { code, stdout } = await user.kpi('undo', receipt, ...flags, '-o', 'json')
    return {
      code,
      rows: (JSON.parse(stdout) as { action: string; name: string }[]).map(({ action, name }) => [action, name]),
    }
  }
  const planned = await rows('--dry-run')
  expect(planned).toMatchObject({
    code: 3,
    rows: expect.arrayContaining([['leave', 'group item Shop / Mitte']]) as unknown,
  })
  expect(await rows('--yes')).toEqual(planned)
})
