import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { formatDay } from '../../src/domain/day.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { WireResponse } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { jsonOf, runHere, type Shell } from '../support/kpi.ts'
import { startKpi } from '../support/process.ts'
import { startService, wayTo } from '../support/service.ts'

const BATCH = 5000
const ROWS = 40_000
const FEW_ROWS = 21_000
/** Fills two batches, of which the second has few rows. */
const TWO_BATCHES = BATCH + 500
const KPIS = 4
const IMPORT = ['entries', 'import', 'data.csv', '-o', 'json']
const ADDING = [...IMPORT, '--on-conflict', 'add']
/** Says nothing of whether a batch was stored. */
const UNAVAILABLE: WireResponse = { status: 503, headers: {}, body: '' }
/** Says that it was not. */
const LIMITED: WireResponse = { status: 429, headers: { 'retry-after': '2' }, body: '' }

/** Opens a service that can stop a command at one of its batches, which it stores, or answers otherwise. */
const open = async (count = ROWS) => {
  const [home, service] = [temporaryFolder(), await startService()]
  const { client } = await wayTo(service)
  const { id } = await client.users.add(userNamed('Ann'))
  for (let kpi = 1; kpi <= KPIS; kpi += 1) {
    await client.kpis.add(kpiNamed(`KPI ${kpi}`))
    await client.assignments(id).add({ id: kpi, sort_order: kpi })
  }
  const rows = Array.from(
    { length: count },
    (_, at) => `Ann,KPI ${(at % KPIS) + 1},${formatDay(Math.floor(at / KPIS))},1`,
  )
  writeFileSync(home.in('data.csv'), ['user,kpi,date,actual', ...rows, ''].join('\n'))
  let [left, stop] = [Infinity, (): void => undefined]
  let path = '/list'
  let instead: WireResponse | undefined
  const server = await listen(
    async (request) => {
      const isIt = request.method === 'POST' && request.target.includes(path)
      if (!isIt || (left -= 1) !== 0) return service.handler(request)
      // Stored before the stop, as a killed client does not send the rest of its request.
      const stored = !instead ? await service.handler(request) : undefined
      stop()
      return stored ?? instead ?? service.handler(request)
    },
    '127.0.0.1',
    0,
  )
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }
  // What is not stopped needs no process of its own.
  const kpi: Shell = (...line) => runHere(home, line, env)
  return {
    kpi,
    /** Starts the import, and stops it at a batch. */
    stopAt: async (batch: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL', answer?: WireResponse, line = IMPORT) => {
      ;[left, instead, path] = [batch, answer, '/list']
      const { child, ended } = startKpi(home, line, env)
      stop = () => void child.kill(signal)
      return ended
    },
    /** Starts an undo, and kills it at a batch, which is taken back; it counts all of them first. */
    killUndo: async (receipt: string, at: number) => {
      ;[left, instead, path] = [at, undefined, '/undo']
      const { child, ended } = startKpi(home, ['entries', 'undo', receipt, '--yes'], env)
      stop = () => void child.kill('SIGKILL')
      return ended
    },
    client,
    home,
    countStored: async (): Promise<number> => {
      let count = 0
      for await (const page of entryPages(client, { from: 0, to: ROWS })) count += page.length
      return count
    },
    receipts: async () =>
      jsonOf(await kpi('entries', 'undo', '-o', 'json')) as { receipt: string; new_entries: number }[],
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
  expect((await stopAt(3, 'SIGINT')).code).toBe(6)
  const stored = await countStored()
  expect(stored).toBeGreaterThanOrEqual(2 * BATCH)
  expect(stored).toBeLessThan(ROWS)
  expect(await receipts()).toMatchObject([{ new_entries: stored }])

  expect(await kpi(...IMPORT)).toMatchObject({ code: 0 })
  const listed = await receipts()
  expect(listed.map(({ new_entries }) => new_entries)).toEqual([ROWS - stored, stored])
  const undone = await kpi('entries', 'undo', listed[1]?.receipt ?? '', '--dry-run', '--summary-only')
  expect(undone.stderr).toContain(`dry run, nothing was sent: would remove ${ROWS} entries\n`)
}, 120_000)

test.each([
  ['is known not to be stored: there is nothing to take back', LIMITED, []],
  ['may be stored: its receipt stays, as an undo of it takes back what is', UNAVAILABLE, [0]],
])(
  'an import was stopped at its first batch, which %s',
  async (_, answer, unknown) => {
    await using opened = await open(FEW_ROWS)
    const { kpi, stopAt, countStored, receipts } = opened
    expect((await stopAt(1, 'SIGTERM', answer)).code).not.toBe(0)
    expect(await countStored()).toBe(0)
    expect((await receipts()).map(({ new_entries }) => new_entries)).toEqual(unknown)
    expect(await kpi(...IMPORT)).toMatchObject({ code: 0 })
    const listed = await receipts()
    expect(listed.map(({ new_entries }) => new_entries)).toEqual([FEW_ROWS, ...unknown])
    const undone = await kpi('entries', 'undo', listed.at(-1)?.receipt ?? '', '--dry-run', '--summary-only')
    expect(undone.stderr).toContain(`dry run, nothing was sent: would remove ${FEW_ROWS} entries\n`)
  },
  120_000,
)

/** Changes one entry that the import has stored. */
const changeOne = async (client: Client): Promise<void> => {
  const [first] = await client.entries.list({ from: 0, to: ROWS, page: 1 })
  await client.entries.update(first?.id ?? 0, { actual: 77_0000n })
}

