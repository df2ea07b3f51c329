import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { NOW } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { receiptsOf } from '../support/older-receipt.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

/** Has the service take the batches of a run for those of another one. */
const joinRuns = ({ folder }: User, from: string, to: string): void => {
  const store = new DatabaseSync(folder.in('.local/share/kpi/kpi.db'))
  store.prepare('update run_batches set run_id = ? where run_id = ?').run(to, from)
  store.close()
}

/** Imports two entries of Ann Lee, and returns the name of the receipt. */
const load = async (user: User, file = 'data.csv', actual = 1): Promise<string> => {
  writeFileSync(user.folder.in(file), `user,kpi,date,actual\n2,1,2026-01-01,${actual}\n2,1,2026-01-02,${actual}\n`)
  return (jsonOf(await user.kpi('entries', 'import', file, '-o', 'json')) as { receipt: string }).receipt
}

test('an import that was taken back already is said to be, with the time, and nothing is changed', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user)
  await user.kpi('entries', 'undo', receipt, '--yes')
  // The same values, entered by somebody since, are not those of the import.
  for (const day of ['2026-01-01', '2026-01-02'])
    await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Revenue', '--date', day, '--actual', '1')
  const later = { now: NOW + 3_600_000 }
  for (const flags of [['--yes'], [], ['--dry-run']])
    expect(await user.kpiIn(later, 'entries', 'undo', receipt, ...flags, '-o', 'json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: `the import of data.csv was taken back already, on ${new Date(NOW).toISOString().slice(0, 10)} at ${new Date(NOW).toISOString().slice(11, 16)} UTC; nothing was changed\n`,
    })
  expect((await user.kpi('entries', 'undo', receipt)).stdout).toBe('')
  expect(await user.client.entries.get(7)).toMatchObject({ actual: 1_0000n })
  // What is kept says when, and no longer holds the values.
  expect(readdirSync(user.folder.in('.local/state/kpi/receipts'))).toEqual([`${receipt}.receipt.jsonl`])
})

test('a run that was cut off and continued is taken back with the receipts of all its parts, whichever is named', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const before = await user.client.entries.list({ from: 20_454, to: 20_460 })
  const first = await load(user)
  writeFileSync(user.folder.in('more.csv'), 'user,kpi,date,actual\n2,1,2026-01-03,7\n')
  const { receipt: second } = jsonOf(await user.kpi('entries', 'import', 'more.csv', '-o', 'json')) as {
    receipt: string
  }
  const pathOf = (receipt: string): string => user.folder.in(`.local/state/kpi/receipts/${receipt}.receipt.jsonl`)
  const runIn = (text: string): string => /"run":"(\w+)"/.exec(text)?.[1] ?? ''
  const [one, other] = [first, second].map((receipt) => readFileSync(pathOf(receipt), 'utf8'))
  // What tells the parts of a run is its id.
  writeFileSync(pathOf(second), (other ?? '').replace(runIn(other ?? ''), runIn(one ?? '')))
  joinRuns(user, runIn(other ?? ''), runIn(one ?? ''))
  const ran = await user.kpi('entries', 'undo', first, '--yes')
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.stderr).toContain('was continued, and has 2 receipts')
  expect(await user.client.entries.list({ from: 20_454, to: 20_460 })).toEqual(before)
  expect((await user.kpi('entries', 'undo', second)).stderr).toContain('was taken back already')
})

test('a dry run tells an entry that two parts of a run changed as the undo takes it back', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Revenue', '--date', '2026-01-01', '--actual', '9')
  const before = await user.client.entries.list({ from: 20_454, to: 20_460 })
  const [first, second] = [await load(user), await load(user, 'more.csv', 2)]
  const pathOf = (receipt: string): string => `${receiptsOf(user)}/${receipt}.receipt.jsonl`
  const runIn = (text: string): string => /"run":"(\w+)"/.exec(text)?.[1] ?? ''
  const [one, other] = [first, second].map((receipt) => readFileSync(pathOf(receipt), 'utf8'))
  writeFileSync(pathOf(second), (other ?? '').replace(runIn(other ?? ''), runIn(one ?? '')))
  joinRuns(user, runIn(other ?? ''), runIn(one ?? ''))
  const looked = await user.kpi('entries', 'undo', second, '--dry-run')
  const ran = await user.kpi('entries', 'undo', second, '--yes')
  expect([ran.code, await user.client.entries.list({ from: 20_454, to: 20_460 })]).toEqual([0, before])
  expect([looked.code, looked.stderr]).toEqual([0, expect.not.stringContaining('left alone')])
  const counts = 'put back 3 entries and remove 1 entry'
  expect(looked.stderr).toContain(`dry run, nothing was sent: would ${counts}\n`)
  expect(ran.stderr).toContain(counts.replace('remove', 'removed'))
})

test('receipts that cannot be read are named with the reason, and the others are listed', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user)
  const folder = receiptsOf(user)
  const spoiled = (name: string): string => `${folder}/20200101T000000-${name}.receipt.jsonl`
  writeFileSync(spoiled('empty'), '')
  writeFileSync(spoiled('cut'), '{"service":"/srv/k')
  writeFileSync(spoiled('text'), 'hello\n')
  mkdirSync(spoiled('folder'))
  const ran = await user.kpi('entries', 'undo', '-o', 'json')
  expect(jsonOf(ran)).toMatchObject([{ receipt }])
  expect(ran.stderr.trimEnd().split('\n')).toEqual([
    `not listed: cannot read ${spoiled('cut')}: its first line is not that of a receipt`,
    `not listed: cannot read ${spoiled('empty')}: it is empty`,
    `not listed: cannot read ${spoiled('folder')}: it is a directory`,
    `not listed: cannot read ${spoiled('text')}: its first line is not that of a receipt`,
  ])
  expect(await user.kpi('entries', 'undo', '20200101T000000-empty')).toMatchObject({
    code: 1,
    stderr: `kpi: cannot read ${spoiled('empty')}: it is empty\n`,
  })
})

