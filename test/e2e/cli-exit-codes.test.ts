import { setTimeout } from 'node:timers/promises'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { runHere } from '../support/kpi.ts'
import { KPI, runKpi, startKpi, startProgram } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

let home: Folder
let service: Service
let server: Listener
/** While it fails, it takes the first batch of an import, and no more. */
let [batches, isFailing] = [0, true]
const failing =
  (handler: Handler): Handler =>
  async (request) => {
    if (!request.target.endsWith('/list') || (batches += 1) === 1 || !isFailing) return handler(request)
    return { status: 503, headers: { 'retry-after': '1' }, body: '{"message":"stopping"}' }
  }

beforeAll(async () => {
  home = temporaryFolder()
  service = await startService()
  server = await listen(failing(service.handler), '127.0.0.1', 0)
  for (const args of [
    ['users', 'create', '--first-name', 'Ann', '--email', 'ann@example.com'],
    ['kpis', 'create', '--name', 'Sales', '--frequency', 'D'],
    ['assign', 'add', '--kpis', 'Sales', '--users', 'Ann'],
  ]) {
    for (const env of [{}, place()]) await runHere(home, args, env)
  }
})
afterAll(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

const place = (): Record<string, string> => ({
  KPI_BASE_URL: `${server.url}/api`,
  KPI_LOGIN: service.login,
  KPI_TOKEN: service.token,
})

test.each<[code: number, why: string, args: string[], env: () => Record<string, string>, stderr: RegExp]>([
  [0, 'done', ['kpis', 'list'], () => ({}), /^$/],
  [0, 'done, over HTTP', ['kpis', 'list'], place, /^$/],
  [0, 'nothing to do', ['kpis', 'create', '--from-json', '-'], () => ({}), /^$/],
  [1, 'refused', ['kpis', 'get', '99'], () => ({}), /^kpi: there is no KPI 99\n$/],
  [1, 'a data directory that cannot be', ['--data-dir', '/proc/nope', 'kpis', 'list'], () => ({}), /^kpi: cannot make/],
  [
    2,
    'wrong usage',
    ['kpis', 'lst'],
    () => ({}),
    /^kpi kpis: unknown command 'lst' \(Did you mean list\?\); kpi kpis --help shows what there is\n$/,
  ],
  [2, 'an answer that nobody can give', ['kpis', 'delete', '1'], () => ({}), /needs --yes/],
  [
    4,
    'a wrong token',
    ['kpis', 'list'],
    () => ({ ...place(), KPI_TOKEN: 'wrong' }),
    /^kpi: the login name or the token/,
  ],
  [4, 'no token', ['kpis', 'list'], () => ({ ...place(), KPI_TOKEN: '' }), /^kpi: there is no token: set KPI_TOKEN/],
  [
    5,
    'nobody there',
    ['kpis', 'list'],
    () => ({ ...place(), KPI_BASE_URL: 'http://127.0.0.1:9/api' }),
    /^kpi: cannot reach/,
  ],
])('%i: %s', async (code, _, args, env, stderr) => {
  const ran = await runKpi(home, args, env(), '[]')
  expect(ran).toMatchObject({ code, stderr: expect.stringMatching(stderr) as unknown })
  expect(ran.stdout === '').toBe(code !== 0)
})

test('9: a plan found differences', async () => {
  writeFileSync(home.in('kpi.yaml'), 'categories: [{ name: Shops }]\n')
  const ran = await runKpi(home, ['plan', 'kpi.yaml', '--exit-code', '--summary-only'])
  expect(ran).toMatchObject({ code: 9, stdout: '', stderr: expect.stringMatching(/^1 to create\n/) as unknown })
})

test('3: some rows were rejected', async () => {
  writeFileSync(home.in('some.csv'), 'user,kpi,date,actual\nAnn,Sales,2026-01-01,1\nAnn,Sales,2026-02-30,1\n')
  const ran = await runKpi(home, ['entries', 'import', 'some.csv'])
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('some.rejects.csv') as unknown })
})

