import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asThirdParty, fillAccount, ID, remoteImporter } from '../support/import.ts'
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

describe('where a service has nothing of this', () => {
  const foreign = () => remoteImporter({ fill: fillMany, wrap: (handler) => limited(200, 60)(asThirdParty(handler)) })
  const fillMany: typeof fillAccount = async (client) => {
    await fillAccount(client)
    for (let ago = 0; ago < 12; ago += 1)
      await client.entries.add({ user_id: ID.ann, kpi_id: ID.sales, entry_date: DAYS.to - ago, actual: BigInt(ago) })
  }
  const ALL = ['--from', '2026-11-01', '--to', '2026-11-30']

  test('a delete says what its requests take, and is taken back all the same', async () => {
    const importer = await foreign()
    await using _ = importer
    const kpi = shellIn(importer.world)
    const before = await importer.client.entries.list(DAYS)
    const asked = await kpi('entries', 'delete', ...ALL)
    expect(asked.stderr).toContain(', in 12 requests, less than a minute at 200 requests a minute needs --yes')
    expect((await kpi('entries', 'delete', ...ALL, '--yes')).code).toBe(0)
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