test('an import that was stopped begins anew after its undo was killed', async () => {
  await using opened = await open(FEW_ROWS)
  const { kpi, stopAt, killUndo, countStored, receipts } = opened
  expect((await stopAt(1, 'SIGINT')).code).toBe(6)
  const stored = await countStored()
  const [{ receipt } = { receipt: '' }] = await receipts()
  await killUndo(receipt, stored / BATCH + 1)
  expect(await countStored()).toBeLessThan(stored)
  const { code, stderr } = await kpi(...IMPORT)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('continuing') as unknown })
  expect(await countStored()).toBe(FEW_ROWS)
}, 120_000)

test('what another has changed and changed back since a batch that was stored before a kill is left alone', async () => {
  await using opened = await open(TWO_BATCHES)
  const { kpi, stopAt, countStored, receipts, client } = opened
  await stopAt(1, 'SIGKILL')
  expect(await countStored()).toBe(BATCH)
  const [first] = await client.entries.list({ from: 0, to: ROWS, page: 1 })
  await changeOne(client)
  expect(await kpi(...IMPORT)).toMatchObject({ code: 0 })
  await client.entries.update(first?.id ?? 0, { actual: 1_0000n })
  expect((await kpi('entries', 'undo', (await receipts())[0]?.receipt ?? '', '--yes')).code).toBe(3)
  expect(await countStored()).toBe(1)
}, 120_000)

test('an import that was taken back while its journal was away sends all again', async () => {
  await using opened = await open(FEW_ROWS)
  const { kpi, stopAt, countStored, receipts, home } = opened
  expect((await stopAt(1, 'SIGINT')).code).toBe(6)
  const [{ receipt } = { receipt: '' }] = await receipts()
  const folder = home.in('.local/state/kpi/journals')
  const journals = readdirSync(folder).filter((name) => name.includes('.journal'))
  expect(journals).not.toEqual([])
  for (const name of journals) renameSync(join(folder, name), home.in(`away-${name}`))
  expect((await kpi('entries', 'undo', receipt, '--yes')).code).toBe(0)
  for (const name of journals) renameSync(home.in(`away-${name}`), join(folder, name))
  expect(await countStored()).toBe(0)
  expect(await kpi(...IMPORT)).toMatchObject({ code: 0 })
  expect(await countStored()).toBe(FEW_ROWS)
}, 120_000)

test('an import that adds does not add again to what its undo has left', async () => {
  await using opened = await open(FEW_ROWS)
  const { kpi, stopAt, countStored, receipts, client } = opened
  expect((await stopAt(1, 'SIGINT', undefined, ADDING)).code).toBe(6)
  await changeOne(client)
  const [{ receipt } = { receipt: '' }] = await receipts()
  expect((await kpi('entries', 'undo', receipt, '--yes')).code).toBe(3)
  const { code, stderr } = await kpi(...ADDING)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('would be added again') as unknown })
  expect(await countStored()).toBe(1)
  expect(await kpi(...ADDING, '--add-again')).toMatchObject({ code: 0 })
  expect(await countStored()).toBe(FEW_ROWS)
}, 120_000)

/** Returns what days hold, by how many entries hold it. */
const actualsIn = async (client: Client): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for await (const page of entryPages(client, { from: 0, to: ROWS }))
    for (const { actual } of page) counts[String(actual)] = (counts[String(actual)] ?? 0) + 1
  return counts
}

test('an import that adds, and had ended, is not begun again after its undo was killed until that is finished', async () => {
  await using opened = await open(TWO_BATCHES)
  const { kpi, killUndo, receipts, client, home } = opened
  expect(await kpi(...ADDING)).toMatchObject({ code: 0 })
  const [{ receipt } = { receipt: '' }] = await receipts()
  await killUndo(receipt, 3)
  expect(await actualsIn(client)).toEqual({ 10000: BATCH })
  const told = `what is left of it would be added again: take back the rest (kpi entries undo ${receipt})`
  const refused = { code: 1, stderr: expect.stringContaining(told) as unknown }
  expect(await kpi(...ADDING)).toMatchObject(refused)
  expect(await kpi(...ADDING, '--journal', 'elsewhere')).toMatchObject(refused)
  const text = readFileSync(home.in('data.csv'), 'utf8')
  writeFileSync(home.in('data.csv'), text.replace(/,1\n$/, ',2\n'))
  expect(await kpi(...ADDING)).toMatchObject(refused)
  writeFileSync(home.in('other.csv'), 'user,kpi,date,actual\nAnn,KPI 1,2026-03-01,1\n')
  expect(await kpi('entries', 'import', 'other.csv', '--on-conflict', 'add')).toMatchObject({ code: 0 })
  writeFileSync(home.in('data.csv'), text)
  expect(await kpi('entries', 'undo', receipt, '--yes')).toMatchObject({ code: 0 })
  expect(await kpi(...ADDING)).toMatchObject({ code: 0 })
  expect(await actualsIn(client)).toEqual({ 10000: TWO_BATCHES + 1 })
  expect(await kpi(...ADDING)).toMatchObject({ code: 0 })
  expect(await actualsIn(client)).toEqual({ 10000: 1, 20000: TWO_BATCHES })
}, 120_000)

test.each([
  ['update', 0],
  ['skip', 0],
  ['error', 3],
])(
  'an import with --on-conflict %s stores what a killed undo of it has taken back',
  async (mode, code) => {
    await using opened = await open(TWO_BATCHES)
    const { kpi, killUndo, receipts, client } = opened
    const line = [...IMPORT, '--on-conflict', mode]
    expect(await kpi(...line)).toMatchObject({ code: 0 })
    const [{ receipt } = { receipt: '' }] = await receipts()
    await killUndo(receipt, 3)
    expect((await kpi(...line)).code).toBe(code)
    expect(await actualsIn(client)).toEqual({ 10000: TWO_BATCHES })
  },
  120_000,
)
