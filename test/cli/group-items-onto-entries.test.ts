import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asThirdParty, fillAccount, ID, remoteImporter } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { fillShop, type User, users } from '../support/user.ts'

const ADD = ['assign', 'group-items', 'add', '--group-items', 'North', '--users', 'Ann Lee']
const REMOVE = ADD.with(2, 'remove')
const REPORT = ['report', '--group-items', 'North', '--from', '2026-11-01', '--to', '2026-11-30']

describe.each(users)('%s, a group item', (_, open) => {
  let user: User
  let north: number
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
    const { client } = user
    north = (await client.groupItems((await client.groups.add({ name: 'Region' })).id).add({ name: 'North' })).id
  })
  afterEach(() => user[Symbol.asyncDispose]())

  /** Returns the days whose entries carry it. */
  const carried = async (item = 'North'): Promise<string> => {
    const { stdout } = await user.kpi(...REPORT.with(2, item), '--rows', '-o', 'csv')
    return stdout
      .split('\n')
      .slice(1, -1)
      .map((row) => /2026-11-\d\d/.exec(row)?.[0])
      .join(' ')
  }
  const lastly = ({ code, stderr }: Ran): [number, string] => [code, stderr]

  test('is put onto the entries of its people from a day on, and taken off these alone', async () => {
    const onto = [...ADD, '--onto-entries', '--from', '2026-11-20']
    expect(lastly(await user.kpi(...onto, '--dry-run'))).toEqual([
      0,
      'dry run, nothing was sent: 1 group item of 1 user to add\nwould put North onto 2 entries of Ann Lee from 2026-11-20 on\n',
    ])
    expect(await user.client.userGroupItems(2).list()).toEqual([])
    expect(lastly(await user.kpi(...onto))).toEqual([0, 'put North onto 2 entries of Ann Lee from 2026-11-20 on\n'])
    expect(await carried()).toBe('2026-11-20 2026-11-21')
    await user.client.entries.add({ user_id: 2, kpi_id: 2, entry_date: Math.floor(NOW / 86_400_000) - 5, actual: 1n })
    expect(await carried()).toBe('2026-11-16 2026-11-20 2026-11-21')
    const [run] = jsonOf(await user.kpi('history', '-o', 'json')) as [{ receipt: string }]
    expect(run).toMatchObject({ command: 'assign group-items add', created: 1, updated: 0, entries: 2 })
    expect(lastly(await user.kpi('undo', run.receipt, '--dry-run'))).toEqual([
      0,
      'dry run, nothing was sent: would remove 1 record, take the group item off 2 entries\n',
    ])
    expect(lastly(await user.kpi('undo', run.receipt, '--yes'))).toEqual([
      0,
      'removed 1 record, took the group item off 2 entries\n',
    ])
    expect(await user.client.userGroupItems(2).list()).toEqual([])
    expect(await carried()).toBe('2026-11-16')
  })

  test('is taken off the entries of its people from a day on, and put onto these alone again', async () => {
    await user.kpi(...ADD, '--onto-entries', '--from', '2026-11-20')
    const off = [...REMOVE, '--from-entries', '--from', '2026-11-21']
    expect(lastly(await user.kpi(...off, '--dry-run'))).toEqual([
      0,
      'dry run, nothing was sent: 1 group item of users to remove\nwould take North off 1 entry of Ann Lee from 2026-11-21 on\n',
    ])
    expect(await carried()).toBe('2026-11-20 2026-11-21')
    expect(lastly(await user.kpi(...off, '--yes'))).toEqual([
      0,
      'removed North from Ann Lee\ntook North off 1 entry of Ann Lee from 2026-11-21 on\n',
    ])
    expect(await user.client.userGroupItems(2).list()).toEqual([])
    expect(await carried()).toBe('2026-11-20')
    const runs = jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string; command: string }[]
    const run = runs.find(({ command }) => command === 'assign group-items remove')
    expect(run).toMatchObject({ entries: 1 })
    // Also of somebody who has it no more.
    const all = REMOVE.concat('--from-entries', '--from', 'this-year', '--yes')
    expect((await user.kpi(...all)).stderr).toContain('took North off 1 entry of Ann Lee from 2026-01-01 on\n')
    expect((await user.kpi(...all)).stderr).toContain('no entry of Ann Lee from 2026-01-01 on carries North\n')
    expect(await carried()).toBe('')
    expect(lastly(await user.kpi('undo', run?.receipt ?? '', '--dry-run'))).toEqual([
      0,
      'dry run, nothing was sent: would create again 1 record, put the group item onto 1 entry again\n',
    ])
    expect(lastly(await user.kpi('undo', run?.receipt ?? '', '--yes'))).toEqual([
      0,
      'created again 1 record, put the group item onto 1 entry again\n',
    ])
    expect(await user.client.userGroupItems(2).list()).toHaveLength(1)
    expect(await carried()).toBe('2026-11-21')
  })

  test('is taken off only where that is confirmed, with the count', async () => {
    await user.kpi(...ADD, '--onto-entries', '--from', '2026-11-20')
    const off = [...REMOVE, '--from-entries', '--from', '2026-11-20']
    const ran = await user.kpiIn({ terminal: 200 }, ...off)
    expect(ran.stderr).toContain('remove North from Ann Lee, and from 2 entries from 2026-11-20 on')
    expect(await user.client.userGroupItems(2).list()).toHaveLength(1)
    expect(await carried()).toBe('2026-11-20 2026-11-21')
  })

  test('replaces another one of its group in two lines, the second of which the first names', async () => {
    const { groups, groupItems } = user.client
    const group = (await groups.list()).find(({ name }) => name === 'Region')?.id ?? 0
    await groupItems(group).add({ name: 'South' })
    // One of another group stays, and is not named.
    await groupItems((await groups.add({ name: 'Brand' })).id).add({ name: 'Blue' })
    await user.kpi(...ADD.with(4, 'North,Blue'), '--onto-entries', '--from', 'this-year')
    const move = [...ADD.with(4, 'South'), '--onto-entries', '--from', '2026-11-20']
    const says = `2 entries of Ann Lee from 2026-11-20 on carry North of the same group (Region), too; to take that off them, and off Ann Lee: kpi assign group-items remove --group-items ${north} --users 2 --from-entries --from 2026-11-20\n`
    expect((await user.kpi(...move, '--dry-run')).stderr).toContain(says)
    const { code, stderr } = await user.kpi(...move)
    expect([code, stderr]).toEqual([0, `put South onto 2 entries of Ann Lee from 2026-11-20 on\n${says}`])
    const line = /: kpi (assign group-items remove .*)\n/.exec(stderr)?.[1] ?? ''
    expect(lastly(await user.kpi(...line.split(' '), '--yes'))).toEqual([
      0,
      'removed North from Ann Lee\ntook North off 2 entries of Ann Lee from 2026-11-20 on\n',
    ])
    expect([await carried('North'), await carried('South')]).toEqual(['2026-11-19', '2026-11-20 2026-11-21'])
    expect((await user.client.userGroupItems(2).list()).map(({ name }) => name)).toEqual(['South', 'Blue'])
    expect((await user.kpi(...move)).stderr).not.toContain('same group')
  })

  test('is put onto entries also of somebody who has it already, and once', async () => {
    await user.client.userGroupItems(2).add({ id: north })
    const onto = [...ADD, '--onto-entries', '--from', 'this-year']
    const ran = await user.kpi(...onto)
    expect(lastly(ran)).toEqual([
      0,
      '--from this-year is 2026-01-01 in UTC\nAnn Lee has North already\nput North onto 3 entries of Ann Lee from 2026-01-01 on\n',
    ])
    expect((await user.kpi(...onto)).stderr).toContain('no entry of Ann Lee from 2026-01-01 on lacks North\n')
    const runs = jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string }[]
    expect(runs).toHaveLength(1)
    expect(lastly(await user.kpi('undo', runs[0]?.receipt ?? '', '--yes'))).toEqual([
      0,
      'took the group item off 3 entries\n',
    ])
    expect(await user.client.userGroupItems(2).list()).toHaveLength(1)
  })

  test.each([
    [ADD, ['--onto-entries'], '--onto-entries needs the first day of the entries: add --from'],
    [ADD, ['--from', 'today'], '--from goes with --onto-entries'],
    [ADD, ['--onto-entries', '--from', 'soon'], '--from "soon"'],
    [REMOVE, ['--from-entries'], '--from-entries needs the first day of the entries: add --from'],
    [REMOVE, ['--from', 'today'], '--from goes with --from-entries'],
  ])('%j %j is wrong usage, and nothing is given', async (line, flags, says) => {
    const ran = await user.kpi(...line, ...flags)
    expect(lastly(ran)).toEqual([2, expect.stringContaining(says)])
    expect(await user.client.userGroupItems(2).list()).toEqual([])
  })

  test('that a report finds nothing for says which entries lack it, and the command that it names mends that', async () => {
    await user.client.userGroupItems(2).add({ id: north })
    const ran = await user.kpi(...REPORT)
    const line = /to put it onto them: kpi (.*)\n/.exec(ran.stderr)?.[1] ?? ''
    expect(ran.stderr).toContain('3 entries of these days are of people who have North, and do not carry it')
    expect(line).toBe(`assign group-items add --group-items ${north} --users 2 --onto-entries --from 2026-11-19`)
    expect((await user.kpi(...line.split(' '))).code).toBe(0)
    expect(await carried()).toBe('2026-11-19 2026-11-20 2026-11-21')
  })

  test('is offered for what is there at a terminal', async () => {
    const ran = await user.kpiIn({ terminal: 200 }, ...ADD)
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `3 entries of Ann Lee do not carry North; to put it onto them: kpi assign group-items add --group-items ${north} --users 2 --onto-entries --from 2026-11-19`,
    )
    expect((await user.kpi('assign', 'group-items', 'add', '--group-items', 'North', '--users', '3')).stderr).toBe('')
  })
})

