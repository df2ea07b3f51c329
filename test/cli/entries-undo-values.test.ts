import { readdirSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatDay, parseDay } from '../../src/domain/day.ts'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, type User, users } from '../support/user.ts'
import { runs } from '../support/soak/tests.ts'

type Fate = { action: string; kind: string; name: string; reason: string | null; change: string | null }

const HEAD = 'user,kpi,date,actual,target,notes\n'
const FIRST = `${HEAD}ann@example.com,Revenue,2026-03-01,1,,\nann@example.com,Revenue,2026-03-02,2,5,two\nann@example.com,Visits,2026-03-01,3,,\n`
const SECOND = `${HEAD}ann@example.com,Revenue,2026-03-01,1,,\nann@example.com,Revenue,2026-03-02,20,6,twenty\nann@example.com,Revenue,2026-03-03,4,,\n`

const load = async (user: User, text: string, ...flags: string[]): Promise<string | null> => {
  writeFileSync(user.folder.in('data.csv'), text)
  const ran = await user.kpi('entries', 'import', 'data.csv', '-o', 'json', ...flags)
  return (jsonOf(ran) as { receipt: string | null }).receipt
}

/** What is stored, a line for each entry. */
const held = async ({ client }: User): Promise<string[]> => {
  const lines: string[] = []
  for await (const page of entryPages(client, { from: parseDay('2026-01-01') ?? 0, to: parseDay('2026-12-31') ?? 0 }))
    for (const { user_id, kpi_id, entry_date, actual, target, notes } of page)
      lines.push([user_id, kpi_id, formatDay(entry_date), actual, target, notes].join(' '))
  return lines.toSorted()
}

const undo = async (
  user: User,
  receipt: string | null,
  ...flags: string[]
): Promise<[code: number, fates: string[]]> => {
  const { code, stdout } = await user.kpi('entries', 'undo', receipt ?? '', '-o', 'json', ...flags)
  const fates = JSON.parse(stdout) as Fate[]
  return [
    code,
    fates.map(({ action, name, reason, change }) => [action, name, reason ?? change ?? ''].join(' ').trim()),
  ]
}

const everywhere = [...users, ['through a profile of the newer interface', newerUser] as const]

describe.each(everywhere)('%s, an import of values', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  test('is taken back row by row: changed entries hold what they held, new ones are gone', async () => {
    await load(user, FIRST)
    const before = await held(user)
    const receipt = await load(user, SECOND)
    const planned = [
      'restore Revenue of Ann Lee, 2026-03-02 actual 20 → 2, target 6 → 5, notes twenty → two',
      'remove Revenue of Ann Lee, 2026-03-03',
    ]
    const after = await held(user)
    expect(await undo(user, receipt, '--dry-run')).toEqual([0, planned])
    expect(await held(user)).toEqual(after)
    expect(await undo(user, receipt, '--yes')).toEqual([0, []])
    expect(await held(user)).toEqual(before)
    expect((await user.kpi('entries', 'undo', receipt ?? '')).stderr).toContain('was taken back already')
  })

  test('is put back together, and costs no more requests than that is said to', async () => {
    const rows = (add: number): string =>
      HEAD +
      Array.from({ length: 25 }, (_, day) => `ann@example.com,Visits,2026-04-${day + 1},${day + add},,\n`).join('')
    await load(user, rows(1))
    const receipt = await load(user, rows(2))
    const { code, stderr } = await user.kpi('entries', 'undo', receipt ?? '', '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'put back 25 entries\n' })
  })

  test('leaves alone and names what has changed since, and takes back the rest', async () => {
    await load(user, FIRST)
    const receipt = await load(user, SECOND)
    await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Revenue', '--date', '2026-03-02', '--actual', '21')
    expect(await undo(user, receipt, '--yes')).toEqual([
      3,
      ['leave Revenue of Ann Lee, 2026-03-02 was changed since: actual is 21, not 20'],
    ])
    expect(await held(user)).not.toContainEqual(expect.stringContaining('2026-03-03'))
    expect(await held(user)).toContainEqual(expect.stringMatching('2026-03-02 210000 60000 twenty'))
  })

  test('is taken back in its own values: what somebody else changed beside them stays', async () => {
    await load(user, 'user,kpi,date,actual\nann@example.com,Revenue,2026-03-01,1\n')
    const receipt = await load(user, 'user,kpi,date,actual\nann@example.com,Revenue,2026-03-01,7\n')
    await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Revenue', '--date', '2026-03-01', '--notes', 'mine')
    expect(await undo(user, receipt, '--yes')).toEqual([0, []])
    expect(await held(user)).toContainEqual(expect.stringMatching('2026-03-01 10000  mine'))
  })

  test('that added to values is taken back', async () => {
    await load(user, FIRST)
    const before = await held(user)
    const receipt = await load(user, SECOND, '--on-conflict', 'add')
    expect(await held(user)).toContainEqual(expect.stringMatching('2026-03-02 220000 60000 twenty'))
    expect(await undo(user, receipt, '--yes')).toEqual([0, []])
    expect(await held(user)).toEqual(before)
  })

  test('asks before it does anything', async () => {
    const receipt = await load(user, FIRST)
    const ran = await user.kpi('entries', 'undo', receipt ?? '')
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('remove 3 entries needs --yes where nobody can be asked; --dry-run shows')
    expect(await held(user)).toHaveLength(6)
  })

  test('is as it was where its undo is stopped before it changes anything', async () => {
    const receipt = await load(user, FIRST)
    const ran = await user.kpiIn({ signal: AbortSignal.abort() }, 'entries', 'undo', receipt ?? '', '--yes')
    expect(ran).toMatchObject({ code: 6 })
    expect(ran.stderr).toContain('; nothing was changed; run the same command again\n')
    expect(await held(user)).toHaveLength(6)
  })

  test('that changed nothing, or was not to be noted, leaves no receipt', async () => {
    expect(await load(user, FIRST, '--no-undo')).toBeNull()
    expect(await load(user, FIRST)).toBeNull()
    expect(JSON.parse((await user.kpi('entries', 'undo', '-o', 'json')).stdout)).toEqual([])
  })

  test('that was taken back halfway goes on where it was', async () => {
    const receipt = await load(user, FIRST)
    await user.kpi('entries', 'delete', '--from', '2026-03-02', '--to', '2026-03-02', '--kpi', 'Revenue', '--yes')
    expect(await undo(user, receipt, '--dry-run')).toEqual([
      0,
      ['remove Revenue of Ann Lee, 2026-03-01', 'remove Visits of Ann Lee, 2026-03-01'],
    ])
    expect(await undo(user, receipt, '--yes')).toEqual([0, []])
    expect(await held(user)).toHaveLength(3)
  })
})

