import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { asThirdParty, fillAccount, ID, remoteImporter, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { limited } from '../support/limited-service.ts'
import { embeddedUser, fillShop, newerUser, remoteUser, type User } from '../support/user.ts'

const ways = [
  ['on the embedded service', embeddedUser],
  ['through a profile to a server', remoteUser],
  ['through a profile of the newer interface', () => newerUser()],
] as const

const RANGE = ['--from', '2026-11-19', '--to', '2026-11-20']
const DAYS = { from: Math.floor(NOW / 86_400_000) - 30, to: Math.floor(NOW / 86_400_000) }

type History = readonly { receipt: string; command: string; records: string; entries: number; state: string }[]

describe.each(ways)('%s, what entries delete took', (_, open) => {
  let user: User
  beforeEach(async () => {
    user = await open()
    await fillShop(user)
  })
  afterEach(() => user[Symbol.asyncDispose]())

  const held = () => user.client.entries.list(DAYS)
  const history = async (): Promise<History> => jsonOf(await user.kpi('history', '-o', 'json')) as History
  const undo = async (...flags: string[]): Promise<Ran> =>
    user.kpi('undo', (await history()).at(0)?.receipt ?? '', ...flags)
  const lastly = ({ code, stderr }: Ran): [number, string] => [code, stderr]

  test('comes back as it was by kpi undo, which kpi history names', async () => {
    const before = await held()
    await user.kpi('entries', 'delete', ...RANGE, '--yes')
    expect(await held()).toHaveLength(1)
    expect(await history()).toMatchObject([
      {
        command: 'entries delete',
        records: '2 entries of 2026-11-19 to 2026-11-20',
        deleted: 0,
        entries: 2,
        state: 'done',
      },
    ])
    expect(lastly(await undo('--dry-run'))).toEqual([0, 'dry run, nothing was sent: would store 2 entries again\n'])
    expect(await held()).toHaveLength(1)
    expect(lastly(await undo('--yes'))).toEqual([0, 'stored 2 entries again\n'])
    expect(await held()).toEqual(before)
    expect(await history()).toMatchObject([{ state: 'undone' }])
    expect(lastly(await undo('--yes'))).toEqual([0, expect.stringContaining('was taken back already')])
  })

  test('comes back where it was deleted by ids, whose people are locked by now', async () => {
    const before = await held()
    await user.kpi('entries', 'delete', '1', '3', '--yes')
    await user.client.users.update(2, { user_status_id: 'L' })
    expect(lastly(await undo('--yes'))).toEqual([0, 'stored 2 entries again\n'])
    expect(await held()).toEqual(before)
  })

  test('stays away where something else is there by now, and is told', async () => {
    await user.kpi('entries', 'delete', ...RANGE, '--yes')
    await user.client.entries.add({ user_id: 2, kpi_id: 1, entry_date: DAYS.to - 1, actual: 5_0000n })
    const said = '2 entries of 2026-11-19 to 2026-11-20: 1 entry left alone: 1 was stored again since\n'
    const { code, stderr, stdout } = await undo('--dry-run', '-o', 'csv')
    expect([code, stderr]).toEqual([3, `dry run, nothing was sent: would store 1 entry again; 1 left alone\n${said}`])
    const name = '2 entries of 2026-11-19 to 2026-11-20'
    expect(stdout.split('\n').slice(1, -1)).toEqual([
      `restore,entry,,${name},1,,`,
      `leave,entry,,${name},1,1 was stored again since,`,
    ])
    expect(lastly(await undo('--yes'))).toEqual([3, `${said}stored 1 entry again; 1 left alone\n`])
    await user.client.entries.remove((await held()).find(({ actual }) => actual === 5_0000n)?.id ?? 0)
    expect(await history()).toMatchObject([{ state: 'undone in part' }])
    expect(lastly(await undo('--yes'))).toEqual([0, 'stored 1 entry again\n'])
  })
})

/** Does something before the first request that deletes many entries reaches the service. */
const before =
  (work: () => Promise<unknown>) =>
  (handler: Handler): Handler => {
    let isDone = false
    return async (request) => {
      if (!isDone && /\/runs\/\w+\/delete/.test(request.target)) {
        isDone = true
        await work()
      }
      return handler(request)
    }
  }

const fillDays: typeof fillAccount = async (client) => {
  await fillAccount(client)
  for (let ago = 0; ago < 12; ago += 1)
    await client.entries.add({ user_id: ID.ann, kpi_id: ID.sales, entry_date: DAYS.to - ago, actual: BigInt(ago) })
}
const MONTH = ['--from', '2026-11-01', '--to', '2026-11-30']

test('nothing is deleted where somebody stores another entry after it was counted, and no record is left', async () => {
  let addOne = (): Promise<unknown> => Promise.resolve()
  const wrap = before(() => addOne())
  await using importer = await remoteImporter({ fill: fillDays, wrap })
  addOne = () =>
    importer.client.entries.add({ user_id: ID.ann, kpi_id: ID.sales, entry_date: DAYS.to - 15, actual: 1n })
  const kpi = shellIn(importer.world)
  const ran = await kpi('entries', 'delete', ...MONTH, '--yes', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stderr)]).toMatchObject([
    1,
    {
      error: {
        code: 'conflict',
        message:
          'somebody has added or deleted some of the 12 entries since they were counted; nothing was deleted; run the same command again',
      },
    },
  ])
  expect(await importer.client.entries.list(DAYS)).toHaveLength(13)
  expect(jsonOf(await kpi('history', '-o', 'json'))).toEqual([])
  expect((await kpi('entries', 'delete', ...MONTH, '--yes')).stderr).toContain('deleted 13 entries\n')
})

