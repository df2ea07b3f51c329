import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { runKpi, startKpi } from '../support/process.ts'
import { startService, wayTo } from '../support/service.ts'

const DAYS = 150
/** After so many the process is interrupted, and has the others to hear of it. */
const DELETED = 40

test('an undo that is interrupted says what it took, what is done and left, and goes on with the same command', async () => {
  using home = temporaryFolder()
  await using service = await startService()
  const { client } = await wayTo(service)
  await client.kpis.add(kpiNamed('Revenue'))
  const { id } = await client.users.add(userNamed('Ann'))
  await client.assignments(id).add({ id: 1, sort_order: 1 })
  const rows = Array.from({ length: DAYS }, (_, day) => `ann@example.com,Revenue,${formatDay(day)},${day + 5}`)
  writeFileSync(home.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))

  let [deleted, interrupt] = [0, (): void => undefined]
  const interrupting =
    (handler: Handler): Handler =>
    async (request) => {
      if (request.method === 'DELETE' && (deleted += 1) === DELETED) interrupt()
      return handler(request)
    }
  const server = await listen(interrupting(service.handler), '127.0.0.1', 0)
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
  expect(await runKpi(home, ['entries', 'import', 'data.csv'], env)).toMatchObject({ code: 0 })
  const { stdout } = await runKpi(home, ['entries', 'undo', '-o', 'json'], env)
  const [{ receipt } = { receipt: '' }] = JSON.parse(stdout) as { receipt: string }[]

  const { child, ended } = startKpi(home, ['entries', 'undo', receipt, '--yes'], env)
  interrupt = () => void child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(6)
  expect(stderr).toMatch(/^to remove 150 entries takes 150 requests/m)
  const [, done, left] =
    /removed (\d+) entries; (\d+) entries left; run the same command to continue/.exec(stderr) ?? []
  expect(Number(done) + Number(left)).toBe(DAYS)
  // The service may have removed one whose answer did not count any more.
  expect(deleted - Number(done)).toBeOneOf([0, 1])

  const again = await runKpi(home, ['entries', 'undo', receipt, '--yes'], env)
  expect(again.code).toBe(0)
  const [, rest, before] = /removed (\d+) entries; (\d+) as before already/.exec(again.stderr) ?? []
  expect(Number(rest) + Number(before)).toBe(DAYS)
  expect(Number(left) - Number(rest)).toBeOneOf([0, 1])
  await server.close()
}, 60_000)
