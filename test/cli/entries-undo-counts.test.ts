import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testIo } from '../support/io.ts'
import { jsonOf, shellIn } from '../support/kpi.ts'
import { startService } from '../support/service.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

const VALUES = [
  'user,kpi,date,actual',
  '2,1,2026-01-01,1',
  '2,1,2026-01-02,1',
  '2,2,2026-01-01,1',
  '2,2,2026-01-02,1',
  '2,2,2026-01-03,1',
]

const load = async ({ kpi, folder }: Pick<User, 'kpi' | 'folder'>, lines: readonly string[]): Promise<string> => {
  writeFileSync(folder.in('data.csv'), `${lines.join('\n')}\n`)
  return (jsonOf(await kpi('entries', 'import', 'data.csv', '-o', 'json')) as { receipt: string }).receipt
}

test('entries of a KPI that was deleted since are counted, and those that held something are named', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  await load(user, ['user,kpi,date,actual', '2,1,2026-01-01,9', '2,2,2026-01-01,9'])
  const receipt = await load(user, VALUES)
  await user.kpi('kpis', 'delete', 'Visits', '--yes')
  const left = {
    action: 'leave',
    kind: 'entry',
    id: null,
    name: '#2 of Ann Lee, 2026-01-01',
    entries: null,
    reason: 'was deleted since, with its KPI',
    change: null,
  }
  const planned = await user.kpi('entries', 'undo', receipt, '--dry-run', '-o', 'json')
  expect(planned.code).toBe(3)
  expect(JSON.parse(planned.stdout)).toMatchObject([{ action: 'restore' }, { action: 'remove' }, left])
  expect(planned.stderr).toContain('would put back 1 entry and remove 1 entry; 2 as before already; 1 left alone')
  const done = await user.kpi('entries', 'undo', receipt, '--yes', '-o', 'csv')
  expect(done).toEqual({
    code: 3,
    stdout:
      'action,kind,id,name,entries,reason,change\nleave,entry,,"#2 of Ann Lee, 2026-01-01",,"was deleted since, with its KPI",\n',
    stderr: 'put back 1 entry and removed 1 entry; 2 as before already; 1 left alone\n',
  })
  expect((await user.kpi('entries', 'undo', receipt, '--yes')).stderr).toBe('nothing was changed; 1 left alone\n')
})

test('an entry that was deleted since has no id', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  await load(user, ['user,kpi,date,actual', '2,1,2026-01-01,9'])
  const receipt = await load(user, VALUES.slice(0, 3))
  await user.kpi('entries', 'delete', '--from', '2026-01-01', '--to', '2026-01-01', '--yes')
  expect(JSON.parse((await user.kpi('entries', 'undo', receipt, '--yes', '-o', 'json')).stdout)).toMatchObject([
    { id: null, reason: 'was deleted since' },
  ])
})

const NEW = 'user,kpi,date,actual\nann@example.com,Visits,2026-03-02,3\nann@example.com,Visits,2026-03-03,4\n'
const CREATE = ['entries', 'import', 'data.csv', '--create-missing', '--frequency', 'D', '-o', 'json']

test('entries that go with the KPI that the import created are counted', async () => {
  await using user = await embeddedUser()
  writeFileSync(user.folder.in('data.csv'), NEW)
  const { receipt } = jsonOf(await user.kpi(...CREATE)) as { receipt: string }
  await user.kpi('entries', 'delete', '--from', '2026-03-03', '--to', '2026-03-03', '--yes')
  expect(await user.kpi('entries', 'undo', receipt, '--yes')).toMatchObject({
    code: 0,
    stderr: 'removed 1 entry and removed 2 things; 1 as before already\n',
  })
})

test('an undo that is stopped between two things says what is done, and goes on with the same command', async () => {
  await using user = await embeddedUser()
  writeFileSync(user.folder.in('data.csv'), NEW)
  const { receipt } = jsonOf(await user.kpi(...CREATE)) as { receipt: string }
  const stop = new AbortController()
  const { io, stderr } = testIo({ ...user.world, signal: stop.signal })
  const write = (text: string): Promise<void> => {
    if (text.includes('"kpi"')) stop.abort()
    return io.stdout.write(text)
  }
  const line = ['entries', 'undo', receipt, '--yes']
  expect(await run([...line, '-o', 'ndjson'], { ...io, stdout: { ...io.stdout, write } })).toBe(6)
  expect(stderr()).toContain('removed 2 entries and removed 1 thing; 1 thing left; run the same command to continue')
  expect(jsonOf(await user.kpi('entries', 'undo', '-o', 'json'))).toMatchObject([
    { taken_back_at: null, left_entries: 0 },
  ])
  expect(await user.kpi(...line)).toMatchObject({
    code: 0,
    stderr: 'removed 1 thing; 1 as before already\n',
  })
})

test('entries of a KPI that the service does not remove are taken back one by one', async () => {
  using folder = temporaryFolder()
  await using service = await startService()
  const refusing =
    (handler: Handler): Handler =>
    (request) =>
      request.method === 'DELETE' && request.target.includes('/kpis/')
        ? Promise.resolve({ status: 409, headers: {}, body: '' })
        : handler(request)
  const server = await listen(refusing(service.handler), '127.0.0.1', 0)
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
  const kpi = shellIn({ home: folder.path, env })
  writeFileSync(folder.in('data.csv'), NEW)
  const { receipt } = jsonOf(await kpi(...CREATE)) as { receipt: string }
  const done = await kpi('entries', 'undo', receipt, '--yes')
  expect([done.code, done.stderr]).toEqual([3, 'removed 2 entries and removed 1 thing; 1 left alone\n'])
  expect(done.stdout).toMatch(/leave +kpi +1 +Visits .*status 409/)
  await server.close()
})

test('an entry that two parts of a run hold is counted once', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('data.csv'), 'user,kpi,date,actual\nann@example.com,Visits,2026-03-01,1\n')
  const { receipt } = jsonOf(await user.kpi('entries', 'import', 'data.csv', '-o', 'json')) as { receipt: string }
  // Each part of a run that was killed and continued has a receipt; the service keeps one run.
  const folder = user.folder.in('.local/state/kpi/receipts')
  copyFileSync(join(folder, `${receipt}.receipt.jsonl`), join(folder, `${receipt}-2.receipt.jsonl`))
  const { code, stderr } = await user.kpi('entries', 'undo', receipt, '--dry-run')
  expect([code, stderr]).toEqual([0, expect.stringMatching(/2 receipts.*\n.*would remove 1 entry\n$/)])
  expect((await user.kpi('entries', 'undo', receipt, '--yes')).stderr).toMatch(/\nremoved 1 entry\n$/)
})
