import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { formatDay } from '../../src/domain/day.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { WireResponse } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { runKpi, startKpi } from '../support/process.ts'
import { startService, wayTo } from '../support/service.ts'

const BATCH = 5000
const ROWS = 60_000
const KPIS = 4
const IMPORT = ['entries', 'import', 'data.csv', '-o', 'json']
/** Says nothing of whether a batch was stored. */
const UNAVAILABLE: WireResponse = { status: 503, headers: {}, body: '' }
/** Says that it was not. */
const LIMITED: WireResponse = { status: 429, headers: { 'retry-after': '5' }, body: '' }

/** Opens a service that can stop a command at one of its batches, which it stores, or answers otherwise. */
const open = async () => {
  const [home, service] = [temporaryFolder(), await startService()]
  const { client } = await wayTo(service)
  const { id } = await client.users.add(userNamed('Ann'))
  for (let kpi = 1; kpi <= KPIS; kpi += 1) {
    await client.kpis.add(kpiNamed(`KPI ${kpi}`))
    await client.assignments(id).add({ id: kpi, sort_order: kpi })
  }
  const rows = Array.from(
    { length: ROWS },
    (_, at) => `Ann,KPI ${(at % KPIS) + 1},${formatDay(Math.floor(at / KPIS))},1`,
  )
  writeFileSync(home.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))
  let [left, stop] = [Infinity, (): void => undefined]
  let instead: WireResponse | undefined
  const server = await listen(
    async (request) => {
      if (!request.target.includes('/list') || request.method !== 'POST' || (left -= 1) !== 0)
        return service.handler(request)
      stop()
      return instead ?? service.handler(request)
    },
    '127.0.0.1',
    0,
  )
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
  return {
    kpi: (...line: string[]) => runKpi(home, line, env),
    /** Starts the import, and stops it at a batch. */
    stopAt: async (batch: number, signal: 'SIGINT' | 'SIGTERM', answer?: WireResponse) => {
      ;[left, instead] = [batch, answer]
      const { child, ended } = startKpi(home, IMPORT, env)
      stop = () => void child.kill(signal)
      return ended
    },
    countStored: async (): Promise<number> => {
      let count = 0
      for await (const page of entryPages(client, { from: 0, to: ROWS })) count += page.length
      return count
    },
    receipts: async () => {
      const { stdout } = await runKpi(home, ['entries', 'undo', '-o', 'json'], env)
      return JSON.parse(stdout) as { receipt: string; new_entries: number }[]
    },
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await service[Symbol.asyncDispose]()
      home[Symbol.dispose]()
    },
  }
}

test('the receipts of an import that was stopped and continued hold each entry that was stored once', async () => {
  await using opened = await open()
  const { kpi, stopAt, countStored, receipts } = opened
  expect((await stopAt(5, 'SIGINT')).code).toBe(6)
  const stored = await countStored()
  expect(stored).toBeGreaterThanOrEqual(4 * BATCH)
  expect(stored).toBeLessThan(ROWS)
  expect(await receipts()).toMatchObject([{ new_entries: stored }])

  expect(await kpi(...IMPORT)).toMatchObject({ code: 0 })
  const listed = await receipts()
  expect(listed.map(({ new_entries }) => new_entries)).toEqual([ROWS - stored, stored])
  const undone = await kpi('entries', 'undo', listed[1]?.receipt ?? '', '--dry-run', '--summary-only')
  expect(undone.stderr).toContain(`dry run, nothing was changed: would remove ${ROWS} entries\n`)
}, 120_000)

test.each([
  ['is known not to be stored: there is nothing to take back', LIMITED, 0],
  ['may be stored: it is counted once', UNAVAILABLE, BATCH],
])(
  'an import was stopped at its first batch, which %s',
  async (_, answer, unknown) => {
    await using opened = await open()
    const { kpi, stopAt, countStored, receipts } = opened
    expect((await stopAt(1, 'SIGTERM', answer)).code).not.toBe(0)
    expect(await countStored()).toBe(0)
    expect((await receipts()).map(({ new_entries }) => new_entries)).toEqual(unknown === 0 ? [] : [unknown])
    expect(await kpi(...IMPORT)).toMatchObject({ code: 0 })
    const listed = (await receipts()).map(({ new_entries }) => new_entries)
    expect(listed).toEqual(unknown === 0 ? [ROWS] : [ROWS - unknown, unknown])
  },
  120_000,
)
