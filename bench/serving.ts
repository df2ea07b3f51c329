import { spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { formatDay, parseDay } from '../src/domain/day.ts'
import { type Command, kpi, median, node, run } from './command.ts'
import { FIRST_DAY, KPIS, USERS, writeRows } from './data.ts'
import type { Figure } from './figure.ts'
import { requestsPerSecond, wireRequest } from './load.ts'

const CONNECTIONS = 16
const GETS = 40_000
const BATCH = 1000
const BATCHES = 200
const BATCH_CONNECTIONS = 4
const ROUNDS = 5
const REPORT_ROUNDS = 15

/** A server in a process of its own. */
type Server = { readonly port: number; readonly stop: () => void }

const start = ({ program, args }: Command, env: Record<string, string> = {}): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)))
    child.stdout.once('data', (chunk: Buffer) => {
      const port = Number(/:(\d+)/.exec(chunk.toString())?.[1])
      resolve({ port, stop: () => void child.kill() })
    })
  })

/** How a store is named to `kpi`, and the account in it that has the users and KPIs of the data. */
export type Served = {
  readonly flags: readonly string[]
  readonly account: string
  readonly env?: Record<string, string>
}

/** A server, what is sent to it with each request, and the environment in which `kpi` uses it. */
type Opened = Server & { readonly headers: Record<string, string>; readonly env: Record<string, string> }

const UNLIMITED = ['--rate-limit', '0', '--rate-limit-v1', '0']

/** Serves a store without limits. */
export const serve = async ({ flags, account, env = {} }: Served): Promise<Opened> => {
  run(kpi('service', 'accounts', 'enable-api', account, '--quiet', ...flags), env)
  const made = run(
    kpi('service', 'token', 'create', '--account', account, '--yes', '-o', 'json', '--quiet', ...flags),
    env,
  )
  const { login, token } = JSON.parse(made) as { login: string; token: string }
  const server = await start(kpi('serve', '--port', '0', ...UNLIMITED, '--quiet', ...flags), env)
  const credentials = Buffer.from(`${login}:${token}`).toString('base64')
  const opened = { KPI_BASE_URL: `http://127.0.0.1:${server.port}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
  return {
    ...server,
    env: opened,
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
  }
}

/** Makes a key of the first user, and answers what is sent with it. */
const keyHeaders = ({ flags, account, env }: Served): Record<string, string> => {
  const draft = ['bench', '--user', '1', '--scopes', 'kpis:read', '--account', account]
  const made = run(kpi('service', 'keys', 'create', ...draft, '-o', 'json', '--quiet', ...flags), env)
  const { key } = JSON.parse(made) as { key: string }
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

const repeat = function* (request: Buffer, times: number): Generator<Buffer> {
  for (let sent = 0; sent < times; sent += 1) yield request
}

/** GET of one KPI, against a server of nothing but node:http that answers the same, and through the newer variant. */
export const serving = async (served: Served): Promise<Figure[]> => {
  const ours = await serve(served)
  const bare = await start(node(join(import.meta.dirname, 'bare-server.ts')))
  const request = wireRequest('GET', '/api/kpis/7', ours.headers)
  const newer = wireRequest('GET', '/v1/kpis/7', keyHeaders(served))
  const rates: Record<'ours' | 'newer' | 'bare', number[]> = { ours: [], newer: [], bare: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.ours.push(await requestsPerSecond(ours.port, CONNECTIONS, repeat(request, GETS)))
    rates.newer.push(await requestsPerSecond(ours.port, CONNECTIONS, repeat(newer, GETS)))
    rates.bare.push(await requestsPerSecond(bare.port, CONNECTIONS, repeat(request, GETS)))
  }
  ours.stop()
  bare.stop()
  const [rate, newerRate, bareRate] = [median(rates.ours), median(rates.newer), median(rates.bare)]
  return [
    {
      what: 'bare node:http server, against GET of one KPI',
      measured: rate,
      unit: '/s',
      against: `bare ${bareRate.toFixed(0)} /s`,
      ratio: bareRate / rate,
      limit: 2,
    },
    {
      what: 'GET of one KPI below /api, against the same below /v1',
      measured: newerRate,
      unit: '/s',
      against: `below /api ${rate.toFixed(0)} /s`,
      ratio: rate / newerRate,
      limit: 1.1,
    },
  ]
}

/** Batches in the order of their keys, of days that nothing is stored of: as an import sends them. */
function* batches(headers: Record<string, string>, from: number): Generator<Buffer> {
  const days = (BATCH * BATCHES) / (USERS * KPIS)
  let entries: object[] = []
  for (let series = 0; series < USERS * KPIS; series += 1) {
    for (let day = 0; day < days; day += 1) {
      const [user_id, kpi_id] = [Math.floor(series / KPIS) + 2, (series % KPIS) + 1]
      entries.push({ user_id, kpi_id, entry_date: formatDay(from + day), actual: series + day + 0.25 })
      if (entries.length < BATCH) continue
      yield wireRequest('POST', '/api/kpientries/list', headers, JSON.stringify({ entries }))
      entries = []
    }
  }
}

/** Batches of 1,000 new entries over HTTP; `least` is what is demanded, in entries a second. */
export const batching = async (served: Served, database: string, least: number): Promise<Figure[]> => {
  const server = await serve(served)
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const made = [...batches(server.headers, FIRST_DAY + 20_000 + round * 400)]
    rates.push(BATCH * (await requestsPerSecond(server.port, BATCH_CONNECTIONS, made.values())))
  }
  server.stop()
  const rate = median(rates)
  return [
    {
      what: `entries by batches of ${BATCH}, over HTTP on ${database}`,
      measured: rate,
      unit: '/s',
      against: `${least} /s`,
      ratio: least / rate,
      limit: 1,
    },
  ]
}

const timeOfReport = async ({ port, headers }: Opened): Promise<number> => {
  const from = parseDay('2020-02-01') ?? NaN
  const query = `dateFrom=${formatDay(from)}&dateTo=${formatDay(from + 1)}`
  const startedAt = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}/api/reports/AllDataEntries?${query}`, { headers })
  const rows = (await answer.text()).split('"kpiId"').length - 1
  if (rows !== 10_000) throw new Error(`a report of 10,000 rows was expected, ${rows} came`)
  return performance.now() - startedAt
}

/** A report of 10,000 rows where a million entries are stored, against the same where there are only those. */
export const reportingOverHttp = async (folder: string, empty: string, loaded: string): Promise<Figure[]> => {
  const small = join(folder, 'small')
  cpSync(empty, small, { recursive: true })
  run(kpi('--data-dir', small, 'entries', 'import', await writeRows(folder, 10_000, 'day', '2020-02-01'), '--quiet'))
  const served = (dataDir: string): Served => ({ flags: ['--data-dir', dataDir], account: 'default' })
  const [few, many] = [await serve(served(small)), await serve(served(loaded))]
  const times: { few: number[]; many: number[] } = { few: [], many: [] }
  for (let round = 0; round < REPORT_ROUNDS; round += 1) {
    times.few.push(await timeOfReport(few))
    times.many.push(await timeOfReport(many))
  }
  few.stop()
  many.stop()
  return [
    {
      what: 'report of 10,000 rows out of 1,000,000, over HTTP',
      measured: median(times.many),
      unit: 'ms',
      against: `out of 10,000 ${median(times.few).toFixed(0)} ms`,
      ratio: median(times.many) / median(times.few),
      limit: 1.3,
    },
  ]
}
