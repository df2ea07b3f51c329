import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { BATCH_LIMIT } from '../../src/domain/resources/entry.ts'
import { ROOT } from '../support/documents.ts'
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

/** A file of many days, whose values are 0 and up. */
const manyDays = (): string =>
  `user,kpi,date,actual\n${Array.from({ length: ROWS }, (_, at) => `ann@example.com,Sales,${formatDay(at - 25_567)},${at}\n`).join('')}`

/** Makes an account with a user, a KPI that is assigned, and a file with many days. */
const fill = async (home: Folder): Promise<void> => {
  await jsonOf(home, 'users', 'create', '--first-name', 'Ann', '--last-name', 'Lee', '--email', 'ann@example.com')
  await jsonOf(home, 'kpis', 'create', '--name', 'Sales', '--frequency', 'D')
  await jsonOf(home, 'assign', 'add', '--users', 'Ann Lee', '--kpis', 'Sales')
  await jsonOf(home, 'service', 'accounts', 'enable-api', 'default')
  mkdirSync(home.in('inbox'))
  writeFileSync(home.in('inbox/a.csv'), manyDays())
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
    // A batch that the killed service had begun stays taken for up to half a minute, which only a process of its own waits.
    const again = await launch(home, [...KPI, 'run', 'job.yaml', '-o', 'json'], env).ended
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

/** What is stored in a service: how many entries of each KPI, and those of Sales on the days of `manyDays` with another value. */
const heldAt = async (home: Folder, env: Readonly<Record<string, string>>) => {
  const all = ['entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--force', '--to-file', 'held.json']
  expect(await runHere(home, [...all, '--names'], env)).toMatchObject({ code: 0 })
  const held = JSON.parse(readFileSync(home.in('held.json'), 'utf8')) as {
    kpi: string
    entry_date: string
    actual: number
  }[]
  const days = new Map(Array.from({ length: ROWS }, (_, at) => [formatDay(at - 25_567), at]))
  const count = (name: string): number => held.filter(({ kpi }) => kpi === name).length
  const wrong = held.filter(
    ({ kpi, entry_date: day, actual }) => kpi === 'Sales' && (days.get(day) ?? actual) !== actual,
  )
  return { sales: count('Sales'), visits: count('Visits'), wrong }
}

test.concurrent.for(['classic', 'v1'] as const)(
  'the example, whose service comes late and is killed in its middle, %s: it waits, ends well, and each row is there once',
  { timeout: 120_000 },
  async (variant, { expect }) => {
    using home = temporaryFolder()
    await fill(home)
    await jsonOf(home, 'kpis', 'create', '--name', 'Visits', '--frequency', 'D', '--target-default', '100')
    await jsonOf(home, 'assign', 'add', '--users', 'Ann Lee', '--kpis', 'Visits')
    cpSync(join(ROOT, 'examples/nightly'), home.in('nightly'), { recursive: true })
    writeFileSync(home.in('nightly/inbox/big.csv'), manyDays())
    const envAt = await VARIANTS[variant](home)
    const reserved = await serve(home)
    const { url, port } = reserved
    const env = envAt(url)
    const dry = await runHere(home, ['run', 'nightly/nightly.yaml', '--dry-run'], env)
    expect([dry.code, dry.stderr]).toEqual([3, expect.stringContaining('would do its work, and 1 step would find')])
    reserved.child.kill('SIGKILL')
    await reserved.ended
    const job = launch(home, [...KPI, 'run', 'nightly/nightly.yaml', '-o', 'json', '--log-format', 'json'], env)
    using _job = gone(job)
    // Nothing listens yet.
    await job.says(/service not reachable, trying again/)
    const first = await serve(home, port)
    using _first = gone(first)
    await expect.poll(() => batchesIn(home), { interval: 1, timeout: 20_000 }).toBeGreaterThan(0)
    first.child.kill('SIGKILL')
    await first.ended
    using _second = gone(await serve(home, port))
    const { code, stdout } = await job.ended
    expect({ code, rows: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 3,
      rows: [
        { kind: 'import', exit_code: 3, message: expect.stringContaining('1 row was rejected') as string },
        { kind: 'export', exit_code: 0 },
        { kind: 'verify', exit_code: 0 },
        {
          kind: 'check',
          exit_code: 10,
          message: expect.stringContaining('Visits of Ann Lee, 2026-03-03, 87') as string,
        },
      ],
    })
    // One row of the example is rejected, and one of its Sales is on a day of no other file.
    expect(await heldAt(home, env)).toEqual({ sales: ROWS + 1, visits: 2, wrong: [] })
    expect(readdirSync(home.in('nightly/inbox'))).toEqual(['web.rejects.csv'])
  },
)