test('more than 250 users have as many entries deleted as were shown, and no more', async () => {
  let addOne = (): Promise<unknown> => Promise.resolve()
  const wrap = before(() => addOne())
  const people = Array.from({ length: 260 }, (_, at) => userNamed(`P${at}`))
  const fill: typeof fillAccount = async (client) => {
    await fillAccount(client)
    const users = (await Array.fromAsync(client.users.addEach(people))).flat()
    for (const { id } of [users[0], users[259]].flatMap((one) => one ?? [])) {
      await client.assignments(id).add({ id: ID.sales, sort_order: 1 })
      await client.entries.add({ user_id: id, kpi_id: ID.sales, entry_date: DAYS.to, actual: 1n })
    }
  }
  await using importer = await remoteImporter({ fill, wrap })
  const { client } = importer
  const ids = (await client.users.list()).flatMap(({ id, first_name }) => (/^P\d+$/.test(first_name) ? id : []))
  addOne = () => client.entries.add({ user_id: ids[259] ?? 0, kpi_id: ID.sales, entry_date: DAYS.to - 1, actual: 1n })
  const kpi = shellIn(importer.world)
  const line = ['entries', 'delete', ...MONTH, '--user', ids.join(','), '--yes']
  const ran = await kpi(...line)
  expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining('delete 2 entries of 2026-11-01 to 2026-11-30')])
  expect(ran.stderr).toContain('1 entry deleted; stopped with 1 entry left; run the same command to continue\n')
  expect(ran.stderr).not.toContain('nothing')
  expect(await client.entries.list(DAYS)).toHaveLength(2)
  expect((await kpi(...line)).stderr).toMatch(/1 entry deleted before\ndeleted 2 entries\n$/)
  expect(jsonOf(await kpi('history', '-o', 'json'))).toMatchObject([{ entries: 3, state: 'done' }])
})

test('a key that may only write deletes by ids what is there, names what is not, and takes it back', async () => {
  await using user = await newerUser(['entries:write'])
  await fillShop(user)
  const ran = await user.kpi('entries', 'delete', '1', '99', '3', '98', '--yes')
  const said = ['no. 2 of 4: there is no entry 99', 'no. 4 of 4: there is no entry 98', '2 done, 2 refused']
  expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining(said.map((one) => `kpi: ${one}\n`).join(''))])
  expect((await user.client.entries.list(DAYS)).map(({ id }) => id)).toEqual([2])
  const [run] = jsonOf(await user.kpi('history', '-o', 'json')) as { receipt: string; entries: number }[]
  expect(run).toMatchObject({ entries: 2, state: 'done' })
  expect((await user.kpi('undo', run?.receipt ?? '', '--yes')).stderr).toContain('stored 2 entries again\n')
  expect((await user.kpi('entries', 'delete', '99', '--yes')).code).toBe(1)
})

/** An earlier version of the bundled service, which has nothing of many entries at once. */
const earlier =
  (handler: Handler): Handler =>
  (request) =>
    handler(
      /\/kpientries\/(?:sums|runs\/[\w-]+\/(?:delete|groupitem))/.test(request.target)
        ? { ...request, target: '/api/kpientries/nothing' }
        : request,
    )

