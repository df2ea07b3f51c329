import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

const TOKEN = 'S3cret/canary+T0ken=zz'
const LOGIN = 'ann@example.com'
const FORMS: readonly string[] = [
  TOKEN,
  encodeURIComponent(TOKEN),
  encodeURIComponent(TOKEN).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  Buffer.from(TOKEN).toString('base64'),
  Buffer.from(`${LOGIN}:${TOKEN}`).toString('base64'),
  JSON.stringify(TOKEN)
    .replaceAll('/', String.raw`\/`)
    .slice(1, -1),
]

/** What a service answers, by what it was asked to say. */
type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body: string }

const json = (value: unknown, secret: string): string =>
  JSON.stringify(value).replaceAll('CANARY', () =>
    secret.includes('\\') ? secret : JSON.stringify(secret).slice(1, -1),
  )

/** The places of an answer that a secret can stand in. */
const PLACES: Readonly<Record<string, (secret: string) => Answer>> = {
  'the message of a refusal': (secret) => ({ status: 401, body: json({ message: 'no CANARY here' }, secret) }),
  'the fields of a refusal': (secret) => ({
    status: 400,
    body: json({ message: 'bad', errors: [{ field: 'CANARY', message: 'is CANARY' }] }, secret),
  }),
  'problem details': (secret) => ({
    status: 422,
    body: json({ title: 'CANARY', detail: 'CANARY', errors: [{ pointer: '/CANARY', detail: 'CANARY' }] }, secret),
  }),
  'a redirect': (secret) => ({ status: 302, headers: { location: `https://x.example/?t=${secret}` }, body: '' }),
  'the type of what is no JSON': (secret) => ({ status: 200, headers: { 'content-type': secret }, body: '<p>' }),
  'a server that fails': (secret) => ({ status: 500, body: json({ message: 'crash of CANARY' }, secret) }),
  'names of headers of a limit': (secret) => ({ status: 429, headers: { 'retry-after': secret }, body: '{}' }),
  'an answer that is none': (secret) => ({ status: 200, body: json(['CANARY', { name: 'CANARY' }], secret) }),
}

