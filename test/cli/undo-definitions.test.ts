import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

const BEFORE = `categories:
  - { name: Web }
kpis:
  - { name: Visits, category: Web, unit: Number, frequency: daily, target_default: 10 }
users:
  - { email: ann@example.com, first_name: Ann }
assignments:
  - { user: ann@example.com, kpi: Visits, user_target: 20 }
`

const apply = async (user: User, text: string, ...flags: string[]): Promise<void> => {
  writeFileSync(user.folder.in('kpi.yaml'), text)
  expect(await user.kpi('apply', 'kpi.yaml', '--yes', ...flags)).toMatchObject({ code: 0 })
}

type Run = { receipt: string; command: string; created: number; updated: number; deleted: number; state: string }

const runsOf = async (user: User): Promise<Run[]> => jsonOf(await user.kpi('history', '-o', 'json')) as Run[]

/** Returns the receipt of the run that has changed so many records. */
const receiptOf = async (user: User, counts: Partial<Run>): Promise<string> => {
  const runs = await runsOf(user)
  const isIt = (run: Run): boolean =>
    Object.entries(counts).every(([name, value]) =>
      Object.entries(run).some(([own, is]) => own === name && is === value),
    )
  return runs.find(isIt)?.receipt ?? 'none'
}

const WAYS = [
  ['embedded', embeddedUser],
  ['over the classic interface', remoteUser],
] as const

test.each(WAYS)('history lists what commands changed, and undo takes it back, %s', async (_, open) => {
  await using user = await open()
  await apply(user, BEFORE)
  expect(await runsOf(user)).toMatchObject([{ command: 'apply', created: 4, updated: 0, deleted: 0, state: 'done' }])
  await apply(user, BEFORE.replace('target_default: 10', 'target_default: 15'))
  const receipt = await receiptOf(user, { updated: 1 })
  const planned = await user.kpi('undo', receipt, '--dry-run', '-o', 'json')
  expect(planned.stderr).toBe('dry run, nothing was sent: would put back 1 record\n')
  expect(jsonOf(planned)).toMatchObject([{ action: 'restore', kind: 'kpi', change: 'target_default 15 → 10' }])
  expect(await user.kpi('undo', receipt)).toMatchObject({ code: 2 })
  expect(await user.kpi('undo', receipt, '--yes')).toMatchObject({ code: 0, stderr: 'put back 1 record\n' })
  expect((await user.client.kpis.list())[0]?.target_default).toBe(100_000n)
  const again = await user.kpi('entries', 'undo', receipt, '--yes')
  expect(again).toMatchObject({ code: 0 })
  expect(again.stderr).toMatch(/^apply was taken back already, on /)
  expect((await runsOf(user)).filter(({ state }) => state === 'undone')).toHaveLength(1)
})

test.each(WAYS)('undo asks nobody whom it has removed what they hold, %s', async (_, open) => {
  await using user = await open()
  const items = 'groups:\n  - { name: Region }\ngroup_items:\n  - { group: Region, name: North }\n'
  await apply(user, BEFORE + items)
  expect(await user.kpi('undo', await receiptOf(user, { created: 6 }), '--yes')).toMatchObject({ code: 0 })
  expect(await user.client.kpis.list()).toEqual([])
})

test.each(WAYS)('undo leaves alone and names what was changed since, %s', async (_, open) => {
  await using user = await open()
  await apply(user, BEFORE)
  await apply(
    user,
    `${BEFORE.replace('target_default: 10', 'target_default: 15')}units:\n  - { name: Boxes, display_format: '#' }\n`,
  )
  const receipt = await receiptOf(user, { updated: 1 })
  const [kpi] = await user.client.kpis.list()
  await user.client.kpis.update(kpi?.id ?? 0, { target_default: 990_000n })
  const undone = await user.kpi('undo', receipt, '--yes', '-o', 'json')
  expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('removed 1 record; 1 left alone') })
  expect(JSON.parse(undone.stdout)).toMatchObject([
    { action: 'leave', kind: 'kpi', reason: 'was changed since: target_default is 99, not 15' },
    { action: 'remove', kind: 'unit' },
  ])
  await user.client.kpis.update(kpi?.id ?? 0, { target_default: 150_000n })
  expect(await user.kpi('undo', receipt, '--yes')).toMatchObject({ code: 0, stderr: 'put back 1 record\n' })
})

test.each(WAYS)('undo of a delete says what it cannot bring back, %s', async (_, open) => {
  await using user = await open()
  await apply(user, BEFORE)
  await apply(user, 'categories:\n  - { name: Web }\n', '--prune')
  const receipt = await receiptOf(user, { deleted: 3 })
  const { stderr, code } = await user.kpi('undo', receipt, '--yes')
  expect(code).toBe(0)
  expect(stderr).toContain('what is created again gets new ids; people get no password and no API key back')
  const ann = (await user.client.users.list()).find(({ email }) => email === 'ann@example.com')
  expect(await user.client.assignments(ann?.id ?? 0).list()).toMatchObject([{ user_target: 200_000n }])
})

