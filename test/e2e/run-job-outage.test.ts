import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { BATCH_LIMIT } from '../../src/domain/resources/entry.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { runHere } from '../support/kpi.ts'
import { KPI, launch, type Running } from '../support/process.ts'

/** The rows of several batches. */
const ROWS = 4 * BATCH_LIMIT
/** Adds the values to what is stored, so that a row that is sent twice shows. */
const JOB = `deadline: 1h
steps:
  - import: inbox/*.csv
    flags: { on-conflict: add }
    move_to: done
  - report:
    flags: { from: 1900-01-01, to: 1900-01-31 }
`

/** A process of the service on a port, its requests in a log; whoever starts it ends it, as the tests run beside each other. */
const serve = async (home: Folder, port = 0): Promise<Running & { readonly url: string; readonly port: number }> => {
  const limits = ['--rate-limit', '0', '--rate-limit-v1', '0']
  const flags = ['--port', String(port), '--data-dir', 'service', '--access-log', 'access.log', ...limits]
  const running = launch(home, [...KPI, 'serve', ...flags])
  const [, url = '', own] = await running.says(/^(http:\/\/[^\n]*:(\d+))\/api\n/)
  return { ...running, url, port: Number(own) }
}

/** A process that is gone with the test, however that ends. */
const gone = ({ child }: Running): Disposable => ({ [Symbol.dispose]: () => void child.kill('SIGKILL') })

const jsonOf = async (home: Folder, ...args: string[]): Promise<Record<string, string>> => {
  const { code, stdout, stderr } = await runHere(home, [...args, '--data-dir', 'service', '-o', 'json'])
  if (code !== 0) throw new Error(stderr)
  return (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, string>
}

/** Makes an account with a user, a KPI that is assigned, and a file with many days. */
const fill = async (home: Folder): Promise<void> => {
  await jsonOf(home, 'users', 'create', '--first-name', 'Ann', '--last-name', 'Lee', '--email', 'ann@example.com')
  await jsonOf(home, 'kpis', 'create', '--name', 'Sales', '--frequency', 'D')
  await jsonOf(home, 'assign', 'add', '--users', 'Ann Lee', '--kpis', 'Sales')
  await jsonOf(home, 'service', 'accounts', 'enable-api', 'default')
  mkdirSync(home.in('inbox'))
  const rows = Array.from({ length: ROWS }, (_, at) => `ann@example.com,Sales,${formatDay(at - 25_567)},${at}\n`)
  writeFileSync(home.in('inbox/a.csv'), `user,kpi,date,actual\n${rows.join('')}`)
  writeFileSync(home.in('job.yaml'), JOB)
}

/** The variables of the environment for each variant, by the URL of the service. */
const VARIANTS = {
  classic: async (home: Folder) => {
    const { login = '', token = '' } = await jsonOf(home, 'service', 'token', 'create', '--yes')
    return (url: string) => ({ KPI_BASE_URL: `${url}/api`, KPI_LOGIN: login, KPI_TOKEN: token })
  },
  v1: async (home: Folder) => {
    const scopes = 'entries:write,entries:read,users:read,kpis:read,reports:read'
    const owner = ['--user', 'ann@example.com', '--scopes', scopes]
    const { key = '' } = await jsonOf(home, 'service', 'keys', 'create', 'nightly', ...owner)
    return (url: string) => ({ KPI_BASE_URL: `${url}/v1`, KPI_TOKEN: key })
  },
} as const

/** How many batches of entries the service has stored; it is asked other things at the same path, too. */
const batchesIn = (home: Folder): number =>
  readFileSync(home.in('access.log'), 'utf8')
    .split('\n')
    .filter((line) => /"path":"[^"]*\/kpientries\/list","status":2.*"bytes_in":\d{5}/.test(line)).length

test.concurrent.for(['classic', 'v1'] as const)(
  'a service that is killed in the middle of an import, %s: the next run stores each row once',
  { timeout: 120_000 },
  async (variant, { expect }) => {
    using home = temporaryFolder()
    await fill(home)
    const envAt = await VARIANTS[variant](home)
    const service = await serve(home)
    using _service = gone(service)
    const env = envAt(service.url)
    const first = launch(home, [...KPI, 'run', 'job.yaml', '--deadline', '8s', '-o', 'json'], env)
    using _first = gone(first)
    await expect.poll(() => batchesIn(home), { interval: 1, timeout: 10_000 }).toBeGreaterThan(0)
    service.child.kill('SIGKILL')
    expect((await service.ended).signal).toBe('SIGKILL')
    const stopped = await first.ended
    expect({ code: stopped.code, rows: JSON.parse(stopped.stdout) as unknown }).toMatchObject({
      code: 6,
      rows: [{ outcome: 'failed', exit_code: 6 }, { outcome: 'skipped' }],
    })
    expect(readdirSync(home.in('inbox'))).toEqual(['a.csv'])
    using _next = gone(await serve(home, service.port))
    const again = await runHere(home, ['run', 'job.yaml', '-o', 'json'], env)
    expect({ code: again.code, rows: JSON.parse(again.stdout) as unknown }).toMatchObject({
      code: 0,
      rows: [{ outcome: 'done' }, { outcome: 'done' }],
    })
    expect([readdirSync(home.in('inbox')), readdirSync(home.in('done'))]).toEqual([[], ['a.csv']])
    await runHere(
      home,
      ['entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--to-file', 'held.csv'],
      env,
    )
    const [header = '', ...held] = readFileSync(home.in('held.csv'), 'utf8').trimEnd().split('\n')
    const column = header.split(',').indexOf('actual')
    const values = held.map((line) => Number(line.split(',')[column])).toSorted((one, other) => one - other)
    expect({ rows: values.length, wrong: values.filter((value, at) => value !== at) }).toEqual({
      rows: ROWS,
      wrong: [],
    })
  },
)
