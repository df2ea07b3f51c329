import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import type { WireRequest, WireResponse } from '../../src/server/wire.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { type Service, startService, wayTo } from '../support/service.ts'
import { fillShop } from '../support/user.ts'

const FILE = 'user,kpi,date,actual\nann@example.com,Revenue,2026-03-01,1\nann@example.com,Revenue,2026-03-02,2\n'
const OTHER = FILE.replace('-02,2', '-02,20')
const UNAVAILABLE: WireResponse = { status: 503, headers: {}, body: '' }
const DAY_MS = 86_400_000

describe('what a service keeps of an import', () => {
  let folder: Folder
  let service: Service
  let server: Awaited<ReturnType<typeof listen>>
  let seen: string[] = []
  let answer: (request: WireRequest) => Promise<WireResponse>
  beforeEach(async () => {
    folder = temporaryFolder()
    service = await startService()
    await fillShop(await wayTo(service))
    answer = service.handler
    seen = []
    server = await listen(
      (request) => {
        seen.push(`${request.method} ${request.target} ${request.headers['kpi-run'] ?? ''}`.trim())
        return answer(request)
      },
      '127.0.0.1',
      0,
    )
  })
  afterEach(async () => {
    await server.close()
    await service[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const kpiAt = (now: number, ...args: string[]): Promise<Ran> => {
    const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
    return shellIn({ home: folder.path, env, now })(...args)
  }
  const kpi = (...args: string[]): Promise<Ran> => kpiAt(NOW, ...args)
  const load = async (text: string, ...flags: string[]): Promise<string> => {
    writeFileSync(folder.in('data.csv'), text)
    return (jsonOf(await kpi('entries', 'import', 'data.csv', '-o', 'json', ...flags)) as { receipt: string }).receipt
  }
  const actuals = async (): Promise<unknown[]> =>
    (await (await wayTo(service)).client.entries.list({ from: 20_513, to: 20_543 })).map(({ actual }) => actual)

  test('is not read by the import, whose batches name the run', async () => {
    await load(FILE)
    expect(seen.filter((one) => /kpientries\?|reports/.test(one))).toEqual([])
    expect(seen.filter((one) => one.includes('kpientries'))).toEqual([
      expect.stringMatching(/^POST \/api\/kpientries\/list [0-9a-f]{16,}$/),
    ])
    await load(OTHER, '--no-undo')
    expect(seen.at(-1)).toBe('POST /api/kpientries/list')
  })

  test.each([true, false])('is taken back once though the answer is lost, done: %s', async (isDone) => {
    await load(FILE)
    const receipt = await load(OTHER)
    let lost = 0
    answer = async (request) => {
      const isIt = request.target.endsWith('/undo') && (lost += 1) === 2
      if (!isIt) return service.handler(request)
      if (isDone) await service.handler(request)
      return UNAVAILABLE
    }
    const { code, stderr } = await kpi('entries', 'undo', receipt, '--yes')
    expect([code, stderr]).toEqual([0, 'put back 1 entry\n'])
    expect([lost, await actuals()]).toEqual([3, [1_0000n, 2_0000n]])
  })

  test('is not taken for what it was where it is not kept any more, and that is said', async () => {
    const receipt = await load(FILE)
    await service.db.write((tx) => tx.run('update runs set is_partial = 1'))
    const told = expect.stringMatching(
      /^(dry run, nothing was sent: nothing to take back|nothing was changed)\nthe service does not keep any more what the import of receipt \S+ replaced, so its entries stay/,
    ) as unknown
    for (const flag of ['--dry-run', '--yes'])
      expect(await kpi('entries', 'undo', receipt, flag)).toMatchObject({ code: 3, stderr: told })
    expect(await actuals()).toHaveLength(2)
  })

  test('is put back after the batch was sent again, later than its answer is kept', async () => {
    await load(FILE)
    const before = await actuals()
    writeFileSync(folder.in('data.csv'), OTHER)
    // The service stores the batch, and the run gives up.
    answer = async (request) => {
      const isIt = request.target.endsWith('/list')
      const done = await service.handler(request)
      return isIt ? UNAVAILABLE : done
    }
    expect((await kpiAt(NOW + 1000, 'entries', 'import', 'data.csv', '--quiet')).code).not.toBe(0)
    await service.db.write((tx) => tx.run('delete from idempotent_requests'))
    answer = service.handler
    const again = await kpiAt(NOW + 2 * DAY_MS, 'entries', 'import', 'data.csv', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ created: 0, updated: 1, unchanged: 1 })
    const listed = jsonOf(await kpi('entries', 'undo', '-o', 'json')) as { receipt: string }[]
    const [latest] = listed
    expect((await kpi('entries', 'undo', latest?.receipt ?? '', '--yes')).stderr).toMatch(/^put back 1 entry\n$/m)
    expect(await actuals()).toEqual(before)
  })
})