test('the list tells what each import was and did, the newest first, and what was taken back', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const first = await load(user)
  writeFileSync(user.folder.in('b.csv'), 'user,kpi,date,actual\n2,1,2026-01-01,7\n2,1,2026-01-03,7\n2,1,2026-01-04,7\n')
  const { receipt: second } = jsonOf(
    await user.kpiIn({ now: NOW + 60_000 }, 'entries', 'import', 'b.csv', '-o', 'json'),
  ) as { receipt: string }
  await user.kpiIn({ now: NOW + 120_000 }, 'entries', 'undo', second, '--yes')
  const service = user.folder.in('.local/share/kpi')
  const both = { service, account: 'default', new_things: 0, left_entries: null, undo_begun_at: null }
  expect(jsonOf(await user.kpi('entries', 'undo', '-o', 'json'))).toEqual([
    {
      receipt: second,
      file: 'b.csv',
      imported_at: '2026-11-21T12:01:00',
      ...both,
      new_entries: 2,
      changed_entries: 1,
      taken_back_at: '2026-11-21T12:02:00',
    },
    {
      receipt: first,
      file: 'data.csv',
      imported_at: '2026-11-21T12:00:00',
      ...both,
      new_entries: 2,
      changed_entries: 0,
      taken_back_at: null,
    },
  ])
  expect((await user.kpi('entries', 'undo')).stdout.split('\n')[0]?.split(/ {2,}/)).toEqual([
    'receipt',
    'file',
    'imported_at',
    'service',
    'account',
    'new_things',
    'new_entries',
    'changed_entries',
    'taken_back_at',
    'left_entries',
    'undo_begun_at',
  ])
})

test('an import that was cut off is taken back, though its receipt does not count what the service keeps', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user)
  const path = `${receiptsOf(user)}/${receipt}.receipt.jsonl`
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 3).join('\n')}\n{"en`)
  expect(jsonOf(await user.kpi('entries', 'undo', '-o', 'json'))).toMatchObject([
    { new_entries: null, changed_entries: null },
  ])
  expect((await user.kpi('entries', 'undo', receipt, '--yes')).stderr).toBe('removed 2 entries\n')
  expect((await user.kpi('entries', 'undo', receipt, '--yes')).stderr).toContain('was taken back already')
})

test('a receipt of another service names both, and the flag that helps', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user)
  const own = user.folder.in('.local/share/kpi')
  const said = async (...flags: string[]): Promise<string> => {
    const ran = await user.kpi('entries', 'undo', receipt, ...flags)
    expect(ran.code).toBe(1)
    return ran.stderr
  }
  const other = user.folder.in('elsewhere')
  const start = `kpi: the receipt is of ${own}, and this command is for ${other}; take it back with`
  expect(await said('--data-dir', other)).toBe(`${start} --data-dir ${own}\n`)
  await user.kpi('profiles', 'add', 'shop', '--data-dir', own)
  expect(await said('--data-dir', other)).toBe(`${start} --profile shop\n`)
})

const remote = (KPI_BASE_URL: string): { env: Record<string, string> } => ({
  env: { KPI_BASE_URL, KPI_LOGIN: 'ann', KPI_TOKEN: 'secret' },
})

test('the usual names of this machine are one service, and other addresses of it are others', async () => {
  await using user = await embeddedUser()
  mkdirSync(receiptsOf(user), { recursive: true })
  const write = (name: string, service: string): void =>
    writeFileSync(
      `${receiptsOf(user)}/20261121T120000-${name}.receipt.jsonl`,
      `${JSON.stringify({ service, file: 'a.csv', at: '2026-11-21T12:00:00.000Z' })}\n{"taken_back":"2026-11-21T12:00:00.000Z"}\n`,
    )
  write('one', 'http://localhost:8080/api')
  write('two', 'http://127.0.0.2:8080/api')
  const codes = async (url: string): Promise<number[]> =>
    Promise.all(
      ['one', 'two'].map(
        async (name) => (await user.kpiIn(remote(url), 'entries', 'undo', `20261121T120000-${name}`)).code,
      ),
    )
  expect(await codes('http://127.0.0.1:8080/api/')).toEqual([0, 1])
  expect(await codes('http://[::1]:8080/api')).toEqual([0, 1])
  expect(await codes('http://localhost:8080/api')).toEqual([0, 1])
  expect(await codes('http://127.0.0.2:8080/api')).toEqual([1, 0])
  const refused = await user.kpiIn(remote('http://127.0.0.1:8080/api'), 'entries', 'undo', '20261121T120000-two')
  expect(refused.stderr).toBe(
    'kpi: the receipt is of http://127.0.0.2:8080/api, and this command is for http://localhost:8080/api; take it back with KPI_BASE_URL=http://127.0.0.2:8080/api, or a profile of it (kpi profiles add)\n',
  )
})