test('a service that has nothing of this is refused before anything is sent', async () => {
  await using importer = await remoteImporter({
    wrap: asThirdParty,
    fill: async (client) => {
      await fillAccount(client)
      await client.groupItems((await client.groups.add({ name: 'Region' })).id).add({ name: 'North' })
    },
  })
  const kpi = shellIn(importer.world)
  const line = ['assign', 'group-items', 'add', '--group-items', 'North', '--users', String(ID.ann)]
  const ran = await kpi(...line, '--onto-entries', '--from', '2026-01-01')
  expect([ran.code, ran.stderr]).toEqual([
    7,
    'kpi: --onto-entries: this service leaves the entries that are there with the group items that their people had then; only the bundled service does that (kpi serve); leave the flag out to give group items for new entries\n',
  ])
  expect(await importer.client.userGroupItems(ID.ann).list()).toEqual([])
  expect((await kpi(...line)).code).toBe(0)
  const off = await kpi(...line.with(2, 'remove'), '--from-entries', '--from', '2026-01-01', '--yes')
  expect([off.code, off.stderr]).toEqual([
    7,
    'kpi: --from-entries: this service leaves the entries that are there with the group items that their people had then; only the bundled service does that (kpi serve); leave the flag out to remove group items from users, for new entries\n',
  ])
  expect(await importer.client.userGroupItems(ID.ann).list()).toHaveLength(1)
})
