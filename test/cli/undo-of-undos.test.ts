import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { userNamed } from '../support/import.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

type Run = { readonly receipt: string; readonly command: string }
const known = new Set<string>()

/** Runs a line, and returns the receipt that it left. */
const run = async (line: string): Promise<string> => {
  const { code, stderr } = await user.kpi(...line.split(' '))
  if (code !== 0) throw new Error(stderr)
  const all = jsonOf(await user.kpi('history', '-o', 'json')) as Run[]
  const fresh = all.find(({ receipt }) => !known.has(receipt))?.receipt ?? ''
  for (const { receipt } of all) known.add(receipt)
  return fresh
}

const entries = async (): Promise<number> =>
  (await user.client.entries.list({ from: -1000, to: 30_000, page: 1 })).length

const actuals = async (): Promise<unknown[]> =>
  (await user.client.entries.list({ from: -1000, to: 30_000, page: 1 })).map(({ actual }) => actual)

const undo = (...words: string[]): Promise<Ran> => user.kpi('undo', ...words)

const importTwo = (...more: string[]): Promise<string> => {
  const rows = ['2026-03-01,1', '2026-03-02,2', ...more].map((one) => `ben@example.com,Sales,${one}\n`)
  writeFileSync(user.folder.in('two.csv'), `user,kpi,date,actual\n${rows.join('')}`)
  return run('entries import two.csv --create-assignments')
}

const fill = async (): Promise<void> => {
  await run('users create --first-name Ben --email ben@example.com')
  await run('kpis create --name Sales --frequency daily')
}

const fillAssigned = async (): Promise<void> => {
  await fill()
  await run('assign add --kpis Sales --users ben@example.com')
}

test('an import is taken back whose KPI, and whose people, undos of deletes created again with its entries', async () => {
  await fillAssigned()
  await run('entries add --user ben@example.com --kpi Sales --date 2026-03-03 --actual 3')
  const imported = await importTwo('2026-03-03,30')
  const deleted = await run('kpis delete Sales --yes')
  const gone = await run('users delete ben@example.com --yes')
  await run(`undo ${gone} --yes`)
  await run(`undo ${deleted} --yes`)
  expect(await actuals()).toEqual([1_0000n, 2_0000n, 30_0000n])
  const seen = { code: 0, stderr: expect.stringContaining('would put back 1 entry and remove 2 entries') as unknown }
  expect(await undo(imported, '--dry-run')).toMatchObject(seen)
  expect(await undo(imported, '--yes')).toMatchObject({ code: 0, stderr: 'put back 1 entry and removed 2 entries\n' })
  expect(await actuals()).toEqual([3_0000n])
})

test('but for what was changed since, before its KPI was deleted or after it was created again', async () => {
  await fillAssigned()
  const imported = await importTwo('2026-03-03,3', '2026-03-04,4')
  const change = (date: string): Promise<string> =>
    run(`entries add --user ben@example.com --kpi Sales --date ${date} --actual 9`)
  await change('2026-03-01')
  await run(`undo ${await run('kpis delete Sales --yes')} --yes`)
  await change('2026-03-02')
  const foreseen = JSON.parse((await undo(imported, '--dry-run', '-o', 'json')).stdout) as { action: string }[]
  expect(foreseen.filter(({ action }) => action === 'leave')).toMatchObject(
    ['2026-03-01', '2026-03-02'].map((day) => ({
      action: 'leave',
      name: `Sales of Ben, ${day}`,
      reason: 'was changed since: actual is 9',
    })),
  )
  expect(await undo(imported, '--yes')).toMatchObject({ code: 3, stderr: 'removed 2 entries; 2 left alone\n' })
  expect(await actuals()).toEqual([9_0000n, 9_0000n])
  expect(await undo(imported, '--yes')).toMatchObject({ code: 3, stderr: 'nothing was changed; 2 left alone\n' })
})

test('an import of which something is left while its KPI is gone is taken back once that is there again', async () => {
  await fillAssigned()
  await run('entries add --user ben@example.com --kpi Sales --date 2026-03-03 --actual 3')
  const imported = await importTwo('2026-03-03,30')
  const deleted = await run('kpis delete Sales --yes')
  expect(await undo(imported, '--yes')).toMatchObject({ code: 3 })
  await run(`undo ${deleted} --yes`)
  expect(await undo(imported, '--yes')).toMatchObject({ code: 0, stderr: 'put back 1 entry and removed 2 entries\n' })
  expect(await actuals()).toEqual([3_0000n])
})

test('an undo of a delete is taken back with the entries that it stored', async () => {
  await fill()
  await importTwo()
  const again = await run(`undo ${await run('kpis delete Sales --yes')} --yes`)
  const foreseen = await undo(again, '--dry-run', '-o', 'json')
  expect(jsonOf(foreseen)).toMatchObject([{ kind: 'assignment' }, { kind: 'kpi', action: 'remove', entries: 2 }])
  expect(await undo(again, '--yes')).toMatchObject({ code: 0 })
  expect(await user.client.kpis.list()).toEqual([])
})

test('but not with entries that were stored after it', async () => {
  await fill()
  await importTwo()
  const again = await run(`undo ${await run('kpis delete Sales --yes')} --yes`)
  const later = [
    'entries',
    'add',
    '--user',
    'ben@example.com',
    '--kpi',
    'Sales',
    '--date',
    '2026-03-09',
    '--actual',
    '9',
  ]
  expect(await user.kpiIn({ now: NOW + 300_000 }, ...later)).toMatchObject({ code: 0 })
  expect(await undo(again, '--yes')).toMatchObject({ code: 3 })
  expect(await entries()).toBe(3)
})

