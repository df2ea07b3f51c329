import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOW } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, remoteUser, type User, users } from '../support/user.ts'

const FILE = `user,kpi,date,actual
ann@example.com,Revenue,2026-03-01,1
ann@example.com,Revenue,2026-03-02,2
ann@example.com,Revenue,2026-03-03,3
`
const MARCH = ['--from', '2026-03-01', '--to', '2026-03-31']
const CHANGES = 'user,kpi,date,actual\nann@example.com,Revenue,2026-03-02,20\n'

const load = async (user: User, text: string, after = 0): Promise<string> => {
  writeFileSync(user.folder.in('data.csv'), text)
  const ran = await user.kpiIn({ now: NOW + after }, 'entries', 'import', 'data.csv', '-o', 'json')
  return (jsonOf(ran) as { receipt: string }).receipt
}

describe.each(users)('%s, an import that was taken back but for what has changed since', (_, open) => {
  let user: User
  let [first, second] = ['', '']
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    first = await load(user, FILE)
    second = await load(user, CHANGES, 1000)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test('names the later import, which is to be taken back before it', async () => {
    const { code, stderr } = await user.kpi('entries', 'undo', first, '--yes')
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `removed 2 entries; 1 left alone\nsome of these entries were stored by a later import, too; to take back all of them: kpi entries undo ${second}, then this command again\n`,
    })
    expect((await user.kpi('entries', 'undo', second, '--yes')).code).toBe(0)
    expect(await user.kpi('entries', 'undo', first, '--yes')).toMatchObject({ code: 0, stderr: 'removed 1 entry\n' })
    expect(await user.kpi('entries', 'undo', first)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('was taken back already') as unknown,
    })
  })

  test('names all later imports, the latest three at a time, and is taken back once they are', async () => {
    const later = [second]
    for (let at = 2; at < 6; at += 1) later.unshift(await load(user, CHANGES.replace('20\n', `${at}00\n`), at * 1000))
    const told = /some of these entries were stored by (\d) later imports, .*: (kpi .*), then this command again(.*)\n/
    const undone = await user.kpi('entries', 'undo', first, '--yes')
    expect(undone.stderr.match(told)?.slice(1)).toEqual([
      '5',
      later
        .slice(0, 3)
        .map((one) => `kpi entries undo ${one}`)
        .join(', then '),
      ', which names the other 2',
    ])
    for (const one of later.slice(0, 3)) expect((await user.kpi('entries', 'undo', one, '--yes')).code).toBe(0)
    expect((await user.kpi('entries', 'undo', first, '--yes')).stderr.match(told)?.slice(1)).toEqual([
      '2',
      later
        .slice(3)
        .map((one) => `kpi entries undo ${one}`)
        .join(', then '),
      '',
    ])
    for (const one of later.slice(3)) expect((await user.kpi('entries', 'undo', one, '--yes')).code).toBe(0)
    expect(await user.kpi('entries', 'undo', first, '--yes')).toMatchObject({ code: 0, stderr: 'removed 1 entry\n' })
  })

  test('meets nothing that a later import stores again', async () => {
    expect((await user.kpi('entries', 'undo', first, '--yes')).code).toBe(3)
    await user.kpi('entries', 'undo', second, '--yes')
    const third = await load(user, FILE, 2000)
    const { code, stderr } = await user.kpi('entries', 'undo', first, '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'removed 1 entry\n' })
    expect((await user.kpi('entries', 'undo', third, '--dry-run')).stderr).toContain('would remove 2 entries')
  })

  test('is open still where a later import stored again what was there before', async () => {
    await user.kpi('entries', 'undo', second, '--yes')
    const changed = await load(user, CHANGES, 2000)
    const back = await load(user, FILE, 3000)
    const { code, stderr } = await user.kpi('entries', 'undo', changed, '--yes')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `nothing was changed; 1 as before already\nsome of these entries were stored by a later import, too; to take back all of them: kpi entries undo ${back}, then this command again\n`,
    })
    expect((await user.kpi('entries', 'undo', back, '--yes')).stderr).toBe('put back 1 entry\n')
    expect((await user.kpi('entries', 'undo', changed, '--yes')).stderr).toBe('put back 1 entry\n')
  })

  test('is added again where nothing of it is left, though a later import holds what was there before', async () => {
    const again = async (): Promise<number> => {
      writeFileSync(user.folder.in('data.csv'), CHANGES)
      return (await user.kpiIn({ now: NOW + 4000 }, 'entries', 'import', 'data.csv', '--on-conflict', 'add')).code
    }
    expect(await again()).toBe(0)
    const [{ receipt } = { receipt: '' }] = jsonOf(await user.kpi('entries', 'undo', '-o', 'json')) as {
      receipt: string
    }[]
    await load(user, CHANGES, 5000)
    expect((await user.kpi('entries', 'undo', receipt, '--yes')).stderr).toContain('1 as before already\nsome of these')
    expect(await again()).toBe(0)
    expect((await user.client.entries.list({ from: 20_514, to: 20_514 })).map(({ actual }) => actual)).toEqual([
      40_0000n,
    ])
  })

  test('says in the list how many were left alone', async () => {
    await user.kpi('entries', 'undo', first, '--yes')
    const receipts = jsonOf(await user.kpi('entries', 'undo', '-o', 'json')) as object[]
    expect(receipts).toContainEqual(
      expect.objectContaining({ receipt: first, new_entries: 3, taken_back_at: null, left_entries: 1 }),
    )
    expect(receipts).toContainEqual(expect.objectContaining({ receipt: second, left_entries: null }))
  })
})

