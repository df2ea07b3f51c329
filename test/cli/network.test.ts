import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { makePair } from '../support/certificates.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { type Serving, serve } from '../support/listening.ts'
import { runKpi } from '../support/process.ts'

const HOST = 'kpi.example.test'
const PASSWORD = 'proxy-canary-7'

let folder: Folder
let serving: Serving
let proxy: Server
/** The hosts that the proxy was asked for, and the credentials that came along. */
let asked: { host: string | undefined; credentials: string | undefined }[] = []
let refusal: number | undefined

/** Opens a tunnel to the service for whatever host is asked for. */
const openProxy = async (): Promise<Server> => {
  const server = createServer()
  server.on('connect', (request, client) => {
    asked.push({ host: request.url, credentials: request.headers['proxy-authorization'] })
    if (refusal !== undefined) return client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`)
    const port = Number(new URL(serving.server.url).port)
    const service = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n')
      service.pipe(client).pipe(service)
    })
    for (const socket of [client, service]) socket.on('error', () => undefined)
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

beforeAll(async () => {
  folder = temporaryFolder()
  const pair = await makePair(HOST)
  writeFileSync(folder.in('ca.pem'), `some words before it\n${pair.cert}`)
  writeFileSync(folder.in('empty.pem'), 'nothing')
  serving = await serve({ tls: pair })
  proxy = await openProxy()
})
afterAll(async () => {
  await serving[Symbol.asyncDispose]()
  proxy.closeAllConnections()
  proxy.close()
  folder[Symbol.dispose]()
})

const proxyUrl = (): string => `127.0.0.1:${(proxy.address() as AddressInfo).port}`

const environment = (more: Record<string, string>): Record<string, string> => ({
  KPI_BASE_URL: `https://${HOST}/api`,
  KPI_LOGIN: serving.service.login,
  KPI_TOKEN: serving.service.token,
  ...more,
})

const list = (more: Record<string, string>, ...flags: string[]): Promise<Ran> =>
  shellIn({ home: folder.path, env: environment(more) })('users', 'list', '-o', 'json', ...flags)

describe('a proxy of the environment', () => {
  test.each<[name: string, variables: (url: string) => Record<string, string>]>([
    ['HTTPS_PROXY', (url) => ({ HTTPS_PROXY: `http://${url}` })],
    ['https_proxy, without http://', (url) => ({ https_proxy: url })],
    ['HTTP_PROXY, where there is no other', (url) => ({ HTTP_PROXY: url })],
    ['HTTPS_PROXY, for hosts that NO_PROXY does not name', (url) => ({ HTTPS_PROXY: url, NO_PROXY: 'example.org' })],
  ])('is used: %s', async (_, variables) => {
    asked = []
    const ran = await list(variables(proxyUrl()), '--ca-file', 'ca.pem')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(asked).toEqual([{ host: `${HOST}:443`, credentials: undefined }])
  })

  test('gets the name and the password of its URL', async () => {
    asked = []
    const ran = await list({ HTTPS_PROXY: `http://ann:${PASSWORD}@${proxyUrl()}` }, '--ca-file', 'ca.pem')
    expect(ran.code).toBe(0)
    expect(asked[0]?.credentials).toBe(`Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`)
  })

  test('is not used for a service on this machine, nor for hosts in NO_PROXY', async () => {
    asked = []
    const local = serving.server.url.replace('localhost', '127.0.0.1')
    const near = await list({ KPI_BASE_URL: `${local}/api`, HTTPS_PROXY: proxyUrl() }, '--ca-file', 'ca.pem')
    expect(near.code).toBe(0)
    const past = await list({ HTTPS_PROXY: proxyUrl(), NO_PROXY: '.example.test' }, '--ca-file', 'ca.pem')
    expect(past).toMatchObject({ code: 5, stderr: expect.stringMatching(/there is no such host|looked up/) as unknown })
    expect(asked).toEqual([])
  })

  test.each<[status: number, says: string]>([
    [407, 'the proxy wants a name and a password (407): put them into its URL'],
    [502, 'the proxy refused the connection (502)'],
  ])('that answers %i is named, and its password is not', async (status, says) => {
    refusal = status
    const ran = await list({ HTTPS_PROXY: `http://ann:${PASSWORD}@${proxyUrl()}` })
    refusal = undefined
    expect(ran.code).toBe(5)
    expect(ran.stderr).toContain(says)
    expect(ran.stderr).toContain(`through the proxy ${proxyUrl()}`)
    expect(ran.stderr).not.toContain(PASSWORD)
  })

  test.each([
    ['HTTPS_PROXY', 'ftp://proxy'],
    ['HTTPS_PROXY', 'http://'],
    ['HTTPS_PROXY', `socks5://ann:${PASSWORD}@proxy`],
    ['HTTPS_PROXY', 'garbage'],
    ['https_proxy', `ann:${PASSWORD}@proxy`],
    ['HTTP_PROXY', 'some words'],
  ])('%s=%s is refused', async (name, url) => {
    const ran = await list({ [name]: url })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`${name} is not the URL of an HTTP proxy; write http://HOST:PORT, or unset it`)
    expect(ran.stderr).not.toContain(PASSWORD)
  })
})