test('an undo that could do nothing at first says nothing of that once it can', async () => {
  await run('groups create --name Region')
  for (const name of ['North', 'South']) await run(`group-items create --group Region --name ${name}`)
  const items = await run('group-items delete North South --yes')
  const group = await run('groups delete Region --yes')
  expect(await undo(items, '--yes')).toMatchObject({ code: 3 })
  expect(await undo(group, '--yes')).toMatchObject({ code: 0 })
  const done = await undo(items, '--yes')
  expect(done).toMatchObject({ code: 0, stderr: expect.not.stringContaining('there is no group') as unknown })
  const [{ id } = { id: 0 }] = await user.client.groups.list()
  expect((await user.client.groupItems(id).list()).map(({ name }) => name).toSorted()).toEqual(['North', 'South'])
})

test('links that were removed one after another come back, also with a user who is deleted afterwards', async () => {
  for (const name of ['ann', 'ben']) await run(`users create --first-name ${name} --email ${name}@example.com`)
  await run('groups create --name Region')
  await run('group-items create --group Region --name North')
  await run('assign group-items add --group-items North --users ann@example.com,ben@example.com')
  const first = await run('assign group-items remove --group-items North --users ann@example.com --yes')
  const second = await run('assign group-items remove --group-items North --users ben@example.com --yes')
  await run(`undo ${second} --yes`)
  await run(`undo ${first} --yes`)
  await run(`undo ${await run('users delete ann@example.com --yes')} --yes`)
  const people = await user.client.users.list()
  for (const name of ['ann', 'ben']) {
    const { id = 0 } = people.find(({ email }) => email === `${name}@example.com`) ?? {}
    expect((await user.client.userGroupItems(id).list()).map((one) => one.name)).toEqual(['North'])
  }
})

test('what is assigned of many users is seen over the network, too, and stays', async () => {
  await using other = await remoteUser()
  const people = Array.from({ length: 505 }, (_, at) => ({ ...userNamed(`P${at}`), email: `p${at}@example.com` }))
  for await (const _ of other.client.users.addEach(people));
  expect(await other.kpi('kpis', 'create', '--name', 'Sales', '--frequency', 'daily')).toMatchObject({ code: 0 })
  const [{ receipt } = { receipt: '' }] = jsonOf(await other.kpi('history', '-o', 'json')) as Run[]
  const [kpi] = await other.client.kpis.list()
  const last = (await other.client.users.list()).at(-1)
  await other.client.assignments(last?.id ?? 0).add({ id: kpi?.id ?? 0, sort_order: 1 })
  const undone = await other.kpi('undo', receipt, '--yes')
  expect(undone).toMatchObject({ code: 3, stdout: expect.stringContaining('was assigned or linked since') as unknown })
  expect(await other.client.kpis.list()).toHaveLength(1)
})

test('what undos did in one account concerns no other account of the store', async () => {
  await fill()
  await run('kpis create --name Other --frequency daily')
  for (const kpi of ['Sales', 'Other']) await run(`assign add --kpis ${kpi} --users ben@example.com`)
  for (const [kpi, actual] of [
    ['Sales', 1],
    ['Other', 50],
  ])
    await run(`entries add --user ben@example.com --kpi ${kpi} --date 2026-03-01 --actual ${actual}`)
  await run('service accounts create acme --login eve@example.com')
  writeFileSync(user.folder.in('kpi.yaml'), 'kpis: [{ name: Foo, category: General, unit: Number, frequency: D }]\n')
  await run('apply kpi.yaml --account acme --yes')
  writeFileSync(user.folder.in('kpi.yaml'), 'kpis: []\n')
  await run(`undo ${await run('apply kpi.yaml --account acme --prune --yes')} --yes`)
  await run(`undo ${await run('kpis delete Sales --yes')} --yes`)
  const stored = await user.client.entries.list({ from: -1000, to: 30_000, page: 1 })
  expect(new Set(stored.map(({ actual }) => actual))).toEqual(new Set([1_0000n, 50_0000n]))
  expect((await user.client.kpis.list()).map(({ name }) => name).toSorted()).toEqual(['Other', 'Sales'])
})

test('an import knows a KPI again after an undo, its undo, and the undo of that', async () => {
  await fill()
  const imported = await importTwo()
  let last = await run('kpis delete Sales --yes')
  for (let times = 0; times < 3; times += 1) last = await run(`undo ${last} --yes`)
  expect(await entries()).toBe(2)
  expect(await undo(imported, '--yes')).toMatchObject({
    code: 0,
    stderr: 'removed 2 entries and removed 1 thing\n',
  })
  expect(await entries()).toBe(0)
})

test('an undo that had nothing to take back can be asked for again', async () => {
  await fill()
  const added = await run('assign add --kpis Sales --users ben@example.com')
  const removed = await run('assign remove --kpis Sales --users ben@example.com --yes')
  expect(await undo(added, '--yes')).toMatchObject({ code: 0 })
  await run(`undo ${removed} --yes`)
  expect(await user.client.assignments(2).list()).toHaveLength(1)
  expect(await undo(added, '--yes')).toMatchObject({ code: 0 })
  expect(await user.client.assignments(2).list()).toEqual([])
})
