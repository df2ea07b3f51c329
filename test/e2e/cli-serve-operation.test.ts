import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePair, type Pair } from '../support/certificates.ts'
import { basic, KPI } from '../support/classic.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { runHere } from '../support/kpi.ts'
import { runKpi, type Running, startKpi } from '../support/process.ts'

let home: Folder
let token: string
let credentials: string
let first: Pair
let second: Pair
beforeAll(async () => {
  home = temporaryFolder()
  await runHere(home, ['service', 'accounts', 'enable-api', 'default'])
  const made = JSON.parse((await runHere(home, ['service', 'token', 'create', '-o', 'json'])).stdout) as {
    login: string
    token: string
  }
  token = made.token
  credentials = basic(made.login, token)
  first = await makePair('localhost')
  second = await makePair('other.example.com')
  const expired = await makePair('localhost', -1)
  keep('good', first)
  keep('other', second)
  keep('old', expired)
})
afterAll(() => {
  home[Symbol.dispose]()
})

const keep = (name: string, { cert, key }: Pair): void => {
  writeFileSync(home.in(`${name}.cert`), cert)
  writeFileSync(home.in(`${name}.key`), key, { mode: 0o600 })
}
const tlsFlags = (name: string): string[] => ['--tls-cert', `${name}.cert`, '--tls-key', `${name}.key`]

/** A server that says where it listens. */
const serve = async (...args: string[]): Promise<Running & { url: string; port: number }> => {
  const running = startKpi(home, ['serve', '--port', '0', ...args])
  const [, url = '', port] = await running.says(/^(https?:\/\/[^\n]*:(\d+)\/api)$/m)
  return { ...running, url, port: Number(port) }
}

/** The status of an answer, and the name in the certificate of whoever gave it. */
const askTls = (port: number): Promise<{ readonly status: number | undefined; readonly name: unknown }> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/api/health', agent: false, rejectUnauthorized: false },
      (response) => {
        const { socket } = response as unknown as { socket: { getPeerCertificate: () => { subject: { CN: string } } } }
        const name = socket.getPeerCertificate().subject.CN
        response.resume().on('end', () => resolve({ status: response.statusCode, name }))
      },
    )
    asked.on('error', reject).end()
  })

const get = (url: string): Promise<Response> => fetch(url, { headers: { authorization: credentials } })

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('kpi serve with a certificate', () => {
  test('speaks HTTPS, also beyond this machine', async () => {
    const { url, port, child, ended } = await serve('--host', '0.0.0.0', ...tlsFlags('good'))
    expect(url).toBe(`https://0.0.0.0:${port}/api`)
    expect(await askTls(port)).toEqual({ status: 200, name: 'localhost' })
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: '' })
  })

  test('takes a renewed one on SIGHUP, and keeps the one it has when the new one is bad', async () => {
    keep('live', first)
    const { port, says, child, ended } = await serve(...tlsFlags('live'))
    keep('live', second)
    child.kill('SIGHUP')
    await says(/reloaded the certificate; it is valid until \d{4}-\d\d-\d\d\n/)
    expect(await askTls(port)).toEqual({ status: 200, name: 'other.example.com' })
    keep('live', { cert: first.cert, key: second.key })
    child.kill('SIGHUP')
    await says(/warning: cannot serve HTTPS with live\.cert and live\.key: .*; the previous certificate stays in use\n/)
    expect(await askTls(port)).toEqual({ status: 200, name: 'other.example.com' })
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  })

  test.each([
    ['only a certificate', ['--tls-cert', 'good.cert'], 2, 'a certificate and its key belong together: give both'],
    ['only a key', ['--tls-key', 'good.key'], 2, 'a certificate and its key belong together: give both'],
    ['none there', tlsFlags('none'), 1, 'cannot read the certificate none.cert: it is not there'],
    ['a folder', ['--tls-cert', '.', '--tls-key', 'good.key'], 1, 'cannot read the certificate .: it is a folder'],
    ['one that expired', tlsFlags('old'), 1, 'cannot serve HTTPS with old.cert and old.key: the certificate expired'],
    ['that of another', ['--tls-cert', 'good.cert', '--tls-key', 'other.key'], 1, 'is not that of the certificate'],
  ])('says in one line what is wrong with %s', async (_, flags, code, message) => {
    const ran = await runKpi(home, ['serve', '--port', '0', ...flags])
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toMatch(code === 2 ? /^kpi serve: [^\n]*\n$/ : /^kpi: [^\n]*\n$/)
    expect(ran.stderr).toContain(message)
  })
})

