import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { foreignService } from '../support/foreign.ts'
import { embeddedUser } from '../support/user.ts'

/** The objects of a text with one on each line; fails for anything else. */
const objectsIn = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const TOKEN = 'foreign-T0ken-word'
const envOf = (url: string): Record<string, string> => ({
  KPI_BASE_URL: `${url}/api`,
  KPI_LOGIN: 'ann@example.com',
  KPI_TOKEN: TOKEN,
})

describe('--verbose', () => {
  test('tells what set the service, and each request to the embedded one, in a line each', async () => {
    await using user = await embeddedUser()
    await user.kpi('categories', 'create', '--name', 'Shops')
    const service = `service: embedded, in ${user.folder.in('.local/share/kpi')}, by default`
    const { stderr } = await user.kpi('categories', 'list', '--verbose')
    expect(stderr).toBe(`${service}\nGET /kpicategories: 200 in 0 ms\n`)
    const refused = await user.kpi('entries', 'get', '99', '--verbose', '--timeout', '9s')
    expect(refused.stderr).toBe(
      `timeout: 9s, from --timeout\n${service}\nGET /kpientries/99: 404 in 0 ms\nkpi: there is no entry 99\n`,
    )
  })

  test('tells of a remote service where its settings come from, what is left of the limit, waits and repeats', async () => {
    await using user = await embeddedUser()
    let refusals = 1
    const { url } = await foreignService((response) => {
      const isRefused = (refusals -= 1) >= 0
      const limit = { 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': isRefused ? '0' : '187' }
      response.writeHead(isRefused ? 429 : 200, { ...limit, ...(isRefused && { 'retry-after': '2' }) }).end('[]')
    })
    const line = ['entries', 'list', '--from', '2026-01-01', '--to', '2026-01-31', '-o', 'csv', '--verbose']
    const { stderr } = await user.kpiIn({ env: envOf(url) }, ...line)
    expect(stderr.split('\n').slice(1, 7)).toEqual([
      `service: ${url}/api, from KPI_BASE_URL`,
      'login: ann@example.com, from KPI_LOGIN',
      'token: set, from the environment (KPI_TOKEN)',
      expect.stringMatching(/^GET \/api\/kpientries\?.*dateFrom=2026-01-01.*: 429 in 0 ms, 0 of 200 requests left$/),
      expect.stringMatching(/^waiting \d+ s for /),
      expect.stringMatching(/^GET \/api\/kpientries\?\S+, attempt 2: 200 in \d+ ms, 187 of 200 requests left$/),
    ])
  })

  test('tells why there was no answer', async () => {
    await using user = await embeddedUser()
    const { url } = await foreignService(() => undefined)
    const ran = await user.kpiIn({ env: envOf(url) }, 'kpis', 'list', '--verbose', '--timeout', '50ms')
    expect(ran).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('GET /api/kpis: no answer after 0 ms: it did not answer in time\n') as string,
    })
  })

  test.each(['--verbose', '--debug'])('%s is refused beside --quiet', async (flag) => {
    await using user = await embeddedUser()
    expect(await user.kpi('kpis', 'list', '--quiet', flag)).toMatchObject({
      code: 2,
      stderr: `kpi kpis list: --quiet and ${flag} contradict each other; leave out one of them\n`,
    })
  })
})