test('an entry that was deleted, and stored again long after an import, is not taken for that of the import', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user, FILE)
  const { stdout } = await user.kpi('entries', 'list', '--from', '2026-03-01', '--to', '2026-03-01', '-o', 'json')
  const [{ id }] = JSON.parse(stdout) as [{ id: number }]
  await user.kpi('entries', 'delete', String(id), '--yes')
  await user.kpiIn(
    { now: NOW + 3_600_000 },
    'entries',
    'add',
    '--user',
    'Ann Lee',
    '--kpi',
    'Revenue',
    '--date',
    '2026-03-01',
    '--actual',
    '1',
  )
  const { code, stderr } = await user.kpi('entries', 'undo', receipt, '--yes')
  expect([code, stderr]).toEqual([0, 'removed 2 entries; 1 as before already\n'])
  expect(JSON.parse((await user.kpi('entries', 'list', ...MARCH, '-o', 'json')).stdout)).toMatchObject([{ actual: 1 }])
})

test.each(['that ended', 'that was cut off'])(
  'an import %s takes nothing back that a later one stored',
  async (how) => {
    await using user = await embeddedUser()
    await fillShop(user)
    const first = await load(user, CHANGES)
    if (how === 'that was cut off') {
      const path = user.folder.in(`.local/state/kpi/receipts/${first}.receipt.jsonl`)
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^\{"ended".*\n/m, ''))
    }
    await user.kpi('entries', 'delete', '4', '--yes')
    const second = await load(user, CHANGES, 1000)
    const { code, stderr } = await user.kpi('entries', 'undo', first, '--yes')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'nothing was changed; 1 as before already\n',
    })
    expect(await user.kpi('entries', 'undo', second, '--yes')).toMatchObject({ code: 0, stderr: 'removed 1 entry\n' })
    expect(await user.kpi('entries', 'undo', first, '--yes')).toMatchObject({ code: 0 })
  },
)

test.each([-3_600_000, -90_000, 90_000, 3_600_000])(
  'an import is taken back whatever the clock of this machine says: %i ms off',
  async (off) => {
    await using user = await remoteUser()
    await fillShop(user)
    writeFileSync(user.folder.in('data.csv'), FILE)
    await user.kpiIn({ now: NOW + off }, 'entries', 'import', 'data.csv')
    const [{ receipt = '' } = {}] = jsonOf(await user.kpi('entries', 'undo', '-o', 'json')) as { receipt?: string }[]
    const { code, stderr } = await user.kpiIn({ now: NOW + off }, 'entries', 'undo', receipt, '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'removed 3 entries\n' })
  },
)
