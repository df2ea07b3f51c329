import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { formatDay } from '../../src/domain/day.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { openKiller } from '../support/killer.ts'
import { runHere } from '../support/kpi.ts'
import { startKpi } from '../support/process.ts'
import { startService, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'
import { embeddedUser } from '../support/user.ts'

const DAYS = 6_000
const IMPORT = ['entries', 'import', 'data.csv', '-o', 'json']

test('an import and its undo, killed at any batch: each receipt takes back its part, and all is as before', async () => {
  using home = temporaryFolder()
  await using service = await startService()
  const { client } = await wayTo(service)
  await client.kpis.add(kpiNamed('Revenue'))
  const { id: user_id } = await client.users.add(userNamed('Ann'))
  await client.assignments(user_id).add({ id: 1, sort_order: 1 })
  // Every other day holds a value that the import replaces.
  const drafts = Array.from({ length: DAYS / 2 }, (_, at) => ({ user_id, kpi_id: 1, entry_date: 2 * at, actual: 1n }))
  for (let at = 0; at < drafts.length; at += 5000) await client.entries.addMany(drafts.slice(at, at + 5000))
  const rows = Array.from({ length: DAYS }, (_, day) => `ann@example.com,Revenue,${formatDay(day)},${day + 5}`)
  writeFileSync(home.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))
  const held = async (): Promise<string[]> => {
    const lines: string[] = []
    for await (const page of entryPages(client, { from: 0, to: DAYS }))
      for (const { entry_date, actual } of page) lines.push(`${entry_date} ${actual}`)
    return lines.toSorted()
  }
  const before = await held()

  await using killer = await openKiller(home, service)
  const { env, killAt } = killer
  await killAt(IMPORT, 2, true)
  await killAt(IMPORT, 2, false)
  expect(await runHere(home, IMPORT, env)).toMatchObject({ code: 0 })
  expect(await held()).toHaveLength(DAYS)

  const listed = JSON.parse((await runHere(home, ['entries', 'undo', '-o', 'json'], env)).stdout) as {
    receipt: string
  }[]
  expect(listed.length).toBeGreaterThan(0)
  const undo = (receipt: string): string[] => ['entries', 'undo', receipt, '--yes', '-o', 'json']
  const latest = listed[0]?.receipt ?? ''
  // Two batches are counted first; the first that is taken back is, though the answer does not come.
  await killAt(undo(latest), 3, true)
  expect(await held()).not.toHaveLength(DAYS)
  await killAt(undo(listed.at(-1)?.receipt ?? ''), 2, false)
  expect(await held()).not.toEqual(before)
  const ended = await runHere(home, undo(latest), env)
  expect([ended.code, ended.stdout]).toEqual([0, '[]\n'])
  expect(await held()).toEqual(before)
  for (const { receipt } of listed)
    expect((await runHere(home, undo(receipt), env)).stderr).toContain('was taken back already')
}, 120_000)

test.each(some(1, [2, 3, 4, 5, 6]))(
  'an import that was killed at write %i while it created things, and continued, is taken back as a whole',
  async (at) => {
    using home = temporaryFolder()
    await using service = await startService()
    await using killer = await openKiller(home, service)
    const { env, killAt } = killer
    const { client } = await wayTo(service)
    const things = async (): Promise<string[]> => [
      ...(await client.kpis.list()).map(({ name }) => name),
      ...(await client.users.list()).map(({ email }) => email),
    ]
    const before = await things()
    const days = ['2026-03-01', '2026-03-02'].flatMap((day) =>
      ['Ann', 'Bob', 'Cid'].map((name) => `${name} Lee,${day},1,2,3`),
    )
    writeFileSync(home.in('data.csv'), ['user,date,Sales,Visits,Calls', ...days, ''].join('\n'))
    const line = [
      ...IMPORT,
      '--create-missing',
      '--frequency',
      'D',
      '--unit',
      'Number',
      '--email-pattern',
      '{first}@example.com',
    ]
    await killAt(line, at, true)
    expect(await runHere(home, line, env)).toMatchObject({ code: 0 })
    expect(await things()).toHaveLength(before.length + 6)
    const listed = JSON.parse((await runHere(home, ['entries', 'undo', '-o', 'json'], env)).stdout) as {
      receipt: string
    }[]
    expect(listed).toHaveLength(2)
    expect(await runHere(home, ['entries', 'undo', listed[at % 2]?.receipt ?? '', '--yes'], env)).toMatchObject({
      code: 0,
    })
    expect(await things()).toEqual(before)
  },
  60_000,
)