describe('--debug', () => {
  test('shows the headers and bodies of a request and its answer, without credentials', async () => {
    await using user = await embeddedUser()
    const { url } = await foreignService((response, { method }) => {
      if (method === 'GET') return void response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': 'session=abcdef', date: 'today' })
      response.end(`{"id":7,"email":"bo@example.com","password":"very-s3cret","note":"${TOKEN}","api_token":["a","b"]}`)
    })
    // What is in the environment would be removed from all of standard error; this one only the request knows.
    writeFileSync(user.folder.in('token'), TOKEN, { mode: 0o600 })
    const { KPI_TOKEN: _, ...env } = envOf(url)
    const line = ['users', 'create', '--first-name', 'Bo', '--email', 'bo@example.com', '--debug']
    const { stderr } = await user.kpiIn({ env: { ...env, KPI_TOKEN_FILE: 'token' } }, ...line)
    expect(stderr).not.toContain(TOKEN)
    expect(stderr).toContain(
      [
        'request 2: POST /api/users',
        '> authorization: Basic …',
        '> content-type: application/json',
        '> accept: application/json',
      ].join('\n'),
    )
    expect(stderr).toContain(
      '>\n> {"user_type":"User","user_status_id":"A","first_name":"Bo","email":"bo@example.com"}\n',
    )
    expect(stderr).toContain(
      'answer 2: POST /api/users: 201 in 0 ms\n< content-type: application/json\n< set-cookie: …\n',
    )
    expect(stderr).toContain('<\n< {"id":7,"email":"bo@example.com","password":"…","note":"…","api_token":"…"\n')
  })

  test.each<[what: string, body: string | Buffer, headers: Record<string, string>, told: RegExp]>([
    [
      'that is long',
      JSON.stringify('x'.repeat(99_998)),
      {},
      /\n< "x{10239}\n< \(cut after 10240 of 100000 characters\)\n/,
    ],
    ['that is compressed', gzipSync('[]'), { 'content-encoding': 'gzip' }, /\n< \(gzip, not shown\)\n/],
    ['that is no text', Buffer.from([0, 1, 255]), {}, /\n< \(binary, not shown\)\n/],
  ])('says of a body %s what is left out', async (_, body, headers, told) => {
    await using user = await embeddedUser()
    const { url } = await foreignService((response) => response.writeHead(400, headers).end(body))
    const { stderr } = await user.kpiIn({ env: envOf(url) }, 'kpis', 'list', '--debug')
    expect(stderr).toMatch(told)
  })

  test('writes an object a line where a program reads JSON; the last one is the error', async () => {
    await using user = await embeddedUser()
    const { stderr } = await user.kpi('entries', 'get', '99', '--debug', '-o', 'json')
    const told = objectsIn(stderr)
    expect(told.map(({ event }) => event)).toEqual(['setting', 'setting', 'request', 'answer', undefined])
    expect(told.slice(2)).toMatchObject([
      { level: 'debug', id: 1, method: 'GET', path: '/kpientries/99' },
      { level: 'debug', id: 1, status: 404, body: '{"message":"there is no entry 99","errors":[]}' },
      { error: { code: 'not_found', exit_code: 1 } },
    ])
  })

  test('numbers the requests of a command through, those of a download that is redirected, too', async () => {
    await using user = await embeddedUser()
    const { url } = await foreignService((response, { url: path }) => {
      if (path === '/a.csv?sig=s3cret-word') response.writeHead(302, { location: '/b.csv?sig=s3cret-word' }).end()
      else response.end('user,kpi,date,actual\nBo,Nope,2026-03-02,1\n')
    })
    const line = ['entries', 'import', `${url}/a.csv?sig=s3cret-word`, '--dry-run', '--no-input', '--debug']
    const { stderr } = await user.kpi(...line)
    expect(stderr).not.toContain('s3cret-word')
    const shown = [...stderr.matchAll(/^request (\d+): GET (\S+)$/gm)].slice(0, 3)
    expect(shown.map(([, id, path]) => [id, path])).toEqual([
      ['1', `${url}/a.csv`],
      ['2', `${url}/b.csv`],
      ['3', '/kpis'],
    ])
  })

  test('holds back the notes of a command with JSON output as ever', async () => {
    await using user = await embeddedUser()
    const { stderr } = await user.kpi('report', '--from', '2026-01-01', '--to', '2026-01-31', '--verbose', '-o', 'json')
    const lines = stderr.trimEnd().split('\n')
    expect(objectsIn(lines.slice(0, -1).join('\n')).map(({ event }) => event)).toContain('answer')
    expect(lines.at(-1)).toMatch(/^no values from /)
  })
})
