import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { formatDay } from '../../src/domain/day.ts'
import { fileSource } from '../../src/tabular/source/files.ts'
import { createRejectsFile } from '../../src/reading/rejects/rejects.ts'
import { importFile } from '../../src/loading/import-file.ts'
import { openTable } from '../../src/reading/open-table.ts'
import type { Handler } from '../../src/server/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  asThirdParty,
  heldIn,
  ID,
  importers,
  inputOf,
  kpiNamed,
  optionsOf,
  remoteImporter,
  userNamed,
} from '../support/import.ts'
import { jsonOf } from '../support/kpi.ts'
import { type Service, startService, textOf, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'
import { entryRow, insertEntries } from '../support/store.ts'

const HEAD = 'user,kpi,date,actual,target,notes'

/** A service of somebody else has no batch path. */
const withoutBatches =
  (handler: Handler): Handler =>
  (request) =>
    request.target.includes('/kpientries/list')
      ? Promise.resolve({ status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"no"}' })
      : handler(request)

const clientTo = ({ login, token }: Service, handler: Handler): Client =>
  createClient(
    httpTransport({
      baseUrl: new URL('http://127.0.0.1/api'),
      login,
      token,
      timeoutMs: 1000,
      now: () => 0,
      exchange: {
        ask: async ({ method, path, query, headers, body }) => {
          const text = new URLSearchParams(query).toString()
          const target = text === '' ? path : `${path}?${text}`
          const asked = {
            method,
            target,
            headers,
            address: '127.0.0.1',
            body: () => Promise.resolve(Buffer.from(body ?? '')),
          }
          const answer = await handler(asked)
          return { status: answer.status, body: textOf(answer.body), header: (name) => answer.headers[name] }
        },
        close: () => Promise.resolve(),
      },
    }),
  )

const [USERS, KPIS, DAYS, START] = [20, 10, 500, 19_000]

/** What a service held before, and a file of it in which one row in a hundred has changed. */
const manyRows = async (service: Service, target: string): Promise<string> => {
  const { application } = await wayTo(service)
  for (let kpi = 1; kpi <= KPIS; kpi += 1) await application.kpis.add(kpiNamed(`K${kpi}`, { target_default: 10_0000n }))
  for (let user = 1; user <= USERS; user += 1) {
    await application.users.add(userNamed(`U${user}`))
    for (let id = 1; id <= KPIS; id += 1) await application.assignments(user + 1).add({ id, sort_order: id })
  }
  const rows: string[] = []
  const stored: Parameters<typeof entryRow>[0][] = []
  for (let index = 0; index < USERS * KPIS * DAYS; index += 1) {
    const [user, kpi] = [(index % USERS) + 2, (Math.floor(index / USERS) % KPIS) + 1]
    const day = START + Math.floor(index / (USERS * KPIS))
    const own = target === '' ? null : BigInt(target) * 10_000n
    stored.push({
      id: index + 1,
      item_id: user,
      kpi_id: kpi,
      entry_date: day,
      actual: BigInt(index) * 10_000n,
      target: own,
    })
    rows.push(`${user},${kpi},${formatDay(day)},${index % 100 === 7 ? index + 0.5 : index},${target},`)
  }
  await service.db.write((tx) => insertEntries(tx, 1, stored.map(entryRow)))
  return `${HEAD}\n${rows.join('\n')}\n`
}

describe('100,000 rows of which one in a hundred has changed, at a classic service without batches,', () => {
  const TARGETS = [
    ['without targets', ''],
    ['with targets of their own', '12'],
  ] as const
  test.each(some(1, TARGETS))(
    'take fewer than 1,100 requests, writes included: %s',
    async (_, target) => {
      await using service = await startService()
      using folder = temporaryFolder()
      writeFileSync(folder.in('data.csv'), await manyRows(service, target))
      const client = clientTo(service, withoutBatches(asThirdParty(service.handler)))
      const { summary } = await importFile({
        ...inputOf({
          client,
          table: await openTable(fileSource(folder.in('data.csv'), 'data.csv')),
          options: optionsOf({ onlyChanges: true }),
          folder: folder.path,
        }),
        created: { intend: () => undefined, add: () => undefined, disown: () => undefined, settle: () => undefined },
        rejectsFile: createRejectsFile(folder.in('data.rejects.csv'), 'data.rejects.csv', () => undefined),
        journal: undefined,
        createMissing: () => Promise.reject(new Error('nothing is missing')),
        random: (bytes) => new Uint8Array(bytes),
      })
      expect([summary.created + summary.updated + summary.sent, summary.unchanged]).toEqual([1000, 99_000])
      expect(client.requests()).toBeLessThan(1100)
    },
    120_000,
  )
})

describe.each(importers)('--only-changes, %s,', (_, open) => {
  test('sends what differs from what is there, and counts the rest', async () => {
    await using importer = await open()
    const { write, kpi } = importer
    const rows = ['Ann Lee,Visits,2026-03-01,1,,a', 'Ann Lee,Visits,2026-03-02,2,10,', 'Bob,Sales,2026-03-01,3,,']
    write('data.csv', `${HEAD}\n${rows.join('\n')}\n`)
    expect(jsonOf(await kpi('entries', 'import', 'data.csv', '-o', 'json'))).toMatchObject({ created: 3 })
    write('data.csv', `${HEAD}\n${rows.join('\n').replace('2,10', '2,11')}\nBob,Sales,2026-03-02,4,,\n`)
    const ran = await kpi('entries', 'import', 'data.csv', '--only-changes', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ created: 1, updated: 1, unchanged: 2, rejected: 0 })
    const again = await kpi('entries', 'import', 'data.csv', '--only-changes', '-o', 'json')
    expect(jsonOf(again)).toMatchObject({ created: 0, updated: 0, unchanged: 4 })
    expect(await heldIn(importer)).toEqual([
      '2 2 2026-03-01 1 - a',
      '3 1 2026-03-01 3 - -',
      '2 2 2026-03-02 2 11 -',
      '3 1 2026-03-02 4 - -',
    ])
  })

  test('makes no assignments for what is not sent', async () => {
    await using importer = await open()
    const { write, kpi, client } = importer
    write('data.csv', `${HEAD}\nAnn Lee,Sales,2026-03-01,1,,\n`)
    await kpi('entries', 'import', 'data.csv')
    await client.assignments(ID.ann).remove(ID.sales)
    const ran = await kpi('entries', 'import', 'data.csv', '--only-changes', '--create-assignments', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ unchanged: 1, assigned: 0 })
  })
})

test('a dry run asks for what is there once, however many series the file has', async () => {
  let reached = 0
  const wrap =
    (handler: Handler): Handler =>
    (request) => {
      reached += 1
      return handler(request)
    }
  await using importer = await remoteImporter({ wrap })
  const { write, kpi, client } = importer
  const many = Array.from({ length: 60 }, (_, index) => `P${index}`)
  for (const name of many) {
    const { id } = await client.users.add(userNamed(name))
    await client.assignments(id).add({ id: ID.sales, sort_order: 1 })
  }
  write('data.csv', `${HEAD}\n${many.map((name) => `${name},Sales,2026-03-01,1,,`).join('\n')}\n`)
  reached = 0
  const ran = await kpi('entries', 'import', 'data.csv', '--dry-run', '-o', 'json')
  expect(jsonOf(ran)).toHaveLength(60)
  // KPIs, users, the assignments of each, units as percentages of 1 may be fractions, and what is there.
  expect(reached).toBe(2 + 60 + 1 + 1)
})