describe('an authority that is not trusted', () => {
  const local = (): Record<string, string> => ({
    KPI_BASE_URL: `${serving.server.url.replace('localhost', '127.0.0.1')}/api`,
  })

  test('is named, with the way out, and nothing was sent', async () => {
    const ran = await list(local())
    expect(ran.code).toBe(5)
    expect(ran.stderr).toContain('no authority that is trusted here has signed its certificate; --ca-file FILE trusts')
  })

  test.each<[name: string, variables: Record<string, string>, flags: string[]]>([
    ['--ca-file', {}, ['--ca-file', 'ca.pem']],
    ['KPI_CA_FILE', { KPI_CA_FILE: 'ca.pem' }, []],
  ])('is trusted with %s', async (_, variables, flags) => {
    expect(await list({ ...local(), ...variables }, ...flags)).toMatchObject({ code: 0, stderr: '' })
  })

  test('is trusted with the --ca-file that the profile was added with, from any folder, until that is unset', async () => {
    const { service } = serving
    const kpi = (cwd: string, ...args: string[]): Promise<Ran> =>
      shellIn({ home: folder.path, cwd, stdin: service.token })(...args)
    const place = ['--base-url', local()['KPI_BASE_URL'] ?? '', '--login', service.login, '--token-stdin']
    const added = await kpi(folder.path, 'profiles', 'add', 'tls', ...place, '--ca-file', 'ca.pem')
    expect(added).toMatchObject({ code: 0 })
    const elsewhere = dirname(folder.path)
    const line = ['--profile', 'tls', 'users', 'list', '-o', 'json']
    expect(await kpi(elsewhere, ...line)).toMatchObject({ code: 0, stderr: '' })
    const listed = await kpi(elsewhere, 'profiles', 'list', '-o', 'json')
    expect(jsonOf(listed)).toMatchObject([{ name: 'tls', ca_file: folder.in('ca.pem') }])
    expect((await kpi(elsewhere, 'profiles', 'update', 'tls', '--unset', 'ca-file')).code).toBe(0)
    expect((await kpi(elsewhere, ...line)).code).toBe(5)
  })

  test('is trusted where the system trusts it', async () => {
    const ran = await runKpi(folder, ['users', 'list', '-o', 'json'], {
      ...environment(local()),
      SSL_CERT_FILE: folder.in('ca.pem'),
    })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })

  test.each<[file: string, says: string]>([
    ['none.pem', '--ca-file none.pem: cannot read it (there is no such file)'],
    ['empty.pem', '--ca-file empty.pem holds no certificate in PEM form'],
  ])('has to be in the file: %s', async (file, says) => {
    const ran = await list(local(), '--ca-file', file)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
  })
})

describe('--deadline', () => {
  const passed = (): AbortSignal => AbortSignal.abort()

  test('ends any command that waits for a service', async () => {
    const world = { home: folder.path, env: environment({ KPI_CA_FILE: 'ca.pem', HTTPS_PROXY: proxyUrl() }) }
    const ran = await shellIn({ ...world, alarm: passed })('kpis', 'get', '1', '--deadline', '2s')
    expect(ran.code).toBe(6)
    expect(ran.stderr).toContain('the deadline (2s) has passed; ')
  })

  test('ends a command whose standard input does not end', async () => {
    const stdin = new Readable({ read: () => undefined })
    const shell = shellIn({ home: folder.path, stdin, alarm: passed })
    const ran = await shell('kpis', 'create', '--from-json', '-', '--deadline', '2s')
    expect(ran.code).toBe(6)
    expect(ran.stderr).toContain('the deadline (2s) has passed; standard input had not ended; nothing was sent')
  })

  test('has to be a time, for every command', async () => {
    const ran = await shellIn({ home: folder.path })('kpis', 'list', '--deadline', 'soon')
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('--deadline soon is neither a time of day')])
  })
})