let answer: Answer = { status: 200, body: '[]' }
let server: Server
let home: Folder
let baseUrl: string
beforeAll(async () => {
  home = temporaryFolder()
  server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`
  writeFileSync(home.in('data.csv'), 'user,kpi,date,actual\n1,1,2026-03-02,1\n')
})
afterAll(async () => {
  server.close()
  await once(server, 'close')
  home[Symbol.dispose]()
})

const kpi = (...args: string[]): Promise<Ran> =>
  shellIn({ home: home.path, env: { KPI_BASE_URL: baseUrl, KPI_LOGIN: LOGIN, KPI_TOKEN: TOKEN } })(...args)

/** All that a command printed and every file that it left behind. */
const everything = ({ stdout, stderr }: Ran): string =>
  readdirSync(home.path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home.path, name))
    .filter((path) => statSync(path).isFile())
    .reduce((text, path) => text + readFileSync(path, 'latin1'), stdout + stderr)

const COMMANDS: readonly (readonly string[])[] = [
  ['kpis', 'list'],
  ['kpis', 'get', '1', '--output', 'json'],
  ['kpis', 'list', '--log-format', 'json'],
  ['entries', 'add', '--user', '1', '--kpi', '1', '--date', '2026-03-02', '--actual', '1'],
  ['entries', 'import', 'data.csv', '--no-input'],
]

describe.each(Object.entries(PLACES))('a secret that a service repeats in %s', (_, of) => {
  test.each(FORMS)('is printed nowhere: %s', async (form) => {
    answer = of(form)
    for (const command of COMMANDS) {
      const text = everything(await kpi(...command))
      expect(FORMS.filter((one) => text.includes(one.replace(/=+$/, '')))).toEqual([])
    }
  })
})

const TYPED = [
  ['profiles', 'list', '--token', TOKEN],
  ['profiles', 'add', 'acme', `--token=${TOKEN}`],
  ['profiles', 'add', 'acme', '--password', TOKEN],
  ['profiles', 'add', 'acme', `--api-key=${TOKEN}`],
  ['kpis', 'list', TOKEN],
  [TOKEN],
  ['kpis', 'get', TOKEN],
  ['-p', TOKEN, 'kpis', 'list'],
  ['profiles', 'add', 'acme', '--base-url', `https://ann:${TOKEN}@acme.example.com/api`],
  ['profiles', 'add', 'acme', '--base-url', `ann:${TOKEN}@acme.example.com`],
  ['profiles', 'add', 'acme', '--base-url', `https://acme.example.com/api?token=${TOKEN}`],
]

test.each(TYPED)('a secret that is typed by mistake is not repeated: kpi %s %s %s %s', async (...args) => {
  answer = { status: 200, body: '[]' }
  const { stderr, stdout } = await kpi(...args)
  expect(stderr + stdout).not.toContain(TOKEN)
})

test.each([
  ['profiles', 'list', '--token=Abcdefgh12345678ijkl'],
  ['profiles', 'list', '--password', 'hunter2hunter2'],
  ['kpis', 'Abcdefgh12345678ijkl'],
  ['kpis', 'list', 'kpi_token_0123456789abcdefghijkl_abcdef'],
  ['kpis', '01234567-89ab-cdef-0123-456789abcdef'],
])('nor is one that nobody has set: kpi %s %s %s', async (...args) => {
  const { stderr } = await shellIn({ home: home.path })(...args)
  expect(stderr).not.toContain(args.at(-1)?.split('=').at(-1))
})

/** All control characters, and those that turn the direction of text. */
const STEERING = Array.from({ length: 0x206a }, (_, code) => String.fromCharCode(code)).filter(
  (one) => one !== '\n' && /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(one),
)

test.each([
  ['kpis', 'list', '--columns', 'name,description'],
  ['kpis', 'list', '--output', 'csv'],
  ['kpis', 'list', '--output', 'json'],
  ['kpis', 'get', '1'],
  ['kpis', 'get', '1', '--output', 'csv'],
  ['kpis', 'get', '1', '--output', 'json'],
  ['kpis', 'get', 'x', '--log-format', 'json'],
  ['kpis', 'get', 'x\u001b]0;x\u0007\u202e', '--output', 'json'],
  ['entries', 'import', 'data.csv', '--no-input'],
])('what a service says cannot steer a terminal: kpi %s %s %s %s', async (...args) => {
  const name = STEERING.join('a')
  const record = { id: 1, name, description: name }
  for (const body of [[record], record, { message: name, errors: [{ field: name, message: name }] }]) {
    for (const status of [200, 400]) {
      answer = { status, body: JSON.stringify(body) }
      const world = {
        home: home.path,
        env: { KPI_BASE_URL: baseUrl, KPI_LOGIN: LOGIN, KPI_TOKEN: TOKEN, TERM: 'dumb' },
      }
      const { stdout, stderr } = await shellIn({ ...world, terminal: 80 })(...args, '--no-color')
      expect(STEERING.filter((one) => `${stdout}${stderr}`.includes(one))).toEqual([])
    }
  }
})

test('rejects and exports of what only its owner may read are for its owner alone', async () => {
  const embedded = shellIn({ home: home.path })
  await embedded('kpis', 'list')
  for (const mode of [0o600, 0o640, 0o644]) {
    const name = `of-${mode.toString(8)}`
    writeFileSync(home.in(`${name}.csv`), 'user,kpi,date,actual\nNobody,Nothing,x,y\n')
    chmodSync(home.in(`${name}.csv`), mode)
    await embedded('entries', 'import', `${name}.csv`, '--max-errors', '9', '--no-input')
    expect([name, statSync(home.in(`${name}.rejects.csv`)).mode & 0o777]).toEqual([name, mode])
  }
  await embedded('entries', 'export', '--from', '2020-01-01', '--to', '2026-12-31', '--to-file', 'out.csv')
  expect(statSync(home.in('out.csv')).mode & 0o777).toBe(0o600)
})

/** Lets others write what a token command is read from, and what is said of it. */
const OPENED: readonly (readonly [what: string, open: (config: string) => void, told: (config: string) => string])[] = [
  [
    'its config may be written by others',
    (config) => chmodSync(join(config, 'config.json'), 0o622),
    (config) => `others can write ${config}/config.json; fix it with: chmod go-w ${config}/config.json`,
  ],
  [
    'its folder may be written by others',
    (config) => chmodSync(config, 0o722),
    (config) => `others can write ${config}; fix it with: chmod go-w ${config}`,
  ],
  [
    'its folder may be replaced by others',
    (config) => chmodSync(dirname(config), 0o777),
    (config) => `others can write ${dirname(config)}; fix it with: chmod o-w ${dirname(config)}`,
  ],
]

/** Only root may give a file away. */
const OWNED: typeof OPENED = [
  [
    'its config belongs to another user',
    (config) => chownSync(join(config, 'config.json'), 12_345, 12_345),
    (config) => `${config}/config.json belongs to another user`,
  ],
  [
    'its folder belongs to another user',
    (config) => chownSync(config, 12_345, 12_345),
    (config) => `${config} belongs to another user`,
  ],
]

test.each([...OPENED, ...(process.getuid?.() === 0 ? OWNED : [])])(
  'a token command is not run where %s',
  async (_, open, told) => {
    using place = temporaryFolder()
    const shell = shellIn({ home: place.path, env: { KPI_CONFIG_DIR: place.in('config'), PATH: '/usr/bin:/bin' } })
    const remote = ['--base-url', baseUrl, '--login', LOGIN]
    await shell(
      'profiles',
      'add',
      'acme',
      ...remote,
      '--token-command',
      `touch ${place.in('ran')}; echo secret-token`,
      '--no-check',
    )
    open(place.in('config'))
    const { code, stderr } = await shell('-p', 'acme', 'kpis', 'list')
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(told(place.in('config'))) as string })
    expect(readdirSync(place.path)).not.toContain('ran')
  },
)