describe('kpi serve', () => {
  test.each([
    [['--host', '0.0.0.0'], '0.0.0.0 can be reached from other machines'],
    [['--host', ''], '--host is empty'],
    [['--public-url', 'kpi.example.com'], 'is not an address such as https://'],
    [['--public-url', 'http://kpi.example.com'], 'is not HTTPS'],
    [['--public-url', 'https://a:b@kpi.example.com'], 'is not an address'],
    [['--public-url', 'https://kpi.example.com/?x'], 'is not an address'],
    [['--metrics-port', '70000'], '--metrics-port 70000 is not a port'],
    [['--max-connections', '0'], '--max-connections 0 is not a number of connections'],
    [['--access-log', ''], '--access-log is empty'],
  ])('refuses %j', async (flags, message) => {
    const ran = await runKpi(home, ['serve', '--port', '0', ...flags])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  test('begins Location with the public URL', async () => {
    const { url } = await serve('--behind-proxy', '--public-url', 'https://kpi.example.com/base/')
    const headers = { authorization: credentials, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/kpis`, { method: 'POST', headers, body: JSON.stringify(KPI) })
    expect(answer.headers.get('location')).toMatch(/^https:\/\/kpi\.example\.com\/base\/api\/kpis\/\d+$/)
  })

  test('goes on at a SIGHUP without anything to read again', async () => {
    const { url, child, ended } = await serve()
    child.kill('SIGHUP')
    expect((await get(`${url}/kpis`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })
})

describe('the log of kpi serve', () => {
  test('has a line of JSON for each request on standard error, and no secret', async () => {
    const { url, child, ended, says } = await serve('--access-log', '-', '--behind-proxy')
    const headers = { authorization: credentials, 'x-forwarded-for': '203.0.113.9', cookie: token }
    const answer = await fetch(`${url}/kpis?token=${token}`, { headers })
    await says(/"path":"\/api\/kpis"/)
    child.kill('SIGTERM')
    const { stdout, stderr } = await ended
    expect(linesOf(stderr)).toMatchObject([
      { event: 'request', id: answer.headers.get('x-request-id'), address: '203.0.113.9', account: 'default' },
    ])
    expect(stderr).not.toContain(token)
    expect(stdout).toBe(`${url}\n`)
  })

  test('has the request, too, that was cut when the service stopped', async () => {
    const { url, port, child, ended } = await serve('--access-log', 'cut.log')
    const headers = ['Host: localhost', `Authorization: ${credentials}`, 'Content-Type: application/json']
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(['POST /api/kpicategories HTTP/1.1', ...headers, 'Content-Length: 50', '', '{"name"'].join('\r\n'))
    // It is there when what came later has been answered.
    await get(`${url}/kpis/1`)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    const logged = linesOf(readFileSync(home.in('cut.log'), 'utf8')).map(({ path, cut }) => [path, cut])
    expect(logged).toContainEqual(['/api/kpicategories', true])
  })

  test('goes on in a new file on SIGHUP, so that the old one can be put away', async () => {
    const { url, child, ended } = await serve('--access-log', 'access.log')
    const written = (name: string): unknown[] => {
      const path = home.in(name)
      return existsSync(path) ? linesOf(readFileSync(path, 'utf8')).map(({ path }) => path) : []
    }
    await get(`${url}/kpis/1`)
    await expect.poll(() => written('access.log')).toEqual(['/api/kpis/1'])
    renameSync(home.in('access.log'), home.in('access.log.1'))
    child.kill('SIGHUP')
    await expect.poll(() => existsSync(home.in('access.log'))).toBe(true)
    await get(`${url}/kpis/2`)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect([written('access.log.1'), written('access.log')]).toEqual([['/api/kpis/1'], ['/api/kpis/2']])
  })

  test('that cannot be opened keeps the service from starting', async () => {
    expect(await runKpi(home, ['serve', '--port', '0', '--access-log', 'no/such/folder'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^kpi: cannot open the log .*no\/such\/folder: it is not there\n$/) as string,
    })
  })

  test('that cannot be written any more does not stop the service, which says so once', async () => {
    const { url, child, ended, says } = await serve('--access-log', '/dev/full')
    expect((await get(`${url}/kpis`)).status).toBe(200)
    await says(/kpi: cannot write the log \/dev\/full: the disk is full; the service continues without it\n/)
    expect((await get(`${url}/kpis`)).status).toBe(200)
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    expect([code, stderr.match(/cannot write/g)]).toEqual([0, ['cannot write']])
  })
})

describe('the metrics of kpi serve', () => {
  test('are on a port of their own, which it tells', async () => {
    const { url, says, child, ended } = await serve('--metrics-port', '0', ...tlsFlags('good'))
    const [, page = ''] = await says(/metrics are at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/)
    expect(url).toMatch(/^https:/)
    await askTls(Number(new URL(url).port))
    const text = await (await fetch(page)).text()
    expect(text).toMatch(/^kpi_http_requests_total\{method="GET",route="\/api\/health",status="200"\} 1$/m)
    expect(text).toMatch(/^kpi_tls_certificate_expiry_timestamp_seconds \d+$/m)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  })

  test('on a port that is taken keep the service from starting', async () => {
    const { port } = await serve()
    expect(await runKpi(home, ['serve', '--port', '0', '--metrics-port', String(port)])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `kpi: cannot listen on 127.0.0.1 port ${port}: it is in use; choose another with --metrics-port, 0 takes a free one\n`,
    })
  })
})
