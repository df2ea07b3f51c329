import { expect, onTestFinished, test } from 'vitest'
import { type Fault, faultyProxy, lose } from '../support/faulty-proxy.ts'
import { NOW } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { fillShop, remoteUserBehind, SHOP, type User } from '../support/user.ts'

const TODAY = Math.floor(NOW / 86_400_000)
const DAYS = { from: TODAY - 30, to: TODAY }

/** How many answers are lost, from the first request on that changes entries: the service has done what it was sent. */
type Lost = { count: number }

/** Opens an account that is reached through a proxy, which loses answers once entries are changed by a request of some kind. */
const open = async (isChange: (target: string) => boolean): Promise<{ readonly user: User; readonly lost: Lost }> => {
  const lost = { count: 0 }
  let hasBegun = false
  const isMeant = (target: string, method: string | undefined): boolean =>
    (hasBegun ||= lost.count > 0 && method === 'POST' && isChange(target))
  const faultOf = (): Fault | undefined => {
    lost.count -= 1
    return lost.count >= 0 ? lose : undefined
  }
  const user = await remoteUserBehind(async (url) => (await faultyProxy(url, faultOf, isMeant)).url)
  onTestFinished(() => user[Symbol.asyncDispose]())
  await fillShop(user)
  return { user, lost }
}

const held = async ({ client }: User): Promise<number> => (await client.entries.list(DAYS)).length

const history = async ({ kpi }: User) => {
  const rows = jsonOf(await kpi('history', '-o', 'json')) as { receipt: string; entries: number; state: string }[]
  return rows.map(({ entries, state }) => [entries, state])
}

/** Returns the line that an error names as the way back, as words. */
const wayBack = (stderr: string): string[] =>
  /^kpi: to take back what was \w+: kpi (?<line>.*)$/m.exec(stderr)?.groups?.['line']?.split(' ') ?? []

const DELETES: readonly (readonly [line: string[], count: number])[] = [
  [['--from', '2026-11-19', '--to', '2026-11-20'], 2],
  [['1', '2'], 2],
  [['1'], 1],
]
const isDelete = (target: string): boolean => /\/runs\/\w+\/delete/.test(target)

test.each(DELETES)('entries delete %j is done where its first answer is lost', async (line, count) => {
  const { user, lost } = await open(isDelete)
  lost.count = 1
  const ran = await user.kpi('entries', 'delete', ...line, '--yes')
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('not known')])
  expect(ran.stderr).toContain('deleted')
  expect([await held(user), await history(user)]).toEqual([3 - count, [[count, 'done']]])
})

test.each(DELETES)('entries delete %j says that it may be done where no answer comes', async (line, count) => {
  const { user, lost } = await open(isDelete)
  lost.count = Infinity
  const ran = await user.kpi('entries', 'delete', ...line, '--yes')
  expect([ran.code, ran.stderr]).toEqual([6, expect.stringMatching(/it is not known whether .*; run the same|run the/)])
  expect(ran.stderr).not.toContain('nothing')
  expect([await held(user), await history(user)]).toEqual([3 - count, [[count, 'stopped']]])
  lost.count = 0
  const again = await user.kpi('entries', 'delete', ...line, '--yes')
  expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/^\d entr(y|ies) deleted before\n/)])
  expect([await held(user), await history(user)]).toEqual([3 - count, [[count, 'done']]])
  expect((await user.kpi(...wayBack(ran.stderr), '--yes')).code).toBe(0)
  expect([await held(user), await history(user)]).toEqual([3, [[count, 'undone']]])
})

const ONTO = 'assign group-items add --group-items North --users 2 --onto-entries --from 2026-01-01'.split(' ')
const isOnto = (target: string): boolean => /\/runs\/[0-9a-f]{32}\/groupitem/.test(target)

test.each<[lost: number, code: number]>([
  [1, 0],
  [Infinity, 6],
])('a group item is put onto entries, of which %s answers are lost', async (count, code) => {
  const { user, lost } = await open(isOnto)
  const { id } = await user.client.groups.add({ name: 'Region' })
  const north = await user.client.groupItems(id).add({ name: 'North' })
  const carrying = async (): Promise<number> =>
    (await user.client.report({ ...DAYS, groupItemIds: [north.id] })).rows.length
  lost.count = count
  const ran = await user.kpi(...ONTO)
  expect([ran.code, await carrying()]).toEqual([code, 3])
  lost.count = 0
  expect((await user.kpi(...ONTO)).code).toBe(0)
  expect(await history(user)).toEqual([[3, 'done']])
  if (code === 0) return
  expect((await user.kpi(...wayBack(ran.stderr), '--yes')).code).toBe(0)
  expect([await carrying(), await user.client.userGroupItems(SHOP.ann).list()]).toEqual([0, []])
})

/** Is met from the second request on: the first one only counts. */
const isUndo = (): ((target: string) => boolean) => {
  let count = 0
  return (target) => /\/runs\/\w+\/undo/.test(target) && (count += 1) > 1
}

test.each<[lost: number, code: number]>([
  [1, 0],
  [Infinity, 6],
])('kpi undo of a delete, of which %s answers are lost, is done once', async (count, code) => {
  const { user, lost } = await open(isUndo())
  await user.kpi('entries', 'delete', '1', '2', '--yes')
  const [{ receipt }] = jsonOf(await user.kpi('history', '-o', 'json')) as [{ receipt: string }]
  lost.count = count
  const ran = await user.kpi('undo', receipt, '--yes')
  expect([ran.code, await held(user)]).toEqual([code, 3])
  if (code === 0) return
  expect(ran.stderr).toContain('it is not known whether anything was taken back; run the same command to continue\n')
  lost.count = 0
  expect((await user.kpi('undo', receipt, '--yes')).code).toBe(0)
  expect([await held(user), await history(user)]).toEqual([3, [[2, 'undone']]])
})