test('a receipt can be read by its owner only, and is kept for 90 days', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user, FIRST)
  const folder = user.folder.in('.local/state/kpi/receipts')
  for (const name of readdirSync(folder)) expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600)
  const later = { now: Date.parse('2028-01-01') }
  writeFileSync(user.folder.in('data.csv'), SECOND)
  await user.kpiIn(later, 'entries', 'import', 'data.csv')
  expect(readdirSync(folder).filter((name) => name.startsWith(receipt ?? ''))).toEqual([])
})

test('an import with a key that may only write is taken back with the same key', async () => {
  await using user = await newerUser(['entries:write'])
  await fillShop(user)
  writeFileSync(user.folder.in('data.csv'), 'user_id,kpi_id,date,actual\n2,1,2026-03-01,1\n')
  const ran = await user.kpi('entries', 'import', 'data.csv', '-o', 'json')
  expect(jsonOf(ran)).toMatchObject({
    created: 1,
    receipt: expect.any(String) as string,
    unchecked: expect.not.stringContaining('entries') as string,
  })
  const { receipt } = JSON.parse(ran.stdout) as { receipt: string }
  expect(await user.kpi('entries', 'undo', receipt, '--dry-run', '-o', 'json')).toEqual({
    code: 0,
    stdout: '[]\n',
    stderr: 'dry run, nothing was sent: would remove 1 entry\n',
  })
  const done = await user.kpi('entries', 'undo', receipt, '--yes')
  expect([done.code, done.stderr]).toEqual([0, 'removed 1 entry\n'])
  expect(await held(user)).toHaveLength(3)
})

test('a locked user and an inactive KPI do not keep values from being put back', async () => {
  await using user = await remoteUser()
  await fillShop(user)
  await load(user, FIRST)
  const before = await held(user)
  const receipt = await load(user, SECOND.replace('2026-03-01,1', '2026-03-01,11'))
  await user.kpi('users', 'update', 'Ann Lee', '--user-status', 'locked')
  await user.kpi('kpis', 'update', 'Revenue', '--is-active', 'false')
  expect(await undo(user, receipt, '--yes')).toEqual([0, []])
  expect(await held(user)).toEqual(before)
})

const cell = fc.option(fc.integer({ min: 0, max: 9 }), { nil: '' })
const row = fc.record({
  kpi: fc.constantFrom('Revenue', 'Visits'),
  day: fc.integer({ min: 1, max: 6 }),
  actual: cell,
  target: cell,
  notes: fc.constantFrom('', 'a', 'b'),
})
const file = fc.uniqueArray(row, { minLength: 1, maxLength: 12, selector: ({ kpi, day }) => `${kpi} ${day}` })

test('whatever was stored and whatever was imported: taken back, all is as it was', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const text = (
    rows: readonly { kpi: string; day: number; actual: unknown; target: unknown; notes: string }[],
  ): string =>
    HEAD +
    rows
      .map(
        ({ kpi, day, actual, target, notes }) =>
          `ann@example.com,${kpi},2026-04-0${day},${String(actual)},${String(target)},${notes}\n`,
      )
      .join('')
  await fc.assert(
    fc.asyncProperty(
      file,
      file,
      fc.constantFrom('update', 'add', 'skip'),
      fc.boolean(),
      async (first, second, onConflict, clears) => {
        writeFileSync(user.folder.in('data.csv'), text(first))
        await user.kpi('entries', 'import', 'data.csv')
        const before = await held(user)
        writeFileSync(user.folder.in('data.csv'), text(second))
        const empty = clears && onConflict !== 'add' ? ['--empty', 'clear'] : []
        const flags = ['--on-conflict', onConflict, ...empty, '-o', 'json']
        const { stdout } = await user.kpi('entries', 'import', 'data.csv', ...flags)
        const { receipt } = JSON.parse(stdout) as { receipt: string | null }
        const undone = receipt === null ? 0 : (await user.kpi('entries', 'undo', receipt, '--yes')).code
        expect(undone).toBe(0)
        expect(await held(user)).toEqual(before)
      },
    ),
    { numRuns: runs(15, 300) },
  )
})
