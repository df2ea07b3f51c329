import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { makePair } from '../support/certificates.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { testIo } from '../support/io.ts'
import { shellIn } from '../support/kpi.ts'
import { type Service, startService } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'

const PROXY = 'canary-pr0xy-word'
const POSTGRES = 'canary-p0stgres-word'
const USERINFO = 'canary-us3rinfo-word'
const PASSWORD = 'Canary-passw0rd-1'
const WRONG = 'canary-wr0ng-word'
const WEBHOOK = 'canary-w3bhook-word'

let service: Service
let server: Listener
/** Answers every request with a redirect to another host, which repeats the secret. */
let redirecting: Listener
/** Refuses every connection, and repeats the password in its answer. */
let proxy: Server
let home: Folder
let tlsKey: string
beforeAll(async () => {
  service = await startService()
  server = await listen(service.handler, '127.0.0.1', 0)
  redirecting = await listen(
    () => {
      const location = `https://ann:${USERINFO}@other.example/api?token=${encodeURIComponent(service.token)}`
      return Promise.resolve({ status: 302, headers: { location }, body: service.token })
    },
    '127.0.0.1',
    0,
  )
  proxy = createServer().listen(0, '127.0.0.1')
  proxy.on('connect', ({ headers }, socket) => {
    socket.end(`HTTP/1.1 407 ${String(headers['proxy-authorization'])}\r\nx-word: ${PROXY}\r\n\r\n${PROXY}`)
  })
  await once(proxy, 'listening')
  home = temporaryFolder()
  const { cert, key } = await makePair()
  tlsKey = key
  writeFileSync(home.in('cert.pem'), cert)
  writeFileSync(home.in('tls.key'), key, { mode: 0o600 })
  writeFileSync(home.in('token'), service.token, { mode: 0o600 })
  writeFileSync(home.in('key'), service.key, { mode: 0o600 })
  writeFileSync(home.in('good.csv'), 'user,kpi,date,actual\n1,1,2026-03-02,1\n1,Nothing,2026-03-03,2\n')
  writeFileSync(home.in('bad.csv'), 'user,kpi,date,actual\nNobody,Nothing,x,y\n')
  const user = { first_name: 'Bo', last_name: 'Li', email: 'bo@example.com', password: PASSWORD }
  writeFileSync(home.in('user.json'), JSON.stringify(user))
  const hook = `{ webhook: '${server.url}/${WEBHOOK}?sig=${WEBHOOK}', token_env: HOOK_TOKEN }`
  writeFileSync(home.in('hook.yaml'), `log: hook.log\nsteps:\n  - check:\n    flags: { from: -7d }\n  - ${hook}\n`)
  const shell = shellIn({ home: home.path, stdin: service.token })
  const classic = ['--base-url', `${server.url}/api`, '--login', service.login]
  await shell('profiles', 'add', 'kept', ...classic, '--token-stdin')
  await shell('profiles', 'add', 'filed', ...classic, '--token-file', 'token')
  await shell('profiles', 'add', 'printed', ...classic, '--token-command', `cat ${home.in('token')}`)
  await shell('profiles', 'add', 'newer', '--base-url', `${server.url}/v1`, '--token-file', 'key')
})
afterAll(async () => {
  proxy.close()
  await redirecting.close()
  await server.close()
  await service[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

/** The files in which secrets are meant to be: those that the test planted, and the one of a profile. */
const PLANTED: ReadonlySet<string> = new Set([
  'token',
  'key',
  'tls.key',
  'user.json',
  'hook.yaml',
  '.config/kpi/secrets/kept',
])

const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '')
const formsOf = (secret: string): string[] => [secret, base64(secret), encodeURIComponent(secret)]

/** Every secret that was planted, in the forms in which it may get out. */
const canaries = (): string[] => [
  ...[service.token, service.key, PROXY, POSTGRES, USERINFO, PASSWORD, WRONG, WEBHOOK].flatMap(formsOf),
  base64(`${service.login}:${service.token}`),
  ...tlsKey.split('\n').filter((line) => line.length > 20 && !line.includes('PRIVATE KEY')),
]

/** Every file below the home folder, but those in which secrets are meant to be. */
const files = (): string[] =>
  readdirSync(home.path, { recursive: true, encoding: 'utf8' })
    .filter((name) => !PLANTED.has(name) && statSync(join(home.path, name)).isFile())
    .map((name) => join(home.path, name))

const leaksIn = (where: string, text: string): string[] =>
  canaries().flatMap((canary, at) => (text.includes(canary) ? [`${where}: canary ${at}`] : []))

const leaksInFiles = (): string[] => files().flatMap((path) => leaksIn(path, readFileSync(path, 'latin1')))

type Env = Readonly<Record<string, string>>
const PROXIES: Env = { HTTPS_PROXY: `http://ann:${PROXY}@127.0.0.1:1`, HTTP_PROXY: `http://ann:${PROXY}@127.0.0.1:1` }
const DATABASE: Env = { KPI_POSTGRES_URL: `postgres://kpi:${POSTGRES}@127.0.0.1:1/kpi` }

/** The ways in which secrets reach a command. */
const WAYS: readonly (readonly [name: string, env: () => Env])[] = [
  [
    'the environment',
    () => ({ KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }),
  ],
  ['a key in the environment', () => ({ KPI_BASE_URL: `${server.url}/v1`, KPI_TOKEN: service.key })],
  ['a profile', () => ({ KPI_PROFILE: 'kept' })],
  ['a token file', () => ({ KPI_PROFILE: 'filed' })],
  ['a token command', () => ({ KPI_PROFILE: 'printed', PATH: '/usr/bin:/bin' })],
  ['a key file', () => ({ KPI_PROFILE: 'newer' })],
  [
    'the environment, and is wrong',
    () => ({ KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: WRONG }),
  ],
  ['a wrong key in the environment', () => ({ KPI_BASE_URL: `${server.url}/v1`, KPI_TOKEN: WRONG })],
  [
    'a service that redirects to another host',
    () => ({ KPI_BASE_URL: `${redirecting.url}/api`, KPI_LOGIN: service.login, KPI_TOKEN: service.token }),
  ],
  [
    'a proxy that refuses',
    () => ({
      HTTPS_PROXY: `http://ann:${PROXY}@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      KPI_BASE_URL: 'https://acme.example.com/api',
      KPI_LOGIN: service.login,
      KPI_TOKEN: service.token,
    }),
  ],
  [
    'a service that is not there',
    () => ({ KPI_BASE_URL: 'http://127.0.0.1:1/api', KPI_LOGIN: service.login, KPI_TOKEN: service.token }),
  ],
  [
    'a proxy that is not there',
    () => ({ KPI_BASE_URL: 'https://acme.example.com/api', KPI_LOGIN: service.login, KPI_TOKEN: service.token }),
  ],
  [
    'a URL with a password',
    () => ({
      KPI_BASE_URL: `https://ann:${USERINFO}@acme.example.com/api`,
      KPI_LOGIN: 'ann',
      KPI_TOKEN: service.token,
    }),
  ],
]

const LINES: readonly string[] = [
  'doctor',
  'doctor -o json',
  'profiles check',
  'profiles check -o json',
  'profiles list -o json',
  'kpis list --columns id,name -o json',
  'kpis get 999 --log-format json',
  'api GET /users',
  'users create --from-json user.json -o json',
  'users create --from-json user.json',
  'entries import good.csv --no-input --verify --max-errors 9',
  'entries import good.csv --no-input --dry-run -o json',
  'entries import bad.csv --no-input --log-format json',
  'entries import good.csv --no-input --journal kept-journals -o json',
  'entries undo',
  'entries export --from 2026-01-01 --to 2026-12-31 --to-file out.csv --force',
  'report export --from 2026-01-01 --to 2026-12-31 --to-file report.json --manifest --force',
  'dump --to-file dump.yaml --force',
  'plan dump.yaml -o json',
  'service status --store postgres',
  'service accounts list --store postgres -o json',
  'run hook.yaml',
  'run hook.yaml -o json',
  'serve --port 0 --store postgres --log-format json',
  'serve --port 0 --tls-cert cert.pem --tls-key cert.pem',
  'serve --port 0 --tls-cert tls.key --tls-key tls.key',
]

test.each(WAYS)('no secret that comes from %s gets into an output or a file', async (_, env) => {
  for (const line of some(10, LINES).flatMap((one) => [one, `${one} --debug`])) {
    const world = { home: home.path, env: { ...PROXIES, ...DATABASE, HOOK_TOKEN: WEBHOOK, ...env() } }
    const { stdout, stderr } = await shellIn(world)(...line.split(' '))
    expect(stdout + stderr).not.toBe('')
    expect(leaksIn(`kpi ${line}`, stdout + stderr)).toEqual([])
  }
  expect(leaksInFiles()).toEqual([])
})

/** Runs a command in which a bug throws all that it knows: its requests, and its environment. */
const crashing = async (line: string, env: Env): Promise<string> => {
  const all = { ...PROXIES, ...DATABASE, ...env }
  const { io, stdout, stderr } = testIo({ home: home.path, env: all })
  const ask = (request: object): never => {
    throw new TypeError(`bug: ${JSON.stringify(request)} ${JSON.stringify(all)}`)
  }
  const code = await run(line.split(' '), { ...io, network: () => ({ ask, close: () => Promise.resolve() }) })
  expect(code).not.toBe(0)
  return stdout() + stderr()
}

test.each(WAYS.filter(([name]) => name !== 'a URL with a password'))(
  'a crash shows no secret that comes from %s',
  async (_, env) => {
    for (const line of [
      'kpis list',
      'kpis list -o json',
      'kpis list --log-format json',
      'doctor',
      'entries import good.csv --no-input',
      'kpis list --debug',
      'kpis list --debug -o json',
      'kpis list --debug --log-format json',
    ]) {
      const told = await crashing(line, env())
      expect(leaksIn(`kpi ${line}`, told)).toEqual([])
    }
    expect(leaksInFiles()).toEqual([])
  },
)

test.each([
  ['the environment', 'kpis list', /request 1: GET \/api\/kpis\n> authorization: Basic …\n[^]*answer 1: .*: 200 /],
  ['a key file', 'kpis list', /request 1: GET \/v1\/kpis\n> authorization: Bearer …\n[^]*answer 1: .*: 200 /],
  ['the environment', 'users create --from-json user.json', /> \{.*"password":"…"\}\n/],
  ['a service that redirects to another host', 'kpis list', /< location: https:\/\/…@other\.example\/api\?token=…\n/],
  ['a proxy that refuses', 'kpis list', /answer 1: GET \/api\/kpis: no answer /],
  [
    'the environment',
    'run hook.yaml',
    /request 1: POST http:\/\/[^/\n]*\/…\n(?:.*> .*\n){2}.*> authorization: Bearer …\n/,
  ],
])('with a secret from %s, kpi %s --debug shows the rest', async (way, line, shown) => {
  const [, env = () => ({})] = WAYS.find(([name]) => name === way) ?? []
  const world = { home: home.path, env: { ...PROXIES, ...DATABASE, HOOK_TOKEN: WEBHOOK, ...env() } }
  const { stderr } = await shellIn(world)(...line.split(' '), '--debug')
  expect(stderr).toMatch(shown)
})

test('the canaries are seen where they are meant to be', () => {
  const seen = [...PLANTED].filter((name) => leaksIn(name, readFileSync(home.in(name), 'latin1')).length > 0)
  expect(seen).toEqual([...PLANTED])
})
