import { filledColumns } from '../../src/store/db.ts'
import { randomBytes } from 'node:crypto'
import { Agent, request as askPlain } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { day } from '../support/calendar.ts'
import { type Database, databases } from '../support/databases.ts'
import { putGroupItems } from '../support/group-items.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { type Service, startService, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'
import { itemSetDigest, itemSets } from '../../src/store/tables/item-sets.ts'

const [PEOPLE, KPIS, DAYS, REPORTS] = [10, 3, 365, 12]
/** A machine that does much else takes a while for anything; without turns the wait is most of what all reports take. */
const GENEROUS_MS = 1500
/** Groups that every entry carries. */
const GROUPS = [901, 902]
const FIRST = day('2024-01-01')

const columns = (...names: string[]) => names.map((name) => ({ name, type: 'integer' as const }))

/** Fills the first account with KPIs, people, and an entry of each for each day, which carries two group items. */
const fill = async (service: Service): Promise<void> => {
  await using way = await wayTo(service)
  const made = await Promise.all([
    ...Array.from({ length: KPIS }, (_, at) => way.client.kpis.add(kpiNamed(`K${at}`, {}))),
    ...Array.from({ length: PEOPLE }, (_, at) => way.client.users.add(userNamed(`P${at}`))),
  ])
  const [kpis, people] = [made.slice(0, KPIS), made.slice(KPIS)].map((list) => list.map(({ id }) => id))
  await putGroupItems(
    service.db,
    GROUPS.map((id) => ({ id, name: `G${id}` })),
  )
  const set = { id: 1, digest: itemSetDigest(GROUPS), items: GROUPS }
  await service.db.write((tx) => itemSets.insert(tx, 1, set))
  let id = 0
  for (const person of people ?? []) {
    const keys = (kpis ?? []).flatMap((kpi) => Array.from({ length: DAYS }, (_, at) => [1, person, kpi, FIRST + at]))
    await service.db.write(async (tx) => {
      const key = columns('account_id', 'item_id', 'kpi_id', 'entry_date')
      const values = columns('id', 'actual', 'created_at', 'updated_at', 'item_set')
      const rows = keys.map((of) => [...of, (id += 1), 10_000 + id, 0, 0, set.id])
      await tx.insertMany('entries', rows.length, filledColumns([...key, ...values], rows))
    })
  }
}

type Asking = { readonly url: string; readonly agent: Agent; readonly authorization: string }

/** Asks and answers how long it took, in milliseconds. */
const ask = ({ url, agent, authorization }: Asking, path: string): Promise<{ status: number; ms: number }> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const request = askPlain(url + path, { agent, headers: { authorization } }, (response) => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - begun }))
      response.on('error', reject)
    })
    request.on('error', reject).end()
  })

const basic = (login: string, token: string): string => `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`

const another = async ({ db }: Service): Promise<string> => {
  const account = await accounts.create(db, { name: 'other', login: 'boss@other', plan: 'team' }, 0)
  await accounts.setApiEnabled(db, account.name, true)
  const { login, token } = await accounts.createToken(db, account.name, (count) => randomBytes(count))
  return basic(login, token)
}

const REPORT = '/api/reports/AllDataEntries?dateFrom=1899-01-01&dateTo=2199-12-31'

/** Asks for reports on a busy account, and meanwhile for small things; answers the longest waits. */
const busy = async (makeDatabase: () => Promise<Database>, report: string) => {
  await using service = await startService(undefined, makeDatabase)
  await fill(service)
  const other = await another(service)
  const own = basic(service.login, service.token)
  const server = await listen(service.handler, '127.0.0.1', 0, { clock: () => performance.now() })
  const agent = new Agent({ keepAlive: true })
  const asking = { url: server.url, agent }
  let isOver = false
  const longest: Record<string, number> = {}
  const watch = async (name: string, path: string, authorization: string): Promise<void> => {
    while (!isOver) {
      const { status, ms } = await ask({ ...asking, authorization }, path)
      expect(status).toBe(200)
      longest[name] = Math.max(longest[name] ?? 0, ms)
      await wait(5)
    }
  }
  const watching = Promise.all([
    watch('health', '/api/health', other),
    watch('other', '/api/kpientries?rows=5&dateFrom=2024-01-01', other),
    watch('same', '/api/kpis/1', own),
  ])
  const begun = performance.now()
  const answers = await Promise.all(
    Array.from({ length: REPORTS }, () => ask({ ...asking, authorization: own }, report)),
  )
  const all = performance.now() - begun
  isOver = true
  await watching
  agent.destroy()
  await server.close()
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  return { longest, all }
}

describe.each(databases)('while many reports of one account are under way, on %s', (_, makeDatabase) => {
  const ASKED = [
    ['whole', REPORT],
    ['digests of its days', REPORT.replace('?', '/days?')],
    ['group items', `${REPORT}&groupItemIds=901,902&userIds=5`],
  ] as const
  test.each(some(1, ASKED))('nobody waits: %s', async (_name, report) => {
    const { longest, all } = await busy(makeDatabase, report)
    for (const ms of Object.values(longest)) expect(ms).toBeLessThan(Math.max(GENEROUS_MS, all / 3))
  })
})