test('an earlier version of the service has each deleted by itself, and all of it is taken back', async () => {
  await using importer = await remoteImporter({ fill: fillDays, wrap: earlier })
  const kpi = shellIn(importer.world)
  expect((await kpi('entries', 'delete', ...MONTH)).stderr).toContain(
    'delete 12 entries of 2026-11-01 to 2026-11-30 (Sales, sum 0.0066), in 12 requests needs --yes',
  )
  expect((await kpi('entries', 'delete', ...MONTH, '--yes')).code).toBe(0)
  expect(await importer.client.entries.list(DAYS)).toEqual([])
  const [{ receipt }] = jsonOf(await kpi('history', '-o', 'json')) as [{ receipt: string }]
  expect((await kpi('undo', receipt, '--yes')).stderr).toContain('stored 12 entries again\n')
  const [first] = await importer.client.entries.list(DAYS)
  expect((await kpi('entries', 'delete', String(first?.id), '--yes')).stderr).toContain('deleted entry')
  expect(await importer.client.entries.list(DAYS)).toHaveLength(11)
  const onto = ['assign', 'group-items', 'add', '--group-items', 'North', '--users', String(ID.ann)]
  const group = await importer.client.groups.add({ name: 'Region' })
  await importer.client.groupItems(group.id).add({ name: 'North' })
  expect((await kpi(...onto, '--onto-entries', '--from', '2026-01-01')).code).toBe(7)
  expect(await importer.client.userGroupItems(ID.ann).list()).toEqual([])
})

test('one that is cut off on a service that has nothing of this goes on with the same command, in one record', async () => {
  let deletes = 0
  const failing =
    (handler: Handler): Handler =>
    async (request) => {
      deletes += request.method === 'DELETE' ? 1 : 0
      return request.method === 'DELETE' && deletes === 5
        ? { status: 401, headers: { 'content-type': 'application/json' }, body: '{"message":"no"}' }
        : handler(request)
    }
  await using importer = await remoteImporter({ fill: fillDays, wrap: (handler) => failing(asThirdParty(handler)) })
  const kpi = shellIn(importer.world)
  const ran = await kpi('entries', 'delete', ...MONTH, '--yes')
  expect([ran.code, ran.stderr]).toEqual([4, expect.stringMatching(/; 4 entries deleted; .*: kpi undo /)])
  expect(await importer.client.entries.list(DAYS)).toHaveLength(8)
  expect(jsonOf(await kpi('history', '-o', 'json'))).toMatchObject([{ entries: 4, state: 'stopped' }])
  expect((await kpi('entries', 'delete', ...MONTH, '--yes')).code).toBe(0)
  expect(await importer.client.entries.list(DAYS)).toEqual([])
  const runs = jsonOf(await kpi('history', '-o', 'json')) as { receipt: string }[]
  expect(runs).toMatchObject([{ entries: 12, state: 'done' }])
  await kpi('undo', runs[0]?.receipt ?? '', '--yes')
  expect(await importer.client.entries.list(DAYS)).toHaveLength(12)
})

describe('where a service has nothing of this', () => {
  const foreign = () => remoteImporter({ fill: fillDays, wrap: (handler) => limited(200, 60)(asThirdParty(handler)) })

  test('a delete says what its requests take, and is taken back all the same', async () => {
    const importer = await foreign()
    await using _ = importer
    const kpi = shellIn(importer.world)
    const before = await importer.client.entries.list(DAYS)
    const asked = await kpi('entries', 'delete', ...MONTH)
    expect(asked.stderr).toContain(', in 12 requests, less than a minute at 200 requests a minute needs --yes')
    expect((await kpi('entries', 'delete', ...MONTH, '--yes')).code).toBe(0)
    expect(await importer.client.entries.list(DAYS)).toEqual([])
    await importer.client.entries.add({ user_id: ID.ann, kpi_id: ID.sales, entry_date: DAYS.to, actual: 9_0000n })
    const [{ receipt }] = jsonOf(await kpi('history', '-o', 'json')) as [{ receipt: string }]
    const ran = await kpi('undo', receipt, '--yes')
    expect([ran.code, ran.stderr]).toEqual([
      3,
      'entries that are stored again count for the group items that their people have now\nstored 11 entries again; 1 could not be stored: they were stored again since\n',
    ])
    const values = (list: typeof before) => list.slice(0, 11).map(({ entry_date, actual }) => [entry_date, actual])
    expect(values(await importer.client.entries.list(DAYS))).toEqual(values(before))
  })
})