test('what was created and has entries is left, unless these are to go as well', async () => {
  await using user = await embeddedUser()
  await apply(user, BEFORE)
  const [kpi] = await user.client.kpis.list()
  const ann = (await user.client.users.list()).find(({ email }) => email === 'ann@example.com')
  await user.client.entries.add({ user_id: ann?.id ?? 0, kpi_id: kpi?.id ?? 0, entry_date: 20_000, actual: 10_000n })
  const receipt = await receiptOf(user, { created: 4 })
  const left = await user.kpi('undo', receipt, '--dry-run', '-o', 'json')
  expect(left.code).toBe(3)
  expect(JSON.parse(left.stdout)).toContainEqual(
    expect.objectContaining({ kind: 'kpi', reason: expect.stringContaining('1 entry') }),
  )
  expect(await user.kpi('undo', receipt, '--yes', '--with-entries')).toMatchObject({ code: 0 })
  expect(await user.client.kpis.list()).toEqual([])
})

test('a record under another name beside one that is gone from the file is hinted at', async () => {
  await using user = await embeddedUser()
  await apply(user, BEFORE)
  writeFileSync(user.folder.in('kpi.yaml'), BEFORE.replaceAll('Visits', 'Sessions'))
  const { stderr } = await user.kpi('plan', 'kpi.yaml')
  expect(stderr).toContain("rename it first: kpi kpis update 1 --name 'Sessions'")
  writeFileSync(user.folder.in('kpi.yaml'), 'kpis:\n  - { id: 1, name: Sessions }\n')
  expect((await user.kpi('plan', 'kpi.yaml')).stderr).toContain("to rename it: kpi kpis update 1 --name 'Sessions'")
})

test('a receipt of another service, or none, is refused with what to do', async () => {
  await using user = await embeddedUser()
  await apply(user, BEFORE)
  const receipt = await receiptOf(user, { created: 4 })
  const elsewhere = await user.kpi('undo', receipt, '--yes', '--data-dir', user.folder.in('other'))
  expect(elsewhere.code).toBe(1)
  expect(elsewhere.stderr).toContain('take it back with --data-dir')
  const none = await user.kpi('undo', 'nothing', '--yes')
  expect(none).toMatchObject({ code: 2 })
  expect(none.stderr).toContain('there is no receipt "nothing"')
})

test('records of runs are kept for 90 days, those of applies longer', async () => {
  await using user = await embeddedUser()
  await apply(user, BEFORE)
  expect(await user.kpi('categories', 'create', '--name', 'Mail')).toMatchObject({ code: 0 })
  expect(await runsOf(user)).toHaveLength(2)
  const later = { now: Date.parse('2028-01-01') }
  expect(await user.kpiIn(later, 'categories', 'create', '--name', 'Shop')).toMatchObject({ code: 0 })
  expect((await runsOf(user)).map(({ command }) => command)).toEqual(['categories create', 'apply'])
})

test('the last that a terminal shows of a run is how to take it back', async () => {
  await using user = await embeddedUser()
  const made = await user.kpiIn({ terminal: 200 }, 'categories', 'create', '--name', 'Mail')
  expect(made.stderr.trimEnd().split('\n').at(-1)).toMatch(/^to take this back: kpi undo \d{8}T\d{6}-[0-9a-f]{6}$/)
  expect(made.stderr + made.stdout).toMatch(/created/)
})

test.each([
  ['embedded', embeddedUser, 2, 0],
  ['over the classic interface, which does not show whose the entries of items are', remoteUser, 1, 3],
] as const)('undo of a delete stores the entries of people and items again, %s', async (_, open, count, code) => {
  await using user = await open()
  await apply(user, `${BEFORE}groups:\n  - { name: Region }\ngroup_items:\n  - { group: Region, name: North }\n`)
  const ann = (await user.client.users.list()).find(({ email }) => email === 'ann@example.com')
  const [kpi] = await user.client.kpis.list()
  await user.client.entries.add({ user_id: ann?.id, kpi_id: kpi?.id ?? 0, entry_date: 20_000, actual: 10_000n })
  await using newer = await user.newer()
  const north = (await newer.breakdownItems.list()).find(({ name }) => name === 'North')
  await newer.entries.add({ source_id: north?.id, kpi_id: kpi?.id ?? 0, entry_date: 20_000, actual: 20_000n })
  const deleted = await user.kpi('kpis', 'delete', 'Visits', '--yes')
  expect(deleted).toMatchObject({ code: 0 })
  expect(deleted.stderr.includes('its entries of group items are not noted')).toBe(code === 3)
  const undone = await user.kpi('undo', await receiptOf(user, { command: 'kpis delete' }), '--yes')
  expect(undone.code).toBe(code)
  expect(undone.stderr).toContain(`stored ${count} entr`)
  expect(await newer.entries.list({ from: 20_000, to: 20_000 })).toHaveLength(count)
})
