import { readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { parseInstant } from '../../src/domain/day.ts'
import type { KeyDraft } from '../../src/domain/resources/key.ts'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { createBothHandlers } from '../../src/server/api/variants.ts'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { accounts, ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import { temporaryFolder, type Folder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { NOW, testIo } from '../support/io.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { openLimits } from '../support/limits.ts'
import { makeKey, type Service, startService } from '../support/service.ts'

const LIMIT = 1000
const KEY = 'kpi_key_hunter2'
const PLACE = ['--base-url', 'https://kpi.example.com/v1/', '--no-check']

let service: Service
let server: Listener
beforeAll(async () => {
  service = await startService()
  const limits = await openLimits(service.db, `${service.dataDir}/kpi-limits.db`, () => NOW)
  const store = { db: limits.db, now: () => Promise.resolve(NOW) }
  const deps = {
    db: service.db,
    version: '0.0.0-test',
    now: () => NOW / 1000,
    requestId: () => 'request',
    onError: (error: unknown) => service.logged.push(error),
    limits: { throttle: createLoginThrottle(store), rate: createRateLimit(store, LIMIT) },
  }
  server = await listen(createBothHandlers(createClassicHandler(deps), createV1Handler(deps)), '127.0.0.1', 0)
  return async () => {
    await server.close()
    await limits.close()
    await service[Symbol.asyncDispose]()
  }
})

let home: Folder
beforeEach(() => {
  home = temporaryFolder()
  onTestFinished(() => home[Symbol.dispose]())
})

const kpi = (...args: string[]): Promise<Ran> => shellIn({ home: home.path })(...args)
const kpiWith = (stdin: string, ...args: string[]): Promise<Ran> => shellIn({ home: home.path, stdin })(...args)
const inEnv = (env: Record<string, string>, ...args: string[]): Promise<Ran> =>
  shellIn({ home: home.path, env })(...args)

/** A profile of the server with a key of its own. */
const addProfile = async (name: string, draft: Partial<KeyDraft> = {}): Promise<string> => {
  const account = await ensureDefaultAccount(service.db, NOW / 1000)
  const key = await makeKey(service.db, account, draft)
  await kpiWith(key, 'profiles', 'add', name, '--base-url', `${server.url}/v1`, '--token-stdin', '--no-check')
  return key
}

describe('a profile of the newer interface', () => {
  test('is known by its base URL, takes a key and no login, and is listed and shown without its secret', async () => {
    expect(await kpiWith(`${KEY}\n`, 'profiles', 'add', 'nightly', ...PLACE, '--token-stdin')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'added profile nightly; use it with --profile nightly, or always with: kpi profiles use nightly\n',
    })
    const kept = home.in('.config/kpi/secrets/nightly')
    expect(readFileSync(kept, 'utf8')).toBe(`${KEY}\n`)
    const shown = {
      name: 'nightly',
      current: false,
      kind: 'v1',
      place: 'https://kpi.example.com/v1',
      login: null,
      token_from: `the file ${kept}`,
      time_zone: null,
      output: null,
      fiscal_year_start: null,
      week_start: null,
      ca_file: null,
    }
    expect(jsonOf(await kpi('profiles', 'list', '-o', 'json'))).toEqual([shown])
    expect(jsonOf(await kpi('profiles', 'show', 'nightly', '-o', 'json'))).toEqual(shown)
  })

  test('takes its key from a file or a command, too', async () => {
    writeFileSync(home.in('key'), KEY, { mode: 0o600 })
    expect((await kpi('profiles', 'add', 'one', ...PLACE, '--token-file', 'key')).code).toBe(0)
    expect((await kpi('profiles', 'add', 'two', ...PLACE, '--token-command', 'pass kpi')).code).toBe(0)
    expect((await kpi('profiles', 'show', 'two')).stdout).toMatch(/^token_from +the command pass kpi$/m)
  })

  test('asks for the base URL and the key at a terminal, and for nothing else', async () => {
    const stdin = new PassThrough()
    const { io, stderr } = testIo({ home: home.path, terminal: 80, stdin })
    const left: [question: string, answer: string][] = [
      ['Base URL', 'https://kpi.example.com/v1\r'],
      ['Key of profile asked', `${KEY}\r`],
    ]
    const shown = io.stderr.stream()
    const write = shown.write.bind(shown)
    let text = ''
    shown.write = (chunk: string | Uint8Array): boolean => {
      text += String(chunk)
      const [next] = left
      if (next && text.includes(next[0])) {
        left.shift()
        text = ''
        setImmediate(() => stdin.write(next[1]))
      }
      return write(chunk)
    }
    expect(await run(['profiles', 'add', 'asked', '--no-check'], io)).toBe(0)
    expect(left).toEqual([])
    expect(stderr()).not.toContain(KEY)
    expect(jsonOf(await kpi('profiles', 'show', 'asked', '-o', 'json'))).toMatchObject({ kind: 'v1', login: null })
  })

  test.each<[args: string[], stdin: string, message: string]>([
    [
      [...PLACE, '--login', 'ann'],
      KEY,
      'a base URL that ends in /v1 takes a key, which says by itself whose it is; leave',
    ],
    [PLACE, '', 'a key is needed: --token-stdin, --token-file or --token-command'],
    [[...PLACE, '--token-stdin'], ' \n', 'standard input holds no key: it is empty'],
    [
      [...PLACE, '--token-stdin'],
      'kpi_token_hunter2',
      'it is an account token, and a base URL that ends in /v1 takes a key',
    ],
    [
      ['--base-url', 'https://kpi.example.com/api', '--login', 'ann', '--token-stdin'],
      KEY,
      'it is a key, which goes with a base URL that ends in /v1',
    ],
  ])('%j is wrong usage, and keeps nothing', async (args, stdin, message) => {
    const ran = await kpiWith(stdin, 'profiles', 'add', 'x', ...args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).not.toContain('hunter2')
    expect(jsonOf(await kpi('profiles', 'list', '-o', 'json'))).toEqual([])
  })

  test.each([
    [
      '{\n  "id": 1,\n  "key": "kpi_key_hunter2"\n}\n',
      'it has more than one line; where it is JSON, take the value of key',
    ],
    ['{"id":1,"key":"kpi_key_hunter2"}', 'it is JSON; take the value of key'],
    ['kpi_key hunter2', 'it contains spaces'],
    ['kpi_key_\0hunter2', 'it contains control characters'],
    ['kpi_key_hunter2–', 'it has characters that are not ASCII'],
  ])('that %j is no key is said where it comes from, before anything is sent or kept', async (text, message) => {
    const { url, reached } = await foreignService((response) => response.end('[]'))
    const place = ['--base-url', `${url}/v1`]
    writeFileSync(home.in('key.json'), text, { mode: 0o600 })
    await kpiWith(KEY, 'profiles', 'add', 'x', ...PLACE, '--token-stdin')
    const [typed, fromFile] = [['--token-stdin'], ['--token-file', 'key.json']].map((flags) =>
      kpiWith(text, 'profiles', 'add', 'x', '--yes', ...place, ...flags),
    )
    expect(await typed).toEqual({
      code: 2,
      stdout: '',
      stderr: `kpi profiles add: standard input holds no key: ${message}\n`,
    })
    expect(await fromFile).toEqual({
      code: 2,
      stdout: '',
      stderr: `kpi profiles add: the file key.json holds no key: ${message}\n`,
    })
    expect(readFileSync(home.in('.config/kpi/secrets/x'), 'utf8')).toBe(`${KEY}\n`)
    expect((await kpi('profiles', 'show', 'x')).stdout).toContain('https://kpi.example.com/v1')

    const env = { KPI_BASE_URL: `${url}/v1`, KPI_TOKEN_FILE: 'key.json' }
    const stderr = `kpi: the file key.json (KPI_TOKEN_FILE) holds no key: ${message}\n`
    expect(await inEnv(env, 'kpis', 'list')).toEqual({ code: 4, stdout: '', stderr })
    expect(reached).toEqual([])
  })

  test('takes a secret of any other form: the service may be of somebody else', async () => {
    expect((await kpiWith('sk-other-1', 'profiles', 'add', 'x', ...PLACE, '--token-stdin')).code).toBe(0)
  })
})

describe('the newer interface without a profile', () => {
  test('is spoken where KPI_BASE_URL ends in /v1, with KPI_TOKEN and no login', async () => {
    const env = { KPI_BASE_URL: `${server.url}/v1`, KPI_TOKEN: service.key }
    expect(await inEnv(env, 'users', 'list', '--columns', 'id')).toEqual({ code: 0, stdout: 'id\n 1\n', stderr: '' })
    expect(jsonOf(await inEnv(env, 'profiles', 'check', '-o', 'json'))).toMatchObject({
      profile: null,
      variant: 'v1',
      key_name: 'all',
      token_from: 'the environment (KPI_TOKEN)',
    })
  })

  test.each([
    [{}, 'there is no key: set KPI_TOKEN or KPI_TOKEN_FILE, or use a profile'],
    [{ KPI_TOKEN: 'kpi_key_wrong' }, 'the key is wrong; check KPI_TOKEN'],
    [
      { KPI_TOKEN: 'kpi_token_wrong' },
      'the environment (KPI_TOKEN) holds no key: it is an account token, and a base URL',
    ],
  ])('with %j is not authorised', async (env, message) => {
    const ran = await inEnv({ KPI_BASE_URL: `${server.url}/v1`, ...env }, 'kpis', 'list')
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain(`kpi: ${message}`)
    expect(ran.stderr).not.toMatch(/_wrong/)
  })
})

describe('kpi profiles check', () => {
  test('says who the key is, what it may do, until when, and how much of the limit is left', async () => {
    const draft = {
      name: 'Nächtlich',
      scopes: 'kpis:read,entries:write',
      expires_at: parseInstant('2027-06-01T00:00:00'),
    }
    await addProfile('nightly', { ...draft, expires_at: draft.expires_at ?? null })
    expect(await kpi('profiles', 'check', 'nightly', '-o', 'json').then(jsonOf)).toEqual({
      profile: 'nightly',
      variant: 'v1',
      place: `${server.url}/v1`,
      login: null,
      key_id: expect.any(Number) as unknown,
      key_name: 'Nächtlich',
      key_owner: 'admin@localhost',
      token_from: `the file ${home.in('.config/kpi/secrets/nightly')}`,
      access: 'on',
      scopes: 'kpis:read,entries:write',
      expires_at: '2027-06-01T00:00:00',
      limit: LIMIT,
      used: 1,
      left: LIMIT - 1,
      per_seconds: 60,
    })
    const table = await kpi('profiles', 'check', 'nightly')
    expect(table).toMatchObject({ code: 0, stderr: '' })
    expect(table.stdout).toMatch(/^key_name +Nächtlich$/m)
    expect(table.stdout).toMatch(/^left +998$/m)
  })

  test('finds a key good that may not read what it asks for', async () => {
    await addProfile('writer', { scopes: 'entries:write' })
    const ran = await kpi('-p', 'writer', 'profiles', 'check', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject({ profile: 'writer', scopes: 'entries:write', access: 'on', used: 1 })
    expect(ran.stderr).toBe('')
  })

  test('checks a classic profile: everything may be done', async () => {
    const place = ['--base-url', `${server.url}/api`, '--login', service.login]
    await kpiWith(service.token, 'profiles', 'add', 'classic', ...place, '--token-stdin')
    const ran = jsonOf(await kpi('profiles', 'check', 'classic', '-o', 'json'))
    expect(ran).toMatchObject({
      variant: 'classic',
      login: service.login,
      key_id: null,
      scopes: 'everything',
      limit: LIMIT,
    })
  })

  test('checks the embedded service: a folder, no credentials, no limit', async () => {
    const nobody = { login: null, key_id: null, token_from: null, expires_at: null, limit: null, left: null }
    const ran = jsonOf(await kpi('profiles', 'check', '-o', 'json'))
    const place = home.in('.local/share/kpi')
    expect(ran).toEqual(
      expect.objectContaining({
        profile: null,
        variant: 'embedded',
        place,
        access: 'local',
        scopes: 'everything',
        ...nobody,
      }),
    )
    await kpi('profiles', 'add', 'test', '--data-dir', 'data')
    expect(jsonOf(await kpi('profiles', 'check', 'test', '-o', 'json'))).toMatchObject({
      profile: 'test',
      place: home.in('data'),
    })
  })

  test.each([
    ['2026-12-01T08:00:00', 'expires on 2026-12-01, in 10 days'],
    ['2026-11-22T12:00:00', 'expires on 2026-11-22, in 1 day'],
    ['2026-11-22T11:59:59', 'expires on 2026-11-22 at 11:59 UTC, in 23 hours'],
    ['2026-11-22T00:00:00', 'expires on 2026-11-22 at 00:00 UTC, in 12 hours'],
    ['2026-11-21T13:00:00', 'expires on 2026-11-21 at 13:00 UTC, in 1 hour'],
    ['2026-11-21T12:30:00', 'expires on 2026-11-21 at 12:30 UTC, in less than an hour'],
    ['2026-12-05T11:59:59', 'expires on 2026-12-05, in 14 days'],
  ])('warns of a key that ends at %s, with the day and what renews it, also under --quiet', async (text, words) => {
    await addProfile('ending', { name: 'load', expires_at: parseInstant(text) ?? null })
    const ran = await kpi('profiles', 'check', 'ending', '--quiet', '-o', 'json')
    const { key_id: id } = jsonOf(ran) as { key_id: number }
    const renewal = `unless it has been replaced already, rotate it on the service: kpi service keys rotate ${id}`
    expect(ran.stderr).toBe(`warning: key ${id} (load) ${words}; ${renewal}\n`)
  })

  test('does not warn of a key that has more than two weeks', async () => {
    await addProfile('lasting', { expires_at: parseInstant('2026-12-05T12:00:01') ?? null })
    expect(await kpi('profiles', 'check', 'lasting')).toMatchObject({ code: 0, stderr: '' })
  })

  test('of a key that expired says so and what to do', async () => {
    await addProfile('old', { name: 'old', expires_at: parseInstant('2026-11-21T11:59:59') ?? null })
    const ran = await kpi('profiles', 'check', 'old')
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    const advice = `enter it again: kpi profiles add old --base-url ${server.url}/v1`
    expect(ran.stderr.replace(/\d+/, 'ID')).toBe(`kpi: key ID (old) expired at 2026-11-21T11:59:59; ${advice}\n`)
    const again = advice.split(' ').slice(4)
    expect((await kpiWith(service.key, ...again, '--token-stdin', '--yes')).code).toBe(0)
    expect((await kpi('profiles', 'check', 'old')).code).toBe(0)
  })

  test('of a wrong key says where it comes from', async () => {
    await addProfile('good')
    const ran = await inEnv({ KPI_TOKEN: 'kpi_key_other' }, 'profiles', 'check', 'good')
    expect(ran).toEqual({ code: 4, stdout: '', stderr: 'kpi: the key is wrong; it comes from KPI_TOKEN; check that\n' })
  })

  test('of an account whose API is off fails in the words of the service', async () => {
    await addProfile('off')
    await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)
    try {
      const stderr = `kpi: the API of account ${DEFAULT_ACCOUNT} is not enabled\n`
      expect(await kpi('profiles', 'check', 'off')).toEqual({ code: 4, stdout: '', stderr })
    } finally {
      await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, true)
    }
  })

  test('of a place where nothing listens ends with 5', async () => {
    const url = 'http://127.0.0.1:1'
    await kpiWith(KEY, 'profiles', 'add', 'nowhere', '--base-url', `${url}/v1`, '--token-stdin', '--no-check')
    const ran = await kpi('profiles', 'check', 'nowhere')
    expect(ran).toEqual({ code: 5, stdout: '', stderr: `kpi: cannot reach ${url}: nothing listens there\n` })
    expect(await kpi('kpis', 'list', '-p', 'nowhere')).toEqual({
      code: 5,
      stdout: '',
      stderr: `kpi: cannot reach ${url}: nothing listens there; is it started? kpi serve starts the bundled service; kpi doctor shows which address is used\n`,
    })
  })

  test('of a service of somebody else says what that tells, and not told of the rest', async () => {
    const { url, reached } = await foreignService((response) => response.end('[]'))
    await kpiWith('sk-other', 'profiles', 'add', 'other', '--base-url', `${url}/v1`, '--token-stdin', '--no-check')
    expect(jsonOf(await kpi('profiles', 'check', 'other', '-o', 'json'))).toMatchObject({
      key_id: null,
      key_name: null,
      scopes: 'not told',
      expires_at: null,
      limit: null,
      left: null,
    })
    expect(reached).toMatchObject([
      { method: 'GET', target: '/v1/kpifrequencies', headers: { authorization: 'Bearer sk-other' } },
    ])
  })

  test('of something that is no such service fails', async () => {
    const { url } = await foreignService((response) => response.end('<html>'))
    await kpiWith('sk-other', 'profiles', 'add', 'page', '--base-url', `${url}/v1`, '--token-stdin', '--no-check')
    const ran = await kpi('profiles', 'check', 'page')
    expect(ran).toMatchObject({ code: 5, stdout: '' })
    expect(ran.stderr).toContain('not JSON')
  })

  test('takes one name', async () => {
    await addProfile('one')
    const stderr = 'kpi profiles check: one and --profile two each name a profile; give only one of them\n'
    expect(await kpi('profiles', 'check', 'one', '-p', 'two')).toEqual({ code: 2, stdout: '', stderr })
    expect((await kpi('profiles', 'check', 'one', '-p', 'one')).code).toBe(0)
    expect((await kpi('profiles', 'check', 'nil')).code).toBe(2)
  })
})

test('a scope that is missing is told with what to do about it', async () => {
  await addProfile('reader', { scopes: 'kpis:read' })
  expect(await kpi('-p', 'reader', 'users', 'list')).toEqual({
    code: 4,
    stdout: '',
    stderr:
      'kpi: the key does not have the scope users:read, which this needs; use a key that has it; on the bundled service, kpi service keys create NAME --user USER --scopes kpis:read,users:read makes one\n',
  })
})

test.each([
  [['/api/kpifrequencies'], 0],
  [['/api/kpifrequencies', '/api/kpis'], 1],
])('profiles check asks for another list where a service has no %j', async (missing, code) => {
  const foreign = await foreignService((response, { url = '' }) => {
    response.writeHead(missing.includes(url) ? 404 : 200, { 'content-type': 'application/json' }).end('[]')
  })
  const env = { KPI_BASE_URL: `${foreign.url}/api`, KPI_LOGIN: 'ann@example.com', KPI_TOKEN: 'their-own-token' }
  const ran = await inEnv(env, 'profiles', 'check', '-o', 'json')
  expect([ran.code, foreign.reached.length]).toEqual([code, 2])
})

test('what the newer interface lacks names the profile of the classic one of the same service', async () => {
  const lacking = async (): Promise<string> => (await kpi('assign', 'list', '-p', 'newer')).stderr
  await kpiWith(KEY, 'profiles', 'add', 'newer', ...PLACE, '--token-stdin')
  const classic = ['--login', 'ann@example.com', '--no-check', '--token-stdin']
  await kpiWith('hunter2', 'profiles', 'add', 'else', '--base-url', 'https://other.example.com/api', ...classic)
  expect(await lacking()).toMatch(/has no assignments of KPIs: .*--data-dir\)\n$/)
  await kpiWith('hunter2', 'profiles', 'add', 'acme', '--base-url', 'https://kpi.example.com/api', ...classic)
  expect(await lacking()).toMatch(/has no assignments of KPIs: .*; here that is --profile acme\n$/)
  const created = await kpi('users', 'create', '--first-name', 'Ann', '--email', 'a@example.com', '-p', 'newer')
  expect(created).toMatchObject({ code: 7, stderr: expect.stringMatching(/; here that is --profile acme\n$/) })
})
