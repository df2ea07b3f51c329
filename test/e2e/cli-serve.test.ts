import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basic } from '../support/classic.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { runHere } from '../support/kpi.ts'
import { runKpi, type Running, startKpi } from '../support/process.ts'
import { openTerminal } from '../support/terminal.ts'

let home: Folder
let credentials: string
beforeAll(async () => {
  home = temporaryFolder()
  await runHere(home, ['service', 'accounts', 'enable-api', 'default'])
  const { stdout } = await runHere(home, ['service', 'token', 'create', '-o', 'json'])
  const { login, token } = JSON.parse(stdout) as { login: string; token: string }
  credentials = basic(login, token)
})
afterAll(() => {
  home[Symbol.dispose]()
})

/** A server that says where it listens. */
const serve = async (...args: string[]): Promise<Running & { url: string; port: number }> => {
  const running = startKpi(home, ['serve', '--port', '0', ...args])
  const [, url = '', port] = await running.says(/^(http:\/\/[^\n]*:(\d+)\/api)\n/)
  return { ...running, url, port: Number(port) }
}
const HEAD = ['POST /api/kpicategories HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
const get = (url: string, authorization?: string): Promise<Response> =>
  fetch(url, { headers: authorization === undefined ? {} : { authorization } })

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
const stopsListening = async (port: number): Promise<void> => {
  await expect.poll(() => listens(port), { interval: 10, timeout: 10_000 }).toBe(false)
}

describe('kpi serve', () => {
  test('says on standard output where it listens and nothing else, and answers those who have credentials', async () => {
    const { url, child, ended } = await serve()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/)
    expect((await get(`${url}/health`)).status).toBe(200)
    expect((await get(`${url}/kpis`, credentials)).status).toBe(200)
    const refused = await get(`${url}/kpis`)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="kpi"'])
    expect((await get(`${url}/kpis`, basic('admin@localhost', 'kpi_token_wrong'))).status).toBe(401)
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: 0, signal: null, stdout: `${url}\n`, stderr: '' })
  })

  test('speaks XML with those who ask for it', async () => {
    const { url } = await serve()
    const headers = { authorization: credentials, 'content-type': 'application/xml' }
    const body = '<KPICategory><name>A &amp; B</name></KPICategory>'
    const made = await fetch(`${url}/kpicategories`, { method: 'POST', headers, body })
    expect([made.status, made.headers.get('content-type')]).toEqual([201, 'application/xml; charset=utf-8'])
    expect(await made.text()).toContain('<name>A &amp; B</name>')
    const refused = await fetch(`${url}/kpicategories`, { method: 'POST', headers, body: '<!DOCTYPE a><a/>' })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('a DOCTYPE, which is not allowed'),
    ])
  })

  test('shares its data directory with the command line', async () => {
    const { url } = await serve()
    await runHere(home, ['categories', 'create', '--name', 'Shared'])
    expect(await (await get(`${url}/kpicategories`, credentials)).text()).toContain('"Shared"')
    await runHere(home, ['service', 'accounts', 'disable-api', 'default'])
    expect((await get(`${url}/kpis`, credentials)).status).toBe(403)
    await runHere(home, ['service', 'accounts', 'enable-api', 'default'])
    expect((await get(`${url}/kpis`, credentials)).status).toBe(200)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('finishes the request that it has when %s stops it', async (signal) => {
    const { child, ended, port } = await serve()
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const body = '{"name":"Last"}'
    const head = [...HEAD, `Authorization: ${credentials}`, 'Connection: close']
    socket.write([...head, `Content-Length: ${body.length}`, '', body.slice(0, 5)].join('\r\n'))
    // Once a second connection has been answered, the first has been read.
    await get(`http://127.0.0.1:${port}/api/health`)
    child.kill(signal)
    await stopsListening(port)
    socket.write(body.slice(5))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
    expect(await ended).toMatchObject({ code: 0, signal: null })
  })

  test('stops at once when it is asked a second time', async () => {
    const { child, ended, port } = await serve()
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write([...HEAD, `Authorization: ${credentials}`, 'Content-Length: 9', '', ''].join('\r\n'))
    await get(`http://127.0.0.1:${port}/api/health`)
    child.kill('SIGINT')
    await stopsListening(port)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
    socket.destroy()
  })

  test('says which port is in use, and how to take another', async () => {
    const { port } = await serve()
    expect(await runKpi(home, ['serve', '--port', String(port)])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `kpi: cannot listen on 127.0.0.1 port ${port}: it is in use; choose another with --port, 0 takes a free one\n`,
    })
  })

  test('says how to enable the API where it is not, for the very place that it serves', async () => {
    const { says, child, ended } = startKpi(home, ['serve', '--port', '0', '--data-dir', "it's new"])
    await says(/\n {2}kpi service keys create NAME --user USER --scopes entries:write --data-dir 'it'\\''s new'\n$/)
    child.kill('SIGTERM')
    const { stderr } = await ended
    expect(stderr).toContain("\n  kpi service accounts enable-api default --data-dir 'it'\\''s new'\n")
    expect(stderr).toContain("\n  kpi service token create --data-dir 'it'\\''s new'\n")
    expect(stderr).toContain('a key for the newer interface at /v1:\n')
  })

  test('ends where nobody can be told that it is ready', async () => {
    await using terminal = openTerminal()
    expect(await terminal.type('kpi serve --port 0 > /dev/full; echo $?')).toBe(
      'kpi: cannot write the output: the disk is full\n1\n',
    )
    // Only once the reader is gone, which takes a moment.
    const untilBroken = "trap '' PIPE; while printf x 2> /dev/null; do :; done"
    expect(await terminal.type(`{ ${untilBroken}; kpi serve --port 0; echo $? >&2; } | true`)).toBe('0\n')
  })
})