test('6: stopped at the deadline, as the service failed in mid-run; the same command continues and ends with 0', async () => {
  const days = Array.from({ length: 6000 }, (_, at) => new Date(at * 86_400_000).toISOString().slice(0, 10))
  writeFileSync(home.in('long.csv'), ['user,kpi,date,actual', ...days.map((day) => `Ann,Sales,${day},1`)].join('\n'))
  const line = ['entries', 'import', 'long.csv', '-o', 'json']
  const stopped = await runKpi(home, [...line, '--deadline', '5s'], place())
  expect([stopped.code, JSON.parse(stopped.stdout)]).toMatchObject([6, { created: 5000, left: 1000 }])
  expect(stopped.stderr).toContain('run the same command to continue')
  isFailing = false
  const done = await runKpi(home, line, place())
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { created: 6000, left: 0 }])
})

test('7: this variant of the service does not have that', async () => {
  const { url } = await foreignService((response) => {
    response.writeHead(405, { allow: 'GET', 'content-type': 'application/json' })
    response.end('{"message":"people are changed in the application"}')
  })
  const env = { ...place(), KPI_BASE_URL: `${url}/api` }
  const ran = await runKpi(home, ['users', 'delete', '1', '--yes'], env)
  expect(ran).toMatchObject({ code: 7, stderr: 'kpi: people are changed in the application\n' })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 130],
] as const)('interrupted by %s while it waits, a command ends at once, as a shell has it', async (signal, code) => {
  const { url, reached } = await foreignService(() => undefined)
  const { child, ended } = startKpi(home, ['kpis', 'list'], { ...place(), KPI_BASE_URL: `${url}/api` })
  await expect.poll(() => reached.length, { interval: 10, timeout: 10_000 }).toBe(1)
  child.kill(signal)
  const end = await ended
  expect({ ...end, code: end.signal === signal ? code : end.code }).toMatchObject({ code, stdout: '', stderr: '' })
})

test('as under nohup, without a terminal to print to, a SIGHUP is no reason to end', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>()
  const { url } = await foreignService((response) => resolve(() => response.end('[]')))
  const { child, ended } = startKpi(home, ['kpis', 'list', '-o', 'json'], { ...place(), KPI_BASE_URL: `${url}/api` })
  const answer = await promise
  child.kill('SIGHUP')
  answer()
  expect(await ended).toMatchObject({ code: 0, signal: null, stdout: '[]\n' })
})

/** util-linux has a program that gives another one a terminal; that of other systems takes other arguments. */
const hasScript = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

test.runIf(hasScript).each([
  ['a command', ['kpis', 'list'], '130'],
  ['an import, which says what is left,', ['entries', 'import', 'data.csv', '--no-input'], '6'],
])('when its terminal is closed, %s ends as if asked to', async (_, args, code) => {
  const { url, reached } = await foreignService(() => undefined)
  writeFileSync(home.in('data.csv'), 'user,kpi,date,actual\n1,1,2026-03-02,1\n')
  // The inner shell outlives the terminal, to tell how the command ended; the outer one ends with it, as shells do.
  const inner = `trap "" HUP; ${[...KPI, ...args].join(' ')}; echo $? > ended; mv ended code`
  const line = `sh -c '${inner}'; true`
  const env = { ...place(), KPI_BASE_URL: `${url}/api` }
  const { child } = startProgram(home, ['script', '-qec', line, '/dev/null'], env)
  await expect.poll(() => reached.length, { interval: 10, timeout: 10_000 }).toBe(1)
  child.kill('SIGKILL')
  await expect.poll(() => existsSync(home.in('code')), { interval: 10, timeout: 10_000 }).toBe(true)
  expect(readFileSync(home.in('code'), 'utf8').trim()).toBe(code)
  rmSync(home.in('code'))
})

test('8: another command holds the lock, until it ends, however it ends', async () => {
  const held = startKpi(home, ['users', 'create', '--from-json', '-', '--lock', 'nightly'])
  const tryIt = (): Promise<{ code: number | null; stderr: string }> =>
    runKpi(home, ['kpis', 'list', '--lock', 'nightly'])
  // Whoever asks too early would take the lock from the one that is to hold it.
  while (!existsSync(home.in('.local/state/kpi/locks/nightly.lock'))) await setTimeout(5)
  expect(await tryIt()).toMatchObject({
    code: 8,
    stderr: expect.stringContaining('another command holds the lock nightly') as unknown,
  })
  expect((await runKpi(home, ['kpis', 'list', '--lock', 'other'])).code).toBe(0)
  held.child.kill('SIGKILL')
  await held.ended
  expect((await tryIt()).code).toBe(0)
})

test('10: a check found a target missed or a value missing', async () => {
  expect((await runKpi(home, ['check'])).code).toBe(10)
})
