import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { formatDay } from '../../src/domain/day.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { runHere } from '../support/kpi.ts'
import { startKpi } from '../support/process.ts'
import { startService, wayTo } from '../support/service.ts'

/** Fills three batches. */
const [BATCH, DAYS] = [5000, 12_000]
/** Each batch is counted first; then the second that is taken back interrupts the process. */
const INTERRUPTING = 5

test('an undo that is interrupted says what it took, what is done and left, and goes on with the same command', async () => {
  using home = temporaryFolder()
  await using service = await startService()
  const { client } = await wayTo(service)
  await client.kpis.add(kpiNamed('Revenue'))
  const { id } = await client.users.add(userNamed('Ann'))
  await client.assignments(id).add({ id: 1, sort_order: 1 })
  const rows = Array.from({ length: DAYS }, (_, day) => `ann@example.com,Revenue,${formatDay(day)},${day + 5}`)
  writeFileSync(home.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))

  const countStored = async (): Promise<number> => {
    let count = 0
    for await (const page of entryPages(client, { from: 0, to: DAYS })) count += page.length
    return count
  }
  let [asked, interrupt] = [0, (): void => undefined]
  const interrupting =
    (handler: Handler): Handler =>
    async (request) => {
      if (!request.target.endsWith('/undo') || (asked += 1) !== INTERRUPTING) return handler(request)
      interrupt()
      return handler(request)
    }
  const server = await listen(interrupting(service.handler), '127.0.0.1', 0)
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
  expect(await runHere(home, ['entries', 'import', 'data.csv'], env)).toMatchObject({ code: 0 })
  const { stdout } = await runHere(home, ['entries', 'undo', '-o', 'json'], env)
  const [{ receipt } = { receipt: '' }] = JSON.parse(stdout) as { receipt: string }[]

  const { child, ended } = startKpi(home, ['entries', 'undo', receipt, '--yes'], env)
  interrupt = () => void child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(6)
  const [, done, left] =
    /removed (\d+) entries; (\d+) entries left; run the same command to continue/.exec(stderr) ?? []
  expect(Number(done) + Number(left)).toBe(DAYS)
  // The service may have taken back one batch whose answer did not count any more.
  const all = await countStored()
  expect(Number(left) - all).toBeOneOf([0, BATCH])

  const again = await runHere(home, ['entries', 'undo', receipt, '--yes'], env)
  expect(again.code).toBe(0)
  expect(again.stderr).toBe(`removed ${all} entries\n`)
  expect(await countStored()).toBe(0)
  await server.close()
}, 60_000)