test('an import on the embedded service, killed once it has stored something, is taken back with its second part', async () => {
  await using user = await embeddedUser()
  const { client, folder } = user
  const { id: user_id } = await client.users.add(userNamed('Ann'))
  for (const id of [1, 2, 3]) {
    await client.kpis.add(kpiNamed(`K${id}`))
    await client.assignments(user_id).add({ id, sort_order: id })
  }
  const many = 40_000
  for (let at = 0; at < 3; at += 1) await client.entries.add({ user_id, kpi_id: 1, entry_date: at, actual: 1n })
  const rows = Array.from({ length: many }, (_, day) => `ann@example.com,${formatDay(day)},${day + 5},1,2`)
  writeFileSync(folder.in('data.csv'), ['user,date,K1,K2,K3', ...rows, ''].join('\n'))
  const { child, ended } = startKpi(folder, IMPORT, {})
  while ((await client.entries.list({ from: 3, to: 3 })).length === 0) await setTimeout(5)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ signal: 'SIGKILL' })
  const continued = await runHere(folder, IMPORT)
  expect([continued.code, JSON.parse(continued.stdout)]).toMatchObject([
    0,
    { created: 3 * many - 3, updated: 3, unchanged: 0, rejected: 0 },
  ])
  const listed = JSON.parse((await runHere(folder, ['entries', 'undo', '-o', 'json'])).stdout) as {
    receipt: string
  }[]
  const undone = await runHere(folder, ['entries', 'undo', listed.at(-1)?.receipt ?? '', '--yes'])
  expect([undone.code, undone.stderr]).toEqual([
    0,
    expect.stringContaining(`put back 3 entries and removed ${3 * many - 3} entries\n`),
  ])
  expect(await client.entries.list({ from: 0, to: many })).toMatchObject(
    [0, 1, 2].map((entry_date) => ({ entry_date, actual: 1n })),
  )
}, 60_000)

test('an import that adds on the embedded service is not begun again after its undo was killed', async () => {
  await using user = await embeddedUser()
  const { client, folder } = user
  const { id: user_id } = await client.users.add(userNamed('Ann'))
  await client.kpis.add(kpiNamed('Revenue'))
  await client.assignments(user_id).add({ id: 1, sort_order: 1 })
  const many = 40_000
  const rows = Array.from({ length: many }, (_, day) => `ann@example.com,Revenue,${formatDay(day)},1`)
  writeFileSync(folder.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))
  const line = [...IMPORT, '--on-conflict', 'add']
  const { receipt } = JSON.parse((await runHere(folder, line)).stdout) as { receipt: string }
  const undo = ['entries', 'undo', receipt, '--yes']
  const { child, ended } = startKpi(folder, undo, {})
  while ((await client.entries.list({ from: many - 1, to: many - 1 })).length > 0) await setTimeout(1)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ signal: 'SIGKILL' })
  const told = expect.stringContaining(`take back the rest (kpi entries undo ${receipt})`) as unknown
  expect(await runHere(folder, line)).toMatchObject({ code: 1, stderr: told })
  expect(await runHere(folder, undo)).toMatchObject({ code: 0 })
  expect(await client.entries.list({ from: 0, to: many })).toEqual([])
  expect(await runHere(folder, line)).toMatchObject({ code: 0 })
  expect(await client.entries.list({ from: many - 1, to: many - 1 })).toMatchObject([{ actual: 1_0000n }])
}, 60_000)
